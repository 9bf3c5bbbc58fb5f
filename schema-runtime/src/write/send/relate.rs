//! Changes both sides of a reference: sets another parent, or adds to or removes from the array on the other side. `entries` is for arrays
//! that decide by entries, `read` looks at the stored documents before a change,
//! `request` has what is asked for.

mod entries;
mod read;
pub(crate) mod request;

use bson::{Bson, Document, doc};

use self::request::{At, Change};
use super::arrays::{Edit, NewEntries, edit, edit_many};
use crate::bson_util::id_key::IdKey;
use crate::document::self_references;
use crate::driver::{ClientSession, Database};
use crate::error::violation::Violation;
use crate::error::{Error, Result};
use crate::graph::edges::Edges;
use crate::graph::links::{Keeps, Link};
use crate::outcome::Outcome;
use crate::propagation::capacity::{NewChild, NewParents, reserve_places};
use crate::propagation::two_way::Places;
use crate::schema::rows::FieldRow;
use crate::write::send::request::UpdateRequest;
use crate::write::send::update::prepare;

/// Gives the document at `at` the parent `to`, null for none: what an update that sets the reference does.
pub(crate) async fn reassign(
    db: &Database,
    at: At,
    to: Bson,
    session: Option<&mut ClientSession>,
) -> Result<Outcome> {
    let mut links = Edges::get().links().iter();
    let link = links.find(|link| {
        let row = link.child_row();
        link.child.collection == at.meta.collection && row.is_some_and(|row| row.rust == at.field)
    });
    let link = link.ok_or_else(|| unknown(&at))?;
    let done = set_reference(db, link, (&at, &at.id), Document::new(), to, session).await?;
    if done.matched == 0 {
        return Err(Error::NotFound {
            model: at.meta.name,
            id: Box::new(at.id),
        });
    }
    Ok(done)
}

/// Changes the array at `at`, and the other side with it.
pub(crate) async fn relate(
    db: &Database,
    at: At,
    change: Change,
    mut session: Option<&mut ClientSession>,
) -> Result<Outcome> {
    let sides = Sides::find(db, &at)?;
    if let Some(name) = sides.link.entry_id.filter(|_| sides.decides) {
        return sides.change_own_entries(name, change, session).await;
    }
    let ids = sides.changed_ids(change, session.as_deref_mut()).await?;
    if sides.link.is_symmetric() && ids.contain(&at.id) {
        return Err(Error::Impossible {
            what: format!(
                "{}.{} of {}: a document cannot be on both sides of itself",
                at.meta.name, at.field, at.id
            ),
        });
    }
    if sides.decides {
        sides.change_own_array(ids, session).await
    } else if sides.link.many {
        sides.change_other_arrays(ids, session).await
    } else {
        sides.change_references(ids, session).await
    }
}

fn unknown(at: &At) -> Error {
    Error::Impossible {
        what: format!(
            "{}.{} has no other side among the models of this program",
            at.meta.name, at.field
        ),
    }
}

/// The ids that come to an array, and the ids that leave it.
#[derive(Debug, Default)]
struct ChangedIds {
    add: Vec<Bson>,
    remove: Vec<Bson>,
}

impl ChangedIds {
    fn contain(&self, id: &Bson) -> bool {
        self.add.contains(id) || self.remove.contains(id)
    }
}

/// The ids, each once.
fn distinct_ids(mut ids: Vec<Bson>) -> Vec<Bson> {
    let mut seen = std::collections::HashSet::new();
    ids.retain(|id| seen.insert(IdKey::new(id)));
    ids
}

/// Sets the reference of a live child that meets a condition, in the tenant of the document at `at`.
async fn set_reference(
    db: &Database,
    link: &'static Link,
    (at, child): (&At, &Bson),
    condition: Document,
    to: Bson,
    mut session: Option<&mut ClientSession>,
) -> Result<Outcome> {
    let mut operators = reference_update(link, to);
    self_references::check_update(link.child, &operators, child)?;
    let (_, inside) = link.of_tenant(at.tenant.as_ref());
    let mut by_id = doc! { "_id": { "$eq": child } };
    by_id.extend(inside);
    let request = UpdateRequest {
        operators: &mut operators,
        adds: &mut [],
        one: Some(&by_id),
        many: None,
    };
    let prepared = prepare(db, link.child, request, None, session.as_deref_mut()).await?;
    let prepared = prepared.ok_or_else(|| Error::Impossible {
        what: link.name.clone(),
    })?;
    let in_session = session.is_some();
    let mut filter = by_id.clone();
    filter.extend(condition);
    let sent = prepared.send(db, link.live(filter), operators, session);
    let sent = sent.await?;
    if sent.outcome.matched == 0 {
        return Ok(sent.outcome);
    }
    prepared.follow(db, &by_id, sent, in_session).await
}

/// The update that makes the children refer to `to`.
fn reference_update(link: &Link, to: Bson) -> Document {
    let row = link.child_row();
    let relation = row.and_then(|row| row.relation);
    let entry = relation.filter(|relation| relation.entry);
    match to {
        Bson::Null if row.is_some_and(|row| !row.nullable) => doc! { "$unset": { link.row: "" } },
        Bson::Null => doc! { "$set": { link.row: Bson::Null } },
        to => match entry {
            Some(entry) => doc! { "$set": { link.row: { entry.entry_id: to } } },
            None => doc! { "$set": { link.row: to } },
        },
    }
}

/// True if a child may be without a parent.
fn may_be_none(row: Option<&FieldRow>) -> bool {
    row.is_some_and(|row| row.nullable)
}

/// A document and one of its two-way references.
struct Sides<'s> {
    db: &'s Database,
    link: &'static Link,
    at: &'s At,
    /// True if the document is a parent of this link.
    is_parent: bool,
    /// True if the document's own array says which documents belong together.
    decides: bool,
    /// The bound of the document's array; 0 for none.
    max: u64,
}

impl<'s> Sides<'s> {
    fn find(db: &'s Database, at: &'s At) -> Result<Self> {
        let ids = |link: &&Link| matches!(link.keeps, Keeps::Ids { .. });
        let mut links = Edges::get().links().iter().filter(ids);
        let kept = links.find(|link| {
            let row = link.host_row();
            link.host.collection == at.meta.collection
                && row.is_some_and(|row| row.rust == at.field)
        });
        let mut links = Edges::get().links().iter().filter(ids);
        let truth = links.find(|link| {
            let row = link.child_row();
            link.child.collection == at.meta.collection
                && row.is_some_and(|row| row.rust == at.field)
        });
        let (link, decides) = match (kept, truth) {
            (Some(link), _) => (link, link.is_symmetric()),
            (None, Some(link)) => (link, true),
            (None, None) => return Err(unknown(at)),
        };
        let max = match kept {
            Some(link) => link.max(),
            None => link.child_row().map_or(0, |row| row.max),
        };
        Ok(Sides {
            db,
            link,
            at,
            is_parent: kept.is_some(),
            decides,
            max,
        })
    }

    /// The tenant of the documents on both sides.
    fn tenant(&self) -> Option<&'s Bson> {
        self.at.tenant.as_ref()
    }

    /// A child, and its tenant.
    fn with_tenant<'c>(&self, child: &'c Bson) -> (&'c Bson, Option<&'c Bson>)
    where
        's: 'c,
    {
        (child, self.tenant())
    }

    /// Reserves the places of the document in the arrays of its new parents.
    async fn reserve_own(
        &self,
        parents: &[Bson],
        session: Option<&mut ClientSession>,
    ) -> Result<Places> {
        let new = NewParents {
            link: self.link,
            children: vec![NewChild {
                id: self.at.id.clone(),
                parents: parents.to_vec(),
                tenant: self.at.tenant.clone(),
            }],
        };
        reserve_places(self.db, &[new], &[], session).await
    }

    /// True if the entries of the side that decides hold more than an id.
    fn has_members(&self) -> bool {
        let relation = self.link.child_row().and_then(|row| row.relation);
        relation.is_some_and(|relation| relation.members)
    }

    /// Refuses more elements than the bound of the document's array.
    fn check_len(&self, elements: &[Bson]) -> Result<()> {
        let (max, len) = (self.max, elements.len() as u64);
        if max > 0 && len > max {
            let violation = Violation::too_long(self.at.field.to_owned(), max);
            return Err(Error::invalid(self.at.meta.name, vec![violation]));
        }
        Ok(())
    }

    /// The document's field, as errors name it.
    fn field(&self) -> String {
        format!("{}.{}", self.at.meta.name, self.at.field)
    }

    /// The ids that a change adds and removes. Reads the stored ids first, if the change replaces them.
    async fn changed_ids(
        &self,
        change: Change,
        session: Option<&mut ClientSession>,
    ) -> Result<ChangedIds> {
        let Sides { link, at, .. } = *self;
        Ok(match change {
            Change::Add(_) | Change::Replace(_) if self.has_members() => {
                return Err(Error::Impossible {
                    what: format!(
                        "{}.{} follows {}.{}, whose entries hold more than an id: add entries there",
                        at.meta.name, at.field, link.child.name, link.row
                    ),
                });
            }
            Change::Add(others) => ChangedIds {
                add: distinct_ids(others),
                ..ChangedIds::default()
            },
            Change::Remove(others) => ChangedIds {
                remove: distinct_ids(others),
                ..ChangedIds::default()
            },
            Change::Replace(others) => {
                let others = distinct_ids(others);
                self.check_len(&others)?;
                let now = self.read_ids(session).await?;
                let without = |ids: &[Bson], these: &[Bson]| -> Vec<Bson> {
                    let new = ids.iter().filter(|id| !these.contains(id));
                    new.cloned().collect()
                };
                ChangedIds {
                    add: without(&others, &now),
                    remove: without(&now, &others),
                }
            }
        })
    }

    /// Changes children that refer to one parent, where the document is that parent.
    async fn change_references(
        &self,
        ChangedIds { add, remove }: ChangedIds,
        mut session: Option<&mut ClientSession>,
    ) -> Result<Outcome> {
        let Sides { db, link, at, .. } = *self;
        if !remove.is_empty() && !may_be_none(link.child_row()) {
            return Err(Error::Impossible {
                what: format!(
                    "{}.{} of {} cannot lose a {}, which must have a {}: give it another one",
                    at.meta.name, at.field, at.id, link.child.name, link.host.name
                ),
            });
        }
        self.check_there(&add, session.as_deref_mut()).await?;
        let mut out = Outcome::default();
        for (children, to) in [(remove, Bson::Null), (add, at.id.clone())] {
            for child in children {
                let here = if to == Bson::Null { "$eq" } else { "$ne" };
                let condition = doc! { &link.reference: { here: &at.id } };
                let (of, session) = ((at, &child), session.as_deref_mut());
                let done = set_reference(db, link, of, condition, to.clone(), session).await?;
                add_up(&mut out, done);
            }
        }
        Ok(out)
    }

    /// Changes a relation whose two sides are arrays, and whose truth is in the documents on the other side.
    async fn change_other_arrays(
        &self,
        ChangedIds { add, remove }: ChangedIds,
        mut session: Option<&mut ClientSession>,
    ) -> Result<Outcome> {
        let places = self.reserve_there(&add, session.as_deref_mut()).await?;
        let changed = ChangedIds { add, remove };
        match self.edit_other_arrays(changed, session).await {
            Ok(outcome) => Ok(outcome),
            Err(error) => Err(places.release_after(self.db, error).await),
        }
    }

    async fn edit_other_arrays(
        &self,
        ChangedIds { add, remove }: ChangedIds,
        mut session: Option<&mut ClientSession>,
    ) -> Result<Outcome> {
        let Sides { db, link, at, .. } = *self;
        let parent = std::slice::from_ref(&at.id);
        let new = match link.entry_id {
            Some(name) if !add.is_empty() => {
                let entry = vec![Bson::Document(doc! { name: &at.id })];
                let new = (entry, Vec::new());
                let session = session.as_deref_mut();
                Some(
                    NewEntries::filled(db, link, self.with_tenant(&Bson::Null), new, session)
                        .await?,
                )
            }
            _ => None,
        };
        let mut out = Outcome::default();
        for (children, add, remove) in [(remove, &[][..], parent), (add, parent, &[][..])] {
            let new = new.as_ref().filter(|_| !add.is_empty());
            let edit = Edit {
                add,
                remove,
                entries: new.map_or(&[], |new| &new.add),
                mark: new.and_then(NewEntries::mark),
                ..Edit::default()
            };
            let (held, these) = (session.as_deref_mut(), (&children[..], self.tenant()));
            let done = edit_many(db, link, these, edit, new, held).await?;
            let all = done.matched == children.len() as u64;
            add_up(&mut out, done);
            if !add.is_empty() && !all {
                // Another program has filled an array meanwhile, or removed its document: no array gets the document.
                let checked = self.check_added(&children, session.as_deref_mut()).await;
                if let Err(error) = checked {
                    let undo = Edit {
                        remove: parent,
                        ..Edit::default()
                    };
                    edit_many(db, link, these, undo, None, session).await?;
                    return Err(error);
                }
            }
        }
        Ok(out)
    }

    /// Changes a relation whose two sides are arrays, and whose truth is in this document. If the field is its own other side, the truth of
    /// some pairs is in the other document.
    async fn change_own_array(
        &self,
        ChangedIds { add, remove }: ChangedIds,
        mut session: Option<&mut ClientSession>,
    ) -> Result<Outcome> {
        let Sides { db, link, at, .. } = *self;
        let own = |other: &Bson| link.is_truth(&at.id, other);
        let (add, add_there): (Vec<Bson>, Vec<Bson>) = add.into_iter().partition(own);
        let (remove, remove_there): (Vec<Bson>, Vec<Bson>) = remove.into_iter().partition(own);
        let places = self.reserve_own(&add, session.as_deref_mut()).await?;
        let edit_own = Edit {
            add: &add,
            remove: &remove,
            ..Edit::default()
        };
        let own = self.with_tenant(&at.id);
        let edited = edit(db, link, own, edit_own, None, session.as_deref_mut()).await;
        let mut out = match edited {
            Ok(out) => out,
            Err(error) => return Err(places.release_after(db, error).await),
        };
        if !add_there.is_empty() || !remove_there.is_empty() {
            let there = ChangedIds {
                add: add_there,
                remove: remove_there,
            };
            let rest = self.change_other_arrays(there, session).await?;
            add_up(&mut out, rest);
        }
        Ok(out)
    }
}

fn add_up(out: &mut Outcome, done: Outcome) {
    out.matched += done.matched;
    out.modified += done.modified;
    out.pending.extend(done.pending);
}
