//! The update that the delete rule of a reference makes.

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use futures::future::BoxFuture;

use crate::bson_util::path::overlap;
use crate::driver::command::Statements;
use crate::driver::{ClientSession, Database, history};
use crate::error::Result;
use crate::graph::edges::Edges;
use crate::graph::hidden::Removal;
use crate::graph::links::{ChildWrite, Link, Moving};
use crate::graph::relations::{Keys, Reach, Relation};
use crate::graph::{flags, links};
use crate::propagation::{counter, source};
use crate::schema::stored;

impl Relation {
    /// The update that applies the rule to the references to these keys, with its array filters; `None` if the rule changes no reference.
    /// Sibling copies of an unset reference are removed with it, and documents whose copies are copied further become pending.
    pub(crate) fn applied(&self, of: &Keys) -> Option<Document> {
        let (removal, keys) = (self.removal.as_ref()?, &of.values[..]);
        let (changes, filters) = match &self.reach {
            Reach::Scan(hidden) => {
                let change = hidden.removed(removal, keys);
                (self.flagging(change), Vec::new())
            }
            Reach::Index if self.is_linked() || history::has_history(self.child()) => {
                let change = self.removed(removal, keys);
                (self.flagging(change), Vec::new())
            }
            Reach::Index => {
                let (mut operators, filters) = self.operators(removal, keys)?;
                let onward = self.onward();
                if !onward.is_empty() {
                    flags::bump(&mut operators, &onward);
                }
                (Bson::Document(operators), filters)
            }
        };
        let mut update = doc! { "q": self.referring(of), "u": changes, "multi": true };
        if !filters.is_empty() {
            update.insert("arrayFilters", filters);
        }
        if let Some(hint) = self.hint() {
            update.insert("hint", hint);
        }
        Some(update)
    }

    /// The operators that remove the references, and their array filters.
    fn operators(&self, removal: &Removal, keys: &[Bson]) -> Option<(Document, Vec<Document>)> {
        let place = &self.edge.place;
        match removal {
            Removal::Element => place.pull_any(keys),
            Removal::Fields(fields) => {
                let paths = fields.iter();
                let paths = paths.map(|path| (place.filtered(0, path), Bson::from("")));
                let unset = doc! { "$unset": paths.collect::<Document>() };
                Some((unset, place.beside_any(keys)))
            }
        }
    }

    /// True if the parents along this reference store derived data about the referring documents, or if others add up a copy that is
    /// removed with the reference.
    fn is_linked(&self) -> bool {
        let path = self.edge.place.path();
        let mut links = Edges::get().links_of(self.child());
        let follows = |link: &Link| {
            let is_parent = link.periods.is_some() || link.host.collection == self.parent();
            link.reference == path && is_parent
        };
        links.any(|link| follows(link) || self.removes_amounts_of(link))
    }

    /// True if the rule removes a field that the number of this link depends on.
    fn removes_amounts_of(&self, link: &Link) -> bool {
        link.weighs().any(|name| self.removes(name))
    }

    /// True if the rule removes this field of the document, or a document that holds it, together with the reference.
    fn removes(&self, path: &str) -> bool {
        let Some(Removal::Fields(fields)) = &self.removal else {
            return false;
        };
        matches!(self.reach, Reach::Index)
            && fields.iter().any(|field| {
                let removed = self.edge.place.full(field);
                removed.len() <= path.len() && overlap(&removed, path)
            })
    }

    /// Sends updates of referring documents, and records what they change.
    pub(super) async fn send(
        &self,
        db: &Database,
        updates: &[Document],
        session: Option<&mut ClientSession>,
    ) -> Result<Statements> {
        let field = (self.child(), &*self.edge.place.path());
        history::send_statements(db, field, updates, true, session).await
    }

    /// The stage that removes the references to these keys.
    fn removed(&self, removal: &Removal, keys: &[Bson]) -> Document {
        let place = &self.edge.place;
        match removal {
            Removal::Fields(fields) if place.is_single() => {
                doc! { "$unset": fields.iter().map(|field| place.full(field)).collect::<Vec<_>>() }
            }
            removal => place.expression().removed(removal, keys),
        }
    }

    /// The change as an update that flags what depends on the change. If parents store derived data about the referring documents, these
    /// documents record the parents that they lose, as after any other write. The parent need not be the deleted one: another parent may
    /// have been stored under its key.
    fn flagging(&self, change: Document) -> Bson {
        let edges = Edges::get();
        let (child, path) = (self.child(), self.edge.place.path());
        let is_reference = |name: &str| edges.links_of(child).any(|link| link.row == name);
        let written = |name: &str| {
            is_reference(name) && overlap(name, &path) || path == name || self.removes(name)
        };
        let (onward, all) = (self.onward(), edges.flagged(child));
        let mut pipeline = Vec::new();
        if !onward.is_empty() || self.is_linked() && edges.tracks_changes(child) {
            let bumped = flags::bumped(Bson::Boolean(true), &onward, &all);
            pipeline.push(doc! { "$set": { stored::OWN: bumped } });
            pipeline.push(doc! { "$unset": stored::BATCH });
        }
        if self.is_linked() {
            let after = Document::new();
            let moving = Moving::To(&after);
            let write = ChildWrite {
                moving,
                computed: &after,
                written: &written,
            };
            pipeline.extend(links::record_former_parents(child, &write));
            let token = ObjectId::new();
            pipeline.extend(counter::flag_stages(child, token, moving, &after, written));
        }
        pipeline.push(change);
        Bson::from(pipeline)
    }

    /// Finishes the work that [`applied`](Self::applied) has flagged, in the documents that match `these`: updates the documents that copy
    /// them or store derived data about them.
    pub(crate) fn follow<'f>(
        &'f self,
        db: &'f Database,
        keys: &'f Keys,
        mut these: Document,
    ) -> BoxFuture<'f, Result<()>> {
        let edges = Edges::get();
        Box::pin(async move {
            let (child, onward) = (self.child(), self.onward());
            these.extend(self.inside(keys));
            if !onward.is_empty() {
                let mut flagged = these.clone();
                flagged.insert(stored::PENDING, doc! { "$in": onward });
                source::resume(db, child, flagged, &mut |_| true).await?;
            }
            let path = self.edge.place.path();
            let along = |link: &&Link| link.reference == path && link.counts();
            let counted = |link: &&Link| along(link) && link.periods.is_none();
            if let Some(link) = edges.links_of(child).find(counted) {
                let mut flagged = counter::flagged_for(link, &keys.values);
                flagged.extend(these.clone());
                counter::resume(db, child, flagged, &mut |_| true).await?;
            }
            let in_periods = |link: &Link| along(&link) && link.periods.is_some();
            if edges
                .links_of(child)
                .any(|link| in_periods(link) || self.removes_amounts_of(link))
            {
                let mut flagged = these;
                flagged.insert(stored::UNCOUNTED_TOKEN, doc! { "$exists": true });
                counter::resume(db, child, flagged, &mut |_| true).await?;
            }
            Ok(())
        })
    }
}
