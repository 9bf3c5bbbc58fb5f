//! Arrays, sets and maps.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, LinkedList, VecDeque};
use std::hash::{BuildHasher, Hash};

use super::Element;
use crate::codec::writer::Index;
use crate::codec::{Reader, Refused, Writer};

/// An array is not given more memory than this before its elements are seen.
const RESERVED: usize = 1 << 16;

#[inline]
fn write_all<'a, T: Element + 'a>(
    values: impl IntoIterator<Item = &'a T>,
    key: &[u8],
    to: &mut Writer,
) -> Result<(), Refused> {
    let array = to.array(key);
    let mut index = Index::FIRST;
    for value in values {
        value.write(index.key(), to)?;
        index.step();
    }
    to.close(array)
}

/// Reads every element; `grow` receives an estimate of the number of elements that are left.
#[inline]
fn read_all<T: Element, C: Default>(
    kind: u8,
    from: &mut Reader<'_>,
    grow: impl FnOnce(&mut C, usize),
    mut push: impl FnMut(&mut C, T),
) -> Result<C, Refused> {
    let mut array = from.array(kind)?;
    let mut values = C::default();
    let all = array.rest().len();
    let Some(kind) = array.next_value()? else {
        return Ok(values);
    };
    let first = T::read(kind, &mut array)?;
    // The estimate takes all elements to be as long as the first; the bytes that are there bound it.
    let rest = array.rest().len();
    let guess = rest / (all - rest).max(1) + 1;
    grow(
        &mut values,
        guess.min(RESERVED / size_of::<T>().max(1)).max(1),
    );
    push(&mut values, first);
    while let Some(kind) = array.next_value()? {
        push(&mut values, T::read(kind, &mut array)?);
    }
    Ok(values)
}

impl<T: Element> Element for Vec<T> {
    #[inline]
    fn write(&self, key: &[u8], to: &mut Writer) -> Result<(), Refused> {
        write_all(self, key, to)
    }

    #[inline]
    fn read(kind: u8, from: &mut Reader<'_>) -> Result<Self, Refused> {
        read_all(kind, from, Vec::reserve, Vec::push)
    }
}

impl<T: Element> Element for Box<[T]> {
    fn write(&self, key: &[u8], to: &mut Writer) -> Result<(), Refused> {
        write_all(&**self, key, to)
    }

    fn read(kind: u8, from: &mut Reader<'_>) -> Result<Self, Refused> {
        Vec::read(kind, from).map(Vec::into_boxed_slice)
    }
}

impl<T: Element, const N: usize> Element for [T; N] {
    fn write(&self, key: &[u8], to: &mut Writer) -> Result<(), Refused> {
        write_all(self, key, to)
    }

    fn read(kind: u8, from: &mut Reader<'_>) -> Result<Self, Refused> {
        let values: Vec<T> = Vec::read(kind, from)?;
        values.try_into().map_err(|_| Refused)
    }
}

/// Collections that are read element by element.
macro_rules! collections {
    ($($ty:ident<T $(: $bound:ident + $more:ident, $state:ident)?> $($ord:ident)?: $push:ident;)*) => {$(
        impl<T: Element $(+ $bound + $more, $state: BuildHasher + Default)? $(+ $ord)?> Element for $ty<T $(, $state)?> {
            fn write(&self, key: &[u8], to: &mut Writer) -> Result<(), Refused> {
                write_all(self, key, to)
            }

            fn read(kind: u8, from: &mut Reader<'_>) -> Result<Self, Refused> {
                read_all(kind, from, |_, _| {}, |values: &mut Self, value| {
                    values.$push(value);
                })
            }
        }
    )*};
}

collections! {
    VecDeque<T>: push_back;
    LinkedList<T>: push_back;
    BTreeSet<T> Ord: insert;
    HashSet<T: Eq + Hash, S>: insert;
}

fn write_map<'a, V: Element + 'a>(
    entries: impl IntoIterator<Item = (&'a String, &'a V)>,
    key: &[u8],
    to: &mut Writer,
) -> Result<(), Refused> {
    let document = to.document(key);
    let mut name = Vec::new();
    for (key, value) in entries {
        if key.as_bytes().contains(&0) {
            return Err(Refused);
        }
        name.clear();
        name.extend_from_slice(key.as_bytes());
        name.push(0);
        value.write(&name, to)?;
    }
    to.close(document)
}

fn read_map<V: Element, M: Default>(
    kind: u8,
    from: &mut Reader<'_>,
    mut insert: impl FnMut(&mut M, String, V),
) -> Result<M, Refused> {
    let mut document = from.document(kind)?;
    let mut entries = M::default();
    while let Some((key, kind)) = document.key()? {
        let name = std::str::from_utf8(&key[..key.len() - 1]).map_err(|_| Refused)?;
        insert(&mut entries, name.to_owned(), V::read(kind, &mut document)?);
    }
    Ok(entries)
}

impl<V: Element, S: BuildHasher + Default> Element for HashMap<String, V, S> {
    fn write(&self, key: &[u8], to: &mut Writer) -> Result<(), Refused> {
        write_map(self, key, to)
    }

    fn read(kind: u8, from: &mut Reader<'_>) -> Result<Self, Refused> {
        read_map(kind, from, |entries: &mut Self, key, value| {
            entries.insert(key, value);
        })
    }
}

impl<V: Element> Element for BTreeMap<String, V> {
    fn write(&self, key: &[u8], to: &mut Writer) -> Result<(), Refused> {
        write_map(self, key, to)
    }

    fn read(kind: u8, from: &mut Reader<'_>) -> Result<Self, Refused> {
        read_map(kind, from, |entries: &mut Self, key, value| {
            entries.insert(key, value);
        })
    }
}
