//! Whole documents: S1 of PROTOCOL 15.B5, and a replacement with fresh copies where that is not enough.

use std::sync::Arc;

use bson::oid::ObjectId;
use bson::{Bson, Document, RawDocumentBuf, doc};
use futures::future::BoxFuture;
use mongodb::options::UpdateModifications;

use super::early::{self, Changed, Early, Rest};
use super::inside::{self, with_copies};
use super::own::{Own, not_derived};
use super::{
    Withdraw, begin, count, counting, follow, is_flagged, pending_counts, pending_marks,
    pending_of, verify_new_copies,
};
use crate::bson_util::path::{at, first_step};
use crate::bson_util::stored_id::id_in_filter;
use crate::document::encoding::unencodable;
use crate::document::shared;
use crate::driver::{Lasting, UpdateArgs};
use crate::error::Result;
use crate::finisher;
use crate::graph::edges::{Edge, Edges, Touched};
use crate::graph::links::{Link, Moving};
use crate::graph::source::Source;
use crate::graph::{flags, links};
use crate::outcome::{Outcome, Pending};
use crate::propagation::counter::apply::CountToken;
use crate::propagation::fill::{Frozen, Which};
use crate::propagation::new_parents::NewParents;
use crate::propagation::sources_by_key::{ReadMode, SourcesByKey, read_by_keys};
use crate::propagation::target::Unverified;
use crate::propagation::{counter, fill, recent, source, target, two_way};
use crate::schema::model::ModelMeta;
use crate::schema::relation::Level;
use crate::schema::stamps::Stamps;
use crate::schema::stored;
use crate::write::writers;
use crate::write::writers::remember;
use crate::{ClientSession, Database, driver};

/// How often a document that is being deleted is waited for.
pub(crate) const WAITS: usize = 4;

/// How a document is saved.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Saving {
    /// True if all copies are updated from their sources, even those whose references do not change.
    pub(crate) refresh: bool,
    /// Replaces the level that the copies of this document declare.
    pub(crate) level: Option<Level>,
    /// The token of a compare-and-swap, which replaces only the one version in its filter.
    pub(crate) swap: Option<ObjectId>,
    /// True if the save replaces the whole stored document after a migration, even if another model shares the collection.
    pub(crate) migrates: bool,
    /// True if the document is inserted if it does not exist; else it is stored only over a document that matches the filter.
    pub(crate) upsert: bool,
}

/// Stores a whole document under its `_id`.
pub(crate) async fn save(
    db: &Database,
    meta: &'static ModelMeta,
    filter: Document,
    document: &RawDocumentBuf,
    saving: Saving,
    mut session: Option<&mut ClientSession>,
) -> Result<Outcome> {
    recent::check_server(db, meta.collection).await?;
    let in_session = session.is_some();
    let mut touched = Edges::get().touched(meta.collection, &names(meta), saving.level);
    if in_session {
        touched = touched.all_flagged();
    }
    let mut own =
        Document::try_from(document.as_ref()).map_err(|error| unencodable(meta, error))?;
    fill::clear(meta.collection, &mut own);
    if !in_session && finisher::is_behind() {
        let parents = |link: &Link| link.parents_in(&own);
        counter::learn_epochs(db, meta.collection, parents).await?;
    }
    let save = Save {
        begun: counting(meta.collection),
        db,
        meta,
        filter,
        in_session,
        touched,
        swap: saving.swap,
        upsert: saving.upsert,
        shared: shared::names(meta).filter(|_| !saving.migrates),
        stamps: Stamps::of(meta).filter(|_| !saving.migrates),
    };
    let child = id_in_filter(&save.filter);
    not_derived(db, meta, &child, &own, session.as_deref_mut()).await?;
    let belongs = |link: &Link| vec![(child.clone(), link.parents_in(&own))];
    two_way::check_capacity(db, meta.collection, belongs, &[], session.as_deref_mut()).await?;
    if !saving.refresh
        && let Some(own) = Own::of(meta, &own, save.shared.as_deref(), save.stamps.as_ref())
        && let Some(outcome) = save.own_fields(own, session.as_deref_mut()).await?
    {
        return Ok(outcome);
    }
    save.whole(own, document, session).await
}

struct Save<'a> {
    begun: Option<CountToken>,
    db: &'a Database,
    meta: &'static ModelMeta,
    filter: Document,
    in_session: bool,
    touched: Touched,
    swap: Option<ObjectId>,
    upsert: bool,
    /// The fields that the program's values do not decide; none in a migration, which takes all as they are stored.
    stamps: Option<Stamps>,
    /// The fields that the save is about, where another model shares the collection.
    shared: Option<Vec<&'static str>>,
}

/// The stored names of all fields.
fn names(meta: &ModelMeta) -> Vec<&'static str> {
    meta.shape.fields.iter().map(|row| row.name).collect()
}

impl Save<'_> {
    /// Sets the document's own fields if its references are unchanged, because its copies need no update then. `None` if the document
    /// is not stored yet, or has other references now.
    async fn own_fields(
        &self,
        own: Own,
        session: Option<&mut ClientSession>,
    ) -> Result<Option<Outcome>> {
        let mut filter = self.filter.clone();
        filter.insert("$expr", doc! { "$and": own.same.clone() });
        super::not_deleted(self.meta, &mut filter);
        let source = Edges::get().tracks_changes(self.meta.collection);
        if !source {
            let mut operators = Document::new();
            if !own.set.is_empty() {
                operators.insert("$set", own.set);
            }
            if !own.unset.is_empty() {
                let unset: Document = own
                    .unset
                    .into_iter()
                    .map(|path| (path, Bson::from("")))
                    .collect();
                operators.insert("$unset", unset);
            }
            if let Some(stamps) = &self.stamps {
                stamps.touch(&mut operators);
            }
            if operators.is_empty() {
                return Ok(None);
            }
            if let Some(token) = self.swap {
                operators.insert("$push", remember(token));
            }
            let args = UpdateArgs {
                filter,
                changes: UpdateModifications::Document(operators),
                many: false,
                upsert: false,
                lasting: Lasting::AsConfigured,
                strings: driver::Strings::Exactly,
            };
            fault!("before_w1");
            let result = driver::update(self.db, self.meta.collection, args, session).await?;
            let outcome = Outcome {
                matched: result.matched_count,
                modified: result.modified_count,
                ..Outcome::default()
            };
            return Ok((outcome.matched > 0).then_some(outcome));
        }
        let mut pipeline = vec![
            doc! { "$set": { stored::OWN: self.bumped(&own.set, |name| own.has(name)) } },
            doc! { "$unset": stored::BATCH },
        ];
        pipeline.extend(self.moved(&own.set, |name| own.has(name)));
        pipeline.extend(self.remembered());
        let set: Document = own
            .set
            .into_iter()
            .map(|(path, value)| (path, Bson::Document(doc! { "$literal": value })))
            .collect();
        if !set.is_empty() {
            pipeline.push(doc! { "$set": set });
        }
        if !own.unset.is_empty() {
            pipeline.push(doc! { "$unset": own.unset });
        }
        pipeline.extend(self.stamps.as_ref().and_then(Stamps::touched));
        let found = self.write_with(filter, pipeline, false, session).await?;
        let Some(source) = found else { return Ok(None) };
        let new = NewReferences::default();
        self.finish(source, new).await.map(Some)
    }

    /// Replaces the whole document, with copies as their sources are now, and stores it where there is none.
    async fn whole(
        &self,
        mut document: Document,
        raw: &RawDocumentBuf,
        mut session: Option<&mut ClientSession>,
    ) -> Result<Outcome> {
        let collection = self.meta.collection;
        let mut new = NewReferences {
            references: target::references(collection, raw),
            ..NewReferences::default()
        };
        let every: Vec<(&'static Edge, Bson)> = Edges::get()
            .all()
            .iter()
            .filter(|edge| edge.target.collection == collection)
            .flat_map(|edge| edge.place.keys(raw).into_iter().map(move |key| (edge, key)))
            .collect();
        if !every.is_empty() {
            let stored =
                Frozen::stored(self.db, collection, &self.filter, session.as_deref_mut()).await?;
            let how = ReadMode::InSession(session.as_deref_mut());
            let mut known = read_by_keys(self.db, &every, how).await?;
            let own: Vec<&Edge> = Edges::get()
                .incoming(collection)
                .filter(|edge| edge.source.collection == collection && self.upsert)
                .collect();
            known.add_new(&own, &document);
            fill::not_dangling(&every, &known)?;
            let which = Which::AllBut(&stored);
            fill::fill(collection, &mut document, &known, which);
            new.sources = Some(known);
        }
        let derived = links::derived_fields(Edges::get().links(), collection);
        let shared = self.shared.as_deref();
        let own = |name: &str| {
            derived.iter().all(|(field, _)| *field != name)
                && shared.is_none_or(|names| names.contains(&name))
                && self.stamps.as_ref().is_none_or(|stamps| !stamps.has(name))
        };
        let parents = NewParents::plan(collection);
        let mut pipeline: Vec<Document> = parents.iter().map(NewParents::stage).collect();
        pipeline.push(doc! { "$set": { stored::OWN: self.bumped(&document, own) } });
        pipeline.extend(self.moved(&document, own));
        pipeline.extend(self.remembered());
        if !new.references.is_empty() {
            let marks = flags::with_unverified(new.token);
            pipeline.push(doc! { "$set": { stored::UNVERIFIED: marks } });
        }
        if let Some(epoch) = counter::first_epoch(collection) {
            let counted = doc! { "$ifNull": [stored::value::COUNTS, counter::new_counts(epoch)] };
            pipeline.push(doc! { "$set": { stored::COUNTS: counted } });
        }
        // The library's own data in this document stays unchanged.
        let mut kept = doc! { stored::OWN: stored::value::OWN };
        for (field, nothing) in derived {
            let nothing = document
                .remove(field)
                .filter(links::says_nothing)
                .unwrap_or(nothing);
            let stored = doc! { "$ifNull": [format!("${field}"), { "$literal": nothing }] };
            kept.insert(field, stored);
        }
        if let Some(stamps) = &self.stamps {
            kept.extend(stamps.take(&mut document));
        }
        pipeline.extend(self.replacement(document, kept));
        let found = self
            .write_with(self.filter.clone(), pipeline, self.upsert, session)
            .await?;
        let Some((source, lists)) = found else {
            return Ok(Outcome::default());
        };
        let parents = parents.filter(|parents| parents.stored(&source.fields));
        let ids = vec![id_in_filter(&self.filter)];
        let begin = begin(self.db, parents, ids, self.in_session).await?;
        let mut outcome = self.finish((source, lists), new).await?;
        outcome.pending.extend(begin);
        Ok(outcome)
    }

    /// The stages that put the document in the place of the stored one, but for the library's fields and those of another model.
    fn replacement(&self, document: Document, kept: Document) -> [Document; 2] {
        let mut gone = vec![stored::BATCH.to_owned()];
        if let Some(names) = &self.shared {
            let absent = shared::absent(names, &document).into_iter();
            let absent = absent.filter(|name| !kept.contains_key(name));
            gone.extend(absent.map(str::to_owned));
            // New copies are older than everything.
            let edges = Edges::get().incoming(self.meta.collection);
            let own = edges.filter(|edge| names.contains(&edge.place.root().as_str()));
            gone.extend(own.map(|edge| edge.place.revision_path()));
        }
        let mut parts = vec![Bson::Document(doc! { "$literal": document }), kept.into()];
        if self.shared.is_some() {
            parts.insert(0, "$$ROOT".into());
        }
        [
            doc! { "$replaceWith": { "$mergeObjects": parts } },
            doc! { "$unset": gone },
        ]
    }

    /// The stage that records the swap's token in the document, so that the swap can recognise its own write.
    fn remembered(&self) -> Option<Document> {
        let token = self.swap?;
        Some(doc! { "$set": { stored::WRITERS: writers::remembered(token) } })
    }

    /// The value of `_dn` after the written ones of the copied fields have taken their values from `document`.
    fn bumped(&self, document: &Document, written: impl Fn(&str) -> bool) -> Document {
        let collection = self.meta.collection;
        let mut copied: Vec<&str> = Edges::get()
            .out_of(collection)
            .flat_map(|edge| edge.live.iter().map(|copied| copied.from.as_str()))
            .chain(Edges::get().links_of(collection).flat_map(Link::seen))
            .filter(|path| written(first_step(path)))
            .collect();
        copied.sort_unstable();
        copied.dedup();
        let changed: Vec<Bson> = copied
            .into_iter()
            .map(|path| flags::differs(path, at(document, path)))
            .collect();
        if changed.is_empty() {
            return doc! { "$ifNull": [stored::value::OWN, "$$REMOVE"] };
        }
        let changed = Bson::Document(doc! { "$or": changed });
        let all = Edges::get().flagged(collection);
        flags::bumped(changed, &self.touched.flagged, &all)
    }

    /// The stages that record the document's previous parents, before the references in `document` are written.
    fn moved(&self, document: &Document, written: impl Fn(&str) -> bool) -> Vec<Document> {
        let collection = self.meta.collection;
        let moving = Moving::To(document);
        let mut stages = links::moved(collection, moving, &written);
        if let Some(begun) = self.begun {
            let token = begun.token;
            stages.extend(counter::flag_stages(collection, token, moving, written));
        }
        stages
    }

    /// Writes the document, together with the copies that have to be written in one transaction with it. If the document is being
    /// deleted, waits for that.
    async fn write_with(
        &self,
        filter: Document,
        pipeline: Vec<Document>,
        upsert: bool,
        session: Option<&mut ClientSession>,
    ) -> Result<Option<(Source, Vec<Pending>)>> {
        if session.is_some() {
            return self.write(filter, pipeline, upsert, session, false).await;
        }
        for _ in 0..WAITS {
            let written = self.write_alone(&filter, &pipeline, upsert).await;
            let there = match &written {
                Ok(found) => found.is_some(),
                // The document exists, but the filter excludes documents that are being deleted.
                Err(error) => !(upsert && driver::is_duplicate(error)),
            };
            if there || !super::finish_blocking_delete(self.db, self.meta, &self.filter).await? {
                return written;
            }
        }
        self.write_alone(&filter, &pipeline, upsert).await
    }

    async fn write_alone(
        &self,
        filter: &Document,
        pipeline: &[Document],
        upsert: bool,
    ) -> Result<Option<(Source, Vec<Pending>)>> {
        let session: Option<&mut ClientSession> = None;
        Ok(
            with_copies!(self.db, !self.touched.inside.is_empty(), session, own => {
                self.write(filter.clone(), pipeline.to_vec(), upsert, session, own).await
            }),
        )
    }

    async fn write(
        &self,
        mut filter: Document,
        pipeline: Vec<Document>,
        upsert: bool,
        mut session: Option<&mut ClientSession>,
        own: bool,
    ) -> Result<Option<(Source, Vec<Pending>)>> {
        filter.insert(stored::TOMBSTONE, doc! { "$exists": false });
        let args = UpdateArgs {
            filter,
            changes: UpdateModifications::Pipeline(pipeline),
            many: false,
            upsert,
            lasting: Lasting::Durable,
            strings: driver::Strings::Exactly,
        };
        let fields = source::fields(self.meta.collection);
        let collection = self.meta.collection;
        fault!("before_w1");
        let found =
            driver::update_and_read(self.db, collection, args, fields, session.as_deref_mut())
                .await?;
        let Some(source) = found.map(Source::read) else {
            return Ok(None);
        };
        let mut pending = Vec::new();
        if let Some(session) = session {
            let (db, sources) = (self.db, [&source]);
            inside::fan_out(db, &self.touched.inside, &sources, &mut *session).await?;
            if let Some(begun) = self.begun {
                let child = [&source.fields];
                counter::in_session(db, collection, begun, child, &mut *session).await?;
            }
            pending = inside::links(db, collection, &sources, session, own).await?;
        }
        Ok(Some((source, pending)))
    }

    fn finish<'f>(
        &'f self,
        (source, lists): (Source, Vec<Pending>),
        new: NewReferences,
    ) -> BoxFuture<'f, Result<Outcome>> {
        Box::pin(async move {
            let (db, collection) = (self.db, self.meta.collection);
            let mut outcome = Outcome {
                matched: 1,
                modified: 1,
                ..Outcome::default()
            };
            fault!("after_w1");
            let begun = self.begun;
            let begun = begun.filter(|begun| is_flagged(&source.fields, *begun));
            let NewReferences {
                references,
                sources,
                token,
            } = new;
            if self.in_session {
                outcome.pending = pending_marks(collection, token, &references);
                outcome.pending.extend(lists);
                outcome.pending.extend(pending_of(collection, &source));
                let counts = begun.map(|begun| pending_counts(collection, begun));
                outcome.pending.extend(counts.into_iter().flatten());
                return Ok(outcome);
            }
            let marked = (!references.is_empty()).then(|| Unverified {
                id: id_in_filter(&self.filter),
                tokens: vec![token],
                references,
            });
            let mut rest = Rest::default();
            if finisher::is_behind() && self.touched.unflagged.is_empty() {
                let changed = Changed {
                    children: vec![Arc::new(source.clone())],
                    marked: marked.as_slice(),
                    begun,
                    sources: sources.as_ref().filter(|_| marked.is_some()),
                    filled: true,
                };
                match early::apply(db, collection, changed, &[]).await? {
                    Early::Done(_) => return Ok(outcome),
                    Early::Not(left) => rest = left,
                }
            }
            if let Some(marked) = marked.filter(|_| !rest.copied) {
                fault!("after_i1");
                let (marked, withdraw) = (&[marked], Withdraw::Rule);
                let verified = verify_new_copies(db, collection, token, marked, withdraw).await;
                outcome.pending.extend(verified?);
            }
            if let Some(begun) = begun {
                let child = [&source.fields];
                let left = count(db, collection, begun, child, None).await?;
                outcome.pending.extend(left);
            }
            let unflagged = &self.touched.unflagged;
            let left = follow(db, collection, source, unflagged).await?;
            outcome.pending.extend(left);
            rest.finish(outcome.pending.is_empty());
            Ok(outcome)
        })
    }
}

/// The references with new copies that a save stores.
#[derive(Debug, Default)]
struct NewReferences {
    references: Vec<(&'static Edge, Bson)>,
    /// The sources whose values the save stores.
    sources: Option<SourcesByKey>,
    /// The token of their mark.
    token: ObjectId,
}
