//! Histories: the entries of all writes, and the states that they lead back to.

#[path = "../common/mod.rs"]
mod common;
mod foreign;
mod options;
mod others;
mod random;
mod sides;

use bson::{Bson, DateTime, doc};
use mongo_model::history::{Entry, acting_as};
use mongo_model::{Error, Id, MongoEmbed, MongoModel, recover, settle, verify};
use serde::{Deserialize, Serialize};

use self::common::{Bench, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "members", history)]
struct Member {
    #[serde(rename = "_id")]
    id: Id<Member, i32>,
    name: String,
    #[index]
    visits: i64,
    rate: f64,
    nick: Option<String>,
    address: Address,
    #[embed(max = 10)]
    tags: Vec<String>,
    #[embed(max = 10)]
    lines: Vec<Line>,
    #[count(Loan)]
    loans: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Address {
    city: String,
    zip: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Line {
    sku: String,
    qty: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "loans", history)]
struct Loan {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Member, on_delete = cascade)]
    member: Id<Member, i32>,
    #[denorm(from = Member, field = name)]
    member_name: String,
    open: bool,
}

fn member(id: i32) -> Member {
    Member {
        id: Id::from_raw(id),
        name: "Ada".to_owned(),
        visits: 0,
        rate: 1.5,
        nick: None,
        address: Address {
            city: "Rome".to_owned(),
            zip: None,
        },
        tags: vec!["a".to_owned()],
        lines: vec![line("x", 1), line("y", 2)],
        loans: 0,
    }
}

fn line(sku: &str, qty: i32) -> Line {
    let sku = sku.to_owned();
    Line { sku, qty }
}

fn loan(id: i32, member: i32) -> Loan {
    Loan {
        id,
        member: Id::from_raw(member),
        member_name: String::new(),
        open: true,
    }
}

async fn library(bench: &Bench) {
    bench.index(&[Member::meta(), Loan::meta()]).await;
    Member::insert(&bench.db, &member(1))
        .await
        .expect("inserted");
    bench.forget();
}

/// The entries of a member, whose revisions follow each other, none of them twice.
async fn entries(bench: &Bench, id: i32) -> Vec<Entry> {
    settle(&bench.db).await;
    let all = Member::history(&bench.db, Id::from_raw(id)).entries(None);
    let all = all.await.expect("read");
    assert_follow_each_other(&all);
    let newest = Member::history(&bench.db, Id::from_raw(id)).newest(None);
    let mut newest = newest.await.expect("read");
    newest.reverse();
    assert_eq!(newest, all);
    bench.forget();
    all
}

fn assert_follow_each_other(entries: &[Entry]) {
    for pair in entries.windows(2) {
        assert!(pair[0].at <= pair[1].at, "{pair:?}");
        let next = pair[1].revision == pair[0].revision + 1;
        assert!(
            next || pair[0].is_delete() && pair[1].is_insert(),
            "{pair:?}"
        );
    }
}

fn paths(entry: &Entry) -> Vec<&str> {
    let paths = entry.changes.iter().map(|change| change.path.as_str());
    let mut paths: Vec<&str> = paths.collect();
    paths.sort_unstable();
    paths
}

/// The state of the member after each write of a program, beside the call and the paths that its entry has to have.
struct Program<'b> {
    bench: &'b Bench,
    states: Vec<(Option<Member>, &'static str, Vec<&'static str>)>,
}

impl Program<'_> {
    async fn wrote(&mut self, call: &'static str, paths: &[&'static str]) {
        let now = Member::get(&self.bench.db, Id::from_raw(1)).await;
        self.states.push((now.expect("read"), call, paths.to_vec()));
    }

    async fn check(&self) {
        let db = &self.bench.db;
        let entries = entries(self.bench, 1).await;
        let of = || Member::history(db, Id::from_raw(1));
        assert_eq!(entries.len(), self.states.len(), "{entries:?}");
        for (entry, (state, call, changed)) in entries.iter().zip(&self.states) {
            assert_eq!(entry.call.as_deref(), Some(*call));
            assert_eq!(paths(entry), *changed, "{call}");
            assert_eq!(
                of().at(entry.revision).await.expect("read"),
                *state,
                "{call}"
            );
        }
    }
}

#[tokio::test]
async fn each_write_of_a_document_has_an_entry() {
    on_both("history_one", async |bench: &Bench| {
        library(bench).await;
        let db = &bench.db;
        let id = Id::<Member, i32>::from_raw(1);
        let mut program = Program {
            bench,
            states: Vec::new(),
        };
        program.wrote("Member::insert", &[""]).await;
        Member::update(db, id)
            .set(|m| m.name, "Eva")
            .await
            .expect("set");
        program.wrote("Member::update", &["name"]).await;
        // Nothing changes, and nothing is kept.
        Member::update(db, id)
            .set(|m| m.name, "Eva")
            .await
            .expect("set");
        let update = Member::update(db, id)
            .inc(|m| m.visits, 2)
            .mul(|m| m.rate, 2.0)
            .set(|m| m.nick, Some("E".to_owned()))
            .push(|m| m.tags, "b");
        update.await.expect("changed");
        let all = ["nick", "rate", "tags.1", "visits"];
        program.wrote("Member::update", &all).await;
        let update = Member::update(db, id)
            .set(|m| m.address.city, "Oslo")
            .unset(|m| m.nick)
            .add_to_set(|m| m.tags, "c")
            .max(|m| m.visits, 9);
        update.await.expect("changed");
        let all = ["address.city", "nick", "tags.2", "visits"];
        program.wrote("Member::update", &all).await;
        let update = Member::update(db, id).inc_where(
            |m| m.lines,
            |line| line.sku.eq("y"),
            |line| line.qty,
            5,
        );
        update.await.expect("changed");
        program.wrote("Member::update", &["lines.1.qty"]).await;
        let update = Member::update(db, id).pull_where(|m| m.lines, |line| line.sku.eq("x"));
        update.await.expect("pulled");
        let all = ["lines.0.qty", "lines.0.sku", "lines.1"];
        program.wrote("Member::update", &all).await;
        let update = Member::update(db, id)
            .pull(|m| m.tags, "a")
            .pop_last(|m| m.lines);
        update.await.expect("pulled");
        let all = ["lines.0", "tags.0", "tags.1", "tags.2"];
        program.wrote("Member::update", &all).await;
        let update = Member::update(db, id).only_if(|m| m.visits.eq(9));
        let done = update.set(|m| m.visits, 10).await.expect("sent");
        assert!(done.is_done());
        program.wrote("Member::update_if", &["visits"]).await;
        let update = Member::update(db, id).set(|m| m.visits, 11).returning();
        assert_eq!(update.await.expect("changed").visits, 11);
        program.wrote("Member::update", &["visits"]).await;
        let mut saved = member(1);
        saved.visits = 11;
        saved.save(db).await.expect("saved");
        let all = [
            "address.city",
            "lines.0",
            "lines.1",
            "name",
            "nick",
            "rate",
            "tags.0",
            "tags.1",
        ];
        program.wrote("Member::save", &all).await;
        Member::delete(db, id).await.expect("deleted");
        program.wrote("Member::delete", &[""]).await;
        saved.save(db).await.expect("stored");
        program.wrote("Member::save", &[""]).await;
        program.check().await;

        let entries = entries(bench, 1).await;
        let of = || Member::history(db, id);
        let renamed = &entries[1].changes[0];
        assert_eq!(renamed.before, Some("Ada".into()));
        assert_eq!(renamed.after, Some("Eva".into()));
        assert!(entries[0].is_insert() && entries[10].is_delete() && entries[11].is_insert());
        let changes = of().diff(entries[1].revision, entries[3].revision).await;
        let mut changed: Vec<_> = changes
            .expect("read")
            .into_iter()
            .map(|one| one.path)
            .collect();
        changed.sort();
        assert_eq!(
            changed,
            ["address.city", "nick", "rate", "tags.1", "tags.2", "visits"]
        );
        assert_eq!(
            of().as_of(DateTime::from_millis(0)).await.expect("read"),
            None
        );
        let latest = of().as_of(DateTime::now()).await.expect("read");
        assert_eq!(latest.expect("stored").visits, 11);
        of().revert(entries[1].revision).await.expect("saved");
        let now = Member::get(db, id).await.expect("read").expect("stored");
        assert_eq!(now.name, "Eva");
        let gone = of().revert(entries[10].revision).await;
        assert!(matches!(gone, Err(Error::NotFound { .. })), "{gone:?}");
        assert!(recover(db).await.expect("recovered").is_idle());
        assert!(verify(db).await.expect("verified").is_clean());
    })
    .await;
}

#[tokio::test]
async fn an_entry_is_a_part_of_the_command_that_changes_the_document() {
    on_both("history_commands", async |bench: &Bench| {
        library(bench).await;
        let (db, id) = (&bench.db, Id::<Member, i32>::from_raw(1));
        Member::update(db, id)
            .set(|m| m.visits, 1)
            .await
            .expect("set");
        let sent = bench.take();
        let names: Vec<&str> = sent.iter().map(|command| command.name.as_str()).collect();
        // The change, what proves it, the log, the removal from the document.
        assert_eq!(names, ["update", "findAndModify", "update", "update"]);
        let stored = bench.stored("members", 1).await;
        let history = stored
            .get_document("_dn")
            .and_then(|own| own.get_document("j"));
        let history = history.expect("the history");
        assert_eq!(history.get_array("a").ok(), Some(&Vec::new()));
        bench.forget();
        // The fields are read before the change, which matches nothing if another program is faster.
        let update = Member::update(db, id).pull_where(|m| m.lines, |line| line.qty.gt(1));
        update.await.expect("pulled");
        let sent = bench.take();
        let names: Vec<&str> = sent.iter().map(|command| command.name.as_str()).collect();
        assert_eq!(
            names,
            ["find", "update", "findAndModify", "update", "update"]
        );
        // An update of many cannot read them.
        let many = Member::update_many(db, |m| m.visits.gte(0));
        let many = many.pull_where(|m| m.lines, |line| line.qty.gt(0)).await;
        assert!(matches!(many, Err(Error::Impossible { .. })), "{many:?}");
        assert_eq!(entries(bench, 1).await.len(), 3);
    })
    .await;
}

#[tokio::test]
async fn changes_of_many_documents_have_an_entry_each() {
    on_both("history_many", async |bench: &Bench| {
        library(bench).await;
        let db = &bench.db;
        let more: Vec<Member> = (2..=40).map(member).collect();
        Member::insert_many(db, &more).await.expect("inserted");
        let loans: Vec<Loan> = (1..=9).map(|id| loan(id, 1 + id % 3)).collect();
        Loan::insert_many(db, &loans).await.expect("inserted");
        let many = Member::update_many(db, |m| m.visits.eq(0));
        let done = many.inc(|m| m.visits, 1).push(|m| m.tags, "z").await;
        assert_eq!(done.expect("changed").modified, 40);
        let again = Member::update_many(db, |m| m.visits.eq(1)).set(|m| m.name, "Ada");
        again.await.expect("sent");
        for id in 1..=40 {
            let entries = entries(bench, id).await;
            let calls = entries.iter().filter_map(|entry| entry.call.as_deref());
            let calls: Vec<&str> = calls.collect();
            assert_eq!(calls, ["Member::insert", "Member::update_many"], "{id}");
            assert_eq!(paths(&entries[1]), ["tags.1", "visits"]);
        }
        // A rename changes copies, and a loan a number: both are derived.
        let ada = Id::<Member, i32>::from_raw(1);
        Member::update(db, ada)
            .set(|m| m.name, "Eva")
            .await
            .expect("renamed");
        let copied = Loan::get(db, 3).await.expect("read").expect("stored");
        assert_eq!(copied.member_name, "Eva");
        let of = Loan::history(db, 3).entries(None).await.expect("read");
        assert_eq!(of.len(), 1);
        // Deletes go on to children.
        let gone = Member::delete(db, ada).await.expect("deleted");
        assert_eq!(gone.cascaded, 3);
        let of = Loan::history(db, 3).entries(None).await.expect("read");
        assert_follow_each_other(&of);
        assert!(of[1].is_delete());
        assert_eq!(of[1].call.as_deref(), Some("Member::delete"));
        let before = Loan::history(db, 3).at(of[0].revision).await.expect("read");
        assert_eq!(before.expect("stored").member_name, "Eva");
        let rest = Member::delete_many(db, |m| m.visits.gte(0)).await;
        assert_eq!(rest.expect("deleted").deleted, 39);
        for id in 2..=40 {
            assert!(entries(bench, id).await[2].is_delete());
        }
        assert!(recover(db).await.expect("recovered").is_idle());
    })
    .await;
}

#[tokio::test]
async fn an_entry_names_the_actor() {
    on_both("history_actor", async |bench: &Bench| {
        library(bench).await;
        let (db, id) = (&bench.db, Id::<Member, i32>::from_raw(1));
        let change = async {
            Member::update(db, id).set(|m| m.visits, 1).await?;
            acting_as("import", async {
                Member::update(db, id).pop_last(|m| m.tags).await
            })
            .await?;
            Member::delete(db, id).await
        };
        acting_as("ada", change).await.expect("done");
        let by: Vec<_> = entries(bench, 1)
            .await
            .into_iter()
            .map(|entry| entry.by)
            .collect();
        let some = |name: &str| Some(name.to_owned());
        assert_eq!(by, [None, some("ada"), some("import"), some("ada")]);
    })
    .await;
}

#[tokio::test]
async fn changes_that_no_one_has_delivered_are_read_and_recovered() {
    on_both("history_crash", async |bench: &Bench| {
        library(bench).await;
        let (db, id) = (&bench.db, Id::<Member, i32>::from_raw(1));
        let delivered = entries(bench, 1).await;
        // As a program leaves it that ends right after its write.
        let left = doc! { "t": bson::oid::ObjectId::new(), "e": {
            "c": "Member::update", "at": DateTime::now(),
            "b": [{ "k": "name", "v": "Ada" }, { "k": "nick" }],
        } };
        let change = doc! {
            "$set": { "name": "Eva", "nick": "E" },
            "$push": { "_dn.j.a": left },
            "$inc": { "_dn.j.n": 1_i64 },
        };
        let raw = bench.raw("members");
        raw.update_one(doc! { "_id": 1 }, change)
            .await
            .expect("left");
        let all = entries(bench, 1).await;
        assert_eq!(all.len(), 2);
        assert_eq!(paths(&all[1]), ["name", "nick"]);
        let of = || Member::history(db, id);
        let before = of().at(delivered[0].revision).await.expect("read");
        assert_eq!(before, Some(member(1)));
        assert_eq!(bench.len("_dn.history.members").await, 1);
        assert_eq!(recover(db).await.expect("recovered").events, 1);
        assert_eq!(bench.len("_dn.history.members").await, 2);
        assert_eq!(entries(bench, 1).await, all);
        // A change of another program has no entry, and the next entry shows it.
        raw.update_one(doc! { "_id": 1 }, doc! { "$set": { "name": "Zoe" } })
            .await
            .expect("changed");
        Member::update(db, id)
            .set(|m| m.name, "Ida")
            .await
            .expect("set");
        let last = entries(bench, 1).await.pop().expect("an entry");
        assert_eq!(last.changes[0].before, Some(Bson::from("Zoe")));
        // Without an entry in between no state before it is known.
        let second = doc! { "_id.r": all[1].revision };
        let log = bench.raw("_dn.history.members");
        log.delete_one(second).await.expect("removed");
        let lost = of().at(delivered[0].revision).await;
        assert!(matches!(lost, Err(Error::Impossible { .. })), "{lost:?}");
    })
    .await;
}
