//! New documents: I1 of the protocol.

use std::sync::Arc;

use bson::oid::ObjectId;
use bson::{Bson, Document, RawDocument, RawDocumentBuf, doc};
use futures::future::BoxFuture;

use super::early::{self, Changed, Early, Rest};
use super::{
    Withdraw, begin, count, counting, inside, into_pending, is_flagged, new_fields, pending_counts,
    pending_marks, pending_of, times, verify_new_copies,
};
use crate::bson_util::stored_id::id_of;
use crate::document::encoding::unencodable;
use crate::driver::Lasting;
use crate::error::{Error, Result};
use crate::finisher;
use crate::graph::edges::{Edge, Edges};
use crate::graph::flags::far_revision;
use crate::graph::links;
use crate::graph::links::Link;
use crate::graph::source::Source;
use crate::outcome::{Outcome, Pending};
use crate::propagation::counter::apply::CountToken;
use crate::propagation::fill::Which;
use crate::propagation::new_parents::NewParents;
use crate::propagation::sources_by_key::{ReadMode, SourcesByKey, read_by_keys};
use crate::propagation::target::Unverified;
use crate::propagation::{counter, fill, recent, source, target, two_way};
use crate::schema::bucket;
use crate::schema::model::ModelMeta;
use crate::schema::stamps::Stamps;
use crate::schema::stored;
use crate::{ClientSession, Database, driver};

/// An insert of more documents with copies than this compares them with the sources later, unless the caller decides.
const LAZY: usize = 100;

/// The options of an insert.
#[derive(Debug, Default)]
pub(crate) struct Storing {
    /// True if copies are compared with their sources later; `None` decides by the number of documents.
    pub(crate) lazy: Option<bool>,
    /// The queue state of each document, if the model is a queue.
    pub(crate) queue: Option<Document>,
}

/// Stores new documents, with copies read from their sources.
pub(crate) async fn insert(
    db: &Database,
    meta: &'static ModelMeta,
    mut documents: Vec<RawDocumentBuf>,
    asked: Storing,
    mut session: Option<&mut ClientSession>,
) -> Result<Outcome> {
    recent::check_server(db, meta.collection).await?;
    // References without copies are looked at together, however many documents hold them.
    let copied = Edges::get()
        .incoming(meta.collection)
        .any(|edge| !edge.live.is_empty());
    let lazy = asked.lazy.unwrap_or(copied && documents.len() > LAZY);
    for raw in &mut documents {
        fill::clear_raw(meta, raw)?;
    }
    let answers_early = finisher::is_behind() && session.is_none();
    let filled = {
        let counts = async {
            let collection = meta.collection;
            let parents =
                |link: &Link| documents.iter().flat_map(|raw| link.parents(raw)).collect();
            match answers_early {
                true => counter::learn_epochs(db, collection, parents).await,
                false => Ok(()),
            }
        };
        let sources = read_before(db, meta, &documents, lazy, session.as_deref_mut());
        let (sources, learned) = futures::join!(sources, counts);
        learned?;
        sources?
    };
    if let Some(sources) = &filled {
        fill_from_sources(meta, &mut documents, sources)?;
    }
    let mut new = New {
        db,
        meta,
        ids: documents.iter().map(|raw| id_of(raw)).collect(),
        alone: documents.len() == 1 && session.is_none() && !lazy,
        answers_early,
        documents,
        lazy,
        token: ObjectId::new(),
        begun: counting(meta.collection),
        marked: Vec::new(),
        flagged: Vec::new(),
    };
    new.check(session.as_deref_mut()).await?;
    let parents = NewParents::plan(meta.collection);
    new.flag(parents.as_ref(), asked.queue.as_ref())?;
    let sources = new.store(parents.as_ref(), session.as_deref_mut()).await?;
    fault!("after_i1");
    let shown = new.flagged.iter_mut();
    if let Err(error) = times::read(db, meta, shown, session.as_deref_mut()).await {
        if session.is_some() {
            return Err(error);
        }
        let pending = into_pending(error, new.pending())?;
        return Ok(new.outcome(pending));
    }
    let ids = std::mem::take(&mut new.ids);
    let begin = begin(db, parents, ids, session.is_some()).await?;
    let mut pending = new.finish(filled, sources, session).await?;
    pending.extend(begin);
    Ok(new.outcome(pending))
}

/// New documents on their way into the collection.
struct New<'n> {
    db: &'n Database,
    meta: &'static ModelMeta,
    documents: Vec<RawDocumentBuf>,
    ids: Vec<Bson>,
    /// Their copies are compared with the sources later.
    lazy: bool,
    /// It is one document, outside a transaction: it may share commands with other calls.
    alone: bool,
    /// The call may answer before the flags of the documents are removed.
    answers_early: bool,
    /// The token of the marks of their copies.
    token: ObjectId,
    /// The token of the flags of their counts, if parents count them.
    begun: Option<CountToken>,
    /// Those whose copies carry a mark.
    marked: Vec<Unverified>,
    /// Those that carry a flag or a mark which the call removes, with the fields that this takes.
    flagged: Vec<Source>,
}

impl New<'_> {
    /// Refuses what may not be stored.
    async fn check(&self, session: Option<&mut ClientSession>) -> Result<()> {
        let (db, collection) = (self.db, self.meta.collection);
        not_derived(self.meta, &self.documents)?;
        let belongs = |link: &Link| {
            let children = self.documents.iter().zip(&self.ids);
            let belongs = children.map(|(raw, id)| (id.clone(), link.parents(raw)));
            belongs.collect()
        };
        two_way::check_capacity(db, collection, belongs, &self.ids, session).await
    }

    /// Gives the documents the library's fields: revisions, and the marks and flags of all that follows from them.
    fn flag(&mut self, parents: Option<&NewParents>, queue: Option<&Document>) -> Result<()> {
        let edges = Edges::get();
        let (meta, collection) = (self.meta, self.meta.collection);
        let far = far_revision();
        let counting = self.begun.map(|begun| begun.token);
        let mut incoming = edges.incoming(collection);
        let onward = incoming.any(|edge| !edges.onward(edge).is_empty());
        for (raw, id) in self.documents.iter_mut().zip(&self.ids) {
            let references = target::references(collection, raw);
            let mark = (!references.is_empty()).then_some(self.token);
            let mut dn = new_fields(collection, raw, far, mark, counting, parents);
            if let Some(state) = queue {
                dn.insert("q", state.clone());
            }
            dn.extend(bucket::taken(meta, raw).map(|taken| ("n".to_owned(), Bson::Int64(taken))));
            let marks = mark.is_some() && !self.lazy && (self.alone || self.answers_early);
            if dn.contains_key("p") || dn.contains_key("c") || marks {
                // The copies of one document are compared with sources that are read beside its insert.
                let whole = dn.contains_key("p") || onward || self.alone && marks;
                let mut fields = match whole {
                    true => Document::try_from(raw.as_ref())
                        .map_err(|error| unencodable(meta, error))?,
                    false => doc! { "_id": id.clone() },
                };
                fields.insert(stored::OWN, dn.clone());
                self.flagged.push(Source::read(fields));
            }
            if !dn.is_empty() {
                let dn = RawDocumentBuf::try_from(&dn).map_err(|error| unencodable(meta, error))?;
                raw.append(stored::OWN_KEY, dn);
            }
            if mark.is_some() {
                self.marked.push(Unverified {
                    id: id.clone(),
                    tokens: vec![self.token],
                    references,
                });
            }
        }
        Ok(())
    }

    /// True if all that is read of the targets is that they are there. They are read after the document is stored then: a delete that begins
    /// later finds the reference, and one that began before shows. No parent has to be updated after that, which would show it as well.
    fn only_checks(&self) -> bool {
        let mut references = self.marked.iter().flat_map(|one| &one.references);
        let lists = Edges::get().links_of(self.meta.collection).next().is_some();
        !lists && references.all(|(edge, _)| edge.live.is_empty())
    }

    fn is_flagged(&self) -> bool {
        !self.marked.is_empty() || !self.flagged.is_empty()
    }

    /// True if parents have to follow some of them.
    fn changes_parents(&self) -> bool {
        let mut flagged = self.flagged.iter();
        self.counts().is_some() || flagged.any(|source| !source.pending.is_empty())
    }

    /// The token under which some of them are to be counted.
    fn counts(&self) -> Option<CountToken> {
        let counted = |begun: &CountToken| {
            let mut flagged = self.flagged.iter();
            flagged.any(|source| is_flagged(&source.fields, *begun))
        };
        self.begun.filter(counted)
    }

    /// I1. Returns the sources of the copies, where they could be read at the same time.
    async fn store(
        &self,
        parents: Option<&NewParents>,
        session: Option<&mut ClientSession>,
    ) -> Result<Option<SourcesByKey>> {
        let (db, meta, collection) = (self.db, self.meta, self.meta.collection);
        let in_session = session.is_some();
        // A crash may lose a new source, but no copies of it exist then: every program that copies it reads it durably. A document that
        // only carries marks loses them with itself: nothing else is changed because of it before a durable write has found it there.
        let lasting = if !self.is_flagged() && parents.is_none() {
            Lasting::AsConfigured
        } else if in_session || self.changes_parents() {
            Lasting::Durable
        } else {
            driver::acknowledged(db, collection)
        };
        fault!("before_i1");
        let marked = self.marked.first();
        let reads = self.alone && self.is_flagged() && self.answers_early;
        // An insert that others share has no expressions, and so no times of the server.
        let timed = Stamps::of(meta).is_some_and(|stamps| stamps.has_times());
        let (stored, sources) = match (self.documents.as_slice(), reads) {
            ([one], true) => {
                let raw: [&RawDocument; 1] = [one];
                let stored = async move {
                    match timed {
                        true => driver::store_new(db, meta, &raw, lasting, session).await,
                        false => {
                            early::together::insert(db, collection, one.clone(), lasting).await
                        }
                    }
                };
                let read = sources_of(db, marked);
                match self.only_checks() {
                    true => match stored.await {
                        Ok(()) => (Ok(()), read.await),
                        refused => (refused, None),
                    },
                    false => futures::join!(stored, read),
                }
            }
            (documents, _) => {
                let raw: Vec<&RawDocument> = documents.iter().map(|one| &**one).collect();
                let stored = driver::store_new(db, meta, &raw, lasting, session);
                (stored.await, None)
            }
        };
        if stored.is_err() && !in_session && self.documents.len() > 1 {
            self.recover(parents).await;
        }
        stored.map(|()| sources)
    }

    /// An insert of many that failed may have stored some of them. Their marks and flags find these now, or later if this fails as well.
    async fn recover(&self, parents: Option<&NewParents>) {
        let (db, collection) = (self.db, self.meta.collection);
        if !self.marked.is_empty() {
            let filter = doc! { stored::UNVERIFIED_TOKEN: self.token };
            let _ = target::resume(db, collection, filter, &mut |_| true).await;
        }
        if let Some(begun) = self.begun {
            let filter = doc! { stored::UNCOUNTED_TOKEN: begun.token };
            let _ = counter::resume(db, collection, filter, &mut |_| true).await;
        }
        if let Some(parents) = parents {
            let _ = parents.rebuild_marked(db).await;
        }
    }

    /// The pending changes of the copies.
    fn pending_copies(&self) -> Vec<Pending> {
        let marked = self.marked.iter();
        let references: Vec<(&Edge, Bson)> =
            marked.flat_map(|one| one.references.clone()).collect();
        pending_marks(self.meta.collection, self.token, &references)
    }

    /// Everything that is pending once the documents are stored.
    fn pending(&self) -> Vec<Pending> {
        let collection = self.meta.collection;
        let mut pending = self.pending_copies();
        let flagged = self.flagged.iter();
        pending.extend(flagged.flat_map(|source| pending_of(collection, source)));
        let counts = self.counts().map(|begun| pending_counts(collection, begun));
        pending.extend(counts.into_iter().flatten());
        pending
    }

    /// Makes everything follow that follows from the stored documents. `filled` are the sources whose values the documents were stored
    /// with, `sources` those that were read at the same time. Returns what stays pending.
    async fn finish(
        &mut self,
        filled: Option<SourcesByKey>,
        sources: Option<SourcesByKey>,
        session: Option<&mut ClientSession>,
    ) -> Result<Vec<Pending>> {
        let (db, collection) = (self.db, self.meta.collection);
        let mut rest = Rest::default();
        if (self.alone || self.answers_early) && !self.flagged.is_empty() {
            // Only a call that waits for everything can say what is pending.
            let flags = match self.answers_early {
                true => Vec::new(),
                false => self.pending(),
            };
            let begun = self.counts();
            let flagged = std::mem::take(&mut self.flagged).into_iter();
            let flagged: Vec<Arc<Source>> = flagged.map(Arc::new).collect();
            let marked = match self.lazy {
                true => &[],
                false => self.marked.as_slice(),
            };
            let changed = Changed {
                children: flagged.clone(),
                marked,
                begun,
                sources: sources
                    .as_ref()
                    .or(filled.as_ref())
                    .filter(|_| !marked.is_empty()),
                filled: sources.is_none(),
            };
            match early::apply(db, collection, changed, &flags).await? {
                Early::Done(_) if self.lazy => return Ok(self.pending_copies()),
                Early::Done(pending) => return Ok(pending),
                Early::Not(left) => rest = left,
            }
            self.flagged = flagged.into_iter().map(Arc::unwrap_or_clone).collect();
        }
        let pending = self.finish_in_steps(rest.copied, session).await?;
        rest.finish(pending.is_empty() || self.lazy);
        Ok(pending)
    }

    /// The same in separate steps: copies, unless they are right already, lists, counts.
    async fn finish_in_steps(
        &mut self,
        copied: bool,
        mut session: Option<&mut ClientSession>,
    ) -> Result<Vec<Pending>> {
        let (db, collection) = (self.db, self.meta.collection);
        let mut pending = match copied {
            true => Vec::new(),
            false => self.pending_copies(),
        };
        if session.is_none() && !self.lazy && !copied && !self.marked.is_empty() {
            let (token, marked) = (self.token, &self.marked);
            let withdraw = Withdraw::Document;
            pending = verify_new_copies(db, collection, token, marked, withdraw).await?;
        }
        let begun = self.counts();
        let flagged = std::mem::take(&mut self.flagged);
        let counted: Vec<Document> = match begun {
            Some(_) => flagged.iter().map(|one| one.fields.clone()).collect(),
            None => Vec::new(),
        };
        let mut waiting = flagged;
        waiting.retain(|source| !source.pending.is_empty());
        let flags = waiting
            .iter()
            .flat_map(|source| pending_of(collection, source));
        let flags: Vec<Pending> = flags.collect();
        if let Some(session) = session.as_deref_mut() {
            pending.extend(flags);
            let sources: Vec<&Source> = waiting.iter().collect();
            pending.extend(inside::links(db, collection, &sources, session, false).await?);
        } else if !waiting.is_empty() {
            match source::finish(db, collection, waiting, &[]).await {
                Ok(left) => pending.extend(left.pending),
                Err(error) => pending.extend(into_pending(error, flags)?),
            }
        }
        if let Some(begun) = begun {
            pending.extend(count(db, collection, begun, &counted, session).await?);
        }
        Ok(pending)
    }

    fn outcome(&self, pending: Vec<Pending>) -> Outcome {
        Outcome {
            inserted: self.documents.len() as u64,
            pending,
            ..Outcome::default()
        }
    }
}

/// The sources of a new document's references, so that the call can answer before they are read durably. Where copies are compared, this
/// read runs beside the insert, and what it shows may be older. Targets that are updated next, because they list or count the document, are
/// not read: the update shows if they are there. `None` if there are no copies, and if they could not be read.
async fn sources_of(db: &Database, marked: Option<&Unverified>) -> Option<SourcesByKey> {
    let references = marked?.references.iter();
    let read =
        references.filter(|(edge, _)| !edge.live.is_empty() || !Edges::get().changes_target(edge));
    let read: Vec<_> = read.cloned().collect();
    early::together::read_sources(db, &read).await
}

/// Refuses new documents that have values in the fields that hold derived data of their children: the library fills those.
fn not_derived(meta: &'static ModelMeta, documents: &[RawDocumentBuf]) -> Result<()> {
    let derived = links::derived_fields(Edges::get().links(), meta.collection);
    for raw in documents {
        for (field, _) in &derived {
            let value = raw
                .get(field)
                .ok()
                .flatten()
                .and_then(|value| Bson::try_from(value).ok());
            if value.is_some_and(|value| !links::says_nothing(&value)) {
                return Err(Error::DerivedField {
                    model: meta.name,
                    field: (*field).to_owned(),
                });
            }
        }
    }
    Ok(())
}

/// The sources of new copies, read before anything is sent where there are many documents, or copies that are frozen: each is read once.
fn read_before<'f>(
    db: &'f Database,
    meta: &'static ModelMeta,
    documents: &'f [RawDocumentBuf],
    lazy: bool,
    session: Option<&'f mut ClientSession>,
) -> BoxFuture<'f, Result<Option<SourcesByKey>>> {
    let edges = Edges::get();
    Box::pin(async move {
        let frozen = edges
            .incoming(meta.collection)
            .any(|edge| !edge.frozen.is_empty());
        // In a session the verification waits for the commit, so dangling references have to be found now.
        if documents.len() < 2 && !frozen && !lazy && session.is_none() {
            return match documents {
                [one] if finisher::is_behind() => read_shown(db, meta, one).await,
                _ => Ok(None),
            };
        }
        let wanted: Vec<(&'static Edge, Bson)> = edges
            .all()
            .iter()
            .filter(|edge| edge.target.collection == meta.collection)
            .flat_map(|edge| {
                let keys = documents.iter().flat_map(|raw| edge.place.keys(raw));
                keys.map(move |key| (edge, key)).collect::<Vec<_>>()
            })
            .collect();
        if wanted.is_empty() {
            return Ok(None);
        }
        let mut known = read_by_keys(db, &wanted, ReadMode::InSession(session)).await?;
        let among: Vec<&Edge> = edges
            .incoming(meta.collection)
            .filter(|edge| edge.source.collection == meta.collection)
            .collect();
        if !among.is_empty() {
            for raw in documents {
                let document =
                    Document::try_from(raw.as_ref()).map_err(|error| unencodable(meta, error))?;
                known.add(&among, &document);
            }
        }
        fill::not_dangling(&wanted, &known)?;
        Ok(Some(known))
    })
}

/// The sources of copies in a new document that lists show.
async fn read_shown(
    db: &Database,
    meta: &'static ModelMeta,
    document: &RawDocument,
) -> Result<Option<SourcesByKey>> {
    let references = target::references(meta.collection, document);
    let shown = early::cache::shown(&references);
    if shown.is_empty() {
        return Ok(None);
    }
    if let Some(known) = early::cache::known(db, &shown) {
        return Ok(Some(known));
    }
    // A source that is missing, or being deleted, is found after the insert.
    Ok(early::together::read_sources(db, &shown).await)
}

fn fill_from_sources(
    meta: &'static ModelMeta,
    documents: &mut [RawDocumentBuf],
    known: &SourcesByKey,
) -> Result<()> {
    let unreadable = |error| unencodable(meta, error);
    for raw in documents {
        let mut document = Document::try_from(raw.as_ref()).map_err(unreadable)?;
        if fill::fill(meta.collection, &mut document, known, Which::All) {
            *raw = RawDocumentBuf::try_from(&document).map_err(unreadable)?;
        }
    }
    Ok(())
}
