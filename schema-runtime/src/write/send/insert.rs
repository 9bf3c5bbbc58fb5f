//! New documents: I1 of the protocol.

use bson::oid::ObjectId;
use bson::{Bson, Document, RawDocument, RawDocumentBuf, doc};
use futures::future::BoxFuture;

use super::early::{self, Changed, Early};
use super::{
    Withdraw, begin, count, counting, inside, into_pending, new_fields, pending_counts,
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
use crate::outcome::Outcome;
use crate::propagation::begin::NewParents;
use crate::propagation::fill::Which;
use crate::propagation::known::SourcesByKey;
use crate::propagation::parents::Finished;
use crate::propagation::target::Unverified;
use crate::propagation::{counter, fill, known, recent, source, target, two_way};
use crate::schema::bucket;
use crate::schema::model::ModelMeta;
use crate::schema::stamps::Stamps;
use crate::{ClientSession, Database, driver};

/// An insert of more documents than this compares their copies with the sources later, unless the caller decides.
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
    edges: &'static Edges,
    meta: &'static ModelMeta,
    mut documents: Vec<RawDocumentBuf>,
    asked: Storing,
    mut session: Option<&mut ClientSession>,
) -> Result<Outcome> {
    let collection = meta.collection;
    recent::check_server(db, edges, collection).await?;
    let lazy = asked.lazy.unwrap_or(documents.len() > LAZY);
    for raw in &mut documents {
        fill::clear_raw(edges, meta, raw)?;
    }
    fill_from_sources(
        db,
        edges,
        meta,
        &mut documents,
        lazy,
        session.as_deref_mut(),
    )
    .await?;
    let token = ObjectId::new();
    let mut marked = Vec::new();
    let mut waiting = Vec::new();
    not_derived(edges, meta, &documents)?;
    let alone = documents.len() == 1 && session.is_none() && !lazy;
    if let ([raw], true, true) = (documents.as_slice(), alone, finisher::is_behind()) {
        counter::learn_epochs(db, edges, collection, |link| link.parents(raw)).await?;
    }
    let begun = counting(edges, collection);
    let parents = NewParents::of(edges, collection);
    let mut counted = Vec::new();
    let mut only = None;
    let ids: Vec<Bson> = documents.iter().map(|raw| id_of(raw)).collect();
    let belongs = |link: &Link| {
        let children = documents.iter().zip(&ids);
        let belongs = children.map(|(raw, id)| (id.clone(), link.parents(raw)));
        belongs.collect()
    };
    two_way::check_capacity(db, edges, collection, belongs, &ids, session.as_deref_mut()).await?;
    let far = far_revision();
    for raw in &mut documents {
        let references = target::references(edges, collection, raw);
        let mark = (!references.is_empty()).then_some(token);
        let id = id_of(raw);
        let counting = begun.map(|begun| begun.token);
        let mut dn = new_fields(
            edges,
            collection,
            raw,
            far,
            mark,
            counting,
            parents.as_ref(),
        );
        if let Some(state) = &asked.queue {
            dn.insert("q", state.clone());
        }
        dn.extend(bucket::taken(meta, raw).map(|taken| ("n".to_owned(), Bson::Int64(taken))));
        if dn.contains_key("c") {
            counted.push(doc! { "_id": id.clone(), "_dn": dn.clone() });
        }
        if dn.contains_key("p") || (alone && (mark.is_some() || dn.contains_key("c"))) {
            let mut fields =
                Document::try_from(raw.as_ref()).map_err(|error| unencodable(meta, error))?;
            fields.insert("_dn", dn.clone());
            let source = Source::read(fields);
            only = alone.then(|| source.clone());
            if dn.contains_key("p") {
                waiting.push(source);
            }
        }
        if !dn.is_empty() {
            let dn = RawDocumentBuf::try_from(&dn).map_err(|error| unencodable(meta, error))?;
            raw.append(bson::cstr!("_dn"), dn);
        }
        if mark.is_some() {
            let tokens = vec![token];
            marked.push(Unverified {
                id,
                tokens,
                references,
            });
        }
    }
    let inserted = documents.len() as u64;
    let flagged = !marked.is_empty() || !waiting.is_empty() || !counted.is_empty();
    // A crash may lose a new source, but no copies of it exist then: every program that copies it reads it durably.
    let lasting = if !flagged && parents.is_none() {
        Lasting::AsConfigured
    } else {
        Lasting::Durable
    };
    let in_session = session.is_some();
    fault!("before_i1");
    let raw: Vec<&RawDocument> = documents.iter().map(|document| &**document).collect();
    // An insert that others share has no expressions, and so no times of the server.
    let timed = Stamps::of(meta).is_some_and(|stamps| stamps.has_times());
    let together = alone && flagged && !timed && finisher::is_behind();
    let (stored, sources) = match (documents.as_slice(), together) {
        ([one], true) => {
            let stored = early::together::insert(db, collection, one.clone(), lasting);
            futures::join!(stored, sources_of(db, edges, marked.first()))
        }
        _ => {
            let stored = driver::store_new(db, meta, &raw, lasting, session.as_deref_mut());
            (stored.await, None)
        }
    };
    let references: Vec<(&Edge, Bson)> = marked
        .iter()
        .flat_map(|one| one.references.clone())
        .collect();
    let mut pending = pending_marks(collection, token, &references);
    if let Err(error) = stored {
        // An insert of many may have stored some of them. The mark finds these now, or later if this fails as well.
        if !in_session && inserted > 1 && !marked.is_empty() {
            let filter = doc! { "_dn.u.t": token };
            let _ = target::resume(db, edges, collection, filter, &mut |_| true).await;
        }
        if let (Some(begun), false, true) = (begun, in_session, inserted > 1) {
            let filter = doc! { "_dn.c.t": begun.token };
            let _ = counter::resume(db, edges, collection, filter, &mut |_| true).await;
        }
        if let (Some(parents), false, true) = (&parents, in_session, inserted > 1) {
            let _ = parents.settle_marked(db).await;
        }
        return Err(error);
    }
    fault!("after_i1");
    let shown = only.iter_mut().chain(&mut waiting);
    if let Err(error) = times::read(db, edges, meta, shown, session.as_deref_mut()).await {
        if in_session {
            return Err(error);
        }
        let flags = waiting
            .iter()
            .flat_map(|source| pending_of(edges, collection, source));
        pending.extend(flags);
        let counts = begun.filter(|_| !counted.is_empty());
        let counts = counts.map(|begun| pending_counts(edges, collection, begun));
        pending.extend(counts.into_iter().flatten());
        let pending = into_pending(error, pending)?;
        return Ok(Outcome {
            inserted,
            pending,
            ..Outcome::default()
        });
    }
    let begin = begin(db, parents, ids, in_session).await?;
    let mut tickets = Vec::new();
    if let Some(child) = only {
        let begun = begun.filter(|_| !counted.is_empty());
        let mut flags = pending.clone();
        flags.extend(pending_of(edges, collection, &child));
        let counts = begun.map(|begun| pending_counts(edges, collection, begun));
        flags.extend(counts.into_iter().flatten());
        let changed = Changed {
            child,
            marked: marked.first(),
            begun,
            sources: sources.as_ref(),
            filled: false,
        };
        match early::apply(db, edges, collection, changed, &flags).await? {
            Early::Done(mut pending) => {
                pending.extend(begin);
                return Ok(Outcome {
                    inserted,
                    pending,
                    ..Outcome::default()
                });
            }
            Early::Not(some) => tickets = some,
        }
    }
    if !in_session && !lazy && !marked.is_empty() {
        pending =
            verify_new_copies(db, edges, collection, token, &marked, Withdraw::Document).await?;
    }
    let flags: Vec<_> = waiting
        .iter()
        .flat_map(|source| pending_of(edges, collection, source))
        .collect();
    if let Some(session) = session.as_deref_mut() {
        pending.extend(flags);
        let sources: Vec<&Source> = waiting.iter().collect();
        pending.extend(inside::links(db, edges, collection, &sources, session, false).await?);
    } else if !waiting.is_empty() {
        match source::finish(db, edges, collection, waiting, &[]).await {
            Ok(left) => pending.extend(left.pending),
            Err(error) => pending.extend(into_pending(error, flags)?),
        }
    }
    if let Some(begun) = begun.filter(|_| !counted.is_empty()) {
        pending.extend(count(db, edges, collection, begun, &counted, session).await?);
    }
    let finished = match pending.is_empty() {
        true => Finished::Changed,
        false => Finished::Failed,
    };
    tickets
        .into_iter()
        .for_each(|ticket| ticket.finish(finished));
    pending.extend(begin);
    Ok(Outcome {
        inserted,
        pending,
        ..Outcome::default()
    })
}

/// The sources of a new document's copies, read beside its insert so that the call can answer before they are compared: what such a read
/// shows may be older than the insert. `None` if there are no copies, and if they could not be read.
async fn sources_of(
    db: &Database,
    edges: &'static Edges,
    marked: Option<&Unverified>,
) -> Option<SourcesByKey> {
    early::together::read_sources(db, edges, &marked?.references).await
}

/// Refuses new documents that have values in the fields that hold derived data of their children: the library fills those.
fn not_derived(
    edges: &Edges,
    meta: &'static ModelMeta,
    documents: &[RawDocumentBuf],
) -> Result<()> {
    let derived = links::derived_fields(edges.links(), meta.collection);
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

/// Where there are many documents, or copies that are frozen, each source is read once before anything is sent.
fn fill_from_sources<'f>(
    db: &'f Database,
    edges: &'static Edges,
    meta: &'static ModelMeta,
    documents: &'f mut [RawDocumentBuf],
    lazy: bool,
    session: Option<&'f mut ClientSession>,
) -> BoxFuture<'f, Result<()>> {
    Box::pin(async move {
        let frozen = edges
            .incoming(meta.collection)
            .any(|edge| !edge.frozen.is_empty());
        // In a session the verification waits for the commit, so dangling references have to be found now.
        if documents.len() < 2 && !frozen && !lazy && session.is_none() {
            return Ok(());
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
            return Ok(());
        }
        let unreadable = |error| unencodable(meta, error);
        let mut known = known::by_keys(db, edges, &wanted, known::How::InSession(session)).await?;
        let among: Vec<&Edge> = edges
            .incoming(meta.collection)
            .filter(|edge| edge.source.collection == meta.collection)
            .collect();
        if !among.is_empty() {
            for raw in documents.iter() {
                let document = Document::try_from(raw.as_ref()).map_err(unreadable)?;
                known.add(&among, &document);
            }
        }
        fill::not_dangling(&wanted, &known)?;
        for raw in documents {
            let mut document = Document::try_from(raw.as_ref()).map_err(unreadable)?;
            if fill::fill(edges, meta.collection, &mut document, &known, Which::All) {
                *raw = RawDocumentBuf::try_from(&document).map_err(unreadable)?;
            }
        }
        Ok(())
    })
}
