//! Messages of the reference rules (RULES 4.B and 4.C).

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{LitStr, Path, Type};

use super::{Diag, expected, grouped, list, path_text, type_text};
use crate::rules;

pub(crate) fn refs_field_type(span: &Type, owner: &str, target: &Path) -> Diag {
    let (written, target) = (type_text(span), path_text(target));
    Diag::new(
        span,
        &rules::REFS_FIELD_TYPE,
        format!(
            "`#[refs({target})]` on `{owner}` needs an array of ids, but its type is `{written}`"
        ),
    )
    .help(format!("one reference: `#[parent({target})]`"))
    .help(format!("many: `Vec<Id<{target}>>`"))
    .note("an array of references is for one-to-many (rule of thumb 3)")
}

pub(crate) fn refs_map_copies(span: &Type, owner: &str, target: &Path) -> Diag {
    let target = path_text(target);
    Diag::new(
        span,
        &rules::REFS_MAP,
        format!("`{owner}` copies fields of `{target}` into a map of references"),
    )
    .help(format!("an array of entries: `Vec<{target}Ref>`"))
    .note("copies under a map's keys, which are data, cannot be found by id when their source changes")
}

pub(crate) fn refs_map_checked(site: &dyn ToTokens, owner: &str, target: &Path) -> Diag {
    let target = path_text(target);
    Diag::new(
        site,
        &rules::REFS_MAP,
        format!("`{owner}` cannot be `checked`: it is a map of references"),
    )
    .help(format!("hold the ids in an array: `Vec<Id<{target}>>`"))
    .note("a reference under a map's keys, which are data, cannot be found by id when its target goes")
}

pub(crate) fn unchecked_map(site: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        site,
        &rules::ATTR_PLACE,
        format!("`unchecked` has no meaning on `{owner}`: a map of references is never checked"),
    )
    .help("remove it")
}

pub(crate) fn unchecked_copy(site: &dyn ToTokens, owner: &str, copy: &str) -> Diag {
    Diag::new(
        site,
        &rules::ATTR_CONFLICT,
        format!("`unchecked` on `{owner}` contradicts the copy of `{copy}` that hangs on it"),
    )
    .help("remove `unchecked`, or freeze the copy: `snapshot`")
    .note("a copy is compared with its source once it is stored: the mark for that is the one that checks the reference")
}

pub(crate) fn refs_impossible(
    span: &dyn ToTokens,
    owner: &str,
    max: u64,
    item: &Ident,
    target: &Path,
) -> Diag {
    let target = path_text(target);
    Diag::new(
        span,
        &rules::REFS_IMPOSSIBLE,
        format!(
            "`{owner}` may hold {} references, but at most 844 414 ids fit in one document",
            grouped(max)
        ),
    )
    .help(format!(
        "point the other way: `#[parent({item})]` in `{target}`"
    ))
    .note("a document holds at most 16 777 216 bytes")
}

pub(crate) fn refs_too_many(
    span: &dyn ToTokens,
    owner: &str,
    max: u64,
    item: &Ident,
    target: &Path,
    allowable: bool,
) -> Diag {
    let target = path_text(target);
    let diag = Diag::new(
        span,
        &rules::REFS_TOO_MANY,
        format!(
            "`{owner}` may hold {} references, over {}",
            grouped(max),
            if allowable {
                "the limit of 5 000"
            } else {
                "the 10 000 that Atlas reports as an unbounded array"
            }
        ),
    )
    .help(format!(
        "point the other way: `#[parent({item})]` in `{target}`, and load with `{target}::by_..`"
    ));
    let diag = if allowable {
        diag.help("to keep it: `#[model(allow(refs_too_many, reason = \"why this is bounded\"))]`")
    } else {
        diag
    };
    diag.note("with more than a few thousand on the many side, do not use an array of references (rule of thumb 3)")
}

pub(crate) fn parent_field_type(span: &Type, owner: &str, target: &Path) -> Diag {
    let (written, target) = (type_text(span), path_text(target));
    Diag::new(
        span,
        &rules::PARENT_FIELD_TYPE,
        format!("`#[parent({target})]` on `{owner}` needs one id, but its type is `{written}`"),
    )
    .help(format!("many references: `#[refs({target})]`"))
    .help(format!("one: `Id<{target}>` or `Option<Id<{target}>>`"))
}

pub(crate) fn parent_sort_field(span: &Ident, owner: &str, names: &[String]) -> Diag {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Diag::new(
        span,
        &rules::PARENT_SORT_FIELD,
        format!("`sort = {span}` on `{owner}` names no stored field beside it"),
    )
    .help(if names.is_empty() {
        "add the field".to_owned()
    } else {
        expected(&span.to_string(), &names)
    })
}

pub(crate) fn unset_required(span: &dyn ToTokens, owner: &str, embedded: bool) -> Diag {
    let diag = Diag::new(
        span,
        &rules::ATTR_CONFLICT,
        format!("`on_delete = unset` on `{owner}` would leave a document that cannot be read"),
    )
    .help("make the field an `Option`, or choose `on_delete = deny`, `cascade` or `keep`");
    let diag = match embedded {
        true => diag.help("to remove the element that holds it: `on_delete = pull`"),
        false => diag,
    };
    diag.note("a required field that is absent is an error when the document is decoded")
}

pub(crate) fn via_of_ids(span: &Ident, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_PLACE,
        format!("`via = {span}` has no meaning on `{owner}`: its elements are the ids"),
    )
    .help("remove it")
    .note("`via` names the reference in the entries of a two-way array that refer to its target by several fields")
}

pub(crate) fn pull_alone(span: &dyn ToTokens, owner: &str, optional: bool) -> Diag {
    let other = if optional {
        "to remove the reference alone: `on_delete = unset`"
    } else {
        "to remove the reference alone: make the field an `Option`, with `on_delete = unset`"
    };
    Diag::new(
        span,
        &rules::PARENT_PULL,
        format!("`on_delete = pull` on `{owner}` has no element to remove: the reference is a field of the model itself"),
    )
    .help("to delete the whole document: `on_delete = cascade`")
    .help(other)
    .note("`pull` removes the element of an array, the entry of a map or the optional document that holds the reference")
}

pub(crate) fn denorm_entry(span: &Type, owner: &str, target: &Path, many: bool) -> Diag {
    let (written, target) = (type_text(span), path_text(target));
    let entry = target.rsplit("::").next().unwrap_or_default();
    let entry = if many {
        format!("Vec<{entry}Ref>")
    } else {
        format!("{entry}Ref")
    };
    Diag::new(
        span,
        &rules::DENORM_ENTRY,
        format!("`{owner}` copies fields of `{target}`, but its type `{written}` gives the entry no name"),
    )
    .help(format!("name the entry that is to be generated by one identifier: `{entry}`"))
    .note("a `#[denorm]` on the same field as its reference generates a struct with the id and the copies")
}

pub(crate) fn denorm_no_key(
    span: &dyn ToTokens,
    owner: &str,
    from: &Path,
    target: Option<&Path>,
) -> Diag {
    let from = path_text(from);
    let what = match target {
        Some(target) => format!(
            "`{owner}` copies from `{from}`, but it refers to `{}`",
            path_text(target)
        ),
        None => {
            format!("`{owner}` copies from `{from}`, but no reference to `{from}` stands beside it")
        }
    };
    let diag = Diag::new(span, &rules::DENORM_NO_KEY, what);
    match target {
        Some(target) => diag.help(format!("`#[denorm(from = {}, ..)]`", path_text(target))),
        None => diag.help(format!(
            "add `#[parent({from})] {}: Id<{from}>`",
            from.to_lowercase()
        )),
    }
    .note("a copy keeps the id of its source, or it could not be found when the source changes")
}

pub(crate) fn denorm_beside_refs(
    span: &dyn ToTokens,
    owner: &str,
    from: &Path,
    field: &str,
) -> Diag {
    let from = path_text(from);
    Diag::new(span, &rules::DENORM_NO_KEY, format!("`{owner}` copies one field of `{from}` beside an array of references to it"))
        .help(format!("put `#[denorm(from = {from}, field = {field})]` on the array: each id then carries its own copy"))
}

pub(crate) fn denorm_via_entry(span: &Ident, owner: &str) -> Diag {
    Diag::new(span, &rules::ATTR_CONFLICT, format!("`via = {span}` on `{owner}` has no meaning: the copy belongs to the field's own reference"))
        .help("remove `via`")
}

pub(crate) fn denorm_via_unknown(span: &Ident, owner: &str, from: &Path, names: &[String]) -> Diag {
    let from = path_text(from);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Diag::new(
        span,
        &rules::DENORM_NO_KEY,
        format!("`via = {span}` on `{owner}` names no `#[parent({from})]` field beside it"),
    )
    .help(if names.is_empty() {
        format!("add `#[parent({from})] {span}: Id<{from}>`")
    } else {
        expected(&span.to_string(), &names)
    })
}

pub(crate) fn denorm_ambiguous(
    span: &dyn ToTokens,
    owner: &str,
    from: &Path,
    names: &[String],
) -> Diag {
    let words: Vec<&str> = names.iter().map(String::as_str).collect();
    Diag::new(
        span,
        &rules::DENORM_AMBIGUOUS,
        format!(
            "`{owner}` copies from `{}`, but {} both refer to it",
            path_text(from),
            list(&words)
        ),
    )
    .help(format!(
        "say which: `via = {}`",
        names.first().map_or("", String::as_str)
    ))
}

pub(crate) fn denorm_id(span: &Ident, owner: &str, from: &Path, renamed: bool) -> Diag {
    let (what, help) = if renamed {
        ("calls a copy", "choose another `into`")
    } else {
        (
            "copies",
            "remove the copy; for a field `id` that is no `_id` choose another name with `into`",
        )
    };
    Diag::new(
        span,
        &rules::DENORM_ID,
        format!(
            "`{owner}` {what} `{span}`, but the entry always holds the id of its `{}`",
            path_text(from)
        ),
    )
    .help(help)
    .note("an `_id` never changes: a copy of it is a reference")
}

pub(crate) fn denorm_same_path(span: &dyn ToTokens, owner: &str, name: &str) -> Diag {
    Diag::new(
        span,
        &rules::DENORM_SAME_PATH,
        format!("`{name}` of `{owner}` is filled by two copies"),
    )
    .help("remove one, or rename it with `into = ..`")
    .note("the server refuses an update with conflicting paths (error 40)")
}

pub(crate) fn denorm_many_plain(span: &dyn ToTokens, owner: &str, from: &Path) -> Diag {
    let from = path_text(from);
    Diag::new(span, &rules::ATTR_PLACE, format!("`{owner}` is one field and cannot hold several copies of `{from}`"))
        .help(format!("one field per copy, or a generated entry: `#[parent({from})] #[denorm(from = {from}, fields(..))] x: {from}Ref`"))
}

pub(crate) fn denorm_into_plain(span: &Ident, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_PLACE,
        format!("`into = {span}` has no meaning on `{owner}`: the copy is the field itself"),
    )
    .help(format!("remove it, or rename the field to `{span}`"))
}

pub(crate) fn denorm_id_plain(span: &LitStr, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_PLACE,
        format!("`id = ..` has no meaning on `{owner}`: the reference is another field"),
    )
    .help("remove it; to rename the reference, put `#[serde(rename = \"..\")]` on that field")
}

pub(crate) fn denorm_id_twice(span: &LitStr, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_CONFLICT,
        format!("`{owner}` stores its id under two names"),
    )
    .help("give one `id = ..`")
}

pub(crate) fn denorm_id_name(span: &LitStr, owner: &str, problem: &str) -> Diag {
    Diag::new(
        span,
        &rules::FIELD_NAME,
        format!("the id of `{owner}` is stored under a name that {problem}"),
    )
    .help("`id = \"_id\"`")
}

pub(crate) fn denorm_id_reserved(span: &LitStr, owner: &str) -> Diag {
    let name = span.value();
    Diag::new(
        span,
        &rules::RESERVED_FIELD,
        format!("the id of `{owner}` is stored as `{name}`, which belongs to the library"),
    )
    .help("`id = \"_id\"`")
}

pub(crate) fn denorm_id_copy(span: &LitStr, owner: &str, from: &Path) -> Diag {
    let (name, from) = (span.value(), path_text(from));
    Diag::new(
        span,
        &rules::DENORM_SAME_PATH,
        format!("`{name}` of `{owner}` is both its id and a copy of `{from}`"),
    )
    .help("`id = \"_id\"`, or rename the copy with `into = ..`")
}

pub(crate) fn denorm_derive_plain(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_PLACE,
        format!("`derive(..)` has no meaning on `{owner}`: nothing is generated for it"),
    )
    .help("remove it")
}

pub(crate) fn denorm_cycle(span: &Ident, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::DENORM_CYCLE,
        format!("`{owner}` copies itself"),
    )
    .help("copy another field, or remove the copy")
    .note("a change would go round in a cycle forever")
}
