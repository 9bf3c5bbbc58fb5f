//! Filters on the keys of maps, which are data.

use std::collections::{BTreeMap, HashMap};

use bson::doc;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::Filter;
use super::expr::Expr;
use super::served::NotServed;
use crate::codec::{CodecError, encode_value};
use crate::error::Error;
use crate::schema::field::place::{Path, path};
use crate::schema::field::{Field, IndexKind, IntoArg};
use crate::schema::model::Model;

/// Maps, for the operators on their keys.
#[diagnostic::on_unimplemented(
    message = "this field holds `{Self}`, which is not a map",
    label = "not a map"
)]
pub trait MapValue {
    /// The type of the keys.
    type Key: Serialize;
}
#[diagnostic::do_not_recommend]
impl<K: Serialize, V, S> MapValue for HashMap<K, V, S> {
    type Key = K;
}
#[diagnostic::do_not_recommend]
impl<K: Serialize, V> MapValue for BTreeMap<K, V> {
    type Key = K;
}
#[diagnostic::do_not_recommend]
impl<T: MapValue> MapValue for Option<T> {
    type Key = T::Key;
}

impl<P: Path, T: MapValue, I: IndexKind, W> Field<P, T, I, W>
where
    P::Root: Model,
{
    /// The map has this key: `|t| t.roles.has_key(user)`. No index serves it, because keys are data.
    pub fn has_key(self, key: impl IntoArg<T::Key>) -> Filter<P::Root, NotServed> {
        Filter::at::<P>(has_key::<P, T::Key>(&key.into_arg()))
    }
}

/// The condition that the map at `P` has this key.
fn has_key<P: Path, K: Serialize>(key: &K) -> Result<Expr, Error>
where
    P::Root: Model,
{
    let map = path::<P>();
    let key = text_of(key).map_err(super::encode_error::<P>)?;
    if is_step(&key) {
        return Ok(doc! { format!("{map}.{key}"): { "$exists": true } }.into());
    }
    // A key that no path can name is compared as a value.
    let fields = &P::Root::model_meta().flat().fields;
    if fields
        .iter()
        .any(|field| field.path == map && field.through_array)
    {
        return Err(Error::Impossible {
            what: format!(
                "a filter on the key `{key}` of {}.{map}, which is inside an array: no path names this key",
                P::Root::model_meta().name
            ),
        });
    }
    let stored = format!("${map}");
    let entries = doc! { "$objectToArray": { "$cond": [
        { "$eq": [{ "$type": &stored }, "object"] },
        &stored,
        {},
    ] } };
    let keys = doc! { "$map": { "input": entries, "in": "$$this.k" } };
    Ok(doc! { "$expr": { "$in": [{ "$literal": key }, keys] } }.into())
}

/// The key as a map stores it.
fn text_of<K: Serialize>(key: &K) -> Result<String, CodecError> {
    struct OneEntry<'k, K>(&'k K);
    impl<K: Serialize> Serialize for OneEntry<'_, K> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut map = serializer.serialize_map(Some(1))?;
            map.serialize_entry(self.0, &true)?;
            map.end()
        }
    }
    let map = encode_value(&OneEntry(key))?;
    let key = map.as_document().and_then(|map| map.keys().next().cloned());
    Ok(key.unwrap_or_default())
}

/// True if a path can name the key.
fn is_step(key: &str) -> bool {
    !key.is_empty() && !key.starts_with('$') && !key.contains(['.', '\0'])
}
