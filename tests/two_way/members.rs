//! Memberships: the entries of one array hold an id and more, and the other side is a list of ids that follows them.

use bson::{Bson, Document, doc};
use mongo_model::denorm::Defect;
use mongo_model::{Error, Id, MongoEmbed, MongoModel, Transaction, repair, transaction, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, in_set, on_both};
use crate::two_way::models::{done, ids, stored};
use crate::two_way::settled::{everything, settled, shown};

/// Its teams follow: by name, `crew_people.teams` would be the truth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "crew_people")]
pub(crate) struct User {
    #[serde(rename = "_id")]
    pub(crate) id: Id<User>,
    pub(crate) name: String,
    #[refs(Team, inverse = members, max = 2)]
    pub(crate) teams: Vec<Id<Team>>,
    #[refs(Guild, inverse = fellows)]
    pub(crate) guilds: Vec<Id<Guild>>,
    #[refs(Guild, inverse = guests, max = 2)]
    pub(crate) visits: Vec<Id<Guild>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "crew_teams")]
pub(crate) struct Team {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Team>,
    pub(crate) title: String,
    #[refs(User, inverse = teams, via = user, max = 3)]
    pub(crate) members: Vec<Member>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub(crate) struct Member {
    #[parent(User)]
    #[serde(rename = "u")]
    pub(crate) user: Id<User>,
    pub(crate) role: Role,
    #[model(max_len = 10)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
    #[parent(User, on_delete = keep)]
    pub(crate) invited_by: Option<Id<User>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub(crate) enum Role {
    Reader,
    Admin,
}

/// Its entries hold copies beside the id and the rank.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "crew_guilds")]
pub(crate) struct Guild {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Guild>,
    #[refs(User, inverse = guilds, max = 3)]
    pub(crate) fellows: Vec<Fellow>,
    #[refs(User, inverse = visits, max = 2)]
    #[denorm(from = User, field = name)]
    pub(crate) guests: Vec<Guest>,
}

fn guild(fellows: Vec<Fellow>) -> Guild {
    Guild {
        id: Id::new(),
        fellows,
        guests: Vec::new(),
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub(crate) struct Fellow {
    #[parent(User)]
    pub(crate) user: Id<User>,
    pub(crate) rank: i32,
    #[denorm(from = User, field = name)]
    pub(crate) name: String,
    #[denorm(from = User, field = name, snapshot)]
    pub(crate) joined_as: String,
}

/// An entry as a program makes it, which does not know the copies.
fn fellow(user: &User, rank: i32) -> Fellow {
    Fellow {
        user: user.id,
        rank,
        name: String::new(),
        joined_as: String::new(),
    }
}

pub(crate) fn user(name: &str) -> User {
    User {
        id: Id::new(),
        name: name.to_owned(),
        teams: Vec::new(),
        guilds: Vec::new(),
        visits: Vec::new(),
    }
}

pub(crate) fn member(user: &User, role: Role) -> Member {
    Member {
        user: user.id,
        role,
        note: None,
        invited_by: None,
    }
}

pub(crate) fn team(members: &[Member]) -> Team {
    Team {
        id: Id::new(),
        title: "a team".to_owned(),
        members: members.to_vec(),
    }
}

/// Three users, stored.
async fn users(bench: &Bench) -> [User; 3] {
    let models = [User::meta(), Team::meta(), Guild::meta()];
    bench.index(&models).await;
    let users = [user("ann"), user("bob"), user("cay")];
    User::insert_many(&bench.db, &users).await.expect("stored");
    bench.forget();
    users
}

/// The teams in a user's document, sorted.
async fn teams(bench: &Bench, user: &User) -> Vec<Bson> {
    let mut teams = ids(&shown::<User>(bench, &user.id).await, "teams");
    teams.sort_by_key(Bson::to_string);
    teams
}

/// The users of a team's entries with their roles, in stored order.
async fn members(bench: &Bench, team: &Team) -> Vec<(Id<User>, Role)> {
    let read = Team::get(&bench.db, team.id).await.expect("read");
    let members = read.expect("there").members;
    let pairs = members.iter().map(|member| (member.user, member.role));
    pairs.collect()
}

#[tokio::test]
async fn entries_are_added_changed_and_removed() {
    on_both("2w_members", async |bench| {
        let db = &bench.db;
        let [ann, bob, cay] = users(bench).await;
        let (red, blue) = (team(&[]), team(&[member(&ann, Role::Reader)]));
        for team in [&red, &blue] {
            done(Team::insert(db, team).await);
        }
        assert_eq!(teams(bench, &ann).await, stored(&[blue.id]));
        settled(bench).await;
        for round in 0..2 {
            bench.forget();
            let added = done(Team::add_members(db, red.id, member(&bob, Role::Reader)).await);
            assert_eq!((added.matched, added.modified), (1, 1 - round));
            let sent = bench.sent();
            match round {
                // The user is there and has room; the entry, the user's list, the flag off, the marks off.
                0 => assert_eq!(
                    sent,
                    ["find", "findAndModify", "update", "update", "update"]
                ),
                _ => assert_eq!(sent, ["find", "findAndModify"]),
            }
            assert_eq!(members(bench, &red).await, [(bob.id, Role::Reader)]);
            assert_eq!(teams(bench, &bob).await, stored(&[red.id]));
            settled(bench).await;
        }
        done(Team::add_members(db, red.id, member(&ann, Role::Admin)).await);
        assert_eq!(teams(bench, &ann).await, stored(&[red.id, blue.id]));
        // The role of an entry is its own: one update, and no flag.
        bench.forget();
        let changed = Team::update(db, red.id)
            .set_where(
                |t| t.members,
                |m| m.user.eq(bob.id),
                |m| m.role,
                Role::Admin,
            )
            .await;
        assert_eq!(done(changed).modified, 1);
        assert_eq!(bench.sent(), ["update"]);
        let both = [(bob.id, Role::Admin), (ann.id, Role::Admin)];
        assert_eq!(members(bench, &red).await, both);
        settled(bench).await;
        // From either side.
        for _ in 0..2 {
            done(Team::remove_members(db, red.id, bob.id).await);
            done(User::remove_teams(db, ann.id, blue.id).await);
            assert_eq!(members(bench, &red).await, [(ann.id, Role::Admin)]);
            assert_eq!(members(bench, &blue).await, []);
            assert_eq!(teams(bench, &bob).await, []);
            assert_eq!(teams(bench, &ann).await, stored(&[red.id]));
            settled(bench).await;
        }
        // One stays with another role, one goes, one comes.
        done(Team::add_members(db, red.id, member(&bob, Role::Admin)).await);
        let wanted = [member(&cay, Role::Reader), member(&ann, Role::Reader)];
        for round in 0..2 {
            let replaced = done(Team::replace_members(db, red.id, &wanted).await);
            assert_eq!(replaced.modified, 1 - round);
            let both = [(ann.id, Role::Reader), (cay.id, Role::Reader)];
            assert_eq!(members(bench, &red).await, both);
            for (user, there) in [(&ann, true), (&bob, false), (&cay, true)] {
                let expected = if there { stored(&[red.id]) } else { Vec::new() };
                assert_eq!(teams(bench, user).await, expected);
            }
            settled(bench).await;
        }
        // Only an own field differs: nothing moves.
        let wanted = [member(&cay, Role::Admin), member(&ann, Role::Reader)];
        bench.forget();
        let replaced = done(Team::replace_members(db, red.id, &wanted).await);
        assert_eq!(replaced.modified, 1);
        assert_eq!(bench.sent(), ["find", "findAndModify"]);
        let both = [(ann.id, Role::Reader), (cay.id, Role::Admin)];
        assert_eq!(members(bench, &red).await, both);
        settled(bench).await;
    })
    .await;
}

#[tokio::test]
async fn entries_are_found_and_loaded_by_their_ids() {
    on_both("2w_members_found", async |bench| {
        let db = &bench.db;
        let [ann, bob, cay] = users(bench).await;
        let red = team(&[member(&bob, Role::Admin), member(&ann, Role::Reader)]);
        done(Team::insert(db, &red).await);
        let found = Team::find(db, |t| t.members.user.eq(ann.id)).await;
        assert_eq!(found.expect("found"), std::slice::from_ref(&red));
        let by = Team::by_members(db, bob.id).await.expect("found");
        assert_eq!(by, std::slice::from_ref(&red));
        assert_eq!(Team::by_members(db, cay.id).await.expect("found"), []);
        let asked = [ann.clone(), cay.clone()];
        let many = Team::by_members_many(db, &asked).await;
        let many = many.expect("found");
        assert_eq!(
            many.iter()
                .map(|(_, teams)| teams.len())
                .collect::<Vec<_>>(),
            [1, 0]
        );
        let loaded = red.load_members(db).await.expect("loaded");
        let names: Vec<&str> = loaded.iter().map(|user| user.name.as_str()).collect();
        assert_eq!(names, ["bob", "ann"]);
    })
    .await;
}

#[tokio::test]
async fn refused_entries_change_nothing() {
    on_both("2w_members_refused", async |bench| {
        let db = &bench.db;
        let [ann, bob, cay] = users(bench).await;
        let dan = user("dan");
        done(User::insert(db, &dan).await);
        let all = [&ann, &bob, &cay].map(|user| member(user, Role::Reader));
        let teams = [team(&all), team(&all[..1]), team(&[])];
        for team in &teams {
            done(Team::insert(db, team).await);
        }
        let before = everything(bench).await;
        let full = |result: mongo_model::Result<_>, what: &str, bound: u64| match result {
            Err(Error::Full { field, max }) => assert_eq!((&*field, max), (what, bound)),
            other => panic!("{other:?}"),
        };
        let dan_reads = member(&dan, Role::Reader);
        full(
            Team::add_members(db, teams[0].id, &dan_reads).await,
            "Team.members",
            3,
        );
        full(
            Team::add_members(db, teams[2].id, &all[0]).await,
            "User.teams",
            2,
        );
        let four = all.iter().chain([&dan_reads]);
        let long = Team::replace_members(db, teams[2].id, four).await;
        assert!(
            matches!(long, Err(Error::TooLong { len: 4, max: 3, .. })),
            "{long:?}"
        );
        // Another role for a user who is there already.
        let other = Team::add_members(db, teams[0].id, member(&bob, Role::Admin)).await;
        match &other {
            Err(Error::OtherEntry { field, id }) => {
                assert_eq!(
                    (&**field, &**id),
                    ("Team.members", &Bson::from(*bob.id.as_raw()))
                );
            }
            other => panic!("{other:?}"),
        }
        let twice = [member(&dan, Role::Admin), member(&dan, Role::Reader)];
        let twice = Team::replace_members(db, teams[2].id, &twice).await;
        assert!(matches!(twice, Err(Error::OtherEntry { .. })), "{twice:?}");
        let both = [member(&dan, Role::Admin), member(&dan, Role::Reader)];
        let twice = Team::insert(db, &team(&both)).await;
        assert!(matches!(twice, Err(Error::OtherEntry { .. })), "{twice:?}");
        let noted = Member {
            note: Some("far too long a note".to_owned()),
            ..dan_reads.clone()
        };
        let noted = Team::add_members(db, teams[2].id, noted).await;
        assert!(
            matches!(noted, Err(Error::ValueTooLong { .. })),
            "{noted:?}"
        );
        let nobody = member(&user("nobody"), Role::Reader);
        let dangling = Team::add_members(db, teams[2].id, nobody).await;
        assert!(
            matches!(dangling, Err(Error::Dangling { .. })),
            "{dangling:?}"
        );
        let unknown = Team::add_members(db, Id::new(), &dan_reads).await;
        assert!(
            matches!(unknown, Err(Error::NotFound { .. })),
            "{unknown:?}"
        );
        assert_eq!(everything(bench).await, before);
        settled(bench).await;
    })
    .await;
}

#[tokio::test]
async fn saved_entries_are_followed() {
    on_both("2w_members_saved", async |bench| {
        let db = &bench.db;
        let [ann, bob, cay] = users(bench).await;
        let mut red = team(&[member(&ann, Role::Reader), member(&bob, Role::Reader)]);
        done(Team::insert(db, &red).await);
        red.members = vec![member(&bob, Role::Admin), member(&cay, Role::Admin)];
        done(red.save(db).await);
        assert_eq!(
            members(bench, &red).await,
            [(bob.id, Role::Admin), (cay.id, Role::Admin)]
        );
        assert_eq!(teams(bench, &ann).await, []);
        assert_eq!(teams(bench, &cay).await, stored(&[red.id]));
        settled(bench).await;
        // The list follows: a save that changes it is refused.
        let read = User::get(db, cay.id).await.expect("read").expect("there");
        let without = User {
            teams: vec![Id::new()],
            ..read
        };
        let refused = without.save(db).await;
        assert!(
            matches!(refused, Err(Error::DerivedField { .. })),
            "{refused:?}"
        );
    })
    .await;
}

#[tokio::test]
async fn deletes_of_either_side_leave_nothing() {
    on_both("2w_members_deleted", async |bench| {
        let db = &bench.db;
        let [ann, bob, cay] = users(bench).await;
        let mut invited = member(&bob, Role::Admin);
        invited.invited_by = Some(ann.id);
        let red = team(&[member(&ann, Role::Reader), invited]);
        let blue = team(&[member(&ann, Role::Admin), member(&cay, Role::Reader)]);
        for team in [&red, &blue] {
            done(Team::insert(db, team).await);
        }
        User::delete(db, ann.id).await.expect("deleted");
        // The reference that keeps is another field of the entry.
        assert_eq!(members(bench, &red).await, [(bob.id, Role::Admin)]);
        assert_eq!(members(bench, &blue).await, [(cay.id, Role::Reader)]);
        settled(bench).await;
        Team::delete(db, blue.id).await.expect("deleted");
        assert_eq!(teams(bench, &cay).await, []);
        assert_eq!(teams(bench, &bob).await, stored(&[red.id]));
        settled(bench).await;
    })
    .await;
}

#[tokio::test]
async fn a_transaction_changes_both_sides() {
    in_set("2w_members_within", async |bench| {
        let db = &bench.db;
        let [ann, bob, _] = users(bench).await;
        let red = team(&[member(&ann, Role::Reader)]);
        done(Team::insert(db, &red).await);
        let (red_id, bob_reads) = (red.id, member(&bob, Role::Reader));
        let change = async |tx: &mut Transaction| {
            Team::add_members(db, red_id, &bob_reads).within(tx).await?;
            Team::remove_members(db, red_id, ann.id).within(tx).await
        };
        transaction(db, change).await.expect("committed");
        assert_eq!(members(bench, &red).await, [(bob.id, Role::Reader)]);
        assert_eq!(teams(bench, &ann).await, []);
        assert_eq!(teams(bench, &bob).await, stored(&[red.id]));
        settled(bench).await;
    })
    .await;
}

/// Changes documents as another program does.
async fn foreign(bench: &Bench, collection: &str, id: Bson, update: Document) {
    let done = bench
        .raw(collection)
        .update_one(doc! { "_id": id }, update)
        .await;
    assert_eq!(done.expect("changed").modified_count, 1);
}

#[tokio::test]
async fn differences_are_found_and_repaired() {
    on_both("2w_members_verified", async |bench| {
        let db = &bench.db;
        let [ann, bob, cay] = users(bench).await;
        let red = team(&[member(&ann, Role::Reader), member(&bob, Role::Admin)]);
        done(Team::insert(db, &red).await);
        assert!(verify(db).await.expect("verified").is_settled());
        // An entry that no list has, a list without its entry, and an entry of nobody.
        let raw = |user: &User| Bson::from(*user.id.as_raw());
        let entries = doc! { "$push": { "members": { "$each": [
            { "u": raw(&cay), "role": "Reader" },
            { "u": Bson::ObjectId(bson::oid::ObjectId::new()), "role": "Reader" },
        ] } } };
        foreign(bench, "crew_teams", Bson::from(*red.id.as_raw()), entries).await;
        let pulled = doc! { "$pull": { "teams": red.id.as_raw() } };
        foreign(bench, "crew_people", raw(&bob), pulled).await;
        let found = verify(db).await.expect("verified");
        let missing = found.edge("crew_people.teams").expect("compared");
        assert_eq!((missing.count(Defect::Missing), missing.defects()), (2, 2));
        let orphan = found.edge("crew_teams.members").expect("compared");
        assert_eq!((orphan.count(Defect::Orphan), orphan.defects()), (1, 1));
        repair(db).await.expect("repaired");
        assert!(verify(db).await.expect("verified").is_settled());
        let three = [
            (ann.id, Role::Reader),
            (bob.id, Role::Admin),
            (cay.id, Role::Reader),
        ];
        assert_eq!(members(bench, &red).await, three);
        for user in [&ann, &bob, &cay] {
            assert_eq!(teams(bench, user).await, stored(&[red.id]));
        }
        settled(bench).await;
    })
    .await;
}

/// The fellows of a guild: the two copies, and the rank.
async fn fellows(bench: &Bench, guild: &Guild) -> Vec<(String, String, i32)> {
    let read = Guild::get(&bench.db, guild.id).await.expect("read");
    let fellows = read.expect("there").fellows;
    let all = fellows
        .into_iter()
        .map(|fellow| (fellow.name, fellow.joined_as, fellow.rank));
    all.collect()
}

fn named(name: &str, joined_as: &str, rank: i32) -> (String, String, i32) {
    (name.to_owned(), joined_as.to_owned(), rank)
}

/// The guilds in a user's document.
async fn guilds(bench: &Bench, user: &User) -> Vec<Bson> {
    ids(&shown::<User>(bench, &user.id).await, "guilds")
}

#[tokio::test]
async fn copies_in_entries_follow() {
    on_both("2w_members_copies", async |bench| {
        let db = &bench.db;
        let [ann, bob, cay] = users(bench).await;
        let red = guild(vec![fellow(&ann, 1)]);
        done(Guild::insert(db, &red).await);
        assert_eq!(fellows(bench, &red).await, [named("ann", "ann", 1)]);
        settled(bench).await;
        for round in 0..2 {
            bench.forget();
            let added = done(Guild::add_fellows(db, red.id, fellow(&bob, 2)).await);
            assert_eq!((added.matched, added.modified), (1, 1 - round));
            let sent = bench.sent();
            if round == 0 {
                // Room, and the sources; the entry; the user's list, both flags off; the source again durably, its copies.
                assert_eq!(
                    sent,
                    [
                        "find",
                        "find",
                        "findAndModify",
                        "update",
                        "update",
                        "update",
                        "findAndModify",
                        "update"
                    ]
                );
            } else {
                assert_eq!(sent, ["find", "find", "findAndModify"]);
            }
            let both = [named("ann", "ann", 1), named("bob", "bob", 2)];
            assert_eq!(fellows(bench, &red).await, both);
            assert_eq!(guilds(bench, &bob).await, stored(&[red.id]));
            settled(bench).await;
        }
        let renamed = User::update(db, bob.id).set(|u| u.name, "rob").await;
        done(renamed);
        let both = [named("ann", "ann", 1), named("rob", "bob", 2)];
        assert_eq!(fellows(bench, &red).await, both);
        settled(bench).await;
        let promoted = Guild::update(db, red.id)
            .set_where(|g| g.fellows, |f| f.user.eq(bob.id), |f| f.rank, 3)
            .await;
        assert_eq!(done(promoted).modified, 1);
        // Copies are none of the program's business: those that it read earlier are as good as any.
        let mut read = Guild::get(db, red.id).await.expect("read").expect("there");
        read.fellows[0].name = "wrong".to_owned();
        let stays = read.fellows[0].clone();
        let mut promoted = read.fellows[1].clone();
        promoted.rank = 4;
        done(Guild::replace_fellows(db, red.id, [promoted, fellow(&cay, 5), stays]).await);
        let three = [
            named("ann", "ann", 1),
            named("rob", "bob", 4),
            named("cay", "cay", 5),
        ];
        assert_eq!(fellows(bench, &red).await, three);
        assert_eq!(guilds(bench, &cay).await, stored(&[red.id]));
        settled(bench).await;
        for (user, name) in [(&ann, "nan"), (&bob, "bo"), (&cay, "kay")] {
            done(User::update(db, user.id).set(|u| u.name, name).await);
        }
        let three = [
            named("nan", "ann", 1),
            named("bo", "bob", 4),
            named("kay", "cay", 5),
        ];
        assert_eq!(fellows(bench, &red).await, three);
        assert!(verify(db).await.expect("verified").is_settled());
        // A save of a stale document moves the reference, and not the copies.
        read.fellows.remove(1);
        done(read.save(db).await);
        assert_eq!(fellows(bench, &red).await, [named("nan", "ann", 1)]);
        assert_eq!(guilds(bench, &bob).await, []);
        assert_eq!(guilds(bench, &cay).await, []);
        settled(bench).await;
        User::delete(db, ann.id).await.expect("deleted");
        assert_eq!(fellows(bench, &red).await, []);
        settled(bench).await;
    })
    .await;
}

#[tokio::test]
async fn copies_that_others_broke_are_repaired() {
    on_both("2w_members_stale", async |bench| {
        let db = &bench.db;
        let [ann, bob, _] = users(bench).await;
        let red = guild(vec![fellow(&ann, 1), fellow(&bob, 2)]);
        done(Guild::insert(db, &red).await);
        let id = Bson::from(*red.id.as_raw());
        let stale = doc! { "$set": { "fellows.1.name": "stale" } };
        foreign(bench, "crew_guilds", id, stale).await;
        let found = verify(db).await.expect("verified");
        let copies = found.edge("crew_guilds.fellows").expect("compared");
        assert_eq!((copies.count(Defect::Stale), copies.defects()), (1, 1));
        repair(db).await.expect("repaired");
        let both = [named("ann", "ann", 1), named("bob", "bob", 2)];
        assert_eq!(fellows(bench, &red).await, both);
        settled(bench).await;
    })
    .await;
}

#[tokio::test]
async fn a_transaction_adds_an_entry_with_copies() {
    in_set("2w_members_copies_within", async |bench| {
        let db = &bench.db;
        let [ann, bob, _] = users(bench).await;
        let red = guild(vec![fellow(&ann, 1)]);
        done(Guild::insert(db, &red).await);
        let (red_id, entry) = (red.id, fellow(&bob, 2));
        let change = async |tx: &mut Transaction| {
            Guild::add_fellows(db, red_id, &entry).within(tx).await?;
            User::update(db, bob.id)
                .set(|u| u.name, "rob")
                .within(tx)
                .await
        };
        transaction(db, change).await.expect("committed");
        let both = [named("ann", "ann", 1), named("rob", "bob", 2)];
        assert_eq!(fellows(bench, &red).await, both);
        assert_eq!(guilds(bench, &bob).await, stored(&[red.id]));
        settled(bench).await;
        let nobody = fellow(&user("nobody"), 3);
        let refused =
            async |tx: &mut Transaction| Guild::add_fellows(db, red_id, &nobody).within(tx).await;
        let refused = transaction(db, refused).await.map(drop);
        assert!(
            matches!(refused, Err(Error::Dangling { .. })),
            "{refused:?}"
        );
        assert_eq!(fellows(bench, &red).await, both);
        settled(bench).await;
    })
    .await;
}

/// The guests of a guild, as it shows them.
async fn guests(bench: &Bench, guild: &Guild) -> Vec<String> {
    let read = Guild::get(&bench.db, guild.id).await.expect("read");
    let guests = read.expect("there").guests;
    guests.into_iter().map(|guest| guest.name).collect()
}

// A generated entry holds an id and copies alone, so that either side makes it from an id.
#[tokio::test]
async fn generated_entries_are_added_from_either_side() {
    on_both("2w_members_generated", async |bench| {
        let db = &bench.db;
        let [ann, bob, cay] = users(bench).await;
        let (red, blue) = (guild(Vec::new()), guild(Vec::new()));
        Guild::insert_many(db, [&red, &blue]).await.expect("stored");
        for _ in 0..2 {
            done(Guild::add_guests(db, red.id, ann.id).await);
            done(User::add_visits(db, bob.id, red.id).await);
            assert_eq!(guests(bench, &red).await, ["ann", "bob"]);
            let shown = shown::<User>(bench, &bob.id).await;
            assert_eq!(ids(&shown, "visits"), stored(&[red.id]));
            settled(bench).await;
        }
        done(User::update(db, bob.id).set(|u| u.name, "rob").await);
        assert_eq!(guests(bench, &red).await, ["ann", "rob"]);
        settled(bench).await;
        let full = User::add_visits(db, cay.id, red.id).await;
        assert!(matches!(full, Err(Error::Full { max: 2, .. })), "{full:?}");
        done(Guild::replace_guests(db, red.id, [bob.id, cay.id]).await);
        assert_eq!(guests(bench, &red).await, ["rob", "cay"]);
        done(User::replace_visits(db, cay.id, [blue.id]).await);
        assert_eq!(guests(bench, &red).await, ["rob"]);
        assert_eq!(guests(bench, &blue).await, ["cay"]);
        settled(bench).await;
        done(User::remove_visits(db, cay.id, blue.id).await);
        done(Guild::remove_guests(db, red.id, bob.id).await);
        for guild in [&red, &blue] {
            assert_eq!(guests(bench, guild).await, [""; 0]);
        }
        done(User::add_visits(db, ann.id, blue.id).await);
        User::delete(db, ann.id).await.expect("deleted");
        assert_eq!(guests(bench, &blue).await, [""; 0]);
        settled(bench).await;
        assert!(verify(db).await.expect("verified").is_settled());
    })
    .await;
}
