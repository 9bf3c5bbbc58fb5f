//! Changes of other programs, which no entry explains: written by the driver between writes of the library.

use bson::{Bson, Document, doc};
use mongo_model::history::ForeignChange;
use mongo_model::{Id, MongoModel, recover, settle};
use serde::{Deserialize, Serialize};

use super::common::{Bench, on_both};
use super::random::{Random, change};
use super::{Loan, Member, entries, library, loan, member};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "history_guests")]
struct Guest {
    #[serde(rename = "_id")]
    id: Id<Guest, i32>,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "history_parties", history(whole, skip(notes)))]
struct Party {
    #[serde(rename = "_id")]
    id: i32,
    title: String,
    #[refs(Guest, max = 5)]
    #[denorm(from = Guest, field = name)]
    guests: Vec<PartyGuest>,
    #[serde(default)]
    notes: String,
}

/// The foreign changes of the first member.
async fn foreign(bench: &Bench) -> Vec<ForeignChange> {
    settle(&bench.db).await;
    let of = Member::history(&bench.db, Id::from_raw(1));
    of.foreign_changes().await.expect("read")
}

/// The two revisions, the path, and the two values of each.
type Facts = (i64, Option<i64>, String, Option<Bson>, Option<Bson>);

fn facts(all: Vec<ForeignChange>) -> Vec<Facts> {
    let all = all.into_iter().map(|foreign| {
        let ForeignChange {
            after,
            before,
            change,
            ..
        } = foreign;
        (after, before, change.path, change.before, change.after)
    });
    let mut all: Vec<Facts> = all.collect();
    all.sort_by(|one, other| (one.0, one.1, &one.2).cmp(&(other.0, other.1, &other.2)));
    all
}

async fn write(bench: &Bench, update: Document) {
    let members = bench.raw("members");
    let done = members.update_one(doc! { "_id": 1 }, update).await;
    done.expect("changed");
}

#[tokio::test]
async fn a_change_without_an_entry_is_between_the_entries_that_show_it() {
    on_both("history_foreign", async |bench: &Bench| {
        library(bench).await;
        let (db, id) = (&bench.db, Id::<Member, i32>::from_raw(1));
        // Copies, numbers and lists have no entries, and are no changes of other programs.
        Loan::insert(db, &loan(1, 1)).await.expect("inserted");
        let rename = Member::update(db, id).set(|m| m.name, "Eva");
        rename.await.expect("renamed");
        assert_eq!(foreign(bench).await, []);
        let loans = Loan::history(db, 1).foreign_changes().await;
        assert_eq!(loans.expect("read"), []);

        write(
            bench,
            doc! { "$set": { "visits": 5_i64, "address.zip": "1" }, "$push": { "tags": "z" } },
        )
        .await;
        let visit = Member::update(db, id).inc(|m| m.visits, 1);
        visit.await.expect("changed");
        let [r0, r1, r2] = entries(bench, 1)
            .await
            .iter()
            .map(|one| one.revision)
            .collect::<Vec<_>>()[..]
        else {
            panic!("three entries");
        };
        let met = |path: &str, before: Option<Bson>, value: Bson| {
            (r0, None, path.to_owned(), before, Some(value))
        };
        let visits = (
            r0,
            Some(r2),
            "visits".to_owned(),
            Some(0_i64.into()),
            Some(5_i64.into()),
        );
        let zip = met("address.zip", Some(Bson::Null), "1".into());
        let tag = met("tags.1", None, "z".into());
        let all = facts(foreign(bench).await);
        assert_eq!(all, [zip.clone(), tag.clone(), visits.clone()]);
        bench.forget();
        let of = Member::history(db, id)
            .foreign_changes()
            .await
            .expect("read");
        assert_eq!(of.len(), 3);
        assert!(!format!("{of:?}").contains("zip"), "{of:?}");
        let sent: Vec<String> = bench
            .take()
            .into_iter()
            .map(|one| one.name.to_string())
            .collect();
        assert_eq!(sent, ["find", "find"]);

        // A number of another type is the same number, and what is back again is no change.
        write(bench, doc! { "$set": { "visits": 6_i32, "name": "Zoe" } }).await;
        write(bench, doc! { "$set": { "name": "Eva" } }).await;
        assert_eq!(facts(foreign(bench).await), all);

        // Elements that are moved do not fit: the whole field.
        write(
            bench,
            doc! { "$push": { "tags": { "$each": ["p", "q"], "$position": 0 } } },
        )
        .await;
        let push = Member::update(db, id).push(|m| m.tags, "last");
        push.await.expect("pushed");
        let tags = |all: Vec<ForeignChange>| facts(all).into_iter().find(|one| one.2 == "tags");
        let now: Bson = vec!["p", "q", "a", "z", "last"].into();
        let moved = (
            r0,
            None,
            "tags".to_owned(),
            Some(vec!["a"].into()),
            Some(now),
        );
        assert_eq!(tags(foreign(bench).await), Some(moved));

        // Without the older entries only the values that the others name are compared.
        let log = bench.raw("_dn.history.members");
        log.delete_many(doc! { "_id.d": 1, "_id.r": { "$lte": r1 } })
            .await
            .expect("deleted");
        write(bench, doc! { "$set": { "visits": 9_i64, "rate": 7.0 } }).await;
        let last = (
            r2,
            None,
            "visits".to_owned(),
            Some(6_i64.into()),
            Some(9_i64.into()),
        );
        assert_eq!(facts(foreign(bench).await), [last]);
    })
    .await;
}

#[tokio::test]
async fn a_document_that_another_program_deletes_or_stores_is_one_change() {
    on_both("history_foreign_whole", async |bench: &Bench| {
        library(bench).await;
        let (db, id) = (&bench.db, Id::<Member, i32>::from_raw(1));
        assert_eq!(foreign(bench).await, []);
        let raw = bench.raw("members");
        raw.delete_one(doc! { "_id": 1 }).await.expect("deleted");
        let revisions = async || -> Vec<i64> {
            let all = Member::history(db, id).entries(None).await.expect("read");
            all.iter().map(|entry| entry.revision).collect()
        };
        let [gone] = &foreign(bench).await[..] else {
            panic!("one change");
        };
        let first = revisions().await[0];
        assert_eq!((gone.after, gone.before), (first, None));
        assert!(gone.change.path.is_empty() && gone.change.after.is_none());
        Member::insert(db, &member(1))
            .settled()
            .await
            .expect("inserted");
        let [gone] = &foreign(bench).await[..] else {
            panic!("one change");
        };
        assert_eq!(gone.before, Some(revisions().await[1]));
        Member::delete(db, id).await.expect("deleted");
        assert_eq!(foreign(bench).await.len(), 1);
        // Stored by another program, without an entry.
        raw.insert_one(doc! { "_id": 1, "name": "Zoe" })
            .await
            .expect("inserted");
        let all = foreign(bench).await;
        let stored = doc! { "name": "Zoe" };
        assert_eq!(all[1].change.after, Some(stored.into()));
        assert_eq!((all[1].after, all[1].before), (revisions().await[2], None));
        assert!(
            Member::history(db, Id::from_raw(9))
                .foreign_changes()
                .await
                .expect("read")
                .is_empty()
        );
    })
    .await;
}

#[tokio::test]
async fn copies_inside_of_arrays_are_no_changes() {
    on_both("history_foreign_copies", async |bench: &Bench| {
        bench.index(&[Guest::meta(), Party::meta()]).await;
        let db = &bench.db;
        let guests = [1, 2].map(|id| Guest {
            id: Id::from_raw(id),
            name: "Ada".to_owned(),
        });
        Guest::insert_many(db, &guests).await.expect("inserted");
        let invited = |id| PartyGuest {
            id: Id::from_raw(id),
            name: String::new(),
        };
        let party = Party {
            id: 1,
            title: "a".to_owned(),
            guests: vec![invited(1), invited(2)],
            notes: String::new(),
        };
        Party::insert(db, &party).await.expect("inserted");
        let rename = Guest::update(db, Id::from_raw(1)).set(|g| g.name, "Eva");
        rename.await.expect("renamed");
        let retitle = Party::update(db, 1).set(|p| p.title, "b");
        retitle.await.expect("changed");
        let of = async || {
            settle(db).await;
            Party::history(db, 1).foreign_changes().await.expect("read")
        };
        assert_eq!(of().await, []);
        // With `whole` each entry shows all fields.
        let notes = doc! { "$set": { "notes": "n", "guests.1.id": 1, "guests.1.name": "Bob" } };
        let parties = bench.raw("history_parties");
        parties
            .update_one(doc! { "_id": 1 }, notes)
            .await
            .expect("changed");
        let retitle = Party::update(db, 1).set(|p| p.title, "c");
        retitle.await.expect("changed");
        let revisions = Party::history(db, 1).entries(None).await.expect("read");
        let all = facts(of().await);
        let [_, second, third] = &revisions[..] else {
            panic!("three entries: {revisions:?}");
        };
        let (before, after) = (Some(2_i32.into()), Some(1_i32.into()));
        let id = (
            second.revision,
            Some(third.revision),
            "guests.1.id".to_owned(),
            before,
            after,
        );
        assert_eq!(all, [id]);
    })
    .await;
}

/// The fields of a member that other programs change, those with single values first.
const FIELDS: [&str; 7] = ["name", "visits", "rate", "nick", "address", "tags", "lines"];
const SINGLE: usize = 4;

/// One random change by the driver.
async fn change_as_other(bench: &Bench, random: &mut Random) {
    let (n, text) = (random.below(4) as i32, format!("f{}", random.below(5)));
    let element = doc! { "sku": &text, "qty": n };
    let update = match random.below(11) {
        0 => doc! { "$set": { "name": text } },
        1 => doc! { "$set": { "visits": i64::from(n), "rate": f64::from(n) } },
        2 => doc! { "$unset": { "nick": 1 } },
        3 => doc! { "$set": { "nick": text } },
        4 => doc! { "$set": { "address.zip": text } },
        5 => doc! { "$unset": { "address.zip": 1 } },
        6 => doc! { "$push": { "tags": { "$each": [text], "$position": n } } },
        7 => doc! { "$pop": { "tags": -1, "lines": 1 } },
        8 => doc! { "$push": { "lines": { "$each": [element], "$position": n } } },
        9 => doc! { "$set": { "lines": [element], "tags": [text] } },
        _ => doc! { "$set": { "address": { "city": text } } },
    };
    write(bench, update).await;
}

/// The member before and after one write, and the entry of the write.
struct Step {
    before: Document,
    after: Document,
    /// The revision of its entry; `None` for a write of another program.
    revision: Option<i64>,
}

impl Step {
    fn changes(&self, field: &str) -> bool {
        self.before.get(field) != self.after.get(field)
    }
}

fn find_path<'d>(document: &'d Document, path: &str) -> Option<&'d Bson> {
    let mut steps = path.split('.');
    let first = document.get(steps.next()?)?;
    steps.try_fold(first, |value, step| match value {
        Bson::Document(fields) => fields.get(step),
        Bson::Array(values) => values.get(step.parse::<usize>().ok()?),
        _ => None,
    })
}

/// Each change was met there, and another program has changed its field in between.
fn assert_sound(steps: &[Step], all: &[Facts]) {
    let place = |revision: i64| {
        steps
            .iter()
            .position(|step| step.revision == Some(revision))
    };
    for (after, before, path, left, met) in all {
        let field = path.split('.').next().unwrap_or_default();
        let from = place(*after).expect("an entry");
        let to = before.map_or(steps.len(), |before| place(before).expect("an entry"));
        let now = &steps
            .get(to)
            .map_or(&steps[to - 1].after, |step| &step.before);
        assert_eq!(find_path(now, path), met.as_ref(), "{path}");
        assert_ne!(left, met, "{path}");
        let mut between = steps[from + 1..to].iter();
        assert!(
            between.any(|step| step.revision.is_none() && step.changes(field)),
            "{path} between {from} and {to}"
        );
    }
}

/// The changes of a field with a single value, exactly: those between two entries that name it whose values are different.
fn expected(steps: &[Step], field: &str) -> Vec<Facts> {
    let mut all = Vec::new();
    let (mut since, mut left) = (steps[0].revision.unwrap_or(0), steps[0].after.get(field));
    let named = steps[1..]
        .iter()
        .filter(|step| step.revision.is_some() && step.changes(field));
    let ends = named.map(|step| (step.revision, step.before.get(field), step.after.get(field)));
    let now = steps.last().and_then(|step| step.after.get(field));
    for (revision, met, after) in ends.chain([(None, now, now)]) {
        if left != met {
            all.push((
                since,
                revision,
                field.to_owned(),
                left.cloned(),
                met.cloned(),
            ));
        }
        since = revision.unwrap_or(since);
        left = after;
    }
    all
}

#[tokio::test]
async fn the_foreign_changes_of_random_programs_are_those_of_the_driver() {
    on_both("history_foreign_random", async |bench: &Bench| {
        bench.index(&[Member::meta(), Loan::meta()]).await;
        let db = &bench.db;
        let state = async || bench.stored("members", 1).await;
        for seed in 1..=10_u64 {
            let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
            Member::insert(db, &member(1))
                .settled()
                .await
                .expect("inserted");
            let mut now = state().await;
            let number = |document: &Document| {
                let own = document
                    .get_document("_dn")
                    .and_then(|own| own.get_document("j"));
                own.expect("the history").get_i64("n").expect("a number")
            };
            let (before, after, revision) = (Document::new(), now.clone(), Some(number(&now)));
            let mut steps = vec![Step {
                before,
                after,
                revision,
            }];
            for _ in 0..40 {
                // The last programs have no other writer.
                let is_other = seed < 9 && random.below(3) == 0;
                match is_other {
                    true => change_as_other(bench, &mut random).await,
                    false => change(bench, &mut random).await.expect("changed"),
                }
                settle(db).await;
                let next = state().await;
                let revision = Some(number(&next)).filter(|next| *next != number(&now));
                let before = std::mem::replace(&mut now, next);
                assert!(!is_other || revision.is_none());
                if is_other || revision.is_some() {
                    let after = now.clone();
                    steps.push(Step {
                        before,
                        after,
                        revision,
                    });
                }
            }
            let all = facts(foreign(bench).await);
            assert_sound(&steps, &all);
            for field in &FIELDS[..SINGLE] {
                let of: Vec<Facts> = all.iter().filter(|one| one.2 == *field).cloned().collect();
                let mut expected = expected(&steps, field);
                expected.sort_by_key(|one| (one.0, one.1));
                assert_eq!(of, expected, "{field} of {seed}");
            }
            // The only change of a field, which no entry comes after.
            for field in &FIELDS[SINGLE..] {
                let others = steps.iter().filter(|step| step.revision.is_none());
                let changed = others.filter(|step| step.changes(field)).count();
                let last = steps.iter().rev().find(|step| step.changes(field));
                if changed == 1 && last.is_some_and(|step| step.revision.is_none()) {
                    let is_of = |one: &Facts| one.2.split('.').next() == Some(field);
                    assert!(
                        all.iter().any(|one| is_of(one) && one.1.is_none()),
                        "{field} of {seed}"
                    );
                }
            }
            // The same of the newer half of the entries.
            let log = bench.raw("_dn.history.members");
            let revisions: Vec<i64> = steps.iter().filter_map(|step| step.revision).collect();
            let half = doc! { "_id.d": 1, "_id.r": { "$lt": revisions[revisions.len() / 2] } };
            log.delete_many(half).await.expect("deleted");
            assert_sound(&steps, &facts(foreign(bench).await));
            Member::delete(db, Id::from_raw(1)).await.expect("deleted");
            log.delete_many(doc! {}).await.expect("deleted");
        }
        assert!(recover(db).await.expect("recovered").is_idle());
    })
    .await;
}
