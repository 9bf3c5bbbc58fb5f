//! The update that the delete rule of a reference makes.

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use futures::future::BoxFuture;

use crate::Database;
use crate::error::Result;
use crate::graph::edges::Edges;
use crate::graph::links::Link;
use crate::graph::relations::Relation;
use crate::graph::{flags, links};
use crate::propagation::{counter, source};
use crate::schema::relation::OnDelete;

impl Relation {
    /// The update that applies the rule to the references to these keys, with its array filters; `None` if the rule changes no reference.
    /// Sibling copies of an unset reference are removed with it, and documents whose copies are copied further become pending.
    pub(crate) fn applied(&self, edges: &'static Edges, keys: &[Bson]) -> Option<Document> {
        if self.acts() && self.is_linked(edges) {
            return self.applied_and_flagged(edges, keys);
        }
        let (mut operators, filters) = match self.rule {
            OnDelete::Pull => self.edge.place.pull_any(keys)?,
            OnDelete::Unset => {
                let paths = self.unset.iter();
                let paths = paths.map(|path| (self.edge.place.filtered(0, path), Bson::from("")));
                let unset = doc! { "$unset": paths.collect::<Document>() };
                (unset, self.edge.place.beside_any(keys))
            }
            OnDelete::Deny | OnDelete::Cascade | OnDelete::Keep => return None,
        };
        let onward = self.onward(edges);
        if !onward.is_empty() {
            flags::bump(&mut operators, &onward);
        }
        let mut update = doc! { "q": self.referring(keys), "u": operators, "multi": true };
        if !filters.is_empty() {
            update.insert("arrayFilters", filters);
        }
        if let Some(hint) = self.hint() {
            update.insert("hint", hint);
        }
        Some(update)
    }

    /// True if the parents along this reference store derived data about the documents that refer.
    fn is_linked(&self, edges: &'static Edges) -> bool {
        let path = self.edge.place.path();
        let mut links = edges.links_of(self.child());
        links.any(|link| link.reference == path && link.host.collection == self.parent())
    }

    /// The same if parents store derived data about the referring documents: these record the parents that they lose, as after any other
    /// write. The parent need not be the deleted one: another may have been stored under its key.
    fn applied_and_flagged(&self, edges: &'static Edges, keys: &[Bson]) -> Option<Document> {
        let (child, path) = (self.child(), self.edge.place.path());
        let change = match self.rule {
            OnDelete::Pull => {
                let (field, below) = path.split_once('.').unwrap_or((&path, ""));
                let one = match below {
                    "" => "$$this".to_owned(),
                    below => format!("$$this.{below}"),
                };
                let stays = doc! { "$not": [{ "$in": [one, { "$literal": keys.to_vec() }] }] };
                let input = doc! { "$ifNull": [format!("${field}"), []] };
                doc! { "$set": { field: { "$filter": { "input": input, "cond": stays } } } }
            }
            OnDelete::Unset => doc! { "$unset": self.unset.clone() },
            OnDelete::Deny | OnDelete::Cascade | OnDelete::Keep => return None,
        };
        let written = |row: &str| {
            path == row
                || path
                    .strip_prefix(row)
                    .is_some_and(|rest| rest.starts_with('.'))
        };
        let (onward, all) = (self.onward(edges), edges.flagged(child));
        let mut pipeline = Vec::new();
        if edges.tracks_changes(child) {
            let bumped = flags::bumped(Bson::Boolean(true), &onward, &all);
            pipeline.push(doc! { "$set": { "_dn": bumped } });
            pipeline.push(doc! { "$unset": "_dn.b" });
        }
        let after = Document::new();
        pipeline.extend(links::moved(edges, child, Some(&after), written));
        pipeline.extend(counter::flagged(
            edges,
            child,
            ObjectId::new(),
            &after,
            written,
        ));
        pipeline.push(change);
        let mut update = doc! { "q": self.referring(keys), "u": pipeline, "multi": true };
        if let Some(hint) = self.hint() {
            update.insert("hint", hint);
        }
        Some(update)
    }

    /// Finishes what [`applied`](Self::applied) has flagged, in the documents that match `these`: updates the documents that copy them or
    /// store derived data about them.
    pub(crate) fn follow<'f>(
        &'f self,
        db: &'f Database,
        edges: &'static Edges,
        keys: &'f [Bson],
        these: Document,
    ) -> BoxFuture<'f, Result<()>> {
        Box::pin(async move {
            let (child, onward) = (self.child(), self.onward(edges));
            if !onward.is_empty() {
                let mut flagged = these.clone();
                flagged.insert("_dn.p", doc! { "$in": onward });
                source::resume(db, edges, child, flagged, &mut |_| true).await?;
            }
            let path = self.edge.place.path();
            let counted = |link: &&Link| link.reference == path && link.counts();
            if let Some(link) = edges.links_of(child).find(counted) {
                let mut flagged = counter::concerning(link, keys);
                flagged.extend(these);
                counter::resume(db, edges, child, flagged, &mut |_| true).await?;
            }
            Ok(())
        })
    }
}
