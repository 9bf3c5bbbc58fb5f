//! Rules for the sort order of a declared access pattern.

use super::index::{many, shape_of};
use crate::__private::text::refuse;
use crate::schema::value::Value;

/// The sort field of an access pattern has one value in each document.
#[track_caller]
pub const fn access_sort<T: Value>(pattern: &'static str, path: &'static str) {
    let shape = shape_of::<T>();
    if !many(shape, path) {
        return;
    }
    refuse!(
        "`access({pattern}(..))` on `{name}` sorts by `{path}`, which holds many values [IDX_SORT_DIR]\n\
         help: sort by a field that holds one value\n\
         note: a document stands in an index once per element, so no index has an order of documents; the server sorts in memory";
        pattern, name = shape.name, path
    );
}
