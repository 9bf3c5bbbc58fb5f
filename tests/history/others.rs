//! Histories of models with other attributes: versions, soft deletes, tenants, times, delete rules, migrations; and of transactions.

use std::time::Duration;

use bson::{DateTime, doc};
use mongo_model::history::Entry;
use mongo_model::{Id, MongoModel, Sweeper, Tenants, Transaction, recover, settle};
use serde::{Deserialize, Serialize};

use super::common::{Bench, in_set, on_both};
use super::{Loan, Member, entries, library, loan, paths};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "papers",
    soft_delete,
    history(skip(secret), keep = "30d")
)]
struct Paper {
    #[serde(rename = "_id")]
    id: i32,
    title: String,
    #[serde(default)]
    secret: String,
    #[created]
    made: DateTime,
    #[updated]
    touched: DateTime,
    #[deleted]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gone: Option<DateTime>,
}

fn paper(id: i32) -> Paper {
    let time = DateTime::from_millis(0);
    Paper {
        id,
        title: "a".to_owned(),
        secret: "hidden".to_owned(),
        made: time,
        touched: time,
        gone: None,
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "versioned_papers", history)]
struct Draft {
    #[serde(rename = "_id")]
    id: i32,
    title: String,
    #[version]
    version: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "walled_papers", tenant = org, history)]
struct Walled {
    #[serde(rename = "_id")]
    id: i32,
    org: i64,
    title: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "history_topics")]
struct Topic {
    #[serde(rename = "_id")]
    id: Id<Topic, i32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "history_talks", history)]
struct Talk {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Topic, on_delete = unset)]
    about: Option<Id<Topic, i32>>,
    #[refs(Topic, max = 10, on_delete = pull)]
    beside: Vec<Id<Topic, i32>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "history_moved", schema_version = 2, migrate = upgrade, unversioned = 1, history)]
struct Moved {
    #[serde(rename = "_id")]
    id: i32,
    title: String,
}

fn upgrade(mut old: bson::Document, _version: i32) -> bson::Document {
    if let Some(name) = old.remove("name") {
        old.insert("title", name);
    }
    old
}

fn calls(entries: &[Entry]) -> Vec<&str> {
    let calls = entries.iter().filter_map(|entry| entry.call.as_deref());
    calls.collect()
}

#[tokio::test]
async fn marks_and_times_and_fields_that_are_left_out() {
    on_both("history_marks", async |bench: &Bench| {
        bench.index(&[Paper::meta()]).await;
        let db = &bench.db;
        Paper::insert(db, &paper(1)).await.expect("inserted");
        Paper::update(db, 1)
            .set(|p| p.secret, "other")
            .await
            .expect("set");
        Paper::update(db, 1)
            .set(|p| p.title, "b")
            .await
            .expect("set");
        Paper::delete(db, 1).await.expect("marked");
        Paper::restore(db, 1).await.expect("restored");
        Paper::delete(db, 1).await.expect("marked");
        Paper::purge(db, 1).await.expect("purged");
        let of = || Paper::history(db, 1);
        let all = of().entries(None).await.expect("read");
        super::assert_follow_each_other(&all);
        let all_calls = [
            "Paper::insert",
            "Paper::update",
            "Paper::delete",
            "Paper::restore",
            "Paper::delete",
            "Paper::delete",
        ];
        assert_eq!(calls(&all), all_calls);
        let changed: Vec<_> = all.iter().map(paths).collect();
        assert_eq!(
            changed,
            [
                vec![""],
                vec!["title"],
                vec!["gone"],
                vec!["gone"],
                vec!["gone"],
                vec![""]
            ]
        );
        let first = of()
            .at(all[0].revision)
            .await
            .expect("read")
            .expect("stored");
        assert_eq!((first.title.as_str(), first.secret.as_str()), ("a", ""));
        let log = bench.raw("_dn.history.papers");
        let log = log.find(doc! {}).await.expect("read");
        let all: Vec<bson::Document> = futures::TryStreamExt::try_collect(log).await.expect("read");
        assert!(!format!("{all:?}").contains("hidden"));
        let keeps = bench
            .raw("_dn.history.papers")
            .list_indexes()
            .await
            .expect("read");
        let keeps: Vec<mongodb::IndexModel> = futures::TryStreamExt::try_collect(keeps)
            .await
            .expect("read");
        let after = keeps
            .iter()
            .filter_map(|index| index.options.as_ref()?.expire_after);
        assert_eq!(
            after.collect::<Vec<_>>(),
            [Duration::from_secs(30 * 24 * 60 * 60)]
        );
    })
    .await;
}

#[tokio::test]
async fn versioned_saves_have_entries() {
    on_both("history_versions", async |bench: &Bench| {
        bench.index(&[Draft::meta()]).await;
        let db = &bench.db;
        let title = "a".to_owned();
        let mut draft = Draft {
            id: 1,
            title,
            version: 0,
        };
        Draft::insert(db, &draft).await.expect("inserted");
        draft.title = "b".to_owned();
        draft.save_if_unchanged(db).await.expect("saved");
        draft.title = "c".to_owned();
        let many = Draft::save_many_if_unchanged(db, [&mut draft]).await;
        assert!(many.expect("saved").unsaved.is_empty());
        let with = Draft::update_with(db, 1, |draft| draft.title.push('d'));
        with.await.expect("changed");
        let of = Draft::history(db, 1).entries(None).await.expect("read");
        super::assert_follow_each_other(&of);
        assert_eq!(of.len(), 4, "{of:?}");
        for entry in &of[1..] {
            assert_eq!(paths(entry), ["title"]);
        }
    })
    .await;
}

#[tokio::test]
async fn a_history_stays_inside_of_the_wall() {
    on_both("history_walls", async |bench: &Bench| {
        bench.index(&[Walled::meta()]).await;
        let (own, other) = (bench.db.tenant(1_i64), bench.db.tenant(2_i64));
        let title = "a".to_owned();
        let paper = Walled {
            id: 1,
            org: 1,
            title,
        };
        Walled::insert(&own, &paper).await.expect("inserted");
        Walled::update(&own, 1)
            .set(|p| p.title, "b")
            .await
            .expect("set");
        let of = Walled::history(&own, 1).entries(None).await.expect("read");
        assert_eq!(of.len(), 2);
        let none = Walled::history(&other, 1)
            .entries(None)
            .await
            .expect("read");
        assert_eq!(none, []);
        let none = Walled::history(&other, 1)
            .at(of[0].revision)
            .await
            .expect("read");
        assert_eq!(none, None);
        mongo_model::purge_tenant(&other).await.expect("purged");
        assert_eq!(bench.len("_dn.history.walled_papers").await, 2);
        mongo_model::purge_tenant(&own).await.expect("purged");
        assert_eq!(bench.len("_dn.history.walled_papers").await, 0);
    })
    .await;
}

#[tokio::test]
async fn delete_rules_are_changes_of_the_referring_documents() {
    on_both("history_rules", async |bench: &Bench| {
        bench.index(&[Topic::meta(), Talk::meta()]).await;
        let db = &bench.db;
        let topic = |id| Topic {
            id: Id::from_raw(id),
        };
        Topic::insert_many(db, &[topic(1), topic(2)])
            .await
            .expect("inserted");
        let talk = Talk {
            id: 1,
            about: Some(Id::from_raw(1)),
            beside: vec![Id::from_raw(1), Id::from_raw(2)],
        };
        Talk::insert(db, &talk).await.expect("inserted");
        Topic::delete(db, Id::from_raw(1)).await.expect("deleted");
        let now = Talk::get(db, 1).await.expect("read").expect("stored");
        assert_eq!((now.about, now.beside), (None, vec![Id::from_raw(2)]));
        let of = || Talk::history(db, 1);
        let all = of().entries(None).await.expect("read");
        super::assert_follow_each_other(&all);
        let mut changed: Vec<&str> = all[1..].iter().flat_map(paths).collect();
        changed.sort_unstable();
        assert_eq!(changed, ["about", "beside.0", "beside.1"]);
        assert!(
            calls(&all[1..]).iter().all(|call| *call == "Topic::delete"),
            "{all:?}"
        );
        assert_eq!(of().at(all[0].revision).await.expect("read"), Some(talk));
    })
    .await;
}

#[tokio::test]
async fn migrated_documents_have_an_entry() {
    on_both("history_migrated", async |bench: &Bench| {
        bench.index(&[Moved::meta()]).await;
        let old = |id: i32| doc! { "_id": id, "name": "a" };
        bench.seed("history_moved", [old(1), old(2)]).await;
        let db = &bench.db;
        Moved::update(db, 1)
            .set(|m| m.title, "b")
            .await
            .expect("set");
        Moved::migrate(db).await.expect("migrated");
        settle(db).await;
        for (id, most) in [(1, 2), (2, 1)] {
            let of = Moved::history(db, id).entries(None).await.expect("read");
            super::assert_follow_each_other(&of);
            assert_eq!(of.len(), most, "{of:?}");
            let mut changed: Vec<_> = of[0].changes.iter().map(|one| one.path.as_str()).collect();
            changed.sort_unstable();
            assert_eq!(changed, ["name", "schema_version", "title"]);
        }
    })
    .await;
}

#[tokio::test]
async fn the_changes_of_a_transaction_come_with_its_commit() {
    in_set("history_transactions", async |bench: &Bench| {
        library(bench).await;
        let db = &bench.db;
        let id = Id::<Member, i32>::from_raw(1);
        let mut tx = Transaction::begin(db).await.expect("begun");
        let set = Member::update(db, id).set(|m| m.visits, 1);
        set.within(&mut tx).await.expect("set");
        let loan = loan(1, 1);
        Loan::insert(db, &loan)
            .within(&mut tx)
            .await
            .expect("inserted");
        let many = Member::update_many(db, |m| m.visits.eq(1)).inc(|m| m.visits, 1);
        many.within(&mut tx).await.expect("changed");
        assert_eq!(tx.commit(db).await.expect("committed"), []);
        let mut tx = Transaction::begin(db).await.expect("begun");
        let set = Member::update(db, id).set(|m| m.visits, 9);
        set.within(&mut tx).await.expect("set");
        tx.abort().await.expect("aborted");
        settle(db).await;
        assert_eq!(bench.len("_dn.history.members").await, 3);
        assert_eq!(bench.len("_dn.history.loans").await, 1);
        let all = entries(bench, 1).await;
        assert_eq!(
            calls(&all),
            ["Member::insert", "Member::update", "Member::update_many"]
        );
        assert!(recover(db).await.expect("recovered").is_idle());
    })
    .await;
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "history_people", history(skip(name)))]
struct Person {
    #[serde(rename = "_id")]
    id: Id<Person, i32>,
    #[personal(erased = "somebody")]
    #[serde(default)]
    name: String,
    level: i32,
    #[recent(Letter, max = 3, sort = -id, fields(name))]
    #[serde(default)]
    letters: Vec<PersonLetter>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "history_letters", history)]
struct Letter {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Person)]
    person: Id<Person, i32>,
    #[denorm(from = Person, field = name)]
    #[serde(default)]
    name: String,
    #[refs(Person, max = 5)]
    #[denorm(from = Person, field = name)]
    to: Vec<LetterPerson>,
    open: bool,
}

#[tokio::test]
async fn nothing_about_a_person_is_in_a_history() {
    on_both("history_persons", async |bench: &Bench| {
        bench.index(&[Person::meta(), Letter::meta()]).await;
        let db = &bench.db;
        let name = "UNMISTAKABLE".to_owned();
        let id = Id::from_raw(1);
        let letters = Vec::new();
        let person = Person {
            id,
            name,
            level: 1,
            letters,
        };
        Person::insert(db, &person).await.expect("inserted");
        let to = vec![LetterPerson {
            id,
            name: String::new(),
        }];
        let name = String::new();
        let letter = Letter {
            id: 1,
            person: id,
            name,
            to,
            open: true,
        };
        Letter::insert(db, &letter).await.expect("inserted");
        let copied = Letter::get(db, 1).await.expect("read").expect("stored");
        assert_eq!(
            (copied.name.as_str(), copied.to[0].name.as_str()),
            ("UNMISTAKABLE", "UNMISTAKABLE")
        );
        let update = Letter::update(db, 1).set(|l| l.open, false);
        update.set(|l| l.to, letter.to.clone()).await.expect("set");
        Letter::delete(db, 1).await.expect("deleted");
        Person::erase(db, id).await.expect("erased");
        Person::update(db, id)
            .set(|p| p.level, 2)
            .await
            .expect("set");
        Person::delete(db, id).await.expect("deleted");
        for log in ["_dn.history.history_people", "_dn.history.history_letters"] {
            let all = bench.raw(log).find(doc! {}).await.expect("read");
            let all: Vec<bson::Document> =
                futures::TryStreamExt::try_collect(all).await.expect("read");
            assert!(all.len() > 2, "{log}");
            assert!(!format!("{all:?}").contains("UNMISTAKABLE"), "{log}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_text_that_a_collation_takes_for_equal_is_a_change() {
    on_both("history_collation", async |bench: &Bench| {
        let db = &bench.db;
        let collation = mongodb::options::Collation::builder().locale("en");
        let collation = collation
            .strength(mongodb::options::CollationStrength::Secondary)
            .build();
        let created = db.create_collection("versioned_papers");
        created.collation(collation).await.expect("created");
        bench.index(&[Draft::meta()]).await;
        let drafts = [1, 2].map(|id| Draft {
            id,
            title: "a".to_owned(),
            version: 0,
        });
        Draft::insert_many(db, &drafts).await.expect("inserted");
        let many = Draft::update_many(db, |d| d.id.gte(1)).set(|d| d.title, "A");
        many.await.expect("changed");
        let again = Draft::update_many(db, |d| d.id.gte(1)).set(|d| d.title, "A");
        again.await.expect("sent");
        let last = Draft::update(db, 2).set(|d| d.title, "a");
        last.await.expect("changed");
        for (id, entries) in [(1, 2), (2, 3)] {
            let of = Draft::history(db, id).entries(None).await.expect("read");
            assert_eq!(of.len(), entries, "{of:?}");
            assert_eq!(of[1].changes[0].after, Some("A".into()));
        }
    })
    .await;
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "history_bids", history, events(i64, readers(one)))]
struct Bid {
    #[serde(rename = "_id")]
    id: i32,
    amount: i64,
}

#[tokio::test]
async fn a_sweeper_delivers_entries_and_events_of_one_document() {
    on_both("history_sweeper", async |bench: &Bench| {
        bench.index(&[Bid::meta()]).await;
        let db = &bench.db;
        let bid = Bid { id: 1, amount: 1 };
        Bid::insert(db, &bid).emit(1).await.expect("inserted");
        // As a program leaves it that ends right after its write.
        let token = bson::oid::ObjectId::new();
        let before = doc! { "b": [{ "k": "amount", "v": 1_i64 }], "at": DateTime::now() };
        let left = doc! {
            "_dn.j.a": { "t": token, "e": before },
            "_dn.l.a": { "t": token, "e": 2_i64 },
        };
        let change = doc! {
            "$set": { "amount": 2_i64 },
            "$push": left,
            "$inc": { "_dn.j.n": 1_i64, "_dn.l.n": 1_i64 },
        };
        let bids = bench.raw("history_bids");
        bids.update_one(doc! { "_id": 1 }, change)
            .await
            .expect("left");
        let mut sweeper = Sweeper::new(db);
        assert_eq!(sweeper.sweep().await.expect("swept").events, 0);
        assert_eq!(sweeper.sweep().await.expect("swept").events, 2);
        assert_eq!(bench.len("_dn.history.history_bids").await, 2);
        assert_eq!(bench.len("_dn.events.history_bids").await, 2);
        assert!(recover(db).await.expect("recovered").is_idle());
    })
    .await;
}
