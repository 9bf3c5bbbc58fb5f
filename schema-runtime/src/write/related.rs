//! Builders that change both sides of a reference: they set another parent, add to or remove from the array on the other side, or
//! rebuild a parent's derived data from its children.

use std::fmt;
use std::marker::PhantomData;

use bson::{Bson, Document, RawBson};
use serde::Serialize;

use crate::builder::{CallOptions, answers, awaits};
use crate::builder::{settles, write_options, writes_in_transactions};
use crate::codec::encode_value;
use crate::document::guard;
use crate::document::id::encode_id;
use crate::driver::{ClientSession, Database};
use crate::error::{Error, Result};
use crate::graph::links::Keeps;
use crate::index::duplicate;
use crate::outcome::Outcome;
use crate::outcome::Pending;
use crate::propagation::counter;
use crate::propagation::recent::verify;
use crate::schema::field::IntoArg;
use crate::schema::model::Model;
use crate::tenant::{Confined, Wall};
use crate::write::send::relate::request::{At, Change};
use crate::write::send::relate::{reassign, relate};

/// Another parent for one document, about to be written: the result of `reassign_<field>`. `.await` gives an
/// [`Outcome`](crate::Outcome).
///
/// The reference and both arrays on its other side are in three documents. The referring document is written first, with a
/// flag; then its id moves from the old parent's array to the new one's. A failure after the first write is in
/// [`Outcome::pending`](crate::Outcome::pending) and is finished by [`recover`](crate::recover) or a
/// [`Sweeper`](crate::Sweeper): the two sides disagree at most for a moment, never forever.
///
/// # Errors
/// [`Error::NotFound`] for a document that does not exist, [`Error::Dangling`] for a new parent that does not,
/// [`Error::MissingIndex`], or the driver's.
#[must_use = "nothing is sent before it is awaited"]
pub struct Reassign<'a, M> {
    db: &'a Database,
    id: Result<Bson>,
    field: &'static str,
    to: Result<Bson>,
    /// The wall of the call; `None` if the model has none.
    wall: Option<Wall>,
    session: Option<&'a mut ClientSession>,
    notes: Option<&'a mut Vec<Pending>>,
    call: CallOptions,
    model: PhantomData<fn() -> M>,
}

impl<M> fmt::Debug for Reassign<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reassign")
            .field("field", &self.field)
            .field("id", &self.id)
            .field("to", &self.to)
            .finish_non_exhaustive()
    }
}

impl<'a, M: Model> Reassign<'a, M> {
    /// For the derives: `field` is the Rust name of the reference; `to` is an id, or none.
    #[doc(hidden)]
    pub fn new<T: Model>(
        db: &'a Database,
        id: M::DocumentId,
        field: &'static str,
        to: Option<T::DocumentId>,
    ) -> Self {
        Reassign {
            db,
            id: encode_id::<M>(&id),
            field,
            to: to.map_or(Ok(Bson::Null), |id| encode_id::<T>(&id)),
            wall: None,
            session: None,
            notes: None,
            call: CallOptions::default(),
            model: PhantomData,
        }
    }
}

impl<M> Confined for Reassign<'_, M> {
    fn confined(mut self, wall: &Wall) -> Self {
        wall.set_options(&mut self.call);
        self.wall = Some(wall.clone());
        self
    }
}

writes_in_transactions!(Reassign);
settles!(Reassign, call);
write_options!(Reassign, Related);

answers!(['a, M: Model] Reassign<'a, M> => Outcome, self, self.call.clone(), {
    let at = At::within(self.wall.as_ref(), M::model_meta(), self.field, self.id?)?;
    let done = reassign(self.db, at, self.to?, self.session).await;
    let done = done.map_err(|error| duplicate::typed(M::model_meta(), error, &[]))?;
    Ok(done.noted(self.notes))
});

/// A change of an array that is one side of a two-way reference, about to be written: the result of `add_<element>`, `remove_<element>`,
/// `add_<field>`, `remove_<field>` and `replace_<field>`. `.await` gives an [`Outcome`](crate::Outcome).
///
/// If the other side is one reference (`parent`), the change writes that, as [`Reassign`] does: adding gives the other document
/// this parent and takes it from its old parent, removing leaves it without one. If both sides are arrays, one is written with
/// a flag, and the other follows. Ids that are added or removed already stay as they are. A failure after the first write is in
/// [`Outcome::pending`](crate::Outcome::pending), and finished later.
///
/// # Errors
/// [`Error::NotFound`] if the document does not exist, [`Error::Dangling`] if the other one does not, [`Error::Full`] for an array
/// at its bound, [`Error::Impossible`] for a removal that would leave a document without a parent it must have,
/// [`Error::MissingIndex`], or the driver's.
#[must_use = "nothing is sent before it is awaited"]
pub struct Related<'a, M> {
    db: &'a Database,
    id: Result<Bson>,
    field: &'static str,
    change: Result<Change>,
    /// The wall of the call; `None` if the model has none.
    wall: Option<Wall>,
    session: Option<&'a mut ClientSession>,
    notes: Option<&'a mut Vec<Pending>>,
    call: CallOptions,
    model: PhantomData<fn() -> M>,
}

impl<M> fmt::Debug for Related<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Related")
            .field("field", &self.field)
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

impl<'a, M: Model> Related<'a, M> {
    /// For the derives: adds these `T` to the array `field`, a Rust name.
    #[doc(hidden)]
    pub fn add<T: Model, I: IntoArg<T::DocumentId>>(
        db: &'a Database,
        id: M::DocumentId,
        field: &'static str,
        others: impl IntoIterator<Item = I>,
    ) -> Self {
        Self::new(db, id, field, encode_ids::<T, I>(others).map(Change::Add))
    }

    /// For the derives: removes these `T` from the array.
    #[doc(hidden)]
    pub fn remove<T: Model, I: IntoArg<T::DocumentId>>(
        db: &'a Database,
        id: M::DocumentId,
        field: &'static str,
        others: impl IntoIterator<Item = I>,
    ) -> Self {
        Self::new(
            db,
            id,
            field,
            encode_ids::<T, I>(others).map(Change::Remove),
        )
    }

    /// For the derives: makes the array hold exactly these `T`.
    #[doc(hidden)]
    pub fn replace<T: Model, I: IntoArg<T::DocumentId>>(
        db: &'a Database,
        id: M::DocumentId,
        field: &'static str,
        others: impl IntoIterator<Item = I>,
    ) -> Self {
        Self::new(
            db,
            id,
            field,
            encode_ids::<T, I>(others).map(Change::Replace),
        )
    }

    /// For the derives: adds these memberships to the array `field`, a Rust name.
    #[doc(hidden)]
    pub fn add_members<E: Serialize, I: IntoArg<E>>(
        db: &'a Database,
        id: M::DocumentId,
        field: &'static str,
        members: impl IntoIterator<Item = I>,
    ) -> Self {
        Self::new(
            db,
            id,
            field,
            encode_members::<M, E, I>(field, members).map(Change::Add),
        )
    }

    /// For the derives: makes the array hold exactly these memberships.
    #[doc(hidden)]
    pub fn replace_members<E: Serialize, I: IntoArg<E>>(
        db: &'a Database,
        id: M::DocumentId,
        field: &'static str,
        members: impl IntoIterator<Item = I>,
    ) -> Self {
        Self::new(
            db,
            id,
            field,
            encode_members::<M, E, I>(field, members).map(Change::Replace),
        )
    }

    fn new(
        db: &'a Database,
        id: M::DocumentId,
        field: &'static str,
        change: Result<Change>,
    ) -> Self {
        Related {
            db,
            id: encode_id::<M>(&id),
            field,
            change,
            wall: None,
            session: None,
            notes: None,
            call: CallOptions::default(),
            model: PhantomData,
        }
    }
}

/// The ids as they are stored.
fn encode_ids<T: Model, I: IntoArg<T::DocumentId>>(
    others: impl IntoIterator<Item = I>,
) -> Result<Vec<Bson>> {
    let others = others.into_iter();
    others
        .map(|other| encode_id::<T>(&other.into_arg()))
        .collect()
}

fn encode_members<M: Model, E: Serialize, I: IntoArg<E>>(
    field: &'static str,
    members: impl IntoIterator<Item = I>,
) -> Result<Vec<Bson>> {
    let members = members.into_iter();
    members
        .map(|member| encode_member::<M, E>(field, &member.into_arg()))
        .collect()
}

/// A membership as its array stores it; its own bounds are checked.
fn encode_member<M: Model, E: Serialize>(field: &'static str, member: &E) -> Result<Bson> {
    let meta = M::model_meta();
    let member = encode_value(member).map_err(|source| Error::Encode {
        model: meta.name,
        field: field.to_owned(),
        source: Box::new(source),
    })?;
    let row = M::FIELDS.iter().find(|row| row.rust == field);
    let raw = RawBson::try_from(member.clone()).ok();
    if let (Some(row), Some(raw)) = (row, raw) {
        guard::element(row, raw.as_raw_bson_ref(), (meta, row.name))?;
    }
    Ok(member)
}

impl<M> Confined for Related<'_, M> {
    fn confined(mut self, wall: &Wall) -> Self {
        wall.set_options(&mut self.call);
        self.wall = Some(wall.clone());
        self
    }
}

writes_in_transactions!(Related);
settles!(Related, call);

answers!(['a, M: Model] Related<'a, M> => Outcome, self, self.call.clone(), {
    let at = At::within(self.wall.as_ref(), M::model_meta(), self.field, self.id?)?;
    let done = relate(self.db, at, self.change?, self.session).await;
    let done = done.map_err(|error| duplicate::typed(M::model_meta(), error, &[]))?;
    Ok(done.noted(self.notes))
});

/// The list of the last children of one document, about to be rebuilt from the children: the result of `rebuild_<field>`.
///
/// The same for the least or the greatest value (`#[min]`, `#[max]`), which is kept as a list of one child.
///
/// For a list that a program without the library has changed, or that was declared when the children existed already. One
/// `update` marks the list as unverified and every entry as older than its child; then the last children are read through an
/// index, in order, those that differ durably, and written in one `findAndModify`; a check that finds nothing to change removes the
/// mark. The list is never empty meanwhile, and [`recover`](crate::recover) finishes an interrupted rebuild.
///
/// # Errors
/// [`Error::NotFound`] for a document that is not there, [`Error::MissingIndex`], or the driver's.
#[must_use = "nothing is sent before it is awaited"]
pub struct Rebuild<'a, M> {
    db: &'a Database,
    id: Result<Bson>,
    /// The condition that the document belongs to the tenant of the call.
    among: Document,
    field: &'static str,
    model: PhantomData<fn() -> M>,
}

impl<M> fmt::Debug for Rebuild<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rebuild")
            .field("field", &self.field)
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

impl<'a, M: Model> Rebuild<'a, M> {
    /// For the derives: `field` is the Rust name of the list.
    #[doc(hidden)]
    pub fn new(db: &'a Database, id: M::DocumentId, field: &'static str) -> Self {
        Rebuild {
            db,
            id: encode_id::<M>(&id),
            among: Document::new(),
            field,
            model: PhantomData,
        }
    }
}

impl<M: Model> Confined for Rebuild<'_, M> {
    fn confined(mut self, wall: &Wall) -> Self {
        self.among = wall.restrict(M::model_meta(), self.among);
        self
    }
}

awaits!(['a, M: Model] Rebuild<'a, M> => (), self {
    let at = At { meta: M::model_meta(), field: self.field, id: self.id?, tenant: None };
    rebuild(self.db, at, &self.among).await
});

/// The number of the children of one document, about to be counted again: the result of `recount_<field>`.
///
/// For a number that a program without the library has changed, or that was declared when the children existed already.
/// Counts them through the index of their reference and writes the number in one `update`, which does nothing if a child was added
/// or removed in between; then the recount starts again.
///
/// # Errors
/// [`Error::NotFound`] for a document that is not there, [`Error::MissingIndex`], or the driver's.
#[must_use = "nothing is sent before it is awaited"]
pub struct Recount<'a, M> {
    db: &'a Database,
    id: Result<Bson>,
    /// The condition that the document belongs to the tenant of the call.
    among: Document,
    field: &'static str,
    model: PhantomData<fn() -> M>,
}

impl<M> fmt::Debug for Recount<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recount")
            .field("field", &self.field)
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

impl<'a, M: Model> Recount<'a, M> {
    /// For the derives: `field` is the Rust name of the number.
    #[doc(hidden)]
    pub fn new(db: &'a Database, id: M::DocumentId, field: &'static str) -> Self {
        Recount {
            db,
            id: encode_id::<M>(&id),
            among: Document::new(),
            field,
            model: PhantomData,
        }
    }
}

impl<M: Model> Confined for Recount<'_, M> {
    fn confined(mut self, wall: &Wall) -> Self {
        self.among = wall.restrict(M::model_meta(), self.among);
        self
    }
}

awaits!(['a, M: Model] Recount<'a, M> => (), self {
    let at = At { meta: M::model_meta(), field: self.field, id: self.id?, tenant: None };
    recount(self.db, at, &self.among).await
});

/// Rebuilds the list at `at` from its children.
async fn rebuild(db: &Database, at: At, among: &Document) -> Result<()> {
    let link = at.link()?;
    let there = match &link.keeps {
        Keeps::Recent(list) => verify::rebuild(db, link, list, &at.id, among).await?,
        Keeps::Ids { .. } | Keeps::Number(_) => return Err(at.keeps_nothing()),
    };
    at.found(there)
}

/// Recounts the number at `at` from its children, or the two of an average.
async fn recount(db: &Database, at: At, among: &Document) -> Result<()> {
    at.link()?;
    for link in at.links() {
        let done = counter::recount(db, link, &at.id, among).await?;
        at.found(done.is_some())?;
    }
    Ok(())
}
