//! The stages by which S1 and S2 keep the library's fields of a saved document: its revision and flags, its former parents, its writers.

use bson::{Bson, Document, doc};

use super::Save;
use crate::bson_util::path::{at, first_step};
use crate::graph::edges::Edges;
use crate::graph::links::{ChildWrite, Link, Moving};
use crate::graph::{flags, links};
use crate::propagation::counter;
use crate::schema::stored;
use crate::write::writers;

impl Save<'_> {
    /// The stage that records the swap's token in the document, so that the swap can recognise its own write.
    pub(super) fn record_writer(&self) -> Option<Document> {
        let token = self.swap?;
        Some(doc! { "$set": { stored::WRITERS: writers::remembered(token) } })
    }

    /// The value of `_dn` after the written ones of the copied fields have taken their values from `document`.
    pub(super) fn next_revision(
        &self,
        document: &Document,
        written: impl Fn(&str) -> bool,
    ) -> Document {
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
    pub(super) fn record_parents(
        &self,
        document: &Document,
        written: impl Fn(&str) -> bool,
    ) -> Vec<Document> {
        let collection = self.meta.collection;
        let moving = Moving::To(document);
        let stamps = self.stamps.as_ref();
        let kept = stamps.map_or_else(Document::new, |stamps| stamps.take(&mut document.clone()));
        let write = ChildWrite {
            moving,
            computed: &kept,
            written: &written,
        };
        let mut stages = links::record_former_parents(collection, &write);
        if let Some(count_token) = self.count_token {
            let token = count_token.token;
            let flagged = counter::flag_stages(collection, token, moving, &kept, written);
            stages.extend(flagged);
        }
        stages
    }
}
