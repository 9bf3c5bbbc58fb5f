//! 230 generated constraints against every call that writes: no document that violates one is ever stored, and the library refuses what the
//! server's validator refuses. Each call goes to a collection without a validator; the driver sends the same to a twin that has it.

#[macro_use]
mod macros;
mod samples;
mod values;

use std::collections::BTreeSet;

use bson::{Document, doc};
use mongo_model::{Database, Error, MongoModel, Result, plan_validators};
use mongodb::Collection;

use self::values::{Op, Random};
use crate::common::{Bench, alone};

/// The documents of a model.
const DOCUMENTS: i32 = 60;

/// How an update is sent.
#[derive(Debug, Clone, Copy)]
enum Call {
    One,
    If,
    Returning,
    Many,
    Upsert,
    OnKey,
}

const CALLS: [Call; 6] = [
    Call::One,
    Call::If,
    Call::Returning,
    Call::Many,
    Call::Upsert,
    Call::OnKey,
];

/// A model with generated constraints.
#[allow(async_fn_in_trait, reason = "the tests await them at once")]
trait Sampled: MongoModel<Id = i32> + std::fmt::Debug + Clone {
    /// A document that meets them all.
    fn right(id: i32) -> Self;
    /// The same with some random values.
    fn random(id: i32, random: &mut Random) -> Self;
    /// Stores a new document.
    async fn store(self, db: &Database, how: u64) -> Result<()>;
    /// Stores it in place of another one.
    async fn replace(self, db: &Database, how: u64) -> Result<()>;
    /// Sends operators; gives the number of documents that matched.
    async fn change(db: &Database, id: i32, ops: &[Op], call: Call) -> Result<u64>;
}

/// The verdicts of the library and of the server.
#[derive(Debug, Default)]
struct Seen {
    /// The constraints that values were refused for: `generated_1: tags.0 must ..`.
    broken: BTreeSet<String>,
    stored: u64,
    refused: u64,
    /// Calls that the library alone refuses, as it documents.
    stricter: u64,
}

/// One model's collection, and its twin.
struct Pair<'b, S> {
    bench: &'b Bench,
    ours: Collection<Document>,
    twin: Collection<Document>,
    validator: Document,
    model: std::marker::PhantomData<S>,
}

/// A document without the fields that only the library writes.
fn plain(document: Option<Document>) -> Option<Document> {
    let document = document?.into_iter();
    let is_own = |key: &str| matches!(key, "_dn" | "_r" | "schema_version" | "version");
    Some(document.filter(|(key, _)| !is_own(key)).collect())
}

impl<'b, S: Sampled> Pair<'b, S> {
    async fn new(bench: &'b Bench) -> Self {
        let (db, collection) = (&bench.db, S::meta().collection);
        let plan = plan_validators(db).only::<S>().await.expect("planned");
        let validator = plan.changes[0].validator.clone();
        let twin = format!("{collection}_twin");
        let create = doc! { "create": &twin, "validator": &validator };
        db.run_command(create).await.expect("created");
        Pair {
            bench,
            ours: bench.raw(collection),
            twin: bench.raw(&twin),
            validator,
            model: std::marker::PhantomData,
        }
    }

    async fn both(&self, id: i32) -> [Option<Document>; 2] {
        let filter = || doc! { "_id": id };
        let ours = self.ours.find_one(filter()).await.expect("read");
        let twin = self.twin.find_one(filter()).await.expect("read");
        [ours, twin].map(plain)
    }

    /// Compares what both said, and what both hold afterwards.
    async fn judge(
        &self,
        id: i32,
        what: &str,
        before: &Option<Document>,
        (ours, theirs): (Result<u64>, mongodb::error::Result<u64>),
        is_stricter: bool,
        seen: &mut Seen,
    ) {
        let [held, twin] = self.both(id).await;
        let text = |document: &Option<Document>| format!("{document:?}");
        let mut differs = false;
        match (&ours, &theirs) {
            // An update of many passes over a document that has no embedded document to change.
            (Ok(0), _) => differs = true,
            (Ok(_), Ok(_)) => seen.stored += 1,
            (Err(Error::Invalid { violations, .. }), theirs) => {
                assert!(
                    theirs.is_err() || is_stricter,
                    "{what}: {ours:?}\n{before:?}\n{theirs:?}"
                );
                let rules = violations.iter().map(|one| {
                    let path: Vec<&str> = one.path.split('.').collect();
                    let is_field = |step: &&&str| step.parse::<usize>().is_err();
                    let path: Vec<&str> = path.iter().filter(is_field).copied().collect();
                    format!("{}: {} {}", self.ours.name(), path.join("."), one.rule)
                });
                seen.broken.extend(rules);
                seen.refused += 1;
                differs = theirs.is_ok();
            }
            (Err(Error::Full { .. }), Err(_)) => seen.refused += 1,
            (Err(error), _) if !matches!(error, Error::Driver(_) | Error::Full { .. }) => {
                differs = true;
            }
            _ => panic!("{what}\nthe library: {ours:?}\nthe server: {theirs:?}\n{before:?}"),
        }
        if ours.is_err() || differs {
            assert_eq!(
                text(&held),
                text(before),
                "{what} changed something: {ours:?}"
            );
        }
        if !differs {
            assert_eq!(text(&held), text(&twin), "{what}");
            return;
        }
        seen.stricter += 1;
        let filter = doc! { "_id": id };
        match held {
            Some(held) => {
                let again = self.twin.replace_one(filter, held).upsert(true).await;
                again.expect("what the library stores is right");
            }
            None => drop(self.twin.delete_one(filter).await.expect("deleted")),
        }
    }

    async fn whole(&self, id: i32, random: &mut Random, seen: &mut Seen) {
        let db = &self.bench.db;
        let [before, _] = self.both(id).await;
        let (one, how) = (S::random(id, random), random.below(60));
        let sent = bson::serialize_to_document(&one).expect("encoded");
        let what = format!("{} {one:?} by {how}", S::meta().collection);
        let ours = match before {
            None => one.store(db, how).await,
            Some(_) => one.replace(db, how).await,
        };
        let theirs = self.twin.replace_one(doc! { "_id": id }, sent);
        let theirs = theirs.upsert(true).await.map(|_| 1);
        let said = (ours.map(|()| 1), theirs);
        self.judge(id, &what, &before, said, false, seen).await;
    }

    async fn update(&self, id: i32, random: &mut Random, seen: &mut Seen) {
        let [before, _] = self.both(id).await;
        let mut ops = vec![random.op()];
        let other = random.op();
        let fields = ops[0].fields();
        let is_free = other.fields().iter().all(|field| !fields.contains(field));
        if random.below(3) == 0 && is_free {
            ops.push(other);
        }
        let mut sent = Document::new();
        for (operator, paths) in ops.iter().flat_map(Op::sent) {
            let mut all = sent.get_document(&operator).cloned().unwrap_or_default();
            all.extend(paths.as_document().cloned().unwrap_or_default());
            sent.insert(operator, all);
        }
        let call = CALLS[usize::try_from(random.below(6)).expect("small")];
        let what = format!("{} {sent} by {call:?}", S::meta().collection);
        let ours = S::change(&self.bench.db, id, &ops, call).await;
        let theirs = self.twin.update_one(doc! { "_id": id }, sent);
        let theirs = match ops.iter().any(|op| matches!(op.n, 44 | 45 | 64 | 65)) {
            true => {
                theirs
                    .array_filters(vec![doc! { "e.x": { "$gt": -50 } }])
                    .await
            }
            false => theirs.await,
        };
        let said = (ours, theirs.map(|done| done.matched_count));
        let is_stricter = ops.iter().any(Op::may_be_refused_alone);
        self.judge(id, &what, &before, said, is_stricter, seen)
            .await;
    }

    /// Documents of an older version, right and wrong: those that the validator takes are migrated.
    async fn migrate(&self, random: &mut Random) {
        let stored = (1_000..1_060).map(|id| S::random(id, random));
        let stored = stored.map(|one| bson::serialize_to_document(&one).expect("encoded"));
        self.bench.seed(S::meta().collection, stored).await;
        let older = doc! { "_id": { "$gte": 1_000 } };
        let right = doc! { "$and": [&older, &self.validator] };
        let right = self.ours.count_documents(right).await.expect("counted");
        let done = S::migrate(&self.bench.db).await.expect("migrated");
        let counted = (done.migrated, done.refused.len() as u64);
        assert_eq!(counted, (right, 60 - right), "{}", S::meta().collection);
        let current = doc! { "schema_version": 2, "$nor": [&self.validator] };
        assert_eq!(
            self.ours.count_documents(current).await.expect("counted"),
            0
        );
        self.ours.delete_many(older).await.expect("deleted");
    }
}

async fn try_model<S: Sampled>(bench: &Bench, seen: &mut Seen) {
    let pair = Pair::<S>::new(bench).await;
    bench.index(&[S::meta()]).await;
    let seed = S::meta().collection.bytes().map(u64::from).sum();
    let mut random = Random(seed);
    for id in 1..=DOCUMENTS {
        pair.whole(id, &mut random, seen).await;
        if pair.both(id).await[0].is_none() {
            S::right(id).store(&bench.db, 0).await.expect("right");
            let right = bson::serialize_to_document(&S::right(id)).expect("encoded");
            pair.twin.insert_one(right).await.expect("right");
        }
        for _ in 0..6 {
            pair.update(id, &mut random, seen).await;
        }
        pair.whole(id, &mut random, seen).await;
    }
    let wrong = doc! { "$nor": [&pair.validator] };
    let wrong = pair.ours.find_one(wrong).await.expect("read");
    assert_eq!(wrong, None, "it violates a constraint");
    pair.migrate(&mut random).await;
}

#[tokio::test]
async fn no_document_that_violates_a_constraint_is_ever_stored() {
    alone("generated", async |bench| {
        let seen = Box::pin(samples::try_all(bench)).await;
        let (broken, stored, refused) = (seen.broken.len(), seen.stored, seen.refused);
        assert!(broken >= 300, "{broken}: {:#?}", seen.broken);
        assert!(stored > 1_000 && refused > 1_000, "{stored} {refused}");
    })
    .await;
}
