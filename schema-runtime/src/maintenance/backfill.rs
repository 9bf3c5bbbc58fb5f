//! Filling a newly declared copy.

use std::collections::{HashMap, HashSet};
use std::fmt;

use bson::{Bson, Document, RawDocument, RawDocumentBuf, doc};

use super::repair::{Again, add, make_again, write_again};
use super::verify::parts::{self, PartsWalk};
use super::verify::{
    Defect, Difference, Found, One, SAMPLES, Sources, chosen, chosen_kept, chosen_links, fields,
    open_periods,
};
use crate::bson_util::id_key::IdKey;
use crate::bson_util::path::raw_at;
use crate::builder::{CallOptions, answers};
use crate::driver::{self, Database, FindArgs};
use crate::error::{Error, Result};
use crate::graph::edges::{Edge, Edges};
use crate::graph::flags;
use crate::graph::links::Link;
use crate::graph::source::Source;
use crate::outcome::Pending;
use crate::propagation::pair::Pair;
use crate::propagation::{source, two_way};
use crate::schema::model::{Model, ModelMeta};
use crate::schema::stored;

/// The number of documents without copies that are read together.
const DOCUMENTS: usize = 1_000;
/// The number of sources that are flagged and propagated to their copies at once.
const SOURCES: usize = 500;

/// Fills copies, counts and lists of children that are not there yet: after a new copy, `#[count]`, `#[recent]` or
/// `inverse` array was declared, or a field was added to one. It fills along every reference of the program, or those that
/// [`reference`](Backfill::reference) or [`only`](Backfill::only) name. Deploy the new declaration everywhere first, and run
/// [`sync_indexes`](crate::sync_indexes); [`verify`](crate::verify) then confirms that everything is right.
///
/// Documents lack copies if the library has never written them (they have no revision), or if they lack a copied field
/// that the source has. The server finds them in one walk over the collection; documents that lack nothing are neither
/// sent nor written, so an interrupted run continues where it stopped, and a repeat costs only the walk.
/// [`repair`](crate::repair) corrects copies that are there but wrong. A document that the library has never written
/// may hold values of another program in the place of copies: those that differ from their sources are overwritten, and
/// reported.
///
/// Texts with `#[index(contains)]` get their parts, by one durable `update` per 1,000 documents that lack them or have others.
///
/// A parent without the number or the list of its children first gets a 0 or an empty list, which makes it readable, and then the value
/// that its children give: per 1,000 such parents one `update`, and per parent the commands of `recount` or `rebuild`
/// of the field. Frozen copies are not filled: their former values are no longer known.
///
/// Sends, per 1,000 documents that lack copies, one `find` for those and one for their sources; per 500 sources one durable
/// `update` that flags them (and gives those without a revision one) and the commands of a fan-out, which fills all their copies
/// along the reference. If this is interrupted, [`recover`](crate::recover) or a [`Sweeper`](crate::Sweeper) finishes the
/// sources that were flagged. Each document is changed atomically, the whole is not. Memory does not grow with the
/// collection.
///
/// # Errors
/// The driver's, [`Error::MissingIndex`], [`Error::CopyCircle`], [`Error::Impossible`] for a reference that no model declares. A document
/// that the server refuses to change is in the report.
pub fn backfill(db: &Database) -> Backfill<'_> {
    Backfill {
        db,
        reference: None,
        models: None,
        ids: None,
        range: None,
        progress: None,
    }
}

type Callback<'a> = Box<dyn FnMut(&Backfilled) + Send + 'a>;

/// A filling of copies, about to be made. `.await` gives [`Backfilled`].
#[must_use = "nothing is sent before it is awaited"]
pub struct Backfill<'a> {
    db: &'a Database,
    reference: Option<String>,
    models: Option<Vec<&'static ModelMeta>>,
    ids: Option<Vec<Bson>>,
    range: Option<Document>,
    progress: Option<Callback<'a>>,
}

impl fmt::Debug for Backfill<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Backfill")
            .field("reference", &self.reference)
            .field("ids", &self.ids)
            .finish_non_exhaustive()
    }
}

impl<'a> Backfill<'a> {
    /// Fills only the copies on one reference, named by the collection that holds them and the path of the reference:
    /// `products.parts`; or only one count or list of children, named by its collection and stored name:
    /// `hosts.messages`.
    pub fn reference(mut self, name: impl Into<String>) -> Self {
        self.reference = Some(name.into());
        self
    }

    /// Fills only the copies in the documents of `M`; called again, also those of the other model.
    pub fn only<M: Model>(self) -> Self {
        self.models(&[M::model_meta()])
    }

    /// Fills only the copies in the documents of these models, and of those named before.
    pub fn models(mut self, models: &[&'static ModelMeta]) -> Self {
        self.models.get_or_insert_default().extend(models);
        self
    }

    /// Fills only the documents with these `_id`s, to try it on a few. Other documents that copy the same sources stay
    /// as they are: the chosen ones are marked and compared with their sources one by one, as new documents are.
    pub fn ids(mut self, ids: impl IntoIterator<Item = impl Into<Bson>>) -> Self {
        self.ids = Some(ids.into_iter().map(Into::into).collect());
        self
    }

    /// Fills only the documents whose `_id` meets this condition, for a program that walks large collections in steps.
    #[doc(hidden)]
    pub fn range(mut self, id: Document) -> Self {
        self.range = Some(id);
        self
    }

    /// Calls the function after each batch with the totals so far.
    pub fn progress(mut self, listener: impl FnMut(&Backfilled) + Send + 'a) -> Self {
        self.progress = Some(Box::new(listener));
        self
    }
}

/// The result of [`backfill`].
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Backfilled {
    /// Documents that lacked copies, and still did when their batch was written.
    pub lacking: u64,
    /// Sources that were flagged so that all their copies were written.
    pub sources: u64,
    /// Documents that were changed, each counted once per reference.
    pub changed: u64,
    /// Parents that got a number or a list of their children.
    pub parents: u64,
    /// Values of other programs that differed from the source and were overwritten.
    pub overwritten: u64,
    /// The first 20 overwritten values along each reference: the stored value, and the source's.
    pub findings: Vec<Difference>,
    /// The changes that the server refused; they stay flagged.
    pub refused: Vec<Pending>,
}

impl Backfilled {
    /// True if nothing lacked copies.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        *self == Backfilled::default()
    }
}

answers!(['a] Backfill<'a> => Backfilled, self, CallOptions::settled(), {
    let mut this = self;
    Edges::get().in_no_circle()?;
    let mut along: Vec<&'static Edge> = chosen(this.models.as_deref())
        .filter(|edge| !edge.live.is_empty())
        .collect();
    let models = this.models.as_deref();
    let mut kept: Vec<&'static Link> =
        chosen_links(models).chain(chosen_kept(models)).collect();
    let mut of_parts: Vec<&'static ModelMeta> = parts::models(models).collect();
    if let Some(name) = &this.reference {
        of_parts.retain(|meta| parts::names(meta).any(|one| one == *name));
        along.retain(|edge| edge.name == *name);
        kept.retain(|link| link.name == *name);
        if along.is_empty() && kept.is_empty() && of_parts.is_empty() {
            return Err(Error::Impossible { what: format!("no model declares copies that follow at `{name}`") });
        }
    }
    let mut out = Backfilled::default();
    for link in kept {
        this.keep(link, &mut out).await?;
    }
    for edge in along {
        this.fill(edge, &mut out).await?;
    }
    for meta in of_parts {
        this.store_parts(meta, &mut out).await?;
    }
    Ok(out)
});

/// The work of one batch.
#[derive(Default)]
struct Lacking {
    /// The number of documents that lack copies.
    documents: u64,
    /// The `_id`s of the sources, each once.
    sources: HashMap<IdKey, Bson>,
    /// The documents, with the references whose copies they lack.
    again: Again,
    /// Values in the place of copies that differ from the sources.
    differing: Vec<Difference>,
}

impl Backfill<'_> {
    /// Adds the condition on the `_id` to a filter; gives the hint of its query.
    fn narrow(&self, filter: &mut Document) -> Option<Document> {
        if let Some(ids) = &self.ids {
            filter.insert("_id", doc! { "$in": ids });
            return None;
        }
        if let Some(range) = &self.range {
            filter.insert("_id", range);
            return Some(doc! { "_id": 1 });
        }
        // If most documents lack copies, the index of the reference only leads to all of them in a worse order.
        Some(doc! { "$natural": 1 })
    }

    async fn fill(&mut self, edge: &'static Edge, out: &mut Backfilled) -> Result<()> {
        let mut filter = edge
            .place
            .lacking(edge.live.iter().map(|copied| &*copied.to));
        // The writer that marked copies is about to correct them itself.
        filter.insert(stored::UNVERIFIED, doc! { "$exists": false });
        let hint = self.narrow(&mut filter);
        let args = FindArgs {
            projection: Some(fields(&[edge])),
            batch_size: u32::try_from(DOCUMENTS).ok(),
            hint,
            ..FindArgs::default()
        };
        let mut rows = driver::open(self.db, edge.target.collection, filter, args, None).await?;
        let mut more = true;
        while more {
            let mut read = Vec::new();
            while read.len() < DOCUMENTS {
                let Some(row) = rows.next(|raw| Ok(raw.to_owned())).await? else {
                    more = false;
                    break;
                };
                read.push(row);
            }
            let lacking = lacking(self.db, edge, &read).await?;
            if lacking.documents == 0 {
                continue;
            }
            out.lacking += lacking.documents;
            out.overwritten += lacking.differing.len() as u64;
            let listed = out.findings.iter().filter(|one| one.reference == edge.name);
            let more = SAMPLES.saturating_sub(listed.count());
            out.findings
                .extend(lacking.differing.into_iter().take(more));
            if self.ids.is_some() {
                let collection = edge.target.collection;
                let done = write_again(self.db, collection, lacking.again).await?;
                out.changed += done.documents;
                out.refused.extend(
                    done.refused
                        .into_iter()
                        .map(|(id, reason)| Pending::refused(&edge.name, collection, id, reason)),
                );
            } else {
                let ids: Vec<Bson> = lacking.sources.into_values().collect();
                for page in ids.chunks(SOURCES) {
                    follow(self.db, edge, page, out).await?;
                }
            }
            if let Some(listener) = &mut self.progress {
                listener(out);
            }
        }
        Ok(())
    }
}

impl Backfill<'_> {
    /// Fills the number or the list of parents that lack it from their children.
    async fn keep(&mut self, link: &'static Link, out: &mut Backfilled) -> Result<()> {
        let collection = link.host.collection;
        let lacks = doc! { "$exists": false };
        let mut filter = doc! { link.field: &lacks, stored::TOMBSTONE: &lacks };
        let hint = self.narrow(&mut filter);
        let may_be_absent = link.periods.is_some() && !filter.contains_key("_id");
        let args = FindArgs {
            projection: Some(doc! { "_id": 1 }),
            batch_size: u32::try_from(DOCUMENTS).ok(),
            hint,
            ..FindArgs::default()
        };
        let nothing = link.nothing();
        let mut rows = match may_be_absent {
            false => driver::open(self.db, collection, filter, args, None).await?,
            true => open_periods(self.db, link, filter).await?,
        };
        let mut more = true;
        while more {
            let mut ids = Vec::new();
            while ids.len() < DOCUMENTS {
                let row = rows.next(|raw| Ok(Document::try_from(raw).ok())).await?;
                let Some(row) = row else {
                    more = false;
                    break;
                };
                ids.extend(row.and_then(|mut row| row.remove("_id")));
            }
            if ids.is_empty() {
                continue;
            }
            let update = doc! {
                "q": { "_id": { "$in": &ids }, link.field: &lacks },
                "u": { "$set": { link.field: &nothing } },
                "multi": true,
            };
            let done = driver::statements(self.db, collection, &[update], true, None).await?;
            if let Some((_, code, message)) = done.failed.into_iter().next() {
                let reason = format!("{message} ({code})");
                let refused = Pending::refused(&link.name, collection, Bson::Null, reason);
                out.refused.push(refused);
                continue;
            }
            out.parents += done.modified;
            if link.is_two_way() {
                list(self.db, link, &ids).await?;
            } else if link.periods.is_some() {
                out.parents += store_periods(self.db, link, &ids).await?;
            } else {
                for id in &ids {
                    make_again(self.db, link, id).await?;
                }
            }
            if let Some(listener) = &mut self.progress {
                listener(out);
            }
        }
        Ok(())
    }
}

impl Backfill<'_> {
    /// Stores the parts of texts beside them.
    async fn store_parts(&mut self, meta: &'static ModelMeta, out: &mut Backfilled) -> Result<()> {
        let mut filter = Document::new();
        let hint = self.narrow(&mut filter);
        let mut walk = PartsWalk::open(self.db, meta, filter, hint).await?;
        while let Some((_, wrong)) = walk.next().await? {
            out.lacking += wrong.len() as u64;
            let (changed, refused) = parts::correct(self.db, meta, wrong).await?;
            out.changed += changed;
            let refused = refused
                .into_iter()
                .map(|(id, reason)| Pending::refused(stored::PARTS, meta.collection, id, reason));
            out.refused.extend(refused);
            if let Some(listener) = &mut self.progress {
                listener(out);
            }
        }
        Ok(())
    }
}

/// Makes all numbers of these periods, whose documents may not be there; returns the number of periods.
async fn store_periods(db: &Database, link: &'static Link, ids: &[Bson]) -> Result<u64> {
    let links = Edges::get().links().iter();
    let here = |other: &&Link| other.host.collection == link.host.collection;
    let numbers: Vec<&Link> = links.filter(here).collect();
    for id in ids {
        for number in &numbers {
            make_again(db, number, id).await?;
        }
    }
    Ok(ids.len() as u64)
}

/// Lists the children that refer to these parents along a two-way reference.
async fn list(db: &Database, link: &'static Link, parents: &[Bson]) -> Result<()> {
    let args = FindArgs {
        projection: Some(link.read()),
        ..FindArgs::default()
    };
    let filter = doc! { &link.reference: { "$in": parents } };
    let wanted: HashSet<IdKey> = parents.iter().map(IdKey::new).collect();
    let mut rows = driver::open(db, link.child.collection, filter, args, None).await?;
    let mut more = true;
    while more {
        let mut pairs = Vec::new();
        while pairs.len() < DOCUMENTS {
            let row = rows.next(|raw| Ok(Document::try_from(raw).ok())).await?;
            let Some(row) = row else {
                more = false;
                break;
            };
            let child = row.map(Source::read);
            pairs.extend(child.into_iter().flat_map(|child| {
                let belongs = link.parents_of(&child).into_iter();
                let belongs = belongs.filter(|parent| wanted.contains(&IdKey::new(parent)));
                let pair = |parent| Pair {
                    parent,
                    child: child.id.clone(),
                    tenant: child.tenant(link.child),
                };
                belongs.map(pair).collect::<Vec<_>>()
            }));
        }
        let pairs: Vec<&Pair> = pairs.iter().collect();
        two_way::mend(db, link, &pairs).await?;
    }
    Ok(())
}

/// Selects the documents that really lack copies, now that their sources are read: a field that the source lacks cannot be copied.
async fn lacking(db: &Database, edge: &'static Edge, read: &[RawDocumentBuf]) -> Result<Lacking> {
    let mut sources = Sources::default();
    sources.load(db, &[edge], read).await?;
    let mut out = Lacking::default();
    for document in read {
        let id = document.get("_id").ok().flatten();
        let Some(id) = id.and_then(|id| Bson::try_from(id).ok()) else {
            continue;
        };
        let mut lacks = false;
        edge.place
            .visit_references(document, &mut |holder, key, at| {
                let Some(Found::One(one)) = sources.get(edge, &IdKey::of_raw(key)) else {
                    return;
                };
                if one.source.is_outside(edge, document) {
                    return;
                }
                let absent = |copied: &crate::graph::edges::Copied| {
                    one.source.value(copied).is_some() && raw_at(holder, &copied.to).is_none()
                };
                if edge.place.revision_in(holder).is_none() || edge.live.iter().any(absent) {
                    lacks = true;
                    out.differing.extend(differing(edge, &id, one, holder, at));
                    let source = one.source.id.clone();
                    out.sources.insert(IdKey::new(&source), source);
                    if let Ok(key) = Bson::try_from(key) {
                        add(&mut out.again, &id, edge, &key);
                    }
                }
            });
        out.documents += u64::from(lacks);
    }
    Ok(out)
}

/// The values in the place of copies that differ from the source.
fn differing(
    edge: &Edge,
    id: &Bson,
    one: &One,
    holder: &RawDocument,
    at: &[usize],
) -> Vec<Difference> {
    let differs = |copied: &crate::graph::edges::Copied| {
        let have = Bson::try_from(raw_at(holder, &copied.to)?).ok()?;
        let want = one.source.value(copied);
        let same = have == Bson::Null || want.map(IdKey::new) == Some(IdKey::new(&have));
        (!same).then(|| Difference {
            reference: edge.name.clone(),
            model: edge.target.name,
            id: id.clone(),
            path: edge.place.shown(at, &copied.to),
            kind: Defect::Stale,
            flagged: false,
            have: Some(have),
            want: want.cloned(),
        })
    };
    edge.live.iter().filter_map(differs).collect()
}

/// Flags these sources, with a revision above that of all their copies, and updates their copies. The copies may have the sources' present
/// revision already: they were written when fewer fields were copied.
async fn follow(
    db: &Database,
    edge: &'static Edge,
    ids: &[Bson],
    out: &mut Backfilled,
) -> Result<()> {
    let collection = edge.source.collection;
    let all = Edges::get().flagged(collection);
    let bumped = flags::bumped(Bson::Boolean(true), &[&edge.name], &all);
    let update = doc! {
        "q": { "_id": { "$in": ids }, stored::TOMBSTONE: { "$exists": false } },
        "u": [{ "$set": { stored::OWN: bumped } }, { "$unset": stored::BATCH }],
        "multi": true,
    };
    let flagged = driver::statements(db, collection, &[update], true, None).await?;
    if let Some((_, code, message)) = flagged.failed.into_iter().next() {
        let reason = format!("{message} ({code})");
        let refused = Pending::refused(&edge.name, collection, Bson::Null, reason);
        out.refused.push(refused);
    }
    fault!("after_flag");
    out.sources += flagged.modified;
    let fields: Document = source::fields(collection);
    let read = driver::durable_read(db, collection, "_id", ids, &fields).await?;
    let read = read.into_iter().map(Source::read).collect();
    let left = source::finish(db, collection, read, &[]).await?;
    out.changed += left.changed;
    out.refused.extend(left.pending);
    Ok(())
}
