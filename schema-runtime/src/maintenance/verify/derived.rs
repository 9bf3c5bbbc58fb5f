//! Comparison of derived data with the children, in bounded memory: last-N lists, and numbers.

use std::collections::{HashMap, HashSet, VecDeque};

use bson::{Bson, Document, doc};

use super::lists::links_into;
use super::report::{Defect, Difference};
use crate::bson_util::amount::Amount;
use crate::bson_util::id_key::IdKey;
use crate::bson_util::path::at;
use crate::bson_util::stored_id::id_of_document;
use crate::driver::rows::Rows;
use crate::driver::{self, Database, FindArgs};
use crate::error::Result;
use crate::graph::links::{Bound, Keeps, Link, Recent};
use crate::propagation::{counter, recent};
use crate::schema::model::ModelMeta;
use crate::schema::stored;
use crate::schema::tenant::{demanded_tenant, of_tenant, tenant_field};
use crate::tenant::Scope;

/// The number of parents that are compared together: with lists, and with numbers.
const LISTS: usize = 20;
const NUMBERS: usize = 1_000;

/// The largest number of further reads of a parent that looks wrong and whose children changed in between.
const ROUNDS: usize = 5;

/// The last-N lists and the numbers in the documents of these models; of all models if none are given.
pub(crate) fn chosen_kept(
    models: Option<&[&'static ModelMeta]>,
) -> impl Iterator<Item = &'static Link> {
    links_into(models).filter(|link| !matches!(link.keeps, Keeps::Ids { .. }))
}

/// The findings in some parents.
#[derive(Debug)]
pub(crate) struct DerivedValues {
    pub(crate) link: &'static Link,
    /// The number of parents that were compared.
    pub(crate) looked: u64,
    pub(crate) wrong: Vec<Difference>,
    /// The parents with more children than their bound.
    pub(crate) over_bound: Vec<Difference>,
    /// The parents whose children changed during every look: nothing was found out about them.
    pub(crate) unsettled: Vec<Bson>,
}

/// A walk over parents.
pub(crate) struct Parents<'a> {
    db: &'a Database,
    todo: VecDeque<&'static Link>,
    open: Option<(&'static Link, Rows<'a>)>,
    filter: Document,
    scope: Scope,
    for_good: bool,
}

impl<'a> Parents<'a> {
    pub(crate) fn new(db: &'a Database, along: impl Iterator<Item = &'static Link>) -> Self {
        Parents {
            db,
            todo: along.collect(),
            open: None,
            filter: doc! {},
            scope: Scope::default(),
            for_good: false,
        }
    }

    /// Only the parents in a scope.
    pub(crate) fn within(mut self, scope: &Scope) -> Self {
        self.scope = scope.clone();
        self
    }

    /// A number that looks right is read once more, because a repair never comes back to it: a writer that counts during the look can make
    /// a wrong number equal to that of the children for a moment.
    pub(crate) fn for_good(mut self) -> Self {
        self.for_good = true;
        self
    }

    /// Only the parents with these `_id`s.
    pub(crate) fn only(mut self, ids: &[Bson]) -> Self {
        self.filter = doc! { "_id": { "$in": ids } };
        self
    }

    /// Compares the next parents; `None` when all were compared.
    pub(crate) async fn next(&mut self) -> Result<Option<DerivedValues>> {
        let (link, mut rows) = match self.open.take() {
            Some(open) => open,
            None => {
                let Some(link) = self.todo.pop_front() else {
                    return Ok(None);
                };
                let args = FindArgs {
                    projection: Some(fields(link)),
                    batch_size: u32::try_from(page(link)).ok(),
                    ..FindArgs::default()
                };
                let collection = link.host.collection;
                let filter = self.scope.restrict(collection, self.filter.clone());
                let rows = match link.periods {
                    Some(_) if self.filter.is_empty() => {
                        open_periods(self.db, link, filter).await?
                    }
                    _ => driver::open(self.db, collection, filter, args, None).await?,
                };
                (link, rows)
            }
        };
        let (mut parents, mut more) = (Vec::new(), true);
        while parents.len() < page(link) {
            let row = rows.next(|raw| Ok(Document::try_from(raw).ok())).await?;
            let Some(row) = row else {
                more = false;
                break;
            };
            parents.extend(row);
        }
        let mut kept = DerivedValues {
            link,
            looked: parents.len() as u64,
            wrong: Vec::new(),
            over_bound: Vec::new(),
            unsettled: Vec::new(),
        };
        match &link.keeps {
            Keeps::Recent(list) => lists(self.db, list, &parents, &mut kept).await?,
            Keeps::Number(_) => numbers(self.db, &parents, self.for_good, &mut kept).await?,
            Keeps::Ids { .. } => {}
        }
        self.open = more.then_some((link, rows));
        Ok(Some(kept))
    }
}

async fn lists(
    db: &Database,
    list: &Recent,
    parents: &[Document],
    kept: &mut DerivedValues,
) -> Result<()> {
    let link = kept.link;
    for parent in parents {
        let id = id_of_document(parent);
        let mut last = recent::last(db, link, list, parent).await?;
        if !differs(link, parent, &last) {
            continue;
        }
        // Read the children before and after the parent: if they are the same, they were so when it was read.
        let mut settled = false;
        for _ in 0..ROUNDS {
            let Some(parent) = again(db, link, parent).await? else {
                settled = true;
                break;
            };
            let now = recent::last(db, link, list, &parent).await?;
            let same = now == last;
            last = now;
            if !same {
                continue;
            }
            settled = true;
            if differs(link, &parent, &last) {
                let flagged = flagged(db, link, &parent, &last).await?;
                let found = match list.extreme {
                    Some(_) => vec![wrong_extreme(link, list, &parent, &last, flagged)],
                    None => findings(link, &parent, &last, flagged),
                };
                kept.wrong.extend(found);
            }
            break;
        }
        kept.unsettled.extend((!settled).then_some(id));
    }
    Ok(())
}

async fn again(db: &Database, link: &Link, parent: &Document) -> Result<Option<Document>> {
    let (id, fields) = (id_of_document(parent), fields(link));
    let (one, collection) = (std::slice::from_ref(&id), link.host.collection);
    let read = driver::read_by(db, collection, "_id", one, &fields, None).await?;
    // A period without a document has no children, or lacks it.
    let absent = |_| {
        let tenant = link.tenants().map(|(own, _)| own);
        let tenant = tenant.and_then(|own| Some((own.to_owned(), parent.get(own)?.clone())));
        let mut absent = doc! { "_id": &id };
        absent.extend(tenant);
        absent
    };
    Ok(read.into_iter().next().or_else(|| link.periods.map(absent)))
}

/// The documents of periods that match, and the `_id`s of those that children belong to and that are not there.
pub(crate) async fn open_periods<'a>(
    db: &'a Database,
    link: &'static Link,
    filter: Document,
) -> Result<Rows<'a>> {
    let host = link.host.collection;
    let (mut own, mut of_child) = (doc! { "id": "$_id" }, doc! { "id": link.stored_parent() });
    let mut period = doc! { "_id": "$_id.id" };
    let (mut hosts, mut children) = (Document::new(), Document::new());
    if let Some((tenant, child)) = link.tenants() {
        own.insert("t", format!("${tenant}"));
        of_child.insert("t", format!("${child}"));
        period.insert(tenant, "$_id.t");
        let of = demanded_tenant(tenant, &filter);
        hosts = of_tenant(link.host, of);
        children = of_tenant(link.child, of);
    }
    let ids = vec![
        doc! { "$match": link.live(children) },
        doc! { "$group": { "_id": of_child } },
        doc! { "$match": { "_id.id": { "$type": "object" } } },
    ];
    let mut pipeline = vec![
        doc! { "$match": &hosts },
        doc! { "$project": { "_id": own } },
        doc! { "$unionWith": { "coll": link.child.collection, "pipeline": ids } },
        doc! { "$group": { "_id": "$_id" } },
        doc! { "$lookup": {
            "from": host, "localField": "_id.id", "foreignField": "_id", "as": "d",
            "pipeline": [{ "$match": hosts }],
        } },
    ];
    pipeline.extend(inside_parents(link, &filter).into_iter().flatten());
    pipeline.extend([
        doc! { "$replaceRoot": { "newRoot": { "$mergeObjects": [period, { "$first": "$d" }] } } },
        doc! { "$match": filter },
        doc! { "$project": fields(link) },
    ]);
    let batch = u32::try_from(page(link)).ok();
    let reads = driver::Reads::FromPrimary;
    driver::open_aggregate(db, Some(host), pipeline, batch, reads, None).await
}

/// The stages that leave out the periods of children whose parent is not there or belongs to another tenant; `None` if the models have no
/// tenant.
fn inside_parents(link: &Link, filter: &Document) -> Option<[Document; 2]> {
    let (parent, (own, _)) = (link.periods?.parent, link.tenants()?);
    let theirs = tenant_field(parent)?;
    let inside = of_tenant(parent, demanded_tenant(own, filter));
    let lookup = doc! {
        "from": parent.collection,
        "localField": format!("_id.id.{}", stored::PERIOD_PARENT),
        "foreignField": "_id",
        "pipeline": [{ "$match": inside }],
        "as": "of",
    };
    let stored = doc! { "$first": format!("$d.{own}") };
    let tenant = doc! { "$ifNull": [stored, { "$first": format!("$of.{theirs}") }] };
    let is_inside = doc! { "$expr": { "$eq": [tenant, "$_id.t"] } };
    Some([doc! { "$lookup": lookup }, doc! { "$match": is_inside }])
}

/// Checks if a list is about to be corrected: it has a mark, or a child that it has or lacks is flagged.
async fn flagged(db: &Database, link: &Link, parent: &Document, last: &[Document]) -> Result<bool> {
    if link.marks(parent).next().is_some() {
        return Ok(true);
    }
    let ids = link
        .entries(parent)
        .chain(last)
        .filter_map(|entry| entry.get(stored::ENTRY_ID).cloned());
    let ids: Vec<Bson> = ids.collect();
    let filter = doc! { stored::PENDING: &link.name, "_id": { "$in": ids } };
    let args = FindArgs {
        projection: Some(doc! { "_id": 1 }),
        ..FindArgs::default()
    };
    let collection = link.child.collection;
    let found = driver::first(db, collection, filter, args, None, |_| Ok(())).await?;
    Ok(found.is_some())
}

/// Compares numbers. A parent with a flagged child is compared exactly, also if its number is that of its children: the flag will still
/// add to it.
async fn numbers(
    db: &Database,
    parents: &[Document],
    for_good: bool,
    kept: &mut DerivedValues,
) -> Result<()> {
    let link = kept.link;
    if parents.is_empty() {
        return Ok(());
    }
    let counts = counter::count_children(db, link, parents).await?;
    let flagged = counter::flagged_among(db, link, parents).await?;
    // Counting changes the tokens of a parent. So one that is still the same has no flag that came and went during the look.
    let mut now: HashMap<IdKey, Document> = HashMap::new();
    if for_good {
        let host = link.host.collection;
        let ids: Vec<Bson> = parents.iter().map(id_of_document).collect();
        let read = driver::read_by(db, host, "_id", &ids, &fields(link), None).await?;
        now.extend(
            read.into_iter()
                .map(|parent| (IdKey::new(&id_of_document(&parent)), parent)),
        );
    }
    for parent in parents {
        let id = id_of_document(parent);
        let key = IdKey::new(&id);
        let there = counts.get(&key).copied().unwrap_or_default();
        kept.over_bound.extend(over_bound(link, parent));
        let same = now.get(&key).is_none_or(|now| now == parent);
        let is_exact = !flagged.contains(&key) && !counter::has_reservations(parent);
        if number(link, parent) == Some(there) && same && is_exact {
            continue;
        }
        let mut settled = false;
        for _ in 0..ROUNDS {
            let Some(parent) = again(db, link, parent).await? else {
                settled = true;
                break;
            };
            let want = counter::compute_count(db, link, &id, &parent).await?;
            let now = again(db, link, &parent).await?;
            let (Some(want), true) = (want, now.as_ref() == Some(&parent)) else {
                continue;
            };
            settled = true;
            if number(link, &parent) != Some(want) {
                kept.wrong.push(Difference {
                    reference: link.name.clone(),
                    model: link.host.name,
                    id: id.clone(),
                    path: link.field.to_owned(),
                    kind: Defect::Stale,
                    flagged: link.marks(&parent).next().is_some(),
                    have: at(&parent, link.field).cloned(),
                    want: link.zero().plus(want).to_bson(),
                });
            }
            break;
        }
        kept.unsettled.extend((!settled).then_some(id));
    }
    Ok(())
}

fn page(link: &Link) -> usize {
    if link.counts() { NUMBERS } else { LISTS }
}

/// The finding that a parent has more children than its bound.
fn over_bound(link: &Link, parent: &Document) -> Option<Difference> {
    let max = link.exceeded(parent)?;
    Some(Difference {
        reference: link.name.clone(),
        model: link.host.name,
        id: id_of_document(parent),
        path: link.field.to_owned(),
        kind: Defect::OverBound,
        flagged: false,
        have: parent.get(link.field).cloned(),
        want: Some(Bson::Int64(max)),
    })
}

fn fields(link: &Link) -> Document {
    let bound = link.bound.as_ref().and_then(Bound::field);
    let bound = bound.map(|name| (name.to_owned(), Bson::from(1)));
    let mut fields = doc! { "_id": 1, link.field: 1, stored::COUNTS: 1, stored::UNCONFIRMED: 1 };
    fields.insert(link.visible(), 1);
    fields.extend(link.tenant());
    fields.extend(bound);
    fields
}

/// An absent or null number counts as 0; `None` if the value is not of the number's type.
fn number(link: &Link, parent: &Document) -> Option<Amount> {
    match at(parent, link.field) {
        None | Some(Bson::Null) => Some(Amount::default()),
        Some(Bson::Decimal128(_)) if !link.is_decimal() => None,
        Some(value) => Amount::read(value),
    }
}

/// An entry without its revision: only the fields that it shows are compared.
fn shown(entry: &Document) -> Document {
    let shown = entry
        .iter()
        .filter(|(name, _)| *name != stored::COPY_REVISION);
    shown
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

fn differs(link: &Link, parent: &Document, last: &[Document]) -> bool {
    let len = at(parent, link.field)
        .and_then(Bson::as_array)
        .map_or(0, Vec::len);
    let shows_other = match &link.keeps {
        Keeps::Recent(list) if list.extreme.is_some() => {
            at(parent, link.visible()).filter(|value| **value != Bson::Null) != extreme(list, last)
        }
        _ => false,
    };
    shows_other || len != last.len() || !link.entries(parent).map(shown).eq(last.iter().map(shown))
}

/// The value of the child that has the extreme.
fn extreme<'d>(list: &Recent, last: &'d [Document]) -> Option<&'d Bson> {
    last.first()?.get(list.by.1)
}

/// The defect of an extreme: the value, or the child that has it.
fn wrong_extreme(
    link: &Link,
    list: &Recent,
    parent: &Document,
    last: &[Document],
    flagged: bool,
) -> Difference {
    Difference {
        reference: link.name.clone(),
        model: link.host.name,
        id: id_of_document(parent),
        path: link.visible().to_owned(),
        kind: Defect::Stale,
        flagged,
        have: at(parent, link.visible()).cloned(),
        want: extreme(list, last).cloned(),
    }
}

/// The defects of a list, by child; if only the order is wrong, or if it holds something that is not an entry, the list itself.
fn findings(link: &Link, parent: &Document, last: &[Document], flagged: bool) -> Vec<Difference> {
    let finding = |kind, have: Option<Bson>, want: Option<Bson>| Difference {
        reference: link.name.clone(),
        model: link.host.name,
        id: id_of_document(parent),
        path: link.field.to_owned(),
        kind,
        flagged,
        have,
        want,
    };
    let key = |entry: &Document| IdKey::new(entry.get(stored::ENTRY_ID).unwrap_or(&Bson::Null));
    let wanted: HashMap<IdKey, &Document> = last.iter().map(|entry| (key(entry), entry)).collect();
    let mut stored = HashSet::new();
    let mut out = Vec::new();
    for entry in link.entries(parent) {
        stored.insert(key(entry));
        match wanted.get(&key(entry)) {
            None => {
                // For an entry without an id, show all of it.
                let id = entry.get(stored::ENTRY_ID).cloned();
                let have = id.or_else(|| Some(shown(entry).into()));
                out.push(finding(Defect::Extra, have, None));
            }
            Some(want) if shown(want) != shown(entry) => out.push(finding(
                Defect::Stale,
                Some(shown(entry).into()),
                Some(shown(want).into()),
            )),
            Some(_) => {}
        }
    }
    let lacks = last.iter().filter(|entry| !stored.contains(&key(entry)));
    out.extend(
        lacks.map(|entry| finding(Defect::Missing, None, entry.get(stored::ENTRY_ID).cloned())),
    );
    if out.is_empty() {
        let want = last
            .iter()
            .map(|entry| Bson::Document(shown(entry)))
            .collect();
        out.push(finding(
            Defect::Stale,
            parent.get(link.field).cloned(),
            Some(Bson::Array(want)),
        ));
    }
    out
}
