//! Corrects derived values after the changes of a batch, by the steps of the protocol.
//!
//! Every effect is a function of what is stored now, never of the event: produced twice, late, or by two programs at
//! once, it has the same result. In this order: references to documents that are gone follow their rule, sources and
//! children are raised and fanned out, former parents lose what they have of children, copies in targets are marked and
//! compared, derived data of parents is compared.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use bson::{Bson, Document, RawDocument, RawDocumentBuf, doc};

use super::batch::{Batch, Change};
use super::interest::{Interest, Interests};
use super::position::{Gap, Scope};
use crate::bson_util::id_key::IdKey;
use crate::bson_util::path::raw_at;
use crate::driver::FindArgs;
use crate::error::Result;
use crate::graph::edges::Edge;
use crate::graph::flags;
use crate::graph::source::Source;
use crate::maintenance::repair::{self, Again};
use crate::maintenance::verify;
use crate::propagation::newest::newest_copies;
use crate::propagation::sources_by_key::{ReadMode, read_by_keys};
use crate::propagation::{delete, source, target};
use crate::schema::stored;
use crate::{Database, driver};

/// The result of a batch.
#[derive(Debug, Default)]
pub(crate) struct Done {
    /// Sources and children that were raised.
    pub(crate) sources: u64,
    /// Documents whose copies were compared and corrected.
    pub(crate) targets: u64,
    /// Parents whose derived data was made again.
    pub(crate) parents: u64,
    /// Documents that a delete rule changed or deleted.
    pub(crate) ruled: u64,
    /// The changes that the server refused.
    pub(crate) refused: Vec<String>,
    /// The gaps that have to be compared as a whole.
    pub(crate) gaps: Vec<Gap>,
    /// The edges along which documents refer to sources that do not exist.
    pub(crate) dangling: Vec<String>,
}

/// Applies batches.
#[derive(Debug)]
pub(crate) struct Effects<'a> {
    pub(crate) db: &'a Database,
    pub(crate) interests: &'a Interests,
    pub(crate) fanned: Fanned,
}

impl Effects<'_> {
    /// Does everything that the changes of a batch make necessary. `dangling` names the edges along which a source may be awaited.
    ///
    /// # Errors
    /// The driver's, [`Error::MissingIndex`](crate::Error::MissingIndex). What was done stands, and the whole batch can be applied again.
    pub(crate) async fn apply(
        &mut self,
        batch: &Batch,
        dangling: &HashSet<String>,
    ) -> Result<Done> {
        let mut done = Done::default();
        let of = |collection: &&'static str| self.interests.of(collection);
        let all: Vec<(&Interest, Vec<&Change>)> = batch
            .changes
            .iter()
            .filter_map(|(collection, changes)| Some((of(collection)?, changes.values().collect())))
            .collect();
        for (interest, changes) in &all {
            self.follow_rules(interest, changes, &mut done).await?;
        }
        for (interest, changes) in &all {
            let names = |change: &Change| to_flag(interest, change);
            let raised = changes.iter().filter(|change| !change.deleted);
            let raised = raised.map(|change| Raised {
                id: &change.id,
                names: names(change),
                whole: change.paths.is_none(),
                doubtful: change.replaced,
            });
            self.raise(interest, raised.collect(), &mut done).await?;
        }
        for (collection, ids) in &batch.stored {
            if let Some(interest) = self.interests.of(collection) {
                let out = interest.out.iter();
                let awaited = out.filter(|edge| dangling.contains(&edge.name));
                let names: Vec<&'static str> = awaited.map(|edge| edge.name.as_str()).collect();
                let raised = ids.iter().map(|id| Raised {
                    id,
                    names: names.clone(),
                    whole: false,
                    doubtful: false,
                });
                self.raise(interest, raised.collect(), &mut done).await?;
            }
        }
        fault!("follow_after_raise");
        for (interest, changes) in &all {
            self.leave_parents(interest, changes, &mut done).await?;
        }
        for (interest, changes) in &all {
            self.compare_copies(interest, changes, &mut done).await?;
        }
        for (interest, changes) in &all {
            self.compare_parents(interest, changes, &mut done).await?;
        }
        fault!("follow_after_effects");
        Ok(done)
    }

    /// References to documents that are gone, and that no document has replaced, follow their delete rule.
    async fn follow_rules(
        &self,
        interest: &Interest,
        changes: &[&Change],
        done: &mut Done,
    ) -> Result<()> {
        let gone = |change: &&&Change| change.was_deleted && !change.own_delete;
        let gone: Vec<&Change> = changes.iter().filter(gone).copied().collect();
        if gone.is_empty() {
            return Ok(());
        }
        for relation in &interest.referred {
            let key = relation.edge.key;
            let mut keys: Vec<Bson> = Vec::new();
            for change in &gone {
                if key == "_id" {
                    keys.push(change.id.clone());
                    continue;
                }
                let before = change.before.iter().filter_map(|before| before.get(key));
                keys.extend(before.filter(|key| **key != Bson::Null).cloned());
                if change.without_image {
                    let scope = Scope::References(interest.collection.to_owned());
                    let reason = format!("{} was deleted, and its {key} is not known", change.id);
                    done.gaps.push(Gap::new(scope, reason));
                }
            }
            let fields = doc! { "_id": 0, key: 1 };
            let there =
                driver::read_by(self.db, interest.collection, key, &keys, &fields, None).await?;
            let there: HashSet<IdKey> = there
                .iter()
                .filter_map(|one| one.get(key))
                .map(IdKey::new)
                .collect();
            keys.retain(|key| !there.contains(&IdKey::new(key)));
            if keys.is_empty() {
                continue;
            }
            done.ruled += delete::apply_to_all(self.db, relation, &keys).await?;
        }
        Ok(())
    }

    /// The W1 that the other program left out: the next revision and the names of what has to follow, in one write per document; then W2
    /// and W3. A document that a former call has raised to what it is now is not raised again.
    pub(crate) async fn raise(
        &mut self,
        interest: &Interest,
        mut documents: Vec<Raised<'_>>,
        done: &mut Done,
    ) -> Result<()> {
        let collection = interest.collection;
        let fields = source::fields(collection);
        documents.retain(|document| !document.names.is_empty());
        let doubtful = documents.iter().filter(|document| document.doubtful);
        let doubtful: Vec<Bson> = doubtful.map(|document| document.id.clone()).collect();
        if !doubtful.is_empty() {
            let now = driver::read_by(self.db, collection, "_id", &doubtful, &fields, None).await?;
            let same = now.into_iter().map(Source::read);
            let same = same.filter(|source| self.fanned.knows(collection, source));
            let same: HashSet<IdKey> = same.map(|source| IdKey::new(&source.id)).collect();
            documents
                .retain(|document| !document.doubtful || !same.contains(&IdKey::new(document.id)));
        }
        if documents.is_empty() {
            return Ok(());
        }
        let far = flags::far_revision();
        let updates: Vec<Document> = documents
            .iter()
            .map(|document| document.statement(far))
            .collect();
        let sent = driver::statements(self.db, collection, &updates, false, None).await?;
        done.sources += sent.modified;
        for (n, code, message) in sent.failed {
            // Nothing was flagged, so the documents that follow from this one are compared with it.
            let reason = format!("{collection} {}: {message} ({code})", documents[n].id);
            done.gaps
                .push(Gap::new(Scope::Collection(collection.to_owned()), &*reason));
            done.refused.push(reason);
        }
        let whole = documents.iter().filter(|document| document.whole);
        let whole: HashSet<IdKey> = whole.map(|document| IdKey::new(document.id)).collect();
        let ids: Vec<Bson> = documents
            .iter()
            .map(|document| document.id.clone())
            .collect();
        for ids in ids.chunks(source::SOURCES) {
            let mut read = driver::durable_read(self.db, collection, "_id", ids, &fields).await?;
            if self.lift(collection, &read, &whole).await? {
                read = driver::durable_read(self.db, collection, "_id", ids, &fields).await?;
            }
            let sources: Vec<Source> = read.into_iter().map(Source::read).collect();
            for source in &sources {
                self.fanned.learn(collection, source);
            }
            let left = source::finish(self.db, collection, sources, &[]).await?;
            done.refused
                .extend(left.pending.iter().map(ToString::to_string));
        }
        Ok(())
    }

    /// Lifts documents that another program stored as a whole above their newest copies, if those are of a clock that is ahead. Returns
    /// whether there were some.
    async fn lift(
        &self,
        collection: &str,
        read: &[Document],
        whole: &HashSet<IdKey>,
    ) -> Result<bool> {
        let mut updates = Vec::new();
        let sources = read.iter().map(|read| Source::read(read.clone()));
        let sources: Vec<Source> = sources
            .filter(|source| whole.contains(&IdKey::new(&source.id)))
            .collect();
        let all: Vec<&Source> = sources.iter().collect();
        let newest = newest_copies(self.db, collection, &all).await?;
        for source in sources {
            let newest = newest.get(&IdKey::new(&source.id)).copied().unwrap_or(0);
            if newest >= source.revision() {
                let above = doc! { "$max": { stored::REVISION: newest.saturating_add(1) } };
                updates.push(doc! { "q": { "_id": { "$eq": source.id } }, "u": above });
            }
        }
        driver::statements(self.db, collection, &updates, false, None).await?;
        Ok(!updates.is_empty())
    }

    /// New references and changed copies: marked and compared as new copies are. A reference to a source that does not exist yet is not
    /// marked, because a mark would apply its delete rule.
    pub(crate) async fn compare_copies(
        &self,
        interest: &Interest,
        changes: &[&Change],
        done: &mut Done,
    ) -> Result<()> {
        let touched = |edge: &Edge, change: &Change| {
            let mut live = edge.live.iter();
            change.touches(&edge.place.path())
                || live.any(|copied| change.touches(&edge.full(copied)))
        };
        let mut chosen: HashMap<IdKey, (&Change, Vec<&'static Edge>)> = HashMap::new();
        for change in changes.iter().filter(|change| !change.deleted) {
            let incoming = interest.incoming.iter().copied();
            let along: Vec<&'static Edge> = incoming.filter(|edge| touched(edge, change)).collect();
            if !along.is_empty() {
                chosen.insert(IdKey::new(&change.id), (change, along));
            }
        }
        if chosen.is_empty() {
            return Ok(());
        }
        let collection = interest.collection;
        let ids: Vec<&Bson> = chosen.values().map(|(change, _)| &change.id).collect();
        let args = FindArgs {
            projection: Some(verify::fields(&interest.incoming)),
            ..FindArgs::default()
        };
        let filter = doc! { "_id": { "$in": ids } };
        let mut rows = driver::open(self.db, collection, filter, args, None).await?;
        let mut read: Vec<Read<'_>> = Vec::new();
        let mut bare: BTreeMap<&str, (&'static Edge, Vec<Bson>)> = BTreeMap::new();
        while let Some(raw) = rows.next(|raw| Ok(raw.to_owned())).await? {
            let id = crate::bson_util::stored_id::id_of(&raw);
            let Some((change, along)) = chosen.get(&IdKey::new(&id)) else {
                continue;
            };
            let along_those =
                |edge: &&'static Edge| along.iter().any(|one| std::ptr::eq(*one, *edge));
            for edge in along.iter().filter(|edge| has_bare_copies(edge, &raw)) {
                let bare = bare
                    .entry(&edge.name)
                    .or_insert_with(|| (*edge, Vec::new()));
                bare.1.push(id.clone());
            }
            let references = target::references(collection, &raw);
            let references = references.into_iter().filter(|(edge, _)| along_those(edge));
            let references = references.collect();
            read.push((raw, *change, references));
        }
        let wanted: Vec<_> = read
            .iter()
            .flat_map(|(_, _, references)| references.iter().cloned())
            .collect();
        let sources = read_by_keys(self.db, &wanted, ReadMode::InSession(None)).await?;
        let mut again = Again::default();
        let mut forget = Vec::new();
        for (raw, change, references) in &read {
            for (edge, key) in references {
                match sources.get(edge, key) {
                    // The server shows the library's own change of several elements as a change of the array.
                    Some(source) if agrees(edge, raw, key, source) => {}
                    Some(_) => repair::add(&mut again, &change.id, edge, key),
                    None => {
                        done.dangling.push(edge.name.clone());
                        forget.push(without_revision(&change.id, edge, key));
                    }
                }
            }
        }
        let forgot = driver::statements(self.db, collection, &forget, false, None).await?;
        let refused = forgot
            .failed
            .into_iter()
            .map(|(_, code, message)| format!("{message} ({code})"));
        let mut unmarked: Vec<String> = refused.collect();
        let mut out = repair::Repaired::default();
        for (edge, ids) in bare.into_values() {
            let ids: Vec<&Bson> = ids.iter().collect();
            repair::clear(self.db, edge, &ids, &mut out).await?;
        }
        unmarked.extend(
            out.refused
                .drain(..)
                .map(|(id, reason)| format!("{id}: {reason}")),
        );
        if !again.is_empty() {
            let written = repair::write_again(self.db, collection, again).await?;
            out.documents += written.documents;
            for (id, reason) in written.refused {
                // A mark that was refused has no document: nothing says that its copies are wrong.
                match id {
                    Bson::Null => unmarked.push(reason),
                    id => done.refused.push(format!("{collection} {id}: {reason}")),
                }
            }
        }
        done.targets += out.documents;
        for reason in unmarked {
            let scope = Scope::Collection(collection.to_owned());
            done.gaps.push(Gap::new(scope, &*reason));
            done.refused.push(format!("{collection}: {reason}"));
        }
        Ok(())
    }
}

/// A document with copies as it was read, its change, and its references.
type Read<'c> = (RawDocumentBuf, &'c Change, Vec<(&'static Edge, Bson)>);

/// A source or child that is raised.
#[derive(Debug)]
pub(crate) struct Raised<'c> {
    pub(crate) id: &'c Bson,
    /// The edges and links that have to follow.
    pub(crate) names: Vec<&'static str>,
    /// Another program stored all of it, or may have: its revision is gone, or is one that was read before.
    pub(crate) whole: bool,
    /// It may be a write of the library.
    pub(crate) doubtful: bool,
}

impl Raised<'_> {
    /// The update that raises it. A revision that is gone, or that says nothing, becomes one that no copy and no writer has.
    fn statement(&self, far: i64) -> Document {
        let known = doc! { "$and": [
            { "$isNumber": stored::value::REVISION },
            { "$not": [flags::wiped()] },
        ] };
        let next = match self.whole {
            true => flags::revision_above_all(known, far),
            false => flags::next_revision(known, far),
        };
        let raised = flags::raised(next, Some(&self.names));
        doc! {
            "q": { "_id": { "$eq": self.id } },
            "u": [raised, { "$unset": stored::BATCH }],
        }
    }
}

/// The edges and links that a change of a source or child concerns; counts are dealt with on the side of the parents.
pub(crate) fn to_flag(interest: &Interest, change: &Change) -> Vec<&'static str> {
    let copied = |edge: &Edge| {
        let mut live = edge.live.iter();
        change.touches(edge.key) || live.any(|copied| change.touches(&copied.from))
    };
    let edges = interest.out.iter().filter(|edge| copied(edge));
    let links = interest.children.iter();
    let links = links
        .filter(|link| link.is_pending_by_name() && link.seen().any(|name| change.touches(name)));
    let edges = edges.map(|edge| edge.name.as_str());
    edges.chain(links.map(|link| link.name.as_str())).collect()
}

/// True if a document has copies of this edge beside a reference that is null or absent.
fn has_bare_copies(edge: &Edge, raw: &RawDocument) -> bool {
    let mut any = false;
    if !edge.in_variant {
        edge.place.look_without(raw, &mut |holder, _| {
            let stored = |path: &str| {
                raw_at(holder, path).is_some_and(|value| value != bson::RawBsonRef::Null)
            };
            any |= edge.live.iter().any(|copied| stored(&copied.to));
        });
    }
    any
}

/// True if all copies of one reference in a document are those of its source as it is, and say its revision; or have none yet, in a document
/// whose mark leads to the comparison.
fn agrees(edge: &Edge, raw: &RawDocument, key: &Bson, source: &Source) -> bool {
    let mut all = true;
    let marks = raw_at(raw, stored::UNVERIFIED).and_then(|marks| marks.as_array());
    let marked = marks.is_some_and(|marks| marks.into_iter().next().is_some());
    let key = IdKey::new(key);
    edge.place.look(raw, &mut |holder, held, _| {
        if IdKey::of_raw(held) != key {
            return;
        }
        all &= match edge.place.revision_in(holder) {
            None => marked,
            revision => revision == Some(source.revision()),
        };
        for copied in &edge.live {
            let have = raw_at(holder, &copied.to).and_then(|value| Bson::try_from(value).ok());
            all &= have.as_ref() == source.value(copied);
        }
    });
    all
}

/// Makes the copies beside a reference older than every source.
fn without_revision(id: &Bson, edge: &Edge, key: &Bson) -> Document {
    let mut q = doc! { "_id": { "$eq": id } };
    q.extend(edge.place.holding(key, None));
    let mut update = doc! { "q": q, "u": { "$unset": { edge.place.filtered_revision(0): "" } } };
    if !edge.place.is_single() {
        update.insert("arrayFilters", edge.place.array_filters(0, key, None));
    }
    update
}

/// The sources that were fanned out last, each with its revision and its values at that time.
///
/// The removal of a flag can show as a replacement of the document, and the event does not say whose it is. A source that is still what it
/// was when its copies were written needs nothing; without this, the follower would follow itself.
#[derive(Debug, Default)]
pub(crate) struct Fanned {
    young: HashMap<(&'static str, IdKey), u64>,
    old: HashMap<(&'static str, IdKey), u64>,
}

/// How many sources one generation remembers.
const GENERATION: usize = 50_000;

impl Fanned {
    fn learn(&mut self, collection: &'static str, source: &Source) {
        if self.young.len() >= GENERATION {
            self.old = std::mem::take(&mut self.young);
        }
        self.young
            .insert((collection, IdKey::new(&source.id)), state(source));
    }

    fn knows(&self, collection: &'static str, source: &Source) -> bool {
        let key = (collection, IdKey::new(&source.id));
        let known = self.young.get(&key).or_else(|| self.old.get(&key));
        known == Some(&state(source))
    }
}

/// The revision and the fields of a source, without flags.
fn state(source: &Source) -> u64 {
    let mut hasher = DefaultHasher::new();
    source.revision().hash(&mut hasher);
    let fields = source
        .fields
        .iter()
        .filter(|(name, _)| *name != stored::OWN);
    for (name, value) in fields {
        name.hash(&mut hasher);
        IdKey::new(value).hash(&mut hasher);
        (value.element_type() as u8).hash(&mut hasher);
    }
    hasher.finish()
}
