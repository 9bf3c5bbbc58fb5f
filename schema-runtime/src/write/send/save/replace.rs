//! S2: a whole document in the place of the stored one, with copies from their sources. It is apart from S1, which leaves copies and their
//! marks as they are.

use bson::oid::ObjectId;
use bson::{Bson, Document, RawDocumentBuf, doc};

use super::super::{fill_new_parents, is_flagged};
use super::Save;
use crate::bson_util::stored_id::id_in_filter;
use crate::document::shared;
use crate::driver::{ClientSession, Database};
use crate::error::Result;
use crate::graph::edges::{Edge, Edges};
use crate::graph::flags;
use crate::graph::links;
use crate::graph::source::Source;
use crate::outcome::Outcome;
use crate::propagation::counter::{Reservations, Stage};
use crate::propagation::fill::{Frozen, Which};
use crate::propagation::new_parents::NewParents;
use crate::propagation::source_reads::ReadMode;
use crate::propagation::sources_by_key::SourcesByKey;
use crate::propagation::{counter, fill, sources_by_key, target, tenants};
use crate::schema::stored;
use crate::schema::tenant::own_tenant;

/// The references with new copies that a save stores.
#[derive(Debug, Default)]
pub(super) struct NewReferences {
    pub(super) references: Vec<(&'static Edge, Bson)>,
    /// The sources whose values the save stores.
    pub(super) sources: Option<SourcesByKey>,
    /// The token of their mark.
    pub(super) token: ObjectId,
}

impl Save<'_> {
    /// Replaces the whole document, with copies as their sources are now, and stores it where there is none.
    pub(super) async fn replace(
        &self,
        mut document: Document,
        raw: &RawDocumentBuf,
        mut session: Option<&mut ClientSession>,
    ) -> Result<Outcome> {
        let new = NewReferences {
            references: target::references(self.meta.collection, raw),
            sources: self
                .fill_copies(&mut document, raw, session.as_deref_mut())
                .await?,
            ..NewReferences::default()
        };
        let parents = NewParents::plan(self.meta.collection);
        let pipeline = self.replacement(document, &new, parents.as_ref());
        let filter = self.within_bounds();
        let reserved = self.reserve(raw).await?;
        let written = self
            .write_undeleted(filter, pipeline, self.upsert, session)
            .await;
        let found = match written {
            Ok(found) => found,
            Err(error) => return Err(reserved.release_after(self.db, error).await),
        };
        let is_new = |(source, _): &(Source, _)| {
            let token = self.count_token;
            token.is_some_and(|token| is_flagged(&source.fields, token))
        };
        if !found.as_ref().is_some_and(is_new) {
            reserved.release(self.db).await?;
        }
        let Some((source, lists)) = found else {
            return Ok(Outcome::default());
        };
        let parents = parents.filter(|parents| parents.stored(&source.fields));
        let ids = vec![id_in_filter(&self.filter)];
        let unfilled = fill_new_parents(self.db, parents, ids, self.in_session).await?;
        let mut outcome = self.propagate((source, lists), new).await?;
        outcome.pending.extend(unfilled);
        Ok(outcome)
    }

    /// P1, as if the document were new. A stored document has its places already, if its reference stays the same.
    async fn reserve(&self, raw: &RawDocumentBuf) -> Result<Reservations> {
        let (collection, token) = (self.meta.collection, self.count_token);
        let token = token.map(|count_token| count_token.token);
        let Some(token) = token.filter(|_| !self.in_session) else {
            return Ok(Reservations::none());
        };
        let child = counter::as_new_child(collection, raw, token)?;
        counter::reserve_places(self.db, collection, token, &child, Stage::BeforeWrite).await
    }

    /// Reads the sources of all copies in the document, and fills these; frozen copies stay as they are stored. `None` if it refers to
    /// nothing.
    async fn fill_copies(
        &self,
        document: &mut Document,
        raw: &RawDocumentBuf,
        mut session: Option<&mut ClientSession>,
    ) -> Result<Option<SourcesByKey>> {
        let (db, collection): (&Database, _) = (self.db, self.meta.collection);
        let every = tenants::references(self.meta, std::iter::once(&**raw));
        if every.is_empty() {
            return Ok(None);
        }
        let held = session.as_deref_mut();
        let stored = Frozen::stored(db, collection, &self.filter, held).await?;
        let tenant = own_tenant(self.meta, raw);
        let how = ReadMode::InSession(session);
        let mut known = sources_by_key::read_by_keys(db, &every, tenant.as_ref(), how).await?;
        let own: Vec<&Edge> = Edges::get()
            .incoming(collection)
            .filter(|edge| edge.source.collection == collection && self.upsert)
            .collect();
        known.add_new(&own, document);
        fill::not_dangling(&every, &known)?;
        fill::fill(collection, document, &known, Which::AllBut(&stored));
        Ok(Some(known))
    }

    /// The pipeline of S2: the library's fields, which depend on the stored document, and then the document in its place.
    fn replacement(
        &self,
        mut document: Document,
        new: &NewReferences,
        parents: Option<&NewParents>,
    ) -> Vec<Document> {
        let collection = self.meta.collection;
        let derived = links::derived_fields(Edges::get().links(), collection);
        let shared = self.shared.as_deref();
        let own = |name: &str| {
            !derived.contains_key(name)
                && shared.is_none_or(|names| names.contains(&name))
                && self.stamps.as_ref().is_none_or(|stamps| !stamps.has(name))
        };
        let mut pipeline: Vec<Document> = parents.into_iter().map(NewParents::stage).collect();
        pipeline.push(doc! { "$set": { stored::OWN: self.next_revision(&document, own) } });
        pipeline.extend(self.record_parents(&document, own));
        pipeline.extend(self.record_writer());
        if !new.references.is_empty() {
            pipeline
                .push(doc! { "$set": { stored::UNVERIFIED: flags::with_unverified(new.token) } });
        }
        if let Some(epoch) = counter::first_epoch(collection) {
            let epoch = doc! { stored::key::COUNTS_EPOCH: epoch };
            let counted = doc! { "$ifNull": [stored::value::COUNTS, epoch] };
            pipeline.push(doc! { "$set": { stored::COUNTS: counted } });
        }
        // The library's own data in this document stays unchanged.
        let mut kept = doc! { stored::OWN: stored::value::OWN };
        for (field, nothing) in derived {
            let nothing = document
                .remove(&field)
                .filter(links::says_nothing)
                .unwrap_or(nothing);
            let stored = doc! { "$ifNull": [format!("${field}"), { "$literal": nothing }] };
            kept.insert(field, stored);
        }
        if let Some(stamps) = &self.stamps {
            kept.extend(stamps.take(&mut document));
        }
        pipeline.extend(self.put_document(document, kept));
        pipeline.extend(self.events.stage());
        pipeline
    }

    /// The stages that replace the stored document, except for the library's fields and the fields of another model.
    fn put_document(&self, document: Document, kept: Document) -> [Document; 2] {
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
}
