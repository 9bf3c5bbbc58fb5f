//! What a declared access pattern is sorted by.

use crate::__private::text::Text;
use crate::model::{FieldRow, Kind};

/// A field that documents are sorted by holds one value.
#[track_caller]
pub const fn access_sort(
    row: &FieldRow,
    owner: &'static str,
    pattern: &'static str,
    field: &'static str,
) {
    if !matches!(row.kind, Kind::Array | Kind::Map) {
        return;
    }
    let text = Text::<1024>::new()
        .push_str("`access(")
        .push_str(pattern)
        .push_str("(..))` on `")
        .push_str(owner)
        .push_str("` sorts by `")
        .push_str(field)
        .push_str("`, which holds many values [IDX_SORT_DIR]\nhelp: sort by a field that holds one value\nnote: a document stands in an index once per element, so no index has an order of documents; the server sorts in memory");
    panic!("{}", text.as_str());
}
