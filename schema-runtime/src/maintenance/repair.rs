//! Repairs what `verify` finds.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};

use super::overtake;
use super::repaired::Repaired;
use super::verify::parts::{self, PartsWalk};
use super::verify::{
    Defect, Parents, Part, Scan, Verified, Verify, Walk, Wrong, chosen, chosen_kept, chosen_links,
    trees, wrong_documents,
};
use crate::bson_util::id_key::IdKey;
use crate::builder::{CallOptions, answers};
use crate::driver::{self, Database};
use crate::error::Result;
use crate::graph::edges::{Edge, Edges};
use crate::graph::flags;
use crate::graph::links::{Keeps, Link};
use crate::graph::source::Source;
use crate::propagation::pair::Pair;
use crate::propagation::target::{Missing, Unverified};
use crate::propagation::{counter, delete, recent, source, target, two_way};
use crate::schema::model::{Model, ModelMeta};
use crate::schema::stored;
use crate::tenant::{Confined, Reach, Wall};

/// Compares every live copy with its source as [`verify`](crate::verify) does, and corrects what is not right: in all models linked into
/// the program, or in those of [`only`](Repair::only).
///
/// * What is flagged is finished first, as [`recover`](crate::recover) does, but at revisions of the sources that no other writer has: a
///   writer that is about to finish it may have read its values before another program changed them.
/// * A copy that is stale or of another type: its source gets such a revision too, its document is marked durably as not compared, and then
///   compared and corrected as new copies are. Sends, per 1,000 documents, one `update` that raises their sources with one durable
///   read of these, one `update` that marks, one durable read of their sources, one `update` that corrects and one that removes the marks.
/// * Copies that are ahead of their source: the source gets a revision above theirs and a flag in one atomic `update`, and all its copies
///   along that edge are overwritten with its values. The source wins, even if it was restored from a backup and its copies are newer than
///   that.
/// * An array that differs from the other side of its two-way reference: its document is marked durably, and then compared with the
///   documents that refer to it, which are authoritative.
/// * A list of the last N children, or their count, that does not match them is computed from them again, as its
///   `rebuild` and `recount` do.
/// * In a tree, ancestors that do not follow from those of the parent are stored anew, from the top down. Rings stay: no repair knows which
///   parent is wrong.
/// * The parts of texts with `#[index(contains)]` are stored anew, by one durable `update` per 1,000 documents.
/// * A reference that leads nowhere follows its delete rule: `pull` and `unset` remove it, with the copies beside it,
///   `cascade` deletes its document as [`delete`](crate::MongoModel::delete) does. With `deny` and `keep` it is
///   reported and stays. So does a reference that custom functions store (`#[serde(with = ..)]`) if they do not store
///   the key it refers to, and any in an array of such references: the meaning of the stored value is not known.
/// * References to several sources, to a document of another tenant, or with another type than their source, are reported and never
///   changed: the right value is not known.
///
/// A document that is right is not written, so a second run writes nothing. Every document is changed atomically; an interrupted repair
/// leaves flags, and [`recover`](crate::recover), a [`Sweeper`](crate::Sweeper) or the next run finishes it. Copies of copies follow.
/// Other programs may write during a repair.
///
/// With a [`Tenant`](crate::Tenant) it changes the documents of that tenant, and those documents shared by all tenants whose copies there
/// are not right, with all their copies. A reference to a document of another tenant leads nowhere there, and follows its delete rule.
///
/// # Errors
/// The driver's, [`Error::MissingIndex`](crate::Error::MissingIndex), [`Error::CopyCircle`](crate::Error::CopyCircle). A document that the
/// server refuses to change is in the report.
pub fn repair<D: Reach>(db: &D) -> Repair<'_> {
    db.reach(|db| Repair {
        verify: Verify::new(db),
        keeps_orphans: false,
    })
}

/// A repair of copies, about to be made. `.await` gives [`Repaired`].
#[must_use = "nothing is sent before it is awaited"]
pub struct Repair<'a> {
    /// The comparison that finds what is repaired.
    verify: Verify<'a>,
    keeps_orphans: bool,
}

impl Confined for Repair<'_> {
    fn confined(mut self, wall: &Wall) -> Self {
        self.verify = self.verify.confined(wall);
        self
    }
}

impl fmt::Debug for Repair<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Repair").finish_non_exhaustive()
    }
}

impl Repair<'_> {
    /// Looks only at the copies in the documents of `M`; called again, also at those of the other model.
    pub fn only<M: Model>(self) -> Self {
        self.models(&[M::model_meta()])
    }

    /// Looks only at the copies in the documents of these models, and of those named before.
    pub fn models(mut self, models: &[&'static ModelMeta]) -> Self {
        self.verify = self.verify.models(models);
        self
    }

    /// Sets how many findings of each edge and kind the report lists, by default 20. All are counted.
    pub fn samples(mut self, findings: usize) -> Self {
        self.verify = self.verify.samples(findings);
        self
    }

    /// Leaves references that lead nowhere as they are; they are in the report.
    pub(crate) fn keeping_orphans(mut self, keeps: bool) -> Self {
        self.keeps_orphans = keeps;
        self
    }

    /// Makes only a part of the comparison.
    #[doc(hidden)]
    pub fn part(mut self, part: Part) -> Self {
        self.verify = self.verify.part(part);
        self
    }
}

answers!(['a] Repair<'a> => Repaired, self, CallOptions::settled(), {
    Edges::get().in_no_circle()?;
    let Repair { verify, keeps_orphans } = self;
    let Verify { db, scope, models, samples, part } = verify;
    scope.check()?;
    let models = scope.models(models.as_deref());
    let (models, scope) = (models.as_deref(), &scope);
    let mut out = Repaired {
        found: Verified::over(models),
        ..Repaired::default()
    };
    if let Some(filter) = part.references() {
        overtake::flagged(db, models, scope, &mut out).await?;
        let mut scan = Scan::new(db, chosen(models)).filtered(filter).within(scope);
        while let Some(batch) = scan.next().await? {
            out.found.add(&batch, samples);
            let fanned = overtake::stale(db, &batch.wrong, &mut out).await?;
            correct(db, &batch.wrong, &fanned, &mut out).await?;
            raise(db, &batch.wrong, &mut out).await?;
            for wrong in &batch.wrong {
                let finding = &wrong.finding;
                if finding.kind == Defect::Orphan && !finding.flagged && !keeps_orphans {
                    let this = doc! { "_id": { "$eq": &finding.id } };
                    let applied = delete::apply_rule_to(db, wrong.edge, this, &wrong.key);
                    out.orphans += u64::from(applied.await?);
                }
            }
        }
    }
    if !part.derived() {
        return Ok(out);
    }
    let mut walk = Walk::new(db, chosen_links(models)).within(scope);
    while let Some(lists) = walk.next().await? {
        out.found.add_lists(&lists, samples);
        let wrong = lists.wrong.iter().filter(|(_, finding)| finding.is_defect());
        let pairs: Vec<&Pair> = wrong.map(|(pair, _)| pair).collect();
        out.documents += two_way::mend(db, lists.link, &pairs).await?;
    }
    out.documents += overtake::count_flagged(db, models, scope).await?;
    let mut parents = Parents::new(db, chosen_kept(models)).within(scope).for_good();
    while let Some(kept) = parents.next().await? {
        out.found.add_kept(&kept, samples);
        let defects = kept.wrong.iter().filter(|finding| finding.is_defect());
        let wrong: HashMap<IdKey, &Bson> =
            defects.map(|finding| (IdKey::new(&finding.id), &finding.id)).collect();
        for id in wrong.into_values() {
            out.documents += u64::from(make_again(db, kept.link, id).await?);
        }
    }
    for tree in trees(models) {
        out.documents += u64::from(tree.moves(db).resume(&mut |_| true).await?);
        let wrong = tree.find_wrong(db, scope).await?;
        out.found.add_along(tree.edge, &wrong, samples);
        out.documents += tree.correct(db, scope, wrong).await?;
    }
    for meta in parts::models(models) {
        let filter = scope.restrict(meta.collection, Document::new());
        let mut walk = PartsWalk::open(db, meta, filter, None).await?;
        while let Some((looked, wrong)) = walk.next().await? {
            out.found.add_parts(meta, looked, &wrong, samples);
            let (changed, refused) = parts::correct(db, meta, wrong).await?;
            out.documents += changed;
            out.refused.extend(refused);
        }
    }
    let wrong = wrong_documents(db, models, scope, samples).await?;
    out.found.add_documents(wrong);
    Ok(out)
});

/// Documents of one collection, each with the references whose copies are to be written again.
pub(crate) type Again = HashMap<IdKey, (Bson, Vec<(&'static Edge, Bson)>)>;

/// Makes the derived data of a parent again from its children; returns true if the parent exists.
pub(crate) async fn make_again(db: &Database, link: &'static Link, id: &Bson) -> Result<bool> {
    match &link.keeps {
        Keeps::Recent(list) => recent::rebuild(db, link, list, id, &doc! {}).await,
        Keeps::Number(_) => Ok(counter::recount(db, link, id, &doc! {}).await?.is_some()),
        Keeps::Ids { .. } => Ok(false),
    }
}

async fn correct(
    db: &Database,
    wrong: &[Wrong],
    fanned: &overtake::Fanned,
    out: &mut Repaired,
) -> Result<()> {
    let mut collections: BTreeMap<&'static str, Again> = BTreeMap::new();
    let mut bare: BTreeMap<_, (&'static Edge, HashMap<IdKey, &Bson>)> = BTreeMap::new();
    for wrong in wrong {
        let copy = matches!(wrong.finding.kind, Defect::Stale | Defect::WrongType);
        if !copy || wrong.of_reference {
            continue;
        }
        let source = wrong.source.as_ref().map(IdKey::new);
        if source.is_some_and(|id| fanned.contains(&(wrong.edge.source.collection, id))) {
            continue;
        }
        if wrong.key == Bson::Null {
            bare.entry((wrong.edge.target.collection, &wrong.edge.name))
                .or_insert_with(|| (wrong.edge, HashMap::new()))
                .1
                .insert(IdKey::new(&wrong.finding.id), &wrong.finding.id);
            continue;
        }
        let again = collections.entry(wrong.edge.target.collection).or_default();
        add(again, &wrong.finding.id, wrong.edge, &wrong.key);
    }
    for (collection, again) in collections {
        let done = write_again(db, collection, again).await?;
        out.documents += done.documents;
        out.refused.extend(done.refused);
    }
    for (edge, ids) in bare.into_values() {
        let ids: Vec<&Bson> = ids.into_values().collect();
        clear(db, edge, &ids, out).await?;
    }
    Ok(())
}

/// Removes the copies beside absent references of one edge from these documents. Copies of those copies follow.
pub(crate) async fn clear(
    db: &Database,
    edge: &'static Edge,
    ids: &[&Bson],
    out: &mut Repaired,
) -> Result<()> {
    let collection = edge.target.collection;
    let mut unset = doc! { edge.place.filtered_revision(0): "" };
    let copies = edge.live.iter();
    unset.extend(copies.map(|copied| (edge.place.filtered(0, &copied.to), Bson::from(""))));
    let mut operators = doc! { "$unset": unset };
    let onward = Edges::get().onward(edge);
    if !onward.is_empty() {
        flags::bump(&mut operators, &onward);
    }
    let update = |id: &&Bson| {
        let mut q = doc! { "_id": { "$eq": *id } };
        q.extend(edge.place.holding(&Bson::Null, None));
        let mut update = doc! { "q": q, "u": &operators };
        if !edge.place.is_single() {
            let filters = edge.place.array_filters(0, &Bson::Null, None);
            update.insert("arrayFilters", filters);
        }
        update
    };
    let updates: Vec<Document> = ids.iter().map(update).collect();
    let done = driver::statements(db, collection, &updates, false, None).await?;
    out.documents += done.modified;
    out.refused.extend(
        done.failed
            .into_iter()
            .map(|(n, code, message)| (ids[n].clone(), format!("{message} ({code})"))),
    );
    if !onward.is_empty() {
        let filter = doc! { "_id": { "$in": ids.to_vec() }, stored::PENDING: { "$in": onward } };
        source::resume(db, collection, filter, &mut |_| true).await?;
    }
    Ok(())
}

/// Adds a reference whose copies are written again.
pub(crate) fn add(again: &mut Again, id: &Bson, edge: &'static Edge, key: &Bson) {
    let (_, references) = again
        .entry(IdKey::new(id))
        .or_insert_with(|| (id.clone(), Vec::new()));
    let known = |(other, k): &(&Edge, Bson)| std::ptr::eq(*other, edge) && k == key;
    if !references.iter().any(known) {
        references.push((edge, key.clone()));
    }
}

/// Marks the copies of these references and removes their revisions, so that they are older than every source; then compares them with
/// their sources as new copies are.
pub(crate) async fn write_again(
    db: &Database,
    collection: &'static str,
    again: Again,
) -> Result<Repaired> {
    let token = ObjectId::new();
    let mut updates = Vec::new();
    let mut documents = Vec::new();
    for (id, references) in again.into_values() {
        updates.extend(
            references
                .iter()
                .map(|(edge, key)| unverified(&id, edge, key, token)),
        );
        documents.push(Unverified {
            id,
            tokens: vec![token],
            references,
            tenant: None,
        });
    }
    let done = driver::statements(db, collection, &updates, false, None).await?;
    fault!("after_mark");
    let mut out = Repaired::default();
    if let Some((_, code, message)) = done.failed.into_iter().next() {
        out.refused
            .push((Bson::Null, format!("a mark: {message} ({code})")));
    }
    for page in documents.chunks(target::DOCUMENTS) {
        let verified = target::verify(db, collection, page, Missing::Apply).await?;
        out.documents += verified.finished;
        out.refused.extend(verified.failed);
    }
    Ok(out)
}

/// The write that makes the copies of one reference in a document unverified, and older than every source. It names the reference: the
/// document may refer to another source by now.
fn unverified(id: &Bson, edge: &Edge, key: &Bson, token: ObjectId) -> Document {
    let mut q = doc! { "_id": { "$eq": id } };
    q.extend(edge.place.holding(key, None));
    let mut update = doc! {
        "q": q,
        "u": {
            "$addToSet": { stored::UNVERIFIED: flags::mark(token) },
            "$unset": { edge.place.filtered_revision(0): "" },
        },
    };
    if !edge.place.is_single() {
        update.insert("arrayFilters", edge.place.array_filters(0, key, None));
    }
    update
}

/// A source with copies that are ahead of it: its `_id`, the highest revision of these copies, and their edges.
type Behind<'w> = (Bson, i64, Vec<&'w str>);

/// Gives sources whose copies are ahead of them a revision above all that were seen, and the flag that makes the copies follow.
async fn raise(db: &Database, wrong: &[Wrong], out: &mut Repaired) -> Result<()> {
    let mut ahead: BTreeMap<&str, HashMap<IdKey, Behind<'_>>> = BTreeMap::new();
    for wrong in wrong {
        let (Some(id), Defect::Ahead) = (&wrong.source, wrong.finding.kind) else {
            continue;
        };
        let sources = ahead.entry(wrong.edge.source.collection).or_default();
        let (_, highest, along) = sources
            .entry(IdKey::new(id))
            .or_insert_with(|| (id.clone(), 0, Vec::new()));
        *highest = wrong.revision.unwrap_or(0).max(*highest);
        if !along.contains(&wrong.edge.name.as_str()) {
            along.push(&wrong.edge.name);
        }
    }
    let far = flags::far_revision();
    for (collection, sources) in ahead {
        let updates: Vec<Document> = sources
            .values()
            .map(|(id, highest, along)| {
                doc! {
                    "q": { "_id": { "$eq": id } },
                    "u": {
                        "$max": { stored::REVISION: highest.saturating_add(1).max(far) },
                        "$addToSet": { stored::PENDING: { "$each": along } },
                        "$unset": { stored::BATCH: "" },
                    },
                }
            })
            .collect();
        let raised = driver::statements(db, collection, &updates, false, None).await?;
        for (at, code, message) in raised.failed {
            let id = updates[at].get_document("q").ok();
            let id = id.and_then(|q| q.get_document("_id").ok()?.get("$eq").cloned());
            out.refused
                .push((id.unwrap_or(Bson::Null), format!("{message} ({code})")));
        }
        out.sources += raised.modified;
        fault!("after_raise");
        let ids: Vec<Bson> = sources.into_values().map(|(id, ..)| id).collect();
        let fields = source::fields(collection);
        let read = driver::durable_read(db, collection, "_id", &ids, &fields).await?;
        let read = read.into_iter().map(Source::read).collect();
        let left = source::finish(db, collection, read, &[]).await?;
        for pending in left.pending {
            let reason = pending.to_string();
            out.refused.push((Bson::Null, reason));
        }
    }
    Ok(())
}
