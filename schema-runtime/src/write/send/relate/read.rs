//! Reads of the documents on both sides, before a change of a two-way reference: the ids that belong together now, and the check that new
//! ones may.

use bson::{Bson, Document, doc};

use super::Sides;
use crate::driver::{self, ClientSession, FindArgs};
use crate::error::{Error, Result};
use crate::propagation::capacity::room_for;
use crate::schema::stored;

impl Sides<'_> {
    /// Reads the ids that belong to the document, from the references that decide it.
    pub(super) async fn read_ids(
        &self,
        mut session: Option<&mut ClientSession>,
    ) -> Result<Vec<Bson>> {
        let (db, link, id) = (self.db, self.link, &self.at.id);
        let mut out = Vec::new();
        let is_child = !self.is_parent || link.is_symmetric();
        if is_child {
            let fields = link.read();
            let ids = std::slice::from_ref(id);
            let collection = link.child.collection;
            let read = driver::read_by(db, collection, "_id", ids, &fields, session.as_deref_mut())
                .await?;
            let parents = read.iter().flat_map(|child| link.parents_in(child));
            out.extend(parents.filter(|parent| link.is_truth(id, parent)));
        }
        if self.is_parent {
            let args = FindArgs {
                projection: Some(doc! { "_id": 1 }),
                ..FindArgs::default()
            };
            let filter = link.live(doc! { &link.reference: { "$eq": id } });
            let mut rows = driver::open(db, link.child.collection, filter, args, session).await?;
            while let Some(row) = rows.next(|raw| Ok(Document::try_from(raw).ok())).await? {
                let child = row.and_then(|mut row| row.remove("_id"));
                out.extend(child.filter(|child| link.is_truth(child, id)));
            }
        }
        Ok(out)
    }

    /// Checks that the document is there, which becomes the parent of these children, and has room for them; and that they are.
    pub(super) async fn check_there(
        &self,
        children: &[Bson],
        mut session: Option<&mut ClientSession>,
    ) -> Result<()> {
        let Sides { db, link, at, .. } = *self;
        let parent = vec![at.id.clone()];
        let belongs = children.iter().map(|child| (child.clone(), parent.clone()));
        let belongs = match belongs.collect::<Vec<_>>() {
            none if none.is_empty() => vec![(Bson::Null, parent)],
            some => some,
        };
        let missing = room_for(db, link, &belongs, &[], session.as_deref_mut()).await?;
        if !missing.is_empty() {
            return Err(Error::NotFound {
                model: at.meta.name,
                id: Box::new(at.id.clone()),
            });
        }
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
        let read =
            driver::read_by(db, link.child.collection, "_id", children, &fields, session).await?;
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
