//! Memberships whose entries hold copies.

use bson::{Bson, doc};
use mongo_model::denorm::Defect;
use mongo_model::{Error, Id, MongoEmbed, MongoModel, Transaction, repair, transaction, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, in_set, on_both};
use crate::two_way::members::{User, foreign, user, users};
use crate::two_way::models::{done, ids, stored};
use crate::two_way::settled::{settled, shown};

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
            let added = done(Guild::add_fellow(db, red.id, fellow(&bob, 2)).await);
            assert_eq!((added.matched, added.modified), (1, 1 - round));
            let sent = bench.sent();
            if round == 0 {
                // The sources, and a place; the entry; the user's list, both flags off; the source again durably, its copies.
                assert_eq!(
                    sent,
                    [
                        "find",
                        "update",
                        "findAndModify",
                        "update",
                        "update",
                        "update",
                        "findAndModify",
                        "update"
                    ]
                );
            } else {
                assert_eq!(sent, ["find", "update", "findAndModify"]);
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
        let copies = found.reference("crew_guilds.fellows").expect("compared");
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
            Guild::add_fellow(db, red_id, &entry).within(tx).await?;
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
            async |tx: &mut Transaction| Guild::add_fellow(db, red_id, &nobody).within(tx).await;
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
            done(Guild::add_guest(db, red.id, ann.id).await);
            done(User::add_visit(db, bob.id, red.id).await);
            assert_eq!(guests(bench, &red).await, ["ann", "bob"]);
            let shown = shown::<User>(bench, &bob.id).await;
            assert_eq!(ids(&shown, "visits"), stored(&[red.id]));
            settled(bench).await;
        }
        done(User::update(db, bob.id).set(|u| u.name, "rob").await);
        assert_eq!(guests(bench, &red).await, ["ann", "rob"]);
        settled(bench).await;
        let full = User::add_visit(db, cay.id, red.id).await;
        assert!(matches!(full, Err(Error::Full { max: 2, .. })), "{full:?}");
        done(Guild::replace_guests(db, red.id, [bob.id, cay.id]).await);
        assert_eq!(guests(bench, &red).await, ["rob", "cay"]);
        done(User::replace_visits(db, cay.id, [blue.id]).await);
        assert_eq!(guests(bench, &red).await, ["rob"]);
        assert_eq!(guests(bench, &blue).await, ["cay"]);
        settled(bench).await;
        done(User::remove_visit(db, cay.id, blue.id).await);
        done(Guild::remove_guest(db, red.id, bob.id).await);
        for guild in [&red, &blue] {
            assert_eq!(guests(bench, guild).await, [""; 0]);
        }
        done(User::add_visit(db, ann.id, blue.id).await);
        User::delete(db, ann.id).await.expect("deleted");
        assert_eq!(guests(bench, &blue).await, [""; 0]);
        settled(bench).await;
        assert!(verify(db).await.expect("verified").is_settled());
    })
    .await;
}
