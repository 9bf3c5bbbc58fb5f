//! The result types of loads: separate types, never the model with missing parts.

use std::ops::Deref;

use crate::schema::model::Model;

/// The loaded documents of a reference field: the values, and the ids that no document has.
///
/// It is not the model: it cannot be stored back, so a list that was loaded in part cannot overwrite the whole. The values
/// are in the order in which their ids are stored (or in the order of `sort`); an id stored twice gives two separate
/// values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded<O, I = <O as Model>::DocumentId> {
    pub(super) values: Vec<O>,
    pub(super) missing: Vec<I>,
    pub(super) ambiguous: Vec<I>,
}

impl<O, I> Loaded<O, I> {
    /// The documents.
    #[must_use]
    pub fn values(&self) -> &[O] {
        &self.values
    }

    /// The ids that no document has, each once, in stored order.
    #[must_use]
    pub fn missing(&self) -> &[I] {
        &self.missing
    }

    /// The keys that several documents have, each once, in stored order: a natural key (`key = ..`) whose unique index
    /// is missing. Their value comes from one of these documents, always the same one.
    #[must_use]
    pub fn ambiguous(&self) -> &[I] {
        &self.ambiguous
    }

    /// The documents, owned.
    #[must_use]
    pub fn into_vec(self) -> Vec<O> {
        self.values
    }
}

/// The documents of a reference field that match the filter of the load, in stored order (or in that of `sort`). It does not
/// distinguish filtered from dangling ids: that would need a second command. Keys that several documents have are an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matching<O> {
    pub(super) values: Vec<O>,
}

impl<O> Matching<O> {
    /// The documents.
    #[must_use]
    pub fn values(&self) -> &[O] {
        &self.values
    }

    /// The documents, owned.
    #[must_use]
    pub fn into_vec(self) -> Vec<O> {
        self.values
    }
}

/// The loaded documents of a reference field, one slot per stored id: slot `n` belongs to the field's `n`th reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slots<O, I = <O as Model>::DocumentId> {
    pub(super) slots: Vec<Option<O>>,
    pub(super) missing: Vec<I>,
    pub(super) ambiguous: Vec<I>,
}

impl<O, I> Slots<O, I> {
    /// The slots; `None` where the id dangles, and where the array holds a null.
    #[must_use]
    pub fn slots(&self) -> &[Option<O>] {
        &self.slots
    }

    /// The ids that no document has, each once, in stored order.
    #[must_use]
    pub fn missing(&self) -> &[I] {
        &self.missing
    }

    /// The keys that several documents have, each once: see [`Loaded::ambiguous`].
    #[must_use]
    pub fn ambiguous(&self) -> &[I] {
        &self.ambiguous
    }

    /// The slots, owned.
    #[must_use]
    pub fn into_vec(self) -> Vec<Option<O>> {
        self.slots
    }
}

/// The loaded document of a single reference: a document, a dangling id, or no reference at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadedOne<O, I = <O as Model>::DocumentId> {
    pub(super) value: Option<O>,
    pub(super) missing: Option<I>,
    pub(super) ambiguous: Option<I>,
}

impl<O, I> LoadedOne<O, I> {
    /// The document; `None` if the field holds no reference or its id dangles.
    #[must_use]
    pub fn value(&self) -> Option<&O> {
        self.value.as_ref()
    }

    /// The id, if no document has it.
    #[must_use]
    pub fn missing(&self) -> Option<&I> {
        self.missing.as_ref()
    }

    /// The key, if several documents have it: see [`Loaded::ambiguous`].
    #[must_use]
    pub fn ambiguous(&self) -> Option<&I> {
        self.ambiguous.as_ref()
    }

    /// The document, owned.
    #[must_use]
    pub fn into_option(self) -> Option<O> {
        self.value
    }
}

/// The documents of a join, each with the result of its load, in the order of the input.
pub type LoadedMany<'d, D, L> = Vec<(&'d D, L)>;

macro_rules! lists {
    ($($ty:ident<O $(, $i:ident)?>: $field:ident -> $item:ty;)*) => {$(
        impl<O $(, $i)?> Deref for $ty<O $(, $i)?> {
            type Target = [$item];

            fn deref(&self) -> &[$item] {
                &self.$field
            }
        }

        impl<O $(, $i)?> IntoIterator for $ty<O $(, $i)?> {
            type Item = $item;
            type IntoIter = std::vec::IntoIter<$item>;

            fn into_iter(self) -> Self::IntoIter {
                self.$field.into_iter()
            }
        }

        impl<'l, O $(, $i)?> IntoIterator for &'l $ty<O $(, $i)?> {
            type Item = &'l $item;
            type IntoIter = std::slice::Iter<'l, $item>;

            fn into_iter(self) -> Self::IntoIter {
                self.$field.iter()
            }
        }
    )*};
}

lists! {
    Loaded<O, I>: values -> O;
    Matching<O>: values -> O;
    Slots<O, I>: slots -> Option<O>;
}

/// A result whose documents can be replaced one by one, as [`nest`](super::Join::nest) does.
pub trait Container: Send {
    /// A document.
    type Item;
    /// The result without the documents.
    type Rest: Send;
    /// The same type of result with other documents.
    type Of<T>;

    /// Takes the documents out, in order.
    fn into_parts(self) -> (Vec<Self::Item>, Self::Rest);

    /// Puts as many other documents in.
    fn from_parts<T>(values: Vec<T>, rest: Self::Rest) -> Self::Of<T>;
}

impl<O: Send, I: Send> Container for Loaded<O, I> {
    type Item = O;
    /// The missing and the ambiguous ids.
    type Rest = (Vec<I>, Vec<I>);
    type Of<T> = Loaded<T, I>;

    fn into_parts(self) -> (Vec<O>, Self::Rest) {
        (self.values, (self.missing, self.ambiguous))
    }

    fn from_parts<T>(values: Vec<T>, (missing, ambiguous): Self::Rest) -> Loaded<T, I> {
        Loaded {
            values,
            missing,
            ambiguous,
        }
    }
}

impl<O: Send> Container for Matching<O> {
    type Item = O;
    type Rest = ();
    type Of<T> = Matching<T>;

    fn into_parts(self) -> (Vec<O>, ()) {
        (self.values, ())
    }

    fn from_parts<T>(values: Vec<T>, (): ()) -> Matching<T> {
        Matching { values }
    }
}

impl<O: Send> Container for Vec<O> {
    type Item = O;
    type Rest = ();
    type Of<T> = Vec<T>;

    fn into_parts(self) -> (Vec<O>, ()) {
        (self, ())
    }

    fn from_parts<T>(values: Vec<T>, (): ()) -> Vec<T> {
        values
    }
}

impl<O: Send, I: Send> Container for Slots<O, I> {
    type Item = O;
    /// True for each slot that is filled; and the missing and the ambiguous ids.
    type Rest = (Vec<bool>, Vec<I>, Vec<I>);
    type Of<T> = Slots<T, I>;

    fn into_parts(self) -> (Vec<O>, Self::Rest) {
        let filled = self.slots.iter().map(Option::is_some).collect();
        let values = self.slots.into_iter().flatten().collect();
        (values, (filled, self.missing, self.ambiguous))
    }

    fn from_parts<T>(values: Vec<T>, (filled, missing, ambiguous): Self::Rest) -> Slots<T, I> {
        let mut values = values.into_iter();
        let slots = filled
            .into_iter()
            .map(|filled| if filled { values.next() } else { None });
        Slots {
            slots: slots.collect(),
            missing,
            ambiguous,
        }
    }
}

impl<O: Send, I: Send> Container for LoadedOne<O, I> {
    type Item = O;
    /// The missing and the ambiguous id.
    type Rest = (Option<I>, Option<I>);
    type Of<T> = LoadedOne<T, I>;

    fn into_parts(self) -> (Vec<O>, Self::Rest) {
        let rest = (self.missing, self.ambiguous);
        (self.value.into_iter().collect(), rest)
    }

    fn from_parts<T>(values: Vec<T>, (missing, ambiguous): Self::Rest) -> LoadedOne<T, I> {
        LoadedOne {
            value: values.into_iter().next(),
            missing,
            ambiguous,
        }
    }
}
