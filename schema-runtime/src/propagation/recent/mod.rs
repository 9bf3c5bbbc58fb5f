//! Derived data of parents: lists of the last N children.
//!
//! An entry carries the revision of the child that it was made from, so that late or repeated updates do nothing. When a child leaves a
//! list, its entry is removed; a list that was full before is refilled from the children, and is marked until that is done.

mod change;
mod thin;
pub(crate) mod verify;

use std::collections::BTreeMap;

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};

use self::change::{Change, Tokens};
pub(crate) use self::verify::{last, rebuild, verify};
use crate::bson_util::id_key::IdKey;
use crate::driver::capabilities::require;
use crate::driver::{self, Database};
use crate::error::server::Feature;
use crate::error::{Error, Result};
use crate::graph::edges::Edges;
use crate::graph::flags;
use crate::graph::links::{Keeps, Link, Recent};
use crate::graph::source::Source;
use crate::propagation::marks::ApplyResult;
use crate::propagation::periods::store_periods;
use crate::schema::stored;

/// The largest number of times that an update is sent again after its answer was lost. Each time it gets tokens of its own.
const RETRIES: usize = 2;

/// The largest number of times that the document of a period is stored for one update of its list.
const STORES: usize = 20;

/// The largest number of children that one update of a parent covers.
const CHILDREN: usize = 1_000;

/// Refuses a write of a document that lists show, before anything is stored, if the server cannot sort a list.
///
/// # Errors
/// [`Error::Unsupported`](crate::Error::Unsupported), and the driver's.
pub(crate) async fn check_server(db: &Database, collection: &str) -> Result<()> {
    let mut links = Edges::get().links_of(collection);
    match links.any(|link| matches!(link.keeps, Keeps::Recent(_))) {
        true => require(db, Feature::RecentLists).await,
        false => Ok(()),
    }
}

/// Makes the lists of the parents match these children. After that, the caller refills the lists that may lack children.
pub(crate) async fn apply(
    db: &Database,
    link: &'static Link,
    list: &Recent,
    children: &[&Source],
) -> Result<ApplyResult> {
    let changes = changes(link, list, children);
    let mut out = ApplyResult::default();
    let refill = match changes.as_slice() {
        [] => return Ok(out),
        [one] => apply_one(db, link, list, one, &mut out).await?,
        many => {
            let (mut refill, mut all) = update_parents(db, link, list, many, &mut out).await?;
            if !all && store_absent(db, link, many).await? {
                out.refused.clear();
                let (more, now) = update_parents(db, link, list, many, &mut out).await?;
                refill.extend(more);
                all = now;
            }
            if !all && link.periods.is_some() {
                out.refused.clear();
                for one in many {
                    refill.extend(apply_one(db, link, list, one, &mut out).await?);
                }
            }
            refill
        }
    };
    fault!("recent_after_pull");
    out.refill = refill;
    Ok(out)
}

/// Updates one parent; returns the tokens of the marks of the lists to refill.
async fn apply_one(
    db: &Database,
    link: &Link,
    list: &Recent,
    one: &Change,
    out: &mut ApplyResult,
) -> Result<Vec<ObjectId>> {
    match update_single_parent(db, link, list, one).await {
        Ok(marks) => {
            out.changed += u64::from(marks.any());
            out.marks.extend(marks.put);
            Ok(marks.refill)
        }
        Err(error) => match driver::refusal(&error) {
            Some((code, message)) => {
                record_refusal(out, one, code, &message);
                Ok(Vec::new())
            }
            None => Err(error),
        },
    }
}

/// The change of one parent's list as a part of a larger command.
#[derive(Debug)]
pub(crate) struct ListUpdate<'l> {
    link: &'static Link,
    list: &'l Recent,
    change: Change,
    tokens: Tokens,
}

impl<'l> ListUpdate<'l> {
    /// Plans the change for these children, each with true if it belongs into the list. `None` if there are too many children for one
    /// update.
    pub(crate) fn plan(
        link: &'static Link,
        list: &'l Recent,
        parent: &Bson,
        children: &[(&Source, bool)],
    ) -> Option<Self> {
        let told = children.iter().enumerate();
        let told: Vec<(usize, bool)> = told.map(|(n, (_, belongs))| (n, *belongs)).collect();
        let children: Vec<&Source> = children.iter().map(|(child, _)| *child).collect();
        let change = match thin::drop_never_listed(list, parent, &told, &children) {
            Some(thinned) => thinned,
            None if told.len() > CHILDREN => return None,
            None => plan_all(list, parent, &told, &children),
        };
        Some(ListUpdate {
            link,
            list,
            change,
            tokens: Tokens::new(),
        })
    }

    /// True if operators can make the change: all children are new, and none is left out. An extreme needs a stage of a pipeline.
    pub(crate) fn only_adds(&self) -> bool {
        self.list.extreme.is_none() && !self.change.thinned && !self.change.may_make_room()
    }

    /// Adds the change to the filter and the operators of an update. Call it only if the change [only adds](Self::only_adds).
    pub(crate) fn push(&self, query: &mut Document, operators: &mut Document) {
        change::push(
            self.link,
            self.list,
            &self.change,
            self.tokens,
            query,
            operators,
        );
    }

    /// The stages of a pipeline that make the change.
    pub(crate) fn stages(&self) -> Vec<Document> {
        change::pipeline(self.link, self.list, &self.change, self.tokens)
    }

    pub(crate) fn into_attempt(self) -> (&'static Link, Attempt) {
        let attempt = Attempt {
            puts: !self.change.puts.is_empty(),
            may_lack: self.change.may_make_room(),
            tokens: self.tokens,
        };
        (self.link, attempt)
    }
}

/// The change that these children cause. No child is left out.
fn plan_all(list: &Recent, parent: &Bson, told: &[(usize, bool)], children: &[&Source]) -> Change {
    let mut change = Change::new(parent.clone());
    for (n, put) in told {
        change.add_child(list, *n, children[*n], *put);
    }
    change
}

/// An attempt to change a parent's list.
#[derive(Debug)]
pub(crate) struct Attempt {
    tokens: Tokens,
    puts: bool,
    may_lack: bool,
}

impl Attempt {
    /// The marks of this attempt on the parent, as it was read after the attempt.
    pub(crate) fn marks(&self, host: &Document) -> Marks {
        marks(host, self.tokens)
    }

    /// All marks that this attempt may have left.
    pub(crate) fn all_marks(&self) -> Marks {
        let one = |there: bool, token| there.then_some(token).into_iter().collect();
        Marks {
            put: one(self.puts, self.tokens.put),
            refill: one(self.may_lack, self.tokens.refill),
        }
    }
}

/// The marks that one update left.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    /// The marks of entries that were put into the list.
    pub(crate) put: Vec<ObjectId>,
    /// The marks of a list that may lack children.
    pub(crate) refill: Vec<ObjectId>,
}

impl Marks {
    pub(crate) fn any(&self) -> bool {
        !self.put.is_empty() || !self.refill.is_empty()
    }
}

/// Updates one parent; returns the marks that the update has left. Stores the document of a period that is not there.
async fn update_single_parent(
    db: &Database,
    link: &Link,
    list: &Recent,
    change: &Change,
) -> Result<Marks> {
    let (mut tries, mut stores) = (0, 0);
    loop {
        let tokens = Tokens::new();
        let done = driver::change_and_read(
            db,
            link.host.collection,
            change.filter(),
            change::pipeline(link, list, change, tokens),
            doc! { stored::UNCONFIRMED: 1 },
            false,
        )
        .await;
        match done {
            Err(error) if driver::outcome_unknown(&error) && tries < RETRIES => tries += 1,
            // Another program may delete the document while it is empty.
            Ok(None) if store_absent(db, link, std::slice::from_ref(change)).await? => {
                stores += 1;
                if stores > STORES {
                    return Err(Error::Busy {
                        what: format!("{} of {}", link.name, change.parent),
                    });
                }
            }
            done => return Ok(done?.map_or_else(Marks::default, |host| marks(&host, tokens))),
        }
    }
}

/// Stores the documents of the periods that these changes add children to, where they do not exist. Returns false if there are none, or if
/// one of them gets no document.
async fn store_absent(db: &Database, link: &Link, changes: &[Change]) -> Result<bool> {
    let mut absent: BTreeMap<IdKey, (&Document, Vec<Bson>)> = BTreeMap::new();
    let put = changes.iter().filter(|change| !change.puts.is_empty());
    for change in put.filter(|_| link.periods.is_some()) {
        let tenant = IdKey::new(&Bson::from(change.inside.clone()));
        let (_, ids) = absent.entry(tenant).or_insert((&change.inside, Vec::new()));
        ids.push(change.parent.clone());
    }
    let mut all = !absent.is_empty();
    for (inside, ids) in absent.values() {
        all &= store_periods(db, link.host.collection, ids, inside).await?;
    }
    Ok(all)
}

/// The marks of one attempt on a parent.
fn marks(host: &Document, tokens: Tokens) -> Marks {
    let has = |token| flags::has_token(flags::marks(host, stored::key::UNCONFIRMED), token);
    let one = |token| has(token).then_some(token).into_iter().collect();
    Marks {
        put: one(tokens.put),
        refill: one(tokens.refill),
    }
}

/// Updates several parents in one command; returns the tokens of the marks of the lists to refill, and true if all parents were there.
async fn update_parents(
    db: &Database,
    link: &Link,
    list: &Recent,
    changes: &[Change],
    out: &mut ApplyResult,
) -> Result<(Vec<ObjectId>, bool)> {
    let mut tries = 0;
    let (tokens, done) = loop {
        let tokens: Vec<Tokens> = changes.iter().map(|_| Tokens::new()).collect();
        let updates: Vec<Document> = changes
            .iter()
            .zip(&tokens)
            .map(|(change, tokens)| {
                doc! {
                    "q": change.filter(),
                    "u": change::pipeline(link, list, change, *tokens),
                }
            })
            .collect();
        match driver::statements_once(db, link.host.collection, &updates).await {
            Err(error) if driver::outcome_unknown(&error) && tries < RETRIES => tries += 1,
            done => break (tokens, done?),
        }
    };
    out.changed += done.modified;
    let all = done.matched == changes.len() as u64;
    for (n, code, message) in done.failed {
        record_refusal(out, &changes[n], code, &message);
    }
    let put = |change: &Change| !change.puts.is_empty();
    let each = || changes.iter().zip(&tokens);
    out.marks
        .extend(each().filter(|(change, _)| put(change)).map(|(_, t)| t.put));
    let may_lack = |(change, _): &(&Change, &Tokens)| change.may_make_room();
    let refill = each().filter(may_lack).map(|(_, t)| t.refill);
    Ok((refill.collect(), all))
}

fn record_refusal(out: &mut ApplyResult, change: &Change, code: i32, message: &str) {
    let reason = format!("{message} ({code})");
    let children = change.children.iter();
    out.refused.extend(children.map(|n| (*n, reason.clone())));
}

/// A parent, the condition that it belongs to the tenant of its children, and the children by their index, each with true if it belongs
/// there.
type Told = (Bson, Document, Vec<(usize, bool)>);

/// The changes of all parents, in pieces that one update can carry.
fn changes(link: &Link, list: &Recent, children: &[&Source]) -> Vec<Change> {
    let mut parents: BTreeMap<(IdKey, IdKey), Told> = BTreeMap::new();
    for (n, child) in children.iter().enumerate() {
        let inside = link.inside_host(&child.fields);
        let tenant = IdKey::new(&Bson::from(inside.clone()));
        let mut told = |parent: Bson, put: bool| {
            let key = (IdKey::new(&parent), tenant.clone());
            let new = || (parent, inside.clone(), Vec::new());
            let (.., of) = parents.entry(key).or_insert_with(new);
            of.push((n, put));
        };
        for parent in link.parents_of(child) {
            told(parent, true);
        }
        for parent in link.left_by(child) {
            told(parent, false);
        }
    }
    let mut out = Vec::new();
    for (parent, inside, told) in parents.into_values() {
        let changes = match thin::drop_never_listed(list, &parent, &told, children) {
            Some(thinned) => vec![thinned],
            None => {
                let parts = told.chunks(CHILDREN);
                let parts = parts.map(|some| plan_all(list, &parent, some, children));
                parts.collect()
            }
        };
        out.extend(changes.into_iter().map(|change| Change {
            inside: inside.clone(),
            ..change
        }));
    }
    out
}
