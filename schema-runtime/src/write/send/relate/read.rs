//! Reads of the documents on both sides, before a change of a two-way reference: the ids that belong together now, and the check that new
//! ones may.

use bson::{Bson, Document, doc};

use super::Sides;
use crate::driver::{self, ClientSession, FindArgs};
use crate::error::{Error, Result};
use crate::propagation::capacity::{has_places_at, reserve_at};
use crate::propagation::two_way::Places;
use crate::schema::stored;

impl Sides<'_> {
    /// Reads the ids that belong to the document, from the references that decide it.
    pub(super) async fn read_ids(
        &self,
        mut session: Option<&mut ClientSession>,
    ) -> Result<Vec<Bson>> {
        let (db, link, id) = (self.db, self.link, &self.at.id);
        let (_, inside) = link.of_tenant(self.tenant());
        let mut out = Vec::new();
        let is_child = !self.is_parent || link.is_symmetric();
        if is_child {
            let fields = link.read();
            let ids = std::slice::from_ref(id);
            let (children, held) = (link.child.collection, session.as_deref_mut());
            let by = ("_id", ids);
            let read = driver::read_where(db, children, by, &inside, &fields, held).await?;
            let parents = read.iter().flat_map(|child| link.parents_in(child));
            out.extend(parents.filter(|parent| link.is_truth(id, parent)));
        }
        if self.is_parent {
            let args = FindArgs {
                projection: Some(doc! { "_id": 1 }),
                ..FindArgs::default()
            };
            let mut filter = link.live(doc! { &link.reference: { "$eq": id } });
            filter.extend(inside);
            let mut rows = driver::open(db, link.child.collection, filter, args, session).await?;
            while let Some(row) = rows.next(|raw| Ok(Document::try_from(raw).ok())).await? {
                let child = row.and_then(|mut row| row.remove("_id"));
                out.extend(child.filter(|child| link.is_truth(child, id)));
            }
        }
        Ok(out)
    }

    /// Reserves the places of these children in the document, which becomes their parent, and checks that both are there.
    pub(super) async fn reserve_there(
        &self,
        children: &[Bson],
        mut session: Option<&mut ClientSession>,
    ) -> Result<Places> {
        let Sides { db, link, at, .. } = *self;
        let mut places = Places::none();
        let (hosts, _) = link.of_tenant(self.tenant());
        let (along, gain) = ((link, &hosts), (&at.id, children));
        let reserved = reserve_at(db, along, gain, &mut places, session.as_deref_mut()).await;
        let checked = match reserved {
            Ok(true) => self.check_children(children, session).await,
            Ok(false) => Err(self.not_found()),
            Err(error) => Err(error),
        };
        match checked {
            Ok(()) => Ok(places),
            Err(error) => Err(places.release_after(db, error).await),
        }
    }

    fn not_found(&self) -> Error {
        Error::NotFound {
            model: self.at.meta.name,
            id: Box::new(self.at.id.clone()),
        }
    }

    /// Checks that the document exists, which becomes the parent of these children, and has room for them; and that the children exist.
    pub(super) async fn check_there(
        &self,
        children: &[Bson],
        mut session: Option<&mut ClientSession>,
    ) -> Result<()> {
        let (hosts, _) = self.link.of_tenant(self.tenant());
        let (along, gain) = ((self.link, &hosts), (&self.at.id, children));
        match has_places_at(self.db, along, gain, session.as_deref_mut()).await? {
            true => self.check_children(children, session).await,
            false => Err(self.not_found()),
        }
    }

    /// Checks that children have got the document as their parent.
    pub(super) async fn check_added(
        &self,
        children: &[Bson],
        session: Option<&mut ClientSession>,
    ) -> Result<()> {
        let Sides { db, link, at, .. } = *self;
        let (collection, fields) = (link.child.collection, link.read());
        let (_, inside) = link.of_tenant(self.tenant());
        let by = ("_id", children);
        let read = driver::read_where(db, collection, by, &inside, &fields, session).await?;
        let lacks =
            |child: &Document| !link.is_marked(child) && !link.referred(child).contains(&at.id);
        match link.child_row() {
            Some(row) if read.iter().any(lacks) => Err(Error::Full {
                field: format!("{}.{}", link.child.name, row.rust),
                max: row.max,
            }),
            _ => Ok(()),
        }
    }

    /// Checks that children are there and have room for the document, which becomes their parent.
    async fn check_children(
        &self,
        children: &[Bson],
        session: Option<&mut ClientSession>,
    ) -> Result<()> {
        let Sides { db, link, at, .. } = *self;
        if children.is_empty() {
            return Ok(());
        }
        let full = if link.many {
            link.child_row().map_or(0, |row| row.max)
        } else {
            0
        };
        let size = doc! { "$size": { "$setUnion": [link.stored_ids(), [{ "$literal": &at.id }]] } };
        let mut fields = doc! { "_id": 1, stored::TOMBSTONE: 1, "n": size };
        fields.extend(link.deleted.map(|name| (name.to_owned(), Bson::from(1))));
        let (_, inside) = link.of_tenant(self.tenant());
        let (collection, by) = (link.child.collection, ("_id", children));
        let read = driver::read_where(db, collection, by, &inside, &fields, session).await?;
        let mut known = Vec::new();
        for child in read.iter().filter(|child| !link.is_marked(child)) {
            if full > 0 && child.get_i32("n").is_ok_and(|n| i64::from(n) as u64 > full) {
                let rust = link.child_row().map_or(link.row, |row| row.rust);
                let field = format!("{}.{rust}", link.child.name);
                return Err(Error::Full { field, max: full });
            }
            if !stored::has_tombstone(child) {
                known.extend(child.get("_id").cloned());
            }
        }
        let ids: Vec<Bson> = children
            .iter()
            .filter(|id| !known.contains(id))
            .cloned()
            .collect();
        if ids.is_empty() {
            return Ok(());
        }
        Err(Error::Dangling {
            model: at.meta.name,
            field: link.field.to_owned(),
            target: link.child.name,
            ids,
        })
    }
}
