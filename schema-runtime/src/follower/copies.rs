//! The comparison of copies in changed documents with their sources. It is apart from the other effects because it begins at the target:
//! an event there may be a new reference, or another program's change of a copy.

use std::collections::{BTreeMap, HashMap};

use bson::{Bson, Document, RawDocument, RawDocumentBuf, doc};

use super::batch::Change;
use super::effects::{Done, Effects};
use super::interest::Interest;
use super::position::{Gap, Scope};
use crate::bson_util::id_key::IdKey;
use crate::bson_util::path::raw_at;
use crate::bson_util::stored_id::id_of;
use crate::driver;
use crate::driver::FindArgs;
use crate::error::Result;
use crate::graph::edges::Edge;
use crate::graph::source::Source;
use crate::maintenance::repair::{self, Again};
use crate::maintenance::repaired::Repaired;
use crate::maintenance::verify;
use crate::propagation::source_reads::ReadMode;
use crate::propagation::sources_by_key::{SourcesByKey, read_by_keys};
use crate::propagation::target;
use crate::schema::stored;

/// The documents to compare, each with its change and the edges that the change concerns.
type Chosen<'c> = HashMap<IdKey, (&'c Change, Vec<&'static Edge>)>;

/// A document with copies as it was read, its change, and its references.
struct ReadDocument<'c> {
    raw: RawDocumentBuf,
    change: &'c Change,
    references: Vec<(&'static Edge, Bson)>,
}

/// The documents of one collection that are compared, and what was found wrong with them.
#[derive(Default)]
struct Comparison<'c> {
    documents: Vec<ReadDocument<'c>>,
    /// Documents with copies beside a reference that is null or absent, by edge.
    bare: BTreeMap<&'static str, (&'static Edge, Vec<Bson>)>,
    /// References whose copies differ from their source: they are stored again, as new ones.
    again: Again,
    /// The statements for references whose source does not exist: their copies become older than every source.
    forget: Vec<Document>,
    /// The edges of the references whose source does not exist.
    dangling: Vec<String>,
}

impl Effects<'_> {
    /// New references and changed copies: marked and compared as new copies are. A reference to a source that does not exist yet is not
    /// marked, because a mark would apply its delete rule.
    pub(crate) async fn compare_copies(
        &self,
        interest: &Interest,
        changes: &[&Change],
        done: &mut Done,
    ) -> Result<()> {
        let chosen = choose_edges(interest, changes);
        if chosen.is_empty() {
            return Ok(());
        }
        let mut comparison = self.read_documents(interest, &chosen).await?;
        let references = comparison.documents.iter();
        let wanted: Vec<_> = references
            .flat_map(|document| document.references.iter().cloned())
            .collect();
        let sources = read_by_keys(self.db, &wanted, None, ReadMode::InSession(None)).await?;
        comparison.find_differences(&sources);
        done.dangling.append(&mut comparison.dangling);
        self.correct_copies(interest.collection, comparison, done)
            .await
    }

    /// Reads the documents, with the copies and references of the chosen edges.
    async fn read_documents<'c>(
        &self,
        interest: &Interest,
        chosen: &Chosen<'c>,
    ) -> Result<Comparison<'c>> {
        let collection = interest.collection;
        let ids: Vec<&Bson> = chosen.values().map(|(change, _)| &change.id).collect();
        let args = FindArgs {
            projection: Some(verify::fields(&interest.incoming)),
            ..FindArgs::default()
        };
        let filter = doc! { "_id": { "$in": ids } };
        let mut rows = driver::open(self.db, collection, filter, args, None).await?;
        let mut comparison = Comparison::default();
        while let Some(raw) = rows.next(|raw| Ok(raw.to_owned())).await? {
            let id = id_of(&raw);
            let Some((change, along)) = chosen.get(&IdKey::new(&id)) else {
                continue;
            };
            for edge in along.iter().filter(|edge| has_bare_copies(edge, &raw)) {
                let bare = comparison.bare.entry(&edge.name);
                let (_, ids) = bare.or_insert_with(|| (*edge, Vec::new()));
                ids.push(id.clone());
            }
            let mut references = target::references(collection, &raw);
            references.retain(|(edge, _)| along.iter().any(|one| std::ptr::eq(*one, *edge)));
            comparison.documents.push(ReadDocument {
                raw,
                change,
                references,
            });
        }
        Ok(comparison)
    }

    /// Corrects the copies that were found wrong: copies of missing sources lose their revision, copies of no source are removed, and all
    /// others are marked and compared (I2, I3). Copies that could not be marked become a gap, because no mark says that they are wrong.
    async fn correct_copies(
        &self,
        collection: &'static str,
        comparison: Comparison<'_>,
        done: &mut Done,
    ) -> Result<()> {
        let forgot =
            driver::statements(self.db, collection, &comparison.forget, false, None).await?;
        let refused = forgot.failed.into_iter();
        let refused = refused.map(|(_, code, message)| format!("{message} ({code})"));
        let mut unmarked: Vec<String> = refused.collect();
        let mut out = Repaired::default();
        for (edge, ids) in comparison.bare.into_values() {
            let ids: Vec<&Bson> = ids.iter().collect();
            repair::clear(self.db, edge, &ids, &mut out).await?;
        }
        let refused = out.refused.drain(..);
        unmarked.extend(refused.map(|(id, reason)| format!("{id}: {reason}")));
        if !comparison.again.is_empty() {
            let written = repair::write_again(self.db, collection, comparison.again).await?;
            out.documents += written.documents;
            for (id, reason) in written.refused {
                // A mark that was refused has no document.
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

/// Chooses the changed documents that exist, and the edges whose references or copies the change concerns.
fn choose_edges<'c>(interest: &Interest, changes: &[&'c Change]) -> Chosen<'c> {
    let is_touched = |edge: &Edge, change: &Change| {
        let mut live = edge.live.iter();
        change.touches(&edge.place.path()) || live.any(|copied| change.touches(&edge.full(copied)))
    };
    let mut chosen = Chosen::new();
    for change in changes.iter().filter(|change| !change.deleted) {
        let incoming = interest.incoming.iter().copied();
        let along = incoming.filter(|edge| is_touched(edge, change));
        let along: Vec<&'static Edge> = along.collect();
        if !along.is_empty() {
            chosen.insert(IdKey::new(&change.id), (*change, along));
        }
    }
    chosen
}

impl Comparison<'_> {
    /// Compares the copies of each reference with its source.
    fn find_differences(&mut self, sources: &SourcesByKey) {
        for document in &self.documents {
            let id = &document.change.id;
            for (edge, key) in &document.references {
                let source = sources.get(edge, key);
                match source.filter(|source| !source.is_outside(edge, &document.raw)) {
                    // The server shows the library's own change of several elements as a change of the array.
                    Some(source) if agrees(edge, &document.raw, key, source) => {}
                    Some(_) => repair::add(&mut self.again, id, edge, key),
                    None => {
                        self.dangling.push(edge.name.clone());
                        self.forget.push(without_revision(id, edge, key));
                    }
                }
            }
        }
    }
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

/// True if all copies of one reference in a document have the values and the revision of their source. In a document that is marked, so
/// that its copies are compared anyway, copies may have no revision yet.
fn agrees(edge: &Edge, raw: &RawDocument, key: &Bson, source: &Source) -> bool {
    let mut all = true;
    let marks = raw_at(raw, stored::UNVERIFIED).and_then(|marks| marks.as_array());
    let marked = marks.is_some_and(|marks| marks.into_iter().next().is_some());
    let key = IdKey::new(key);
    edge.place.visit_references(raw, &mut |holder, held, _| {
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
