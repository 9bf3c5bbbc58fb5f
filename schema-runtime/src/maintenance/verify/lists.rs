//! Both sides of two-way references, compared with each other in bounded memory.

use std::collections::{HashMap, HashSet};

use bson::{Bson, Document, doc};

use super::report::{Defect, Difference};
use crate::bson_util::id_key::IdKey;
use crate::driver::rows::Rows;
use crate::driver::{self, Database, FindArgs};
use crate::error::Result;
use crate::graph::edges::Edges;
use crate::graph::links::Link;
use crate::graph::source::Source;
use crate::propagation::pair::Pair;
use crate::propagation::target::common;
use crate::schema::model::ModelMeta;
use crate::schema::stored;
use crate::tenant::Scope;

/// The number of pairs of parent and child that are compared together.
const PAIRS: usize = 1_000;

/// The largest number of further reads of a pair that looks wrong and whose child changed in between.
const ROUNDS: usize = 5;

/// The two-way references whose lists are in the documents of these models; of all models if none are given.
pub(crate) fn chosen_links(
    models: Option<&[&'static ModelMeta]>,
) -> impl Iterator<Item = &'static Link> {
    links_into(models).filter(|link| link.is_two_way())
}

/// The links whose derived data is in the documents of these models; all links if none are given.
pub(super) fn links_into(
    models: Option<&[&'static ModelMeta]>,
) -> impl Iterator<Item = &'static Link> {
    let collections: Option<HashSet<&str>> =
        models.map(|models| models.iter().map(|model| model.collection).collect());
    let is_chosen = move |link: &&Link| {
        let mut collections = collections.iter();
        collections.all(|collections| collections.contains(link.host.collection))
    };
    Edges::get().links().iter().filter(is_chosen)
}

/// The findings along one link.
#[derive(Debug)]
pub(crate) struct Lists {
    pub(crate) link: &'static Link,
    /// The number of ids that were compared, on both sides.
    pub(crate) looked: u64,
    pub(crate) wrong: Vec<(Pair, Difference)>,
    /// The arrays over their bounds.
    pub(crate) over_bound: Vec<Difference>,
    pub(crate) unsettled: u64,
}

/// The side that is walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    /// The children: finds ids that a list lacks.
    Children,
    /// The parents: finds ids that a list should not have.
    Parents,
}

/// A walk over both sides of links.
pub(crate) struct Walk<'a> {
    db: &'a Database,
    todo: Vec<(&'static Link, Side)>,
    open: Option<(&'static Link, Side, Rows<'a>)>,
    /// The parents that are compared; all if there are none.
    only: Option<Vec<Bson>>,
    scope: Scope,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(db: &'a Database, along: impl Iterator<Item = &'static Link>) -> Self {
        let sides = along.flat_map(|link| [(link, Side::Parents), (link, Side::Children)]);
        Walk {
            db,
            todo: sides.collect(),
            open: None,
            only: None,
            scope: Scope::default(),
        }
    }

    /// Only the documents in the scope.
    pub(crate) fn within(mut self, scope: &Scope) -> Self {
        self.scope = scope.clone();
        self
    }

    /// Only the parents with these `_id`s, and their children.
    pub(crate) fn only(mut self, ids: &[Bson]) -> Self {
        self.only = Some(ids.to_vec());
        self
    }

    /// Compares the next pairs; `None` when all were compared.
    pub(crate) async fn next(&mut self) -> Result<Option<Lists>> {
        let (link, side, mut rows) = match self.open.take() {
            Some(open) => open,
            None => {
                let Some((link, side)) = self.todo.pop() else {
                    return Ok(None);
                };
                let (collection, field, fields) = match side {
                    Side::Children => (link.child.collection, link.row, link.read()),
                    Side::Parents => {
                        let mut fields = doc! { "_id": 1, link.field: 1 };
                        fields.extend(link.tenant());
                        (link.host.collection, link.field, fields)
                    }
                };
                let args = FindArgs {
                    projection: Some(fields),
                    batch_size: u32::try_from(PAIRS).ok(),
                    ..FindArgs::default()
                };
                let filter = match (&self.only, side) {
                    (None, _) => doc! { field: { "$nin": [Bson::Null, Bson::Array(Vec::new())] } },
                    (Some(ids), Side::Children) => doc! { &link.reference: { "$in": ids } },
                    (Some(ids), Side::Parents) => doc! { "_id": { "$in": ids } },
                };
                let filter = self.scope.restrict(collection, filter);
                let rows = driver::open(self.db, collection, filter, args, None).await?;
                (link, side, rows)
            }
        };
        let (mut pairs, mut over_bound, mut more) = (Vec::new(), Vec::new(), true);
        while pairs.len() < PAIRS {
            let row = rows.next(|raw| Ok(Document::try_from(raw).ok())).await?;
            let Some(row) = row else {
                more = false;
                break;
            };
            if side == Side::Parents {
                over_bound.extend(row.as_ref().and_then(|row| check_bound(link, row)));
            }
            pairs.extend(row.iter().flat_map(|row| said(link, side, row)));
        }
        let looked = pairs.len() as u64;
        let mut seen = HashSet::new();
        let again = |pair: &&Pair| side == Side::Parents && !seen.insert(pair.key());
        let twice: Vec<Pair> = pairs.iter().filter(again).cloned().collect();
        let doubtful = differing(self.db, link, side, pairs).await?;
        let mut lists = Lists {
            link,
            looked,
            wrong: Vec::new(),
            over_bound,
            unsettled: 0,
        };
        confirm(self.db, doubtful, &mut lists).await?;
        // No writer of the library does that, so no other call is about to correct it.
        let twice = twice.into_iter().map(|pair| {
            let finding = finding(link, &pair, false, false);
            (pair, finding)
        });
        lists.wrong.extend(twice);
        self.open = more.then_some((link, side, rows));
        Ok(Some(lists))
    }
}

/// The pairs on which the two sides differ.
async fn differing(
    db: &Database,
    link: &'static Link,
    side: Side,
    pairs: Vec<Pair>,
) -> Result<Vec<Pair>> {
    let agreed: HashSet<(IdKey, IdKey)> = match side {
        Side::Children => parents(db, link, &pairs).await?.agreed,
        Side::Parents => {
            let mut known = children(db, link, &pairs).await?;
            for pair in &pairs {
                // A child of another tenant belongs into no list.
                let id = IdKey::new(&pair.child);
                if known
                    .get(&id)
                    .is_some_and(|child| child.tenant(link.child) != pair.tenant)
                {
                    known.remove(&id);
                }
            }
            let of = |child: &Source| {
                let id = IdKey::new(&child.id);
                let parents = link.parents_of(child).into_iter();
                let parents: Vec<IdKey> = parents.map(|id| IdKey::new(&id)).collect();
                parents.into_iter().map(move |parent| (parent, id.clone()))
            };
            known.values().flat_map(of).collect()
        }
    };
    let differs = |pair: &Pair| !agreed.contains(&pair.key());
    Ok(pairs.into_iter().filter(differs).collect())
}

/// Reads pairs that look wrong again: the child, the parent, and the child once more. A child that is the same before and after, and not
/// flagged, was so when the parent was read; a difference in a parent without a mark is a defect then.
async fn confirm(db: &Database, mut doubtful: Vec<Pair>, lists: &mut Lists) -> Result<()> {
    let link = lists.link;
    for _ in 0..ROUNDS {
        if doubtful.is_empty() {
            return Ok(());
        }
        let before = children(db, link, &doubtful).await?;
        let lists_of = parents(db, link, &doubtful).await?;
        let after = children(db, link, &doubtful).await?;
        let mut again = Vec::new();
        for pair in doubtful {
            let (parent, child) = pair.key();
            if lists_of.there.get(&parent) != Some(&pair.tenant) {
                // There is no list; another check reports the reference that leads nowhere.
                continue;
            }
            let source = after.get(&child);
            let same = match (before.get(&child), source) {
                (None, None) => true,
                (Some(a), Some(b)) => a.r == b.r && a.deleted == b.deleted,
                _ => false,
            };
            let pending =
                source.is_some_and(|child| child.deleted || child.pending.contains(&link.name));
            let flagged = pending
                || lists_of.new.contains(&parent)
                || lists_of.marked.contains(&(parent.clone(), child.clone()));
            if !same && !flagged {
                again.push(pair);
                continue;
            }
            let says = |child: &Source| {
                let inside = child.tenant(link.child) == pair.tenant;
                inside && link.parents_of(child).contains(&pair.parent)
            };
            let want = source.is_some_and(says);
            let have = lists_of.agreed.contains(&(parent, child));
            // If the field is its own other side, another check reports the reference that leads nowhere.
            let orphan = link.is_symmetric() && source.is_none();
            if want != have && !orphan {
                let finding = finding(link, &pair, want, flagged);
                lists.wrong.push((pair, finding));
            }
        }
        doubtful = again;
    }
    lists.unsettled += doubtful.len() as u64;
    Ok(())
}

/// The tenant that all pairs belong to; `None` if they belong to several.
fn tenant_of_all(pairs: &[Pair]) -> Option<&Bson> {
    common(pairs.iter().map(|pair| &pair.tenant))
}

async fn children(db: &Database, link: &Link, pairs: &[Pair]) -> Result<HashMap<IdKey, Source>> {
    let ids = once(pairs.iter().map(|pair| &pair.child));
    let mut fields = link.read();
    fields.insert(stored::OWN, 1);
    let collection = link.child.collection;
    let inside = link.of_tenant(tenant_of_all(pairs)).1;
    let by = ("_id", &ids[..]);
    let read = driver::read_where(db, collection, by, &inside, &fields, None).await?;
    let read = read.into_iter().map(Source::read);
    Ok(read.map(|child| (IdKey::new(&child.id), child)).collect())
}

async fn parents(db: &Database, link: &Link, pairs: &[Pair]) -> Result<Parents> {
    let ids = once(pairs.iter().map(|pair| &pair.parent));
    let children = once(pairs.iter().map(|pair| &pair.child));
    let stored = format!("${}", link.field);
    let list = doc! { "$cond": [{ "$isArray": [&stored] }, stored, []] };
    let held = doc! { "$setIntersection": [list, { "$literal": children }] };
    let mut fields = doc! { "_id": 1, link.field: held, stored::UNCONFIRMED: 1 };
    fields.extend(link.tenant());
    let collection = link.host.collection;
    let inside = link.of_tenant(tenant_of_all(pairs)).0;
    let by = ("_id", &ids[..]);
    let read = driver::read_where(db, collection, by, &inside, &fields, None).await?;
    let mut out = Parents::default();
    for parent in read {
        let key = IdKey::new(parent.get("_id").unwrap_or(&Bson::Null));
        let held = parent.get_array(link.field).into_iter().flatten();
        out.agreed
            .extend(held.map(|child| (key.clone(), IdKey::new(child))));
        for mark in link.marks(&parent) {
            match mark.get(stored::key::UNCONFIRMED_CHILDREN) {
                Some(child) => drop(out.marked.insert((key.clone(), IdKey::new(child)))),
                None => drop(out.new.insert(key.clone())),
            }
        }
        out.there.insert(key, link.tenant_of(&parent));
    }
    Ok(out)
}
/// The state of some parents and of their pairs with some children.
#[derive(Debug, Default)]
struct Parents {
    /// The parents that are there, with their tenants.
    there: HashMap<IdKey, Option<Bson>>,
    /// The pairs whose child is in the list.
    agreed: HashSet<(IdKey, IdKey)>,
    /// The parents of which it is not known yet whether their children were there before them.
    new: HashSet<IdKey>,
    /// The pairs that have not been compared with the child since it was changed.
    marked: HashSet<(IdKey, IdKey)>,
}

/// The pairs that a document of one side names.
fn said(link: &Link, side: Side, row: &Document) -> Vec<Pair> {
    let Some(id) = row.get("_id") else {
        return Vec::new();
    };
    let of_child = || {
        let (_, own) = link.tenants()?;
        Some(row.get(own).cloned().unwrap_or(Bson::Null))
    };
    let tenant = match side {
        Side::Children => of_child(),
        Side::Parents => link.tenant_of(row),
    };
    let pair = |parent: &Bson, child: &Bson| Pair {
        parent: parent.clone(),
        child: child.clone(),
        tenant: tenant.clone(),
    };
    let pairs: Vec<Pair> = match side {
        Side::Children => {
            let parents = link.parents_in(row);
            parents.iter().map(|parent| pair(parent, id)).collect()
        }
        Side::Parents => {
            let children = row.get_array(link.field).into_iter().flatten();
            children.map(|child| pair(id, child)).collect()
        }
    };
    let of_link = |pair: &Pair| link.is_truth(&pair.child, &pair.parent);
    pairs.into_iter().filter(of_link).collect()
}

fn once<'i>(ids: impl Iterator<Item = &'i Bson>) -> Vec<Bson> {
    let mut seen = HashSet::new();
    ids.filter(|id| seen.insert(IdKey::new(id)))
        .cloned()
        .collect()
}

/// The finding that a parent's array has more elements than its bound.
fn check_bound(link: &Link, parent: &Document) -> Option<Difference> {
    let (max, len) = (link.max(), parent.get_array(link.field).ok()?.len());
    (max > 0 && len as u64 > max).then(|| Difference {
        reference: link.name.clone(),
        model: link.host.name,
        id: parent.get("_id").cloned().unwrap_or(Bson::Null),
        path: link.field.to_owned(),
        kind: Defect::OverBound,
        flagged: false,
        have: i64::try_from(len).ok().map(Bson::Int64),
        want: i64::try_from(max).ok().map(Bson::Int64),
    })
}

fn finding(link: &Link, pair: &Pair, want: bool, flagged: bool) -> Difference {
    let child = Some(pair.child.clone());
    Difference {
        reference: link.name.clone(),
        model: link.host.name,
        id: pair.parent.clone(),
        path: link.field.to_owned(),
        kind: if want { Defect::Missing } else { Defect::Extra },
        flagged,
        have: child.clone().filter(|_| !want),
        want: child.filter(|_| want),
    }
}
