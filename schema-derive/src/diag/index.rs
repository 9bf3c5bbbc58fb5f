//! Messages of the index rules (RULES 4.E). Numbers in notes are the server's error codes.

mod special;

use proc_macro2::Ident;
use quote::ToTokens;
use syn::Type;

pub(crate) use self::special::*;
use super::{Diag, expected, list, nearest, type_text};
use crate::rules;

fn words(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

/// `keys` or `weights` on a field.
pub(crate) fn idx_of_many(site: &dyn ToTokens, word: &str, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::ATTR_PLACE,
        format!("`{word}` has no meaning in `#[index(..)]` on the field `{owner}`"),
    )
    .help("an index of several fields stands on the struct: `#[model(index(keys(a, -b)))]`")
}

/// `desc`, `text`, ... beside `keys(..)`.
pub(crate) fn idx_kind_of_key(site: &dyn ToTokens, word: &str, owner: &str) -> Diag {
    let form = match word {
        "desc" => "keys(-time)".to_owned(),
        word => format!("keys({word}(field))"),
    };
    Diag::new(
        site,
        &rules::ATTR_PLACE,
        format!("`{word}` belongs to one key of `index(keys(..))` on `{owner}`"),
    )
    .help(format!("`index({form})`"))
}

pub(crate) fn idx_key_form(
    site: &dyn ToTokens,
    written: &str,
    owner: &str,
    repaired: Option<String>,
) -> Diag {
    let diag = Diag::new(
        site,
        &rules::ATTR_VALUE,
        format!("`{written}` in `index(keys(..))` on `{owner}` is not a key"),
    );
    match repaired {
        Some(key) => diag.help(format!("did you mean `{key}`?")),
        None => diag.help("a key is `host`, `-time`, `address.city`, `text(title)`, `hashed(user)`, `geo(place)`, `wildcard(attrs)` or `wildcard`"),
    }
    .note("keys are Rust field paths")
}

pub(crate) fn idx_partial_operator(site: &dyn ToTokens, operator: &str, owner: &str) -> Diag {
    Diag::new(site, &rules::IDX_PARTIAL, format!("`{operator}` on `{owner}` cannot be a condition of a partial index"))
        .help("possible are `exists`, `type = \"string\"`, `eq`, `gt`, `gte`, `lt` and `lte`; all conditions must hold")
        .note("the server refuses other operators there (error 67)")
}

pub(crate) fn idx_partial_unknown(
    word: &Ident,
    owner: &str,
    known: &[&str],
    on_field: bool,
) -> Diag {
    let name = word.to_string();
    let diag = Diag::new(
        word,
        &rules::ATTR_UNKNOWN,
        format!("unknown condition `{name}` in `partial(..)` on `{owner}`"),
    )
    .help(expected(&name, known));
    if on_field && nearest(&name, known).is_none() {
        diag.help(format!("a condition on another field stands on the struct: `#[model(index(keys(..), partial({name} = ..)))]`"))
    } else {
        diag
    }
}

pub(crate) fn idx_partial_type(site: &dyn ToTokens, owner: &str, known: &[&str]) -> Diag {
    let written = site.to_token_stream().to_string();
    Diag::new(
        site,
        &rules::IDX_PARTIAL,
        format!("{written} in `partial(type = ..)` on `{owner}` is not the name of a BSON type"),
    )
    .help(expected(written.trim_matches('"'), known))
    .note("the server refuses unknown types (error 2)")
}

pub(crate) fn idx_partial_value(site: &dyn ToTokens, written: &str, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::ATTR_VALUE,
        format!("`{written}` in `partial(..)` on `{owner}` is not a constant"),
    )
    .help("a string, a number, `true` or `false`")
}

pub(crate) fn idx_unnamed(site: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::ATTR_PLACE,
        format!("`#[index]` has no meaning on `{owner}`, which has no name in the document"),
    )
    .help("put it on the field that holds this type")
}

pub(crate) fn idx_unknown_field(
    site: &dyn ToTokens,
    name: &str,
    item: &str,
    fields: &[String],
) -> Diag {
    let fields = words(fields);
    let help = match nearest(name, &fields) {
        Some(field) => format!("did you mean `{field}`?"),
        None => format!("fields of `{item}` are {}", list(&fields)),
    };
    Diag::new(
        site,
        &rules::IDX_UNKNOWN_FIELD,
        format!("index on `{item}::{name}`: `{item}` has no field `{name}`"),
    )
    .help(help)
    .note("the server builds an index on a name that no document has, and it finds nothing")
}

pub(crate) fn idx_skipped_field(site: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::IDX_SKIPPED_FIELD,
        format!("index on `{owner}`, which serde skips: it would be empty"),
    )
    .help("index a field that is stored")
}

pub(crate) fn idx_flattened(site: &dyn ToTokens, owner: &str) -> Diag {
    let field = owner.rsplit("::").next().unwrap_or(owner);
    Diag::new(
        site,
        &rules::FLATTEN_RULE,
        format!("index on `{owner}`, which is flattened and has no name in the document"),
    )
    .help(format!("name a field inside it: `{field}.name`"))
}

pub(crate) fn idx_key_twice(site: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::IDX_KEY_VALUE,
        format!("`{owner}` stands twice in one index"),
    )
    .help("remove one of them")
}

pub(crate) fn idx_fields(site: &dyn ToTokens, item: &str, keys: usize, max: usize) -> Diag {
    Diag::new(
        site,
        &rules::IDX_FIELDS,
        format!("an index of `{item}` has {keys} keys, over the limit of {max}"),
    )
    .help("keep the keys that filters and sorts use")
    .note("the server refuses it (error 13103)")
}

pub(crate) fn idx_name(site: &dyn ToTokens, owner: &str, name: &str) -> Diag {
    let why = match name {
        "" => "is empty",
        "*" => "is `*`, which means all indexes",
        "_id_" => "is `_id_`, the index of `_id`",
        _ => "holds a NUL byte",
    };
    Diag::new(
        site,
        &rules::IDX_NAME,
        format!("the name of the index on `{owner}` {why}"),
    )
    .help("leave `name` out: the server's form `field_1` is used")
    .note("the server refuses it (error 67 or 2)")
}

pub(crate) fn idx_id(site: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::IDX_ID,
        format!("`{owner}` is the `_id`, which always has its own unique index"),
    )
    .help("remove the attribute")
    .note("the server takes no options on it (error 197)")
}

pub(crate) fn idx_parallel(
    site: &dyn ToTokens,
    first: &str,
    second: &str,
    paths: [&str; 2],
) -> Diag {
    let [a, b] = paths;
    Diag::new(
        site,
        &rules::IDX_PARALLEL,
        format!("index on `{first}` and `{second}` crosses two arrays"),
    )
    .help(format!(
        "two indexes: `#[model(index(keys({a})), index(keys({b})))]`"
    ))
    .help("or one array of documents that hold both values")
    .note(
        "the server refuses every document with both arrays (error 171, CannotIndexParallelArrays)",
    )
}

pub(crate) fn idx_unique_array(site: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(site, &rules::IDX_UNIQUE_ARRAY, format!("unique index on `{owner}` runs over an array"))
        .help("remove `unique`")
        .help("if this is intended: `#[model(allow(idx_unique_array, reason = \"..\"))]`")
        .note("no two documents could share one element, one document could hold it twice, and only one document could have no elements")
}

/// `keys` are those of the index with the entry's reference in its place.
pub(crate) fn idx_unique_entry(site: &dyn ToTokens, owner: &str, keys: &str) -> Diag {
    Diag::new(
        site,
        &rules::IDX_UNIQUE_ENTRY,
        format!("unique index on `{owner}` compares copies too, and accepts one reference twice"),
    )
    .help(format!("`#[model(index(keys({keys}), unique))]`"))
    .note("the key is the whole entry: it differs as soon as a copied field has changed in between, and the server then refuses to bring the older copy up to date (error 11000)")
}

/// `skips` says that serde leaves `None` out, `sparse` that the index leaves it out.
pub(crate) fn idx_unique_null(
    site: &dyn ToTokens,
    owner: &str,
    written: &Type,
    on_field: bool,
    field: &str,
    skips: bool,
    sparse: bool,
) -> Diag {
    let option = |condition: &str| match on_field {
        true => format!("#[index(unique, partial({condition}))]"),
        false => format!("index(keys(..), unique, partial({field}({condition})))"),
    };
    let diag = Diag::new(
        site,
        &rules::IDX_UNIQUE_NULL,
        format!(
            "unique index on `{owner}: {}`: two documents without a value would collide on null",
            type_text(written)
        ),
    );
    let diag = if skips {
        diag.help(format!("`{}`", option("exists")))
    } else {
        diag.help(format!(
            "`#[serde(skip_serializing_if = \"Option::is_none\")]` and `{}`",
            option("exists")
        ))
        .help(format!(
            "or, where null may be stored: `{}` with the type of the values",
            option("type = \"string\"")
        ))
    };
    if sparse {
        diag.note(
            "`sparse` does not help: `None` is stored as null, and null is indexed (error 11000)",
        )
    } else {
        diag.note("null and a missing field are values like others to a unique index (error 11000)")
    }
}

pub(crate) fn idx_partial_sparse(site: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::IDX_PARTIAL,
        format!("the index on `{owner}` is both partial and sparse"),
    )
    .help("remove `sparse`: `partial(exists)` says the same")
    .note("the server refuses it (error 67)")
}

pub(crate) fn idx_partial_never(site: &dyn ToTokens, owner: &str, written: &Type) -> Diag {
    Diag::new(
        site,
        &rules::IDX_PARTIAL,
        format!(
            "no value of `{owner}: {}` meets this condition: the index would be empty",
            type_text(written)
        ),
    )
    .help("compare with a value of the field's own type")
    .note("the server compares values of one BSON type only, and reports no error")
}

pub(crate) fn idx_duplicate(site: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::IDX_DUPLICATE,
        format!("the index on `{owner}` is declared twice"),
    )
    .help("remove one of them")
    .note("the server keeps one, and refuses a second name for it (error 85)")
}

pub(crate) fn idx_same_key(site: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::IDX_SAME_KEY,
        format!("two indexes on `{owner}` differ in nothing but their expiry"),
    )
    .help("keep the one with `expire_after`: it serves the same filters")
    .note("the server refuses the second (error 85)")
}

pub(crate) fn idx_name_conflict(
    site: &dyn ToTokens,
    owner: &str,
    earlier: &str,
    name: Option<&str>,
) -> Diag {
    let what = match name {
        Some(name) => format!("the indexes on `{owner}` and `{earlier}` are both named `{name}`"),
        None => format!("two indexes on `{owner}` have the same name"),
    };
    Diag::new(site, &rules::IDX_NAME_CONFLICT, what)
        .help("give one a name of its own: `name = \"..\"`")
        .note("the server refuses the second (error 86)")
}

pub(crate) fn idx_too_many(
    item: &Ident,
    owner: &str,
    all: usize,
    brought: usize,
    max: usize,
) -> Diag {
    count(
        Diag::new(
            item,
            &rules::IDX_TOO_MANY,
            format!("`{owner}` has {all} indexes, over the server's limit of {max}"),
        ),
        brought,
    )
    .help("remove those that are the beginning of another, and those that no filter uses")
}

pub(crate) fn idx_many(item: &Ident, owner: &str, all: usize, brought: usize) -> Diag {
    count(
        Diag::new(
            item,
            &rules::IDX_MANY,
            format!("`{owner}` has {all} indexes"),
        ),
        brought,
    )
    .help("remove those that are the beginning of another, and those that no filter uses")
    .help("to keep them: `#[model(allow(idx_many, reason = \"..\"))]`")
    .note("every write updates each of them; Atlas warns above 30")
}

/// Adds the number of indexes that references bring with them.
fn count(diag: Diag, brought: usize) -> Diag {
    match brought {
        0 => diag.note("the index of `_id` counts"),
        one => diag.note(format!(
            "the index of `_id` counts, and {one} that references bring with them"
        )),
    }
}
