//! Memberships: the entries of one array hold an id and more, and the other side is a list of ids that follows them.

use bson::{Bson, Document, doc};
use mongo_model::denorm::Defect;
use mongo_model::{Error, Id, MongoEmbed, MongoModel, Transaction, repair, transaction, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, assert_too_long, in_set, on_both};
use crate::two_way::guilds::Guild;
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
    #[check(not_empty)]
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
pub(super) async fn users(bench: &Bench) -> [User; 3] {
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
            let added = done(Team::add_member(db, red.id, member(&bob, Role::Reader)).await);
            assert_eq!((added.matched, added.modified), (1, 1 - round));
            let sent = bench.sent();
            match round {
                // The place in the user's list; the entry, the user's list, the flag off, the marks off.
                0 => assert_eq!(
                    sent,
                    ["update", "findAndModify", "update", "update", "update"]
                ),
                _ => assert_eq!(sent, ["update", "findAndModify"]),
            }
            assert_eq!(members(bench, &red).await, [(bob.id, Role::Reader)]);
            assert_eq!(teams(bench, &bob).await, stored(&[red.id]));
            settled(bench).await;
        }
        done(Team::add_member(db, red.id, member(&ann, Role::Admin)).await);
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
            done(Team::remove_member(db, red.id, bob.id).await);
            done(User::remove_team(db, ann.id, blue.id).await);
            assert_eq!(members(bench, &red).await, [(ann.id, Role::Admin)]);
            assert_eq!(members(bench, &blue).await, []);
            assert_eq!(teams(bench, &bob).await, []);
            assert_eq!(teams(bench, &ann).await, stored(&[red.id]));
            settled(bench).await;
        }
        // One stays with another role, one goes, one comes.
        done(Team::add_member(db, red.id, member(&bob, Role::Admin)).await);
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
        let two = [member(&ann, Role::Reader), member(&bob, Role::Admin)];
        done(Team::add_members(db, blue.id, &two).await);
        let other = Team::add_members(db, blue.id, [&two[1], &member(&ann, Role::Admin)]).await;
        assert!(matches!(other, Err(Error::OtherEntry { .. })), "{other:?}");
        assert_eq!(teams(bench, &bob).await, stored(&[blue.id]));
        done(Team::remove_members(db, blue.id, [ann.id, bob.id]).await);
        assert_eq!(members(bench, &blue).await, []);
        assert_eq!(teams(bench, &bob).await, []);
        settled(bench).await;
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
            Team::add_member(db, teams[0].id, &dan_reads).await,
            "Team.members",
            3,
        );
        full(
            Team::add_member(db, teams[2].id, &all[0]).await,
            "User.teams",
            2,
        );
        let four = all.iter().chain([&dan_reads]);
        let long = Team::replace_members(db, teams[2].id, four).await;
        assert_too_long(long, "members", 3);
        // Another role for a user who is there already.
        let other = Team::add_member(db, teams[0].id, member(&bob, Role::Admin)).await;
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
        let noted = Team::add_member(db, teams[2].id, noted).await;
        assert_too_long(noted, "members.note", 10);
        let blank = Member {
            note: Some(" ".to_owned()),
            ..dan_reads.clone()
        };
        let broken = |result: mongo_model::Result<_>| match result {
            Err(Error::Invalid { violations, .. }) => violations[0].to_string(),
            other => panic!("{other:?}"),
        };
        let text = "must not be empty";
        let added = Team::add_member(db, teams[2].id, &blank).await;
        assert_eq!(broken(added), format!("members.note {text}"));
        let replaced = Team::replace_members(db, teams[2].id, [&blank]).await;
        assert_eq!(broken(replaced), format!("members.note {text}"));
        let noted = Team::update(db, teams[0].id)
            .set_where(
                |t| t.members,
                |m| m.user.eq(ann.id),
                |m| m.note,
                Some(" ".to_owned()),
            )
            .await;
        assert_eq!(broken(noted), format!("members.note {text}"));
        let inserted = Team::insert(db, &team(std::slice::from_ref(&blank))).await;
        assert_eq!(broken(inserted), format!("members.0.note {text}"));
        let nobody = member(&user("nobody"), Role::Reader);
        let dangling = Team::add_member(db, teams[2].id, nobody).await;
        assert!(
            matches!(dangling, Err(Error::Dangling { .. })),
            "{dangling:?}"
        );
        let unknown = Team::add_member(db, Id::new(), &dan_reads).await;
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
            Team::add_member(db, red_id, &bob_reads).within(tx).await?;
            Team::remove_member(db, red_id, ann.id).within(tx).await
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
pub(super) async fn foreign(bench: &Bench, collection: &str, id: Bson, update: Document) {
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
        let missing = found.reference("crew_people.teams").expect("compared");
        assert_eq!((missing.count(Defect::Missing), missing.defects()), (2, 2));
        let orphan = found.reference("crew_teams.members").expect("compared");
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
