//! Corrects derived values after the changes of a batch, by the steps of the protocol.
//!
//! Every effect is a function of what is stored now, never of the event: produced twice, late, or by two programs at
//! once, it has the same result. In this order: references to documents that are gone follow their rule, sources and
//! children are raised and fanned out, former parents lose what they have of children, copies in targets are marked and
//! compared, derived data of parents is compared.

use std::collections::{HashMap, HashSet};

use bson::{Bson, Document, doc};

use super::batch::{Batch, Change};
use super::fanned::Fanned;
use super::interest::{Interest, Interests};
use super::position::{Gap, Scope};
use crate::bson_util::id_key::IdKey;
use crate::bson_util::stored_id::id_of_document;
use crate::document;
use crate::driver::{self, Database};
use crate::error::Result;
use crate::graph::edges::Edge;
use crate::graph::flags;
use crate::graph::source::Source;
use crate::maintenance::verify::parts::{self, PartsWalk};
use crate::propagation::newest::newest_copies;
use crate::propagation::{delete, source};
use crate::schema::stored;

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

/// Documents, each with its edges.
type Heirs = HashMap<IdKey, (Bson, Vec<&'static str>)>;

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
        let find = |collection: &&'static str| self.interests.find(collection);
        let all: Vec<(&Interest, Vec<&Change>)> = batch
            .changes
            .iter()
            .filter_map(|(collection, changes)| {
                Some((find(collection)?, changes.values().collect()))
            })
            .collect();
        let mut heirs = Vec::new();
        for (interest, changes) in &all {
            heirs.push(self.follow_rules(interest, changes, &mut done).await?);
        }
        for ((interest, changes), heirs) in all.iter().zip(&heirs) {
            let there = changes.iter().filter(|change| !change.deleted);
            let raised = there.map(|change| Raised {
                id: &change.id,
                names: to_flag(interest, change),
                whole: change.paths.is_none(),
                doubtful: change.replaced,
            });
            let heirs = heirs.values().map(|(id, names)| Raised {
                id,
                names: names.clone(),
                whole: true,
                doubtful: false,
            });
            let raised = raised.chain(heirs).collect();
            self.raise(interest, raised, &mut done).await?;
        }
        for (collection, ids) in &batch.stored {
            if let Some(interest) = self.interests.find(collection) {
                let out = interest.out.iter();
                let awaited = out.filter(|edge| {
                    dangling.contains(&edge.name) || done.dangling.contains(&edge.name)
                });
                let names: Vec<&'static str> = awaited.map(|edge| edge.name.as_str()).collect();
                let raised = ids.iter().map(|id| Raised {
                    id,
                    names: names.clone(),
                    whole: true,
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
        for (interest, changes) in &all {
            self.store_parts(interest, changes, &mut done).await?;
        }
        fault!("follow_after_effects");
        Ok(done)
    }

    /// Stores the parts of texts that another program has changed.
    async fn store_parts(
        &self,
        interest: &Interest,
        changes: &[&Change],
        done: &mut Done,
    ) -> Result<()> {
        let Some(meta) = interest.with_parts else {
            return Ok(());
        };
        let changed = |change: &&&Change| {
            let mut rows = document::parts::fields(meta.shape);
            !change.deleted && rows.any(|row| change.touches(row.name))
        };
        let ids = changes.iter().filter(changed).map(|change| &change.id);
        let ids: Vec<&Bson> = ids.collect();
        if ids.is_empty() {
            return Ok(());
        }
        let mut walk = PartsWalk::open(self.db, meta, doc! { "_id": { "$in": ids } }, None).await?;
        while let Some((_, wrong)) = walk.next().await? {
            let (changed, refused) = parts::correct(self.db, meta, wrong).await?;
            done.targets += changed;
            let refused = refused.into_iter();
            done.refused
                .extend(refused.map(|(id, reason)| format!("{} {id}: {reason}", meta.name)));
        }
        Ok(())
    }

    /// References to documents that are gone, and that no document has replaced, follow their delete rule. Where none is followed, they
    /// await a document with the same key. Returns the documents that the library has stored with such a key meanwhile: the copies along
    /// these edges are of the former document.
    async fn follow_rules(
        &self,
        interest: &Interest,
        changes: &[&Change],
        done: &mut Done,
    ) -> Result<Heirs> {
        let gone = changes.iter().filter(|change| change.was_deleted);
        let gone: Vec<&Change> = gone.copied().collect();
        let mut heirs = Heirs::new();
        if gone.is_empty() {
            return Ok(heirs);
        }
        let ruled = |edge: &Edge| {
            interest
                .referred
                .iter()
                .any(|one| one.edge.name == edge.name)
        };
        let waiting = interest.out.iter().filter(|edge| !ruled(edge));
        done.dangling.extend(waiting.map(|edge| edge.name.clone()));
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
            let fields = doc! { "_id": 1, key: 1 };
            let there =
                driver::read_by(self.db, interest.collection, key, &keys, &fields, None).await?;
            if !relation.edge.live.is_empty() {
                for id in there.iter().map(id_of_document) {
                    let (_, names) = heirs.entry(IdKey::new(&id)).or_insert((id, Vec::new()));
                    names.push(relation.edge.name.as_str());
                }
            }
            let there: HashSet<IdKey> = there
                .iter()
                .filter_map(|one| one.get(key))
                .map(IdKey::new)
                .collect();
            keys.retain(|key| !there.contains(&IdKey::new(key)));
            if keys.is_empty() {
                continue;
            }
            done.ruled += delete::apply_rule_to_all(self.db, relation, &keys).await?;
        }
        // A document that another program has stored is raised as a change of its own.
        for change in changes.iter().filter(|change| !change.deleted) {
            heirs.remove(&IdKey::new(&change.id));
        }
        Ok(heirs)
    }

    /// Makes the W1 that the other program left out: the next revision and the names of the edges that have to follow, in one write per
    /// document; then W2 and W3. A document that a former call has raised in its present state is not raised again.
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
}

/// A source or child that is raised.
#[derive(Debug)]
pub(crate) struct Raised<'c> {
    pub(crate) id: &'c Bson,
    /// The edges and links that have to follow.
    pub(crate) names: Vec<&'static str>,
    /// True if another program stored the whole document, or may have: its revision is gone, or is one that was read before.
    pub(crate) whole: bool,
    /// True if the change may be a write of the library.
    pub(crate) doubtful: bool,
}

impl Raised<'_> {
    /// The update that raises the document. A revision that is gone, or that says nothing, becomes one that no copy and no writer has.
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
