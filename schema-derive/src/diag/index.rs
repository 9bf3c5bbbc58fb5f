//! Messages of the index rules (RULES 4.E). Numbers in notes are the server's error codes.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::Type;

use super::{Diag, expected, grouped, list, nearest, ty};
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

pub(crate) fn idx_ttl_range(site: &dyn ToTokens, owner: &str, max: u64) -> Diag {
    Diag::new(
        site,
        &rules::IDX_TTL_RANGE,
        format!(
            "`expire_after` on `{owner}` is longer than {} seconds (68 years)",
            grouped(max)
        ),
    )
    .help("`expire_after = \"30d\"`")
    .note("the server refuses it (error 67)")
}

pub(crate) fn idx_ttl_compound(site: &dyn ToTokens, owner: &str, item: &str) -> Diag {
    Diag::new(
        site,
        &rules::IDX_TTL_COMPOUND,
        format!("`expire_after` in the index on `{owner}`, which has several keys"),
    )
    .help(format!(
        "an index of its own: `#[index(expire_after = \"30d\")]` on the date field of `{item}`"
    ))
    .note("an expiring index has one field; the server refuses more (error 67)")
}

pub(crate) fn idx_ttl_id(site: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::IDX_TTL_ID,
        format!("`expire_after` on `{owner}`, which is the `_id`"),
    )
    .help("a date field of its own: `#[index(expire_after = \"30d\")] created: bson::DateTime`")
    .note("the server refuses it (error 197)")
}

pub(crate) fn idx_ttl_special(site: &dyn ToTokens, owner: &str, kind: &str) -> Diag {
    Diag::new(
        site,
        &rules::IDX_TTL_SPECIAL,
        format!("`expire_after` in the {kind} index on `{owner}`"),
    )
    .help("a plain date field: `#[index(expire_after = \"30d\")] created: bson::DateTime`")
    .note("the server never deletes anything by such an index, or refuses it (error 67)")
}

pub(crate) fn idx_ttl_type(site: &dyn ToTokens, owner: &str, written: &Type, stored: &str) -> Diag {
    let written = ty(written);
    let diag = Diag::new(
        site,
        &rules::IDX_TTL_TYPE,
        format!(
            "expiry by `{owner}: {written}` would never delete anything: it is stored as {stored}"
        ),
    )
    .help("make it a `bson::DateTime`");
    let diag = if written.contains("DateTime<") {
        diag.help("or `#[serde(with = \"bson::serde_helpers::datetime::FromChrono04DateTime\")]` on the field")
    } else {
        diag
    };
    diag.note("the server passes over documents whose field is not a date, without an error")
}

pub(crate) fn idx_text_many(
    site: &dyn ToTokens,
    owner: &str,
    first: &str,
    fields: &[String],
) -> Diag {
    let keys = fields
        .iter()
        .map(|field| format!("text({field})"))
        .collect::<Vec<_>>()
        .join(", ");
    Diag::new(
        site,
        &rules::IDX_TEXT_MANY,
        format!("second text index, on `{owner}`; the first is on `{first}`"),
    )
    .help(format!("one index of all: `#[model(index(keys({keys})))]`"))
    .note("a collection has one text index (error 85)")
}

pub(crate) fn idx_text_option(site: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::ATTR_CONFLICT,
        format!("the index on `{owner}` has an option of text indexes and no text key"),
    )
    .help("a text key is `text(title)` in `keys(..)`, or `#[index(text)]` on the field")
}

pub(crate) fn idx_text_apart(site: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::IDX_TEXT_SHAPE,
        format!("another key stands between the text keys of the index on `{owner}`"),
    )
    .help("put the text keys next to each other")
    .note("the server refuses it (error 67)")
}

pub(crate) fn idx_text_with(site: &dyn ToTokens, owner: &str, what: &str) -> Diag {
    let what = if what == "collation" {
        "a collation".to_owned()
    } else {
        format!("a {what} key")
    };
    Diag::new(
        site,
        &rules::IDX_TEXT_SHAPE,
        format!("the text index on `{owner}` has {what}"),
    )
    .help("an index of its own for it")
    .note("the server refuses it (error 67)")
}

pub(crate) fn idx_text_array(site: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::IDX_TEXT_SHAPE,
        format!("the text index has the key `{owner}`, which crosses an array"),
    )
    .help("an index of its own for it")
    .note("the server refuses every document with an array there (error 201)")
}

pub(crate) fn idx_text_no_words(site: &dyn ToTokens, owner: &str, stored: &str) -> Diag {
    Diag::new(
        site,
        &rules::IDX_TEXT_SHAPE,
        format!("text key `{owner}` is stored as {stored} and holds no words"),
    )
    .help("a plain index: `#[index]`")
    .note("a text index holds the words of strings only, and passes over the rest without an error")
}

pub(crate) fn idx_text_unique(site: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::ATTR_CONFLICT,
        format!("`unique` contradicts the text key of the index on `{owner}`"),
    )
    .help("an index of its own: `#[index(unique)]`")
    .note("a text index has one entry per word: no two documents could share a word")
}

pub(crate) fn idx_text_weight(site: &Ident, name: &str, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::ATTR_VALUE,
        format!("`weights({name} = ..)` names no text key of the index on `{owner}`"),
    )
    .help(format!("add the key `text({name})`, or remove the weight"))
    .note("the server would add the field to the index by itself")
}

pub(crate) fn idx_text_language(site: &dyn ToTokens, language: &str, owner: &str) -> Diag {
    Diag::new(site, &rules::IDX_TEXT_LANGUAGE, format!("`{language}` would be read as the language of the text index on `{owner}`"))
        .help("name another field in the index: `language_override = \"_language\"`")
        .help("if it is the language: `#[model(allow(idx_text_language, reason = \"..\"))]`")
        .note("the server refuses documents whose `language` it does not know (error 17262), or is null (error 17261)")
}

pub(crate) fn idx_text_unknown_language(
    site: &dyn ToTokens,
    language: &str,
    owner: &str,
    known: &[&str],
) -> Diag {
    Diag::new(
        site,
        &rules::IDX_TEXT_LANGUAGE,
        format!("`{language}` is no language of text search (index on `{owner}`)"),
    )
    .help(expected(language, known))
    .help("if your server knows it: `#[model(allow(idx_text_language, reason = \"..\"))]`")
    .note("the server refuses the index (error 67)")
}

pub(crate) fn idx_hashed_twice(site: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::IDX_HASHED,
        format!("two hashed keys in the index on `{owner}`"),
    )
    .help("one of them in ascending order")
    .note("the server refuses it (error 31303)")
}

pub(crate) fn idx_hashed_unique(site: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::IDX_HASHED,
        format!("the hashed index on `{owner}` cannot be unique"),
    )
    .help("`#[index(unique)]`, which serves equality too")
    .note("two values can have one hash; the server refuses it (error 16764)")
}

pub(crate) fn idx_hashed_geo(site: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::IDX_HASHED,
        format!("a hashed and a geo key in one index on `{owner}`"),
    )
    .help("two indexes")
    .note("the server refuses it (error 67)")
}

pub(crate) fn idx_hashed_array(site: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::IDX_HASHED,
        format!("hashed index on `{owner}`, which crosses an array"),
    )
    .help("index it in ascending order: `#[index]`")
    .note("the server refuses every document with an array there (error 16766)")
}

pub(crate) fn idx_wildcard_compound(site: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::IDX_WILDCARD,
        format!("the wildcard index on `{owner}` has other keys"),
    )
    .help("two indexes")
    .note("servers before 7.0 refuse it (error 67)")
}

pub(crate) fn idx_wildcard_option(site: &dyn ToTokens, owner: &str, option: &str) -> Diag {
    Diag::new(
        site,
        &rules::IDX_WILDCARD,
        format!("the wildcard index on `{owner}` cannot be {option}"),
    )
    .help(format!("remove `{option}`"))
    .note("the server refuses it (error 67)")
}

pub(crate) fn idx_geo(site: &dyn ToTokens, owner: &str, written: &Type, stored: &str) -> Diag {
    Diag::new(site, &rules::IDX_GEO, format!("geo index on `{owner}: {}`, which is stored as {stored}", ty(written)))
        .help("make it a GeoJSON document `{ type, coordinates }` or a pair `[f64; 2]` (longitude, latitude)")
        .note("the server refuses every document with another value there (error 16755)")
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
        .help("if that is meant: `#[model(allow(idx_unique_array, reason = \"..\"))]`")
        .note("no two documents could share one element, one document could hold it twice, and only one document could have no elements")
}

/// `skips` says that serde leaves `None` out, `sparse` that the index is.
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
            ty(written)
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
            ty(written)
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

/// Says how many of the indexes nobody wrote.
fn count(diag: Diag, brought: usize) -> Diag {
    match brought {
        0 => diag.note("the index of `_id` counts"),
        one => diag.note(format!(
            "the index of `_id` counts, and {one} that references bring with them"
        )),
    }
}
