//! Two-way references: the ids of their children that parents store (PROTOCOL 15.D2).
//!
//! The reference of a child names its parents, and the child is flagged while their lists may lag (`graph::links`). Each parent is then
//! changed by one statement per round: it removes the ids of children that left, adds those of children that came, and in the same write
//! marks the pair of parent and child with `{t, k: child, e: link}` in `_dn.v`, in place of an older mark of that pair. So a writer that
//! acts on an older view of the child also leaves a mark, until the pair has been compared with the child once more.
//!
//! A round over many children uses one token for all its marks, which therefore cost one key in the index of a parent, and one update
//! clears them from all parents.
//!
//! # Both sides are arrays
//!
//! One of the two sides is the truth, and its documents are the children: the side of the field that is first by name. If a field is its
//! own other side (`Person.friends`), the truth of a pair is in the document whose `_id` is first by its bytes; the id in the other
//! document follows. The array of a document then holds ids of both kinds, and no write replaces the array as a whole.
//!
//! A save of the other side is refused if it differs from what is stored: the difference would be lost.

mod change;
mod places;
mod sweep;

use std::collections::HashMap;

use bson::oid::ObjectId;
use bson::{Bson, Document};

use self::change::Change;
pub(crate) use self::change::placed;
pub(crate) use self::places::{Gain, Places};
pub(crate) use self::sweep::verify;
use crate::bson_util::id_key::IdKey;
use crate::driver::command::Statements;
use crate::driver::history::{self, RecordedStatements};
use crate::driver::{self, ClientSession, Database};
use crate::error::{Error, Result};
use crate::graph::links::Link;
use crate::graph::source::Source;
use crate::propagation::marks::ApplyResult;
use crate::propagation::pair::Pair;
use crate::schema::stored;

/// The largest number of children that one statement adds to a parent or removes from it.
const CHILDREN: usize = 5_000;

/// The largest number of times that a round is started again, under a new token, after its answer was lost.
const RETRIES: usize = 2;

/// Parents that change alike.
#[derive(Debug)]
struct Group {
    parents: Vec<Bson>,
    change: Change,
}

/// Makes the parents' lists match these children. Skips parents that do not exist.
pub(crate) async fn apply(
    db: &Database,
    link: &'static Link,
    children: &[&Source],
) -> Result<ApplyResult> {
    let groups = groups(link, children);
    let mut kept = ApplyResult::default();
    let mut doubtful = Vec::new();
    let (token, updates, mut done) = loop {
        // If its answer is lost, an attempt may still arrive: its marks have a token of their own, which is cleared only after a
        // comparison.
        let token = ObjectId::new();
        let updates = statements(link, &groups, Some(token));
        match send(db, link, &updates).await {
            Ok(done) => break (token, updates, done),
            Err(error) if driver::outcome_unknown(&error) && doubtful.len() < RETRIES => {
                doubtful.push(token);
            }
            Err(error) => return Err(error),
        }
    };
    kept.changed = done.modified;
    let stopped = std::mem::take(&mut done.failed);
    for (n, code, message) in stopped {
        handle_refusal(
            db,
            link,
            (&groups[n], &updates[n]),
            (code, message),
            children,
            &mut kept,
        )
        .await?;
    }
    if kept.changed > 0 {
        kept.marks.push(token);
    }
    if !doubtful.is_empty() {
        let marked = bson::doc! { stored::UNCONFIRMED_TOKEN: { "$in": doubtful } };
        verify(db, link, marked, &mut |_, _| true).await?;
    }
    Ok(kept)
}

/// Makes the parents' lists match these children in the transaction of the session, which wrote the children: both sides become visible at
/// once, and no mark is needed if it certainly is a transaction. The flags of the children stay; they are cleared after the commit.
pub(crate) async fn inside(
    db: &Database,
    link: &'static Link,
    children: &[&Source],
    token: Option<ObjectId>,
    session: &mut ClientSession,
) -> Result<()> {
    let updates = statements(link, &groups(link, children), token);
    let done = history::send_statements(db, field(link), &updates, true, Some(session)).await?;
    match done.failed.into_iter().next() {
        None => Ok(()),
        Some((_, code, message)) => Err(Error::Refused {
            reference: link.name.clone(),
            code,
            message,
        }),
    }
}

/// The collection and the path of the lists of a link.
fn field(link: &Link) -> (&str, &str) {
    (link.host.collection, link.field)
}

fn statements(link: &Link, groups: &[Group], token: Option<ObjectId>) -> Vec<Document> {
    let one = |group: &Group| {
        let parents: Vec<&Bson> = group.parents.iter().collect();
        group.change.statement(link, &parents, token)
    };
    groups.iter().map(one).collect()
}

/// Sends one command, or several if the updates do not fit into one, and records the changes of the lists. Two for a test that has to stop in
/// the middle.
async fn send(db: &Database, link: &Link, updates: &[Document]) -> Result<Statements> {
    let (collection, path) = field(link);
    let recorded = RecordedStatements::new(collection, path, updates);
    #[cfg(feature = "failpoints")]
    if updates.len() > 1 && driver::fault::is_armed("mongo_model::2w_mid_bulk") {
        driver::statements_once(db, collection, &recorded.all()[..1]).await?;
        fault!("2w_mid_bulk");
    }
    let answer = driver::statements_once(db, collection, recorded.all()).await;
    recorded.note(db, false, &answer);
    answer
}

/// The children that each parent gains and loses; parents with the same change are grouped.
fn groups(link: &Link, children: &[&Source]) -> Vec<Group> {
    let mut order: Vec<((IdKey, IdKey), Bson)> = Vec::new();
    let mut changes: HashMap<(IdKey, IdKey), Change> = HashMap::new();
    let mut of = |parent: Bson, child: &Source, gains: bool| {
        let inside = link.inside_host(&child.fields);
        let key = (IdKey::new(&parent), key_of(&inside));
        let change = changes.entry(key.clone()).or_insert_with(|| {
            order.push((key, parent));
            Change {
                inside,
                ..Change::default()
            }
        });
        let ids = if gains {
            &mut change.gained
        } else {
            &mut change.lost
        };
        ids.push(child.id.clone());
    };
    for child in children {
        for parent in link.left_by(child) {
            of(parent, child, false);
        }
        for parent in link.parents_of(child) {
            of(parent, child, true);
        }
    }
    let mut out: Vec<Group> = Vec::new();
    let mut places: HashMap<(IdKey, Vec<IdKey>, Vec<IdKey>), usize> = HashMap::new();
    for (key, parent) in order {
        let Some(change) = changes.remove(&key) else {
            continue;
        };
        if change.gained.len() + change.lost.len() > CHILDREN {
            out.extend(in_parts(parent, change));
            continue;
        }
        let keys = |ids: &[Bson]| ids.iter().map(IdKey::new).collect();
        let place = *places
            .entry((key.1, keys(&change.gained), keys(&change.lost)))
            .or_insert(out.len());
        match out.get_mut(place) {
            Some(group) => group.parents.push(parent),
            None => out.push(Group {
                parents: vec![parent],
                change,
            }),
        }
    }
    out
}

fn key_of(inside: &Document) -> IdKey {
    IdKey::new(&Bson::from(inside.clone()))
}

/// Splits a change that is too long for one statement.
fn in_parts(parent: Bson, change: Change) -> Vec<Group> {
    let group = |change| Group {
        parents: vec![parent.clone()],
        change,
    };
    let part = |gained: &[Bson], lost: &[Bson]| Change {
        inside: change.inside.clone(),
        gained: gained.to_vec(),
        lost: lost.to_vec(),
    };
    let gained = change.gained.chunks(CHILDREN).map(|ids| part(ids, &[]));
    let lost = change.lost.chunks(CHILDREN).map(|ids| part(&[], ids));
    gained.chain(lost).map(group).collect()
}

/// Handles the server's refusal of one of these parents. Changes the others one by one; the children of the refused parent stay flagged.
async fn handle_refusal(
    db: &Database,
    link: &Link,
    (group, update): (&Group, &Document),
    (code, message): (i32, String),
    children: &[&Source],
    kept: &mut ApplyResult,
) -> Result<()> {
    let mut reason = Some(format!("{message} ({code})"));
    if group.parents.len() > 1 {
        let one = |parent: &Bson| {
            let mut one = update.clone();
            if let Ok(q) = one.get_document_mut("q") {
                q.insert("_id", bson::doc! { "$eq": parent });
            }
            one.insert("multi", false);
            one
        };
        let each: Vec<Document> = group.parents.iter().map(one).collect();
        let done = send(db, link, &each).await?;
        kept.changed += done.modified;
        let first = done.failed.into_iter().next();
        reason = first.map(|(_, code, message)| format!("{message} ({code})"));
    }
    let Some(reason) = reason else {
        return Ok(());
    };
    let moved = group.change.gained.iter().chain(&group.change.lost);
    let moved: Vec<&Bson> = moved.collect();
    for (n, child) in children.iter().enumerate() {
        let known = kept.refused.iter().any(|(place, _)| *place == n);
        if !known && moved.contains(&&child.id) {
            kept.refused.push((n, reason.clone()));
        }
    }
    Ok(())
}

/// Marks these pairs of parent and child, and makes the parents' lists match the children; returns the number of parents.
pub(crate) async fn mend(db: &Database, link: &'static Link, pairs: &[&Pair]) -> Result<u64> {
    let Some(token) = mark(db, link, pairs).await? else {
        return Ok(0);
    };
    verify(
        db,
        link,
        bson::doc! { stored::UNCONFIRMED_TOKEN: token },
        &mut |_, _| true,
    )
    .await
}

/// Marks these pairs of parent and child under one token; `None` if there are no pairs.
async fn mark(db: &Database, link: &Link, pairs: &[&Pair]) -> Result<Option<ObjectId>> {
    let mut parents: HashMap<(IdKey, IdKey), (&Bson, Document, Vec<Bson>)> = HashMap::new();
    for pair in pairs {
        let (inside, _) = link.of_tenant(pair.tenant.as_ref());
        let (.., children) = parents
            .entry((IdKey::new(&pair.parent), key_of(&inside)))
            .or_insert_with(|| (&pair.parent, inside, Vec::new()));
        children.push(pair.child.clone());
    }
    if parents.is_empty() {
        return Ok(None);
    }
    let token = ObjectId::new();
    let marks: Vec<Document> = parents
        .into_values()
        .map(|(parent, inside, children)| change::mark(link, (parent, inside), &children, token))
        .collect();
    history::send_statements(db, field(link), &marks, false, None).await?;
    fault!("after_mark");
    Ok(Some(token))
}
