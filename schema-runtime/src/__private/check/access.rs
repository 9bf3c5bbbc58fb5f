//! Rules for the sort order of a declared access pattern.

use super::index::{many, shape_of};
use crate::__private::text::Text;
use crate::schema::value::Value;

/// The sort field of an access pattern has one value in each document.
#[track_caller]
pub const fn access_sort<T: Value>(pattern: &'static str, path: &'static str) {
    let shape = shape_of::<T>();
    if !many(shape, path) {
        return;
    }
    let text = Text::<1024>::new()
        .push_str("`access(")
        .push_str(pattern)
        .push_str("(..))` on `")
        .push_str(shape.name)
        .push_str("` sorts by `")
        .push_str(path)
        .push_str("`, which holds many values [IDX_SORT_DIR]\nhelp: sort by a field that holds one value\nnote: a document stands in an index once per element, so no index has an order of documents; the server sorts in memory");
    panic!("{}", text.as_str());
}
