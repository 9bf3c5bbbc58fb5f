//! W1 as the server runs it: the operators of an update as a pipeline, which flags the document where a copied field changes.

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};

use super::super::mark_flag;
use super::super::request::{change_conditions, fits_pipeline};
use super::{Marking, Prepared};
use crate::bson_util::operators::merge;
use crate::graph::edges::Edges;
use crate::graph::links::{ChildWrite, Link, Moving};
use crate::graph::{flags, links};
use crate::propagation::counter;
use crate::schema::soft_delete::Mark;
use crate::schema::stamps;
use crate::schema::stored;

impl Prepared {
    /// Adds the mark of new copies, and 1 to the version.
    pub(crate) fn mark(&self, operators: &mut Document) {
        if let Some(always) = &self.always {
            always.touch(operators);
        }
        if !self.references.is_empty() {
            merge(
                operators,
                "$push",
                doc! { stored::UNVERIFIED: flags::mark(self.token) },
            );
        }
    }

    /// True if the update is sent as a pipeline: if it has to record the document's previous parents, or if a pipeline has the same
    /// effect and no new copies are marked.
    pub(crate) fn is_piped(&self, operators: &Document) -> bool {
        self.moves || (fits_pipeline(self.collection, operators, &[]) && self.references.is_empty())
    }

    /// The update as a pipeline, which checks on the server if a copied field changes: if none does, nothing has to propagate. `batch`
    /// is the token of an update of many.
    pub(crate) fn pipeline(&self, operators: &Document, batch: Option<ObjectId>) -> Vec<Document> {
        if let Some(marking) = &self.marking {
            return self.marked(marking, batch);
        }
        let set = operators.get_document("$set").cloned().unwrap_or_default();
        let unset = operators
            .get_document("$unset")
            .cloned()
            .unwrap_or_default();
        let mut computed = Document::new();
        for operator in counter::COMPUTED {
            let fields = operators.get_document(operator).into_iter().flatten();
            let value = |(name, by): (&String, &Bson)| {
                (name.clone(), counter::computed(operator, name, by))
            };
            computed.extend(fields.map(value));
        }
        let copied: Vec<&str> = Edges::get()
            .out_of(self.collection)
            .flat_map(|edge| edge.live.iter().map(|copied| copied.from.as_str()))
            .chain(Edges::get().links_of(self.collection).flat_map(Link::seen))
            .collect();
        let asked = set.iter().map(|(path, value)| (path, Some(value)));
        let asked = asked.chain(unset.keys().map(|path| (path, None)));
        let changed: Vec<Bson> = asked
            .flat_map(|(path, value)| change_conditions(&copied, path, value))
            .chain(computed.keys().map(|_| Bson::Boolean(true)))
            .collect();
        let changed = Bson::Document(doc! { "$or": changed });
        let written = |name: &str| set.contains_key(name) || unset.contains_key(name);
        let mut pipeline = self.flagged(changed, Moving::To(&set), &computed, written, batch);
        if !self.references.is_empty() {
            let marks = flags::with_unverified(self.token);
            pipeline.push(doc! { "$set": { stored::UNVERIFIED: marks } });
        }
        if !set.is_empty() {
            let literal = set
                .into_iter()
                .map(|(path, value)| (path, doc! { "$literal": value }));
            let literal: Document = literal
                .map(|(path, value)| (path, Bson::Document(value)))
                .collect();
            pipeline.push(doc! { "$set": literal });
        }
        if !computed.is_empty() {
            pipeline.push(doc! { "$set": computed });
        }
        if !unset.is_empty() {
            let paths: Vec<String> = unset.keys().cloned().collect();
            pipeline.push(doc! { "$unset": paths });
        }
        let always = self.always.iter();
        pipeline.extend(always.flat_map(|always| always.stages(operators)));
        pipeline
    }

    /// The pipeline that marks documents as deleted, or makes them live again.
    fn marked(&self, marking: &Marking, batch: Option<ObjectId>) -> Vec<Document> {
        let moving = match marking.mark {
            Mark::Set | Mark::SetAt(_) => Moving::Away,
            Mark::Remove => Moving::Back,
        };
        let mut pipeline = match Edges::get().tracks_changes(self.collection) {
            true => self.flagged(
                Bson::Boolean(true),
                moving,
                &Document::new(),
                |_| true,
                batch,
            ),
            false => Vec::new(),
        };
        pipeline.extend(stamps::marking_stages(marking.meta, marking.mark));
        if marking.cascades {
            pipeline.push(mark_flag::flag(self.token));
        }
        pipeline
    }

    /// The stages that flag the document: that copied fields change, and which parents it loses or gets.
    fn flagged(
        &self,
        changed: Bson,
        moving: Moving<'_>,
        computed: &Document,
        written: impl Fn(&str) -> bool,
        batch: Option<ObjectId>,
    ) -> Vec<Document> {
        let edges = Edges::get();
        let collection = self.collection;
        let all = edges.flagged(collection);
        let mut pipeline = vec![
            doc! { "$set": { stored::OWN: flags::bumped(changed.clone(), &self.touched.flagged, &all) } },
            match batch {
                // Set the token only if a copied field changes: otherwise no later step removes it.
                Some(token) => {
                    doc! { "$set": { stored::BATCH: { "$cond": [changed, token, stored::value::BATCH] } } }
                }
                None => doc! { "$unset": stored::BATCH },
            },
        ];
        let write = ChildWrite {
            moving,
            computed,
            written: &written,
        };
        pipeline.extend(links::record_former_parents(collection, &write));
        if let Some(count_token) = self.count_token {
            let flagged =
                counter::flag_stages(collection, count_token.token, moving, computed, written);
            pipeline.extend(flagged);
        }
        pipeline
    }
}
