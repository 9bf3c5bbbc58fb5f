//! Compares all copies with their sources, all references with their targets, and all derived data with the references that it follows.

mod ancestors;
mod compare;
mod derived;
mod lists;
pub(crate) mod parts;
pub(crate) mod report;
mod rings;
mod scan;
mod sources;
pub(crate) mod undecodable;

use std::collections::BTreeMap;
use std::fmt;

use bson::{Document, doc};
use futures::{Stream, StreamExt, TryStreamExt};

pub(crate) use self::ancestors::trees;
pub(crate) use self::compare::Wrong;
pub(crate) use self::derived::{DerivedValues, Parents, chosen_kept, open_periods};
pub(crate) use self::lists::{Lists, Walk, chosen_links};
use self::parts::{PartsWalk, WrongParts};
pub(crate) use self::report::{Defect, Difference, ReferenceReport, Verified};
pub(crate) use self::scan::{Batch, Scan, chosen, fields};
pub(crate) use self::sources::{Found, One, Sources};
pub(crate) use self::undecodable::wrong_documents;
use crate::builder::awaits;
use crate::driver::{self, Database};
use crate::error::Result;
use crate::graph::edges::{Edge, Edges};
use crate::graph::relations::Relations;
use crate::schema::model::{Model, ModelMeta};
use crate::schema::stored;
use crate::tenant::{Confined, Reach, Scope, Wall};

/// Compares every live copy with its source, and looks for references that lead nowhere, with and without copies: in
/// all models linked into the program, or in those of [`only`](Verify::only). It writes nothing. Propagation keeps
/// copies right by itself; this finds the effects of other causes: programs that bypass the library, restored backups,
/// and documents that are older than the declaration of a copy ([`backfill`](crate::backfill)).
///
/// Sends one `find` per collection with references, of references, copies and revisions only, read in batches of 1,000 documents; and per
/// batch one `find` with `$in` per collection of sources, for those that are not among the last 20,000 read. A document that looks wrong
/// is read again, and its sources once more after it, so that concurrent writers cause no false alarm. Memory does not grow with the
/// collections. A copy that is null and one that is absent count as the same. Frozen copies and references inside maps are not compared.
///
/// Arrays that follow the other side of a two-way reference are compared with it: one `find` over each side, read in batches of about
/// 1,000 ids, and per batch one `find` with `$in` on the other. An array or a number over its bound is reported ([`Defect::OverBound`]).
///
/// Along a reference to one document of the same model, one `aggregate` (`$graphLookup`) walks up from each document, and reports the
/// documents that are above themselves ([`Defect::Ring`]). In a tree, one `aggregate` looks up the parent of each document, and reports the
/// documents whose ancestors are not those of the parent and the parent ([`Defect::Stale`]).
///
/// Lists of the last N children, and numbers of children, are compared with the children: per parent with a list one `find` of its last
/// children through an index, and per 1,000 parents with a number one aggregation that counts in an index. In the report a parent counts
/// as a reference.
///
/// The parts of texts with `#[index(contains)]` are compared with the texts: one `find` over the model. In the report they are called
/// `films._ng.title`.
///
/// Every document, also of models without references, is finally read as a whole, with one more `find` per model, and decoded: another
/// program may have stored values that no reader accepts, and older documents lack a field that was declared later. Such documents are
/// counted by model and path in [`undecodable`](Verified::undecodable); [`backfill`](crate::backfill) stores the missing fields, and
/// `#[serde(default)]` on the field reads documents without it until then. Documents that break a `#[check(..)]` are counted by model,
/// path and rule in [`invalid`](Verified::invalid): another program has stored them, or they are older than the check.
///
/// Documents with a flag of their own are counted as flagged, even if nothing in them is wrong: one `count` per collection through the
/// indexes of flags.
///
/// With a [`Tenant`](crate::Tenant) it looks at the documents of that tenant alone, by the same commands with the tenant in their filters;
/// those that count and list children find these by their references. A reference to a document of another tenant leads nowhere there.
///
/// ```no_run
/// # async fn example(db: mongo_model::Database) -> mongo_model::Result<()> {
/// let found = mongo_model::verify(&db).await?;
/// if !found.is_clean() {
///     println!("{found}");
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// The driver's.
pub fn verify<D: Reach>(db: &D) -> Verify<'_> {
    db.reach(Verify::new)
}

/// The number of findings of each edge and kind that a report lists by default.
pub(crate) const SAMPLES: usize = 20;

/// A comparison of copies with their sources, about to be sent. `.await` gives [`Verified`], [`stream`](Verify::stream) every
/// finding.
#[must_use = "nothing is sent before it is awaited"]
pub struct Verify<'a> {
    pub(super) db: &'a Database,
    pub(super) scope: Scope,
    pub(super) models: Option<Vec<&'static ModelMeta>>,
    pub(super) samples: usize,
    pub(super) part: Part,
}

/// The part of a comparison that is made, for a program that walks large collections in steps.
#[doc(hidden)]
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub enum Part {
    /// All parts.
    #[default]
    Everything,
    /// References and copies, in the documents that meet this filter.
    References(Document),
    /// Arrays, lists and numbers that follow from other documents.
    Derived,
}

impl Part {
    /// The filter of the documents whose references are compared; `None` if none are.
    pub(crate) fn references(&self) -> Option<Document> {
        match self {
            Part::Everything => Some(Document::new()),
            Part::References(filter) => Some(filter.clone()),
            Part::Derived => None,
        }
    }

    /// True if arrays, lists and numbers are compared.
    pub(crate) fn derived(&self) -> bool {
        !matches!(self, Part::References(_))
    }
}

impl Confined for Verify<'_> {
    fn confined(mut self, wall: &Wall) -> Self {
        self.scope = Scope::of_wall(wall);
        self
    }
}

impl fmt::Debug for Verify<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Verify").finish_non_exhaustive()
    }
}

impl<'a> Verify<'a> {
    pub(super) fn new(db: &'a Database) -> Self {
        Verify {
            db,
            scope: Scope::default(),
            models: None,
            samples: SAMPLES,
            part: Part::Everything,
        }
    }

    /// Looks only at the copies in the documents of `M`; called again, also at those of the other model.
    pub fn only<M: Model>(self) -> Self {
        self.models(&[M::model_meta()])
    }

    /// Looks only at the copies in the documents of these models, and of those named before.
    pub fn models(mut self, models: &[&'static ModelMeta]) -> Self {
        self.models.get_or_insert_default().extend(models);
        self
    }

    /// Sets how many findings of each edge and kind the report lists, by default 20. All are counted.
    pub fn samples(mut self, findings: usize) -> Self {
        self.samples = findings;
        self
    }

    /// Makes only a part of the comparison; [`stream`](Verify::stream) gives all of it.
    #[doc(hidden)]
    pub fn part(mut self, part: Part) -> Self {
        self.part = part;
        self
    }

    /// All findings, as they are found, including those that are flagged and those that a delete rule allows. Documents
    /// that cannot be decoded appear only in the report.
    pub fn stream(self) -> impl Stream<Item = Result<Difference>> + Send + 'a {
        let models = self.scope.models(self.models.as_deref());
        let models = models.as_deref();
        let scan = Scan::new(self.db, chosen(models)).within(&self.scope);
        let copies = futures::stream::try_unfold(scan, next_batch)
            .map_ok(|batch| futures::stream::iter(batch.wrong.into_iter().map(|w| Ok(w.finding))))
            .try_flatten();
        let walk = Walk::new(self.db, chosen_links(models)).within(&self.scope);
        let lists = futures::stream::try_unfold(walk, next_lists)
            .map_ok(|lists| {
                let wrong = lists.wrong.into_iter().map(|(_, finding)| finding);
                futures::stream::iter(wrong.chain(lists.over_bound).map(Ok))
            })
            .try_flatten();
        let parents = Parents::new(self.db, chosen_kept(models)).within(&self.scope);
        let kept = futures::stream::try_unfold(parents, next_values)
            .map_ok(|kept| {
                let wrong = kept.wrong.into_iter().chain(kept.over_bound);
                futures::stream::iter(wrong.map(Ok))
            })
            .try_flatten();
        let (db, scope, part_scope) = (self.db, self.scope.clone(), self.scope.clone());
        let refused = futures::stream::iter(scope.check().err().map(Err));
        let along: Vec<&'static Edge> = rings::edges(models).collect();
        let rings = futures::stream::iter(along)
            .then(move |edge| {
                let scope = scope.clone();
                async move { rings::of_edge(db, edge, &scope).await }
            })
            .map_ok(|rings| futures::stream::iter(rings.into_iter().map(Ok)))
            .try_flatten();
        let (trees, scope) = (trees(models).collect::<Vec<_>>(), self.scope);
        let misplaced = futures::stream::iter(trees)
            .then(move |tree| {
                let scope = scope.clone();
                async move { tree.find_wrong(db, &scope).await }
            })
            .map_ok(|wrong| futures::stream::iter(wrong.into_iter().map(Ok)))
            .try_flatten();
        let stored_parts = futures::stream::iter(parts::models(models).collect::<Vec<_>>())
            .then(move |meta| {
                let filter = part_scope.restrict(meta.collection, Document::new());
                PartsWalk::open(db, meta, filter, None)
            })
            .map_ok(|walk| futures::stream::try_unfold(walk, next_parts).try_flatten())
            .try_flatten();
        let found = copies
            .boxed()
            .chain(lists.boxed())
            .chain(kept.boxed())
            .chain(rings.boxed())
            .chain(misplaced.boxed())
            .chain(stored_parts.boxed());
        refused.chain(found)
    }
}

async fn next_parts(
    mut walk: PartsWalk<'_>,
) -> Result<Option<(impl Stream<Item = Result<Difference>>, PartsWalk<'_>)>> {
    let next = walk.next().await?;
    Ok(next.map(|(_, wrong)| {
        let all = wrong.into_iter().flat_map(|one| one.differences);
        (futures::stream::iter(all.map(Ok)), walk)
    }))
}

async fn next_values(mut parents: Parents<'_>) -> Result<Option<(DerivedValues, Parents<'_>)>> {
    let kept = parents.next().await?;
    Ok(kept.map(|kept| (kept, parents)))
}

async fn next_lists(mut walk: Walk<'_>) -> Result<Option<(Lists, Walk<'_>)>> {
    let lists = walk.next().await?;
    Ok(lists.map(|lists| (lists, walk)))
}

async fn next_batch(mut scan: Scan<'_>) -> Result<Option<(Batch, Scan<'_>)>> {
    let batch = scan.next().await?;
    Ok(batch.map(|batch| (batch, scan)))
}

awaits!(['a] Verify<'a> => Verified, self {
    self.scope.check()?;
    let models = self.scope.models(self.models.as_deref());
    let (models, scope) = (models.as_deref(), &self.scope);
    let mut out = Verified::over(models);
    if let Some(filter) = self.part.references() {
        let mut scan = Scan::new(self.db, chosen(models)).filtered(filter).within(scope);
        while let Some(batch) = scan.next().await? {
            out.add(&batch, self.samples);
        }
    }
    if !self.part.derived() {
        return Ok(out);
    }
    let mut walk = Walk::new(self.db, chosen_links(models)).within(scope);
    while let Some(lists) = walk.next().await? {
        out.add_lists(&lists, self.samples);
    }
    let mut parents = Parents::new(self.db, chosen_kept(models)).within(scope);
    while let Some(kept) = parents.next().await? {
        out.add_kept(&kept, self.samples);
    }
    for edge in rings::edges(models) {
        let found = Box::pin(rings::of_edge(self.db, edge, scope)).await?;
        out.add_along(edge, &found, self.samples);
    }
    for tree in trees(models) {
        let found = Box::pin(tree.find_wrong(self.db, scope)).await?;
        out.add_along(tree.edge, &found, self.samples);
    }
    for meta in parts::models(models) {
        let filter = scope.restrict(meta.collection, Document::new());
        let mut walk = PartsWalk::open(self.db, meta, filter, None).await?;
        while let Some((looked, wrong)) = walk.next().await? {
            out.add_parts(meta, looked, &wrong, self.samples);
        }
    }
    out.add_documents(wrong_documents(self.db, models, scope, self.samples).await?);
    out.flagged = flagged(self.db, models, scope).await?;
    Ok(out)
});

/// The number of documents of the chosen models that carry a flag of their own, through the indexes of flags.
async fn flagged(
    db: &Database,
    models: Option<&[&'static ModelMeta]>,
    scope: &Scope,
) -> Result<u64> {
    let edges = Edges::get();
    let mut flags: BTreeMap<&'static str, Vec<&str>> = BTreeMap::new();
    let chosen = |collection: &str| {
        models.is_none_or(|all| all.iter().any(|one| one.collection == collection))
    };
    let mut add = |collection, flag| {
        let flags = flags.entry(collection).or_default();
        if !flags.contains(&flag) {
            flags.push(flag);
        }
    };
    for collection in Relations::get().entombing() {
        if chosen(collection) {
            add(collection, stored::PENDING);
        }
    }
    for edge in edges.all() {
        let (source, target) = (edge.source.collection, edge.target.collection);
        if edge.marks() && chosen(target) {
            add(target, stored::UNVERIFIED_TOKEN);
        }
        // A change of a source may not have reached the chosen copies yet.
        if !edges.flagged(source).is_empty() && (chosen(source) || chosen(target)) {
            add(source, stored::PENDING);
        }
    }
    for link in edges.links() {
        let (host, child) = (link.host.collection, link.child.collection);
        if chosen(host) {
            add(host, stored::UNCONFIRMED_TOKEN);
        }
        if chosen(child) {
            add(
                child,
                if link.counts() {
                    stored::UNCOUNTED_TOKEN
                } else {
                    stored::PENDING
                },
            );
        }
    }
    let mut n = 0;
    for (collection, flags) in flags {
        let any: Vec<_> = flags
            .iter()
            .map(|flag| doc! { *flag: { "$exists": true } })
            .collect();
        if !any.is_empty() {
            n += driver::count(
                db,
                collection,
                scope.restrict(collection, doc! { "$or": any }),
                None,
                driver::Strings::Exactly,
                driver::ReadOptions::from_primary(),
                None,
            )
            .await?;
        }
    }
    Ok(n)
}

impl Verified {
    /// A report on these models without any findings yet.
    pub(crate) fn over(models: Option<&[&'static ModelMeta]>) -> Self {
        let mut reports: Vec<ReferenceReport> = chosen(models)
            .map(|edge| ReferenceReport::new(edge.name.clone(), edge.source.name))
            .collect();
        for link in chosen_links(models).chain(chosen_kept(models)) {
            let known = |report: &ReferenceReport| {
                report.name == link.name && report.source == link.child.name
            };
            // A field that is its own other side is a reference as well.
            if !reports.iter().any(known) {
                reports.push(ReferenceReport::new(link.name.clone(), link.child.name));
            }
        }
        for meta in parts::models(models) {
            let names = parts::names(meta);
            reports.extend(names.map(|name| ReferenceReport::new(name, meta.name)));
        }
        reports.sort_by(|a, b| a.name.cmp(&b.name));
        Verified {
            references: reports,
            flagged: 0,
            unsettled: 0,
            undecodable: Vec::new(),
            invalid: Vec::new(),
        }
    }

    /// Adds the comparison of the parts of texts in some documents.
    pub(crate) fn add_parts(
        &mut self,
        meta: &'static ModelMeta,
        looked: u64,
        wrong: &[WrongParts],
        samples: usize,
    ) {
        for name in parts::names(meta) {
            let Some(report) = self.references.iter_mut().find(|one| one.name == name) else {
                continue;
            };
            report.copies += looked;
            let differences = wrong.iter().flat_map(|one| &one.differences);
            for difference in differences.filter(|one| one.reference == name) {
                report.add(difference, samples);
            }
        }
    }

    pub(crate) fn add_documents(&mut self, wrong: undecodable::Wrong) {
        self.undecodable = wrong.undecodable;
        self.invalid = wrong.invalid;
    }

    pub(crate) fn add(&mut self, batch: &Batch, samples: usize) {
        for (edge, looked) in &batch.looked {
            if let Some(report) = self.references.iter_mut().find(|report| report.is(edge)) {
                report.references += looked.references;
                report.copies += looked.copies;
            }
        }
        for wrong in &batch.wrong {
            if let Some(report) = self
                .references
                .iter_mut()
                .find(|report| report.is(wrong.edge))
            {
                report.add(&wrong.finding, samples);
            }
        }
        self.unsettled += batch.unsettled;
    }

    pub(crate) fn add_along(&mut self, edge: &Edge, found: &[Difference], samples: usize) {
        if let Some(report) = self.references.iter_mut().find(|report| report.is(edge)) {
            for finding in found {
                report.add(finding, samples);
            }
        }
    }

    pub(crate) fn add_kept(&mut self, kept: &DerivedValues, samples: usize) {
        let of = |report: &&mut ReferenceReport| report.name == kept.link.name;
        if let Some(report) = self.references.iter_mut().find(of) {
            report.references += kept.looked;
            for finding in kept.wrong.iter().chain(&kept.over_bound) {
                report.add(finding, samples);
            }
        }
        self.unsettled += kept.unsettled.len() as u64;
    }

    pub(crate) fn add_lists(&mut self, lists: &Lists, samples: usize) {
        let of = |report: &&mut ReferenceReport| {
            report.name == lists.link.name && report.source == lists.link.child.name
        };
        if let Some(report) = self.references.iter_mut().find(of) {
            report.references += lists.looked;
            let wrong = lists.wrong.iter().map(|(_, finding)| finding);
            for finding in wrong.chain(&lists.over_bound) {
                report.add(finding, samples);
            }
        }
        self.unsettled += lists.unsettled;
    }
}

impl ReferenceReport {
    /// Two edges may have one name: models of one collection whose references at one place lead to different models.
    fn is(&self, edge: &Edge) -> bool {
        self.name == edge.name && self.source == edge.source.name
    }
}
