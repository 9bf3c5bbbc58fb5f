//! Messages about `bucket(..)`.

use proc_macro2::Ident;
use quote::ToTokens;

use super::{Diag, expected};
use crate::rules;

pub(crate) fn bucket_items(span: &Ident, owner: &str, names: &[String]) -> Diag {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let diag = Diag::new(
        span,
        &rules::BUCKET_ITEMS,
        format!("`bucket({span})` of `{owner}` names no stored field of it"),
    );
    if names.is_empty() {
        return diag.help(format!("`#[embed(max = 50)] pub {span}: Vec<Item>`"));
    }
    diag.help(expected(&span.to_string(), &names))
}

pub(crate) fn bucket_option(span: &dyn ToTokens, items: &Ident, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_UNKNOWN,
        format!("`bucket({items})` on `{owner}` takes nothing else"),
    )
    .help(format!(
        "state the capacity of a bucket on the field: `#[embed(max = 50)] pub {items}: ..`"
    ))
}

pub(crate) fn bucket_enum(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_PLACE,
        format!("`bucket` has no meaning on `{owner}`, which is an enum"),
    )
    .help("a struct whose items are of several kinds: `lines: Vec<Line>`, with `#[serde(tag = \"kind\")] enum Line` or a field of such")
}

pub(crate) fn bucket_array(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::BUCKET_ITEMS,
        format!("`{owner}` holds the items of a bucket, and is not a `Vec` of embedded documents"),
    )
    .help("`#[embed(max = 50)] pub lines: Vec<LogLine>`")
    .note("items are appended with `$push`, and found by their `id`")
}

pub(crate) fn bucket_scalars(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::BUCKET_ITEMS,
        format!("`{owner}` holds the items of a bucket, and they have no `id`"),
    )
    .help("a `Vec` of a struct with `#[derive(MongoEmbed)]` and a field `id`")
    .note("an item that is sent twice is stored once: its `id` identifies it")
}

pub(crate) fn bucket_max(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::BUCKET_MAX,
        format!("`{owner}` holds the items of a bucket, and nothing says how many"),
    )
    .help("`#[embed(max = 50)]`, at most 1000: the next bucket is opened when it is full")
    .note("a bucket is read and written as one document: it holds about as many items as one page shows")
}

pub(crate) fn bucket_count(span: &Ident, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::BUCKET_COUNT,
        format!("bucket `{owner}` has no field `count`"),
    )
    .help("`pub count: i64`")
    .note("the number of items is kept in the same update as the items, so that counting reads none of them")
}

pub(crate) fn bucket_count_field(span: &Ident, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::BUCKET_COUNT,
        format!("`{owner}` is the number of a bucket's items, and something else besides"),
    )
    .help("`pub count: i64`, without attributes")
}

pub(crate) fn bucket_id(span: &dyn ToTokens, owner: &str, parent: Option<&Ident>) -> Diag {
    let parent = parent.map_or_else(|| "Host".to_owned(), ToString::to_string);
    Diag::new(
        span,
        &rules::BUCKET_UNIQUE,
        format!("`{owner}` is the `_id` of a bucket, and does not name its parent"),
    )
    .help(format!("`BucketId<{parent}>`"))
    .note("it is the parent's `_id` and a number: without that, writers at the same time open several buckets")
}

pub(crate) fn bucket_parent(span: &dyn ToTokens, owner: &str, of: &str) -> Diag {
    let field = of.to_lowercase();
    Diag::new(
        span,
        &rules::BUCKET_PARENT,
        format!("bucket `{owner}` belongs to a `{of}`, and does not refer to it"),
    )
    .help(format!("`#[parent({of})] pub {field}: Id<{of}>`"))
    .note("its index finds the buckets of one parent: to delete them with it, and to look for an item in them")
}

pub(crate) fn bucket_parents(span: &Ident, owner: &str, of: &str) -> Diag {
    Diag::new(
        span,
        &rules::BUCKET_PARENT,
        format!("`{owner}` is a second reference to the `{of}` that the bucket belongs to"),
    )
    .help("refer to another one by an id inside the items")
}

pub(crate) fn bucket_parent_plain(span: &dyn ToTokens, owner: &str, what: &str) -> Diag {
    Diag::new(
        span,
        &rules::BUCKET_PARENT,
        format!("`{owner}` names the parent of the bucket, and does not go with {what}"),
    )
    .help("`#[parent(Host)] pub host: Id<Host>`; copies stand beside it: `#[denorm(from = Host, field = name)] pub name: String`")
    .note("it holds the same `_id` as the bucket's own, and never changes")
}

pub(crate) fn bucket_and(span: &dyn ToTokens, with: &str, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_CONFLICT,
        format!("`bucket` on `{owner}` contradicts `{with}`"),
    )
    .help(format!(
        "remove `{with}`: buckets are written by pushes alone"
    ))
}

pub(crate) fn bucket_version(span: &Ident, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_CONFLICT,
        format!("`{owner}` is a version, which a bucket has no use for"),
    )
    .help("remove it: a bucket is never stored as a whole, so nothing can be overwritten")
}

pub(crate) fn overflow_place(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_PLACE,
        format!(
            "`overflow` has no meaning on `{owner}`, which is no field of a model that is a struct"
        ),
    )
    .help("put the array into the model: the buckets belong to a document of their own `_id`")
}

pub(crate) fn overflow_twice(span: &dyn ToTokens, owner: &str, first: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_CONFLICT,
        format!("`{owner}` overflows, and so does `{first}`"),
    )
    .help("one array of a model overflows: make buckets of the other, `#[model(bucket(..))]`")
}

pub(crate) fn overflow_of_bucket(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_CONFLICT,
        format!("`{owner}` holds the items of a bucket, and overflows"),
    )
    .help("remove `overflow`: the next bucket is opened when this one is full")
}

pub(crate) fn overflow_array(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::OUTLIER_FLAG,
        format!("`{owner}` overflows, and is not a `Vec` of embedded documents"),
    )
    .help("`#[embed(max = 50, overflow = ExtraCustomers)] pub customers: Vec<Customer>`")
    .note("items are appended with `$push`, and found by their `id`")
}

pub(crate) fn overflow_flag(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::OUTLIER_FLAG,
        format!("`{owner}` overflows, but has no field `has_extras` beside it"),
    )
    .help("`pub has_extras: bool`")
    .note("readers ask for the other documents only where it is true")
}
