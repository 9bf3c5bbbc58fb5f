//! The fact about a field, from its row.

use mongo_model::index::Literal;
use mongo_model::model::{
    Check, CopyRow, Derived, FieldRow, Fixed, Holds, Kind, Level, ModelMeta, Most, OnDelete, Part,
    Per, PeriodRow, RelationRow, Scope, Shape,
};

use super::facts::Fact;
use crate::models::stored_path;

/// The fact about a field of this document: its type, then what else is declared of it.
pub(super) fn fact_of(row: &FieldRow, shape: &Shape) -> Fact {
    let mut out = vec![type_of(row)];
    match (row.nullable && row.kind != Kind::Any, row.absent) {
        (true, true) => out.push("optional".to_owned()),
        (true, false) => out.push("or null".to_owned()),
        (false, true) => out.push("may be absent".to_owned()),
        (false, false) => {}
    }
    if !row.facts.tags.is_empty() {
        let mut tags = row.facts.tags.to_vec();
        tags.sort_unstable();
        out.push(one_of(&tags));
    } else if row.tag {
        out.push(OTHERS.to_owned());
    }
    let mut aliases = row.aliases.to_vec();
    aliases.sort_unstable();
    out.extend(aliases.iter().map(|alias| format!("alias {alias}")));
    if row.max > 0 {
        out.push(format!("max {}", row.max));
    }
    if row.max_len > 0 {
        out.push(format!("max_len {}", row.max_len));
    }
    if row.contains > 0 {
        out.push(format!("found by parts of {}", row.contains));
    }
    let mut checks: Vec<String> = row.checks.iter().map(check).collect();
    checks.sort_unstable();
    out.extend(checks);
    out.extend(role(row));
    if row.with {
        out.push("serde functions".to_owned());
    }
    if let Some(relation) = row.relation {
        add_relation(relation, &mut out);
    }
    if let Some(copy) = row.copy {
        add_copy(copy, shape, &mut out);
    }
    if let Some(derived) = row.derived {
        let child = (derived.child)();
        add_derived(derived.what, child, shape, &mut out);
        out.extend(
            derived
                .via
                .map(|via| format!("via {}", stored_path(child, via))),
        );
        out.extend(
            row.dated
                .map(|at| format!("in the period of {}", stored_path(child, at))),
        );
    }
    out.extend(row.period.map(period));
    Fact(out)
}

/// A tag may have values that no variant is named by.
pub(super) const OTHERS: &str = "or others";

/// The values of a tag, or of an enum without contents.
pub(super) fn one_of(values: &[&str]) -> String {
    format!("one of {}", values.join(" | "))
}

/// `products.Product`
pub(crate) fn name_of(model: &ModelMeta) -> String {
    format!("{}.{}", model.collection, model.name)
}

/// `string`, `[object id]`, `{i32}`
fn type_of(row: &FieldRow) -> String {
    if row.tag {
        return "tag".to_owned();
    }
    let element = || {
        let null = if row.facts.elem_nullable && row.facts.elem_kind != Kind::Any {
            " or null"
        } else {
            ""
        };
        format!("{}{null}", kind_name(row.facts.elem_kind, row.facts.range))
    };
    match row.kind {
        Kind::Array => format!("[{}]", element()),
        Kind::Map => format!("{{{}}}", element()),
        Kind::Binary if row.facts.dimensions > 0 => format!("vector {}", row.facts.dimensions),
        kind => kind_name(kind, row.facts.range),
    }
}

fn kind_name(kind: Kind, range: Option<(i64, i64)>) -> String {
    let name = match kind {
        Kind::String => "string",
        Kind::Int => return integer(range),
        Kind::Double => "double",
        Kind::Decimal => "decimal",
        Kind::Bool => "bool",
        Kind::Date => "date",
        Kind::ObjectId => "object id",
        Kind::Binary => "binary",
        Kind::Timestamp => "timestamp",
        Kind::Document => "document",
        Kind::Array => "array",
        Kind::Map => "map",
        _ => "any",
    };
    name.to_owned()
}

/// The Rust name of the integers in this range.
fn integer(range: Option<(i64, i64)>) -> String {
    let Some((least, greatest)) = range else {
        return "int".to_owned();
    };
    let sign = if least < 0 { 'i' } else { 'u' };
    // The signed maximum of 63 bits is that of `i64` and of `u64`, of which the server stores no more.
    let bits = match (least, 64 - greatest.leading_zeros()) {
        (_, 63) => 64,
        (0.., bits) => bits,
        (_, bits) => bits + 1,
    };
    match bits {
        8 | 16 | 32 | 64 => format!("{sign}{bits}"),
        _ => format!("int {least}..={greatest}"),
    }
}

/// `must be 0 to 100`, `each must not be empty on write`
fn check(check: &Check) -> String {
    let part = match check.part {
        Part::Whole => "",
        Part::Each => "each ",
        Part::Keys => "keys ",
    };
    let scope = match check.scope {
        Scope::Always => "",
        Scope::Write => " on write",
        Scope::Strict => " if strict",
    };
    format!("{part}{}{scope}", check.rule)
}

fn role(row: &FieldRow) -> Option<String> {
    if row.version.is_some() {
        return Some("version".to_owned());
    }
    let name = match row.fixed? {
        Fixed::Created => "created",
        Fixed::Updated => "updated",
        Fixed::Deleted => "deleted",
        Fixed::Immutable => "immutable",
        Fixed::Tenant => "tenant",
        Fixed::Volatile => "volatile",
        other => return Some(format!("{other:?}")),
    };
    Some(name.to_owned())
}

fn add_relation(relation: &RelationRow, out: &mut Vec<String>) {
    let target = (relation.target)();
    out.push(format!("-> {}", name_of(target)));
    if let Some(key) = relation.key {
        out.push(format!("by {}", stored_path(target, key)));
    }
    match relation.holds {
        Holds::MapKeys => out.push("keys of the map".to_owned()),
        Holds::MapValues => out.push("values of the map".to_owned()),
        _ => {}
    }
    if let Some((tag, value)) = relation.tag {
        out.push(format!("where {tag} is {value}"));
    }
    let rule = match relation.on_delete {
        OnDelete::Deny if relation.deny_purge => "deny the purge".to_owned(),
        OnDelete::Deny => "deny".to_owned(),
        OnDelete::Pull => "pull".to_owned(),
        OnDelete::Unset => "unset".to_owned(),
        OnDelete::Cascade => "cascade".to_owned(),
        OnDelete::Keep => "keep".to_owned(),
        other => format!("{other:?}"),
    };
    out.push(format!("on delete {rule}"));
    match (relation.inverse, relation.checked) {
        (Some(inverse), _) => {
            out.push(format!("inverse {}", stored_path(target, inverse)));
        }
        (None, true) => out.push("checked".to_owned()),
        (None, false) => out.push("unchecked".to_owned()),
    }
}

fn add_copy(copy: &CopyRow, shape: &Shape, out: &mut Vec<String>) {
    let source = (copy.source)();
    let field = stored_path(source, copy.field);
    out.push(format!("copy of {} {field}", name_of(source)));
    out.push(format!("via {}", stored_in(shape, copy.via)));
    out.push(match (copy.snapshot, copy.level) {
        (true, _) => "snapshot".to_owned(),
        (false, Level::Eventual) => "eventual".to_owned(),
        (false, Level::Transactional) => "transactional".to_owned(),
        (false, Level::FireAndForget) => "fire and forget".to_owned(),
        (false, other) => format!("{other:?}"),
    });
}

/// The stored name of a field of this document.
fn stored_in<'s>(shape: &Shape, rust: &'s str) -> &'s str {
    let field = shape.fields.iter().find(|row| row.rust == rust);
    field.map_or(rust, |row| row.name)
}

fn period(row: &PeriodRow) -> String {
    let per = match row.per {
        Per::Hour => "hour".to_owned(),
        Per::Day => "day".to_owned(),
        Per::Week => "week".to_owned(),
        Per::Month => "month".to_owned(),
        other => format!("{other:?}"),
    };
    format!("{per} of {} in {}", name_of((row.parent)()), row.zone)
}

/// The value that follows from the children, then its bound, factor, fields and conditions.
fn add_derived(derived: Derived, child: &ModelMeta, shape: &Shape, out: &mut Vec<String>) {
    let stored = |rust: &str| stored_path(child, rust);
    let times = |rust: Option<&str>| rust.map(|rust| format!("times {}", stored(rust)));
    let (what, more, only) = match derived {
        Derived::Count => ("count".to_owned(), None, &[][..]),
        Derived::CountUpTo { max } => {
            let max = match max {
                Most::Number(max) => max.to_string(),
                Most::Field(field) => stored_in(shape, field).to_owned(),
                other => format!("{other:?}"),
            };
            ("count".to_owned(), Some(format!("at most {max}")), &[][..])
        }
        Derived::Sum {
            field,
            times: by,
            only,
        } => match field {
            Some(field) => (format!("sum {}", stored(field)), times(by), only),
            None => ("count".to_owned(), times(by), only),
        },
        Derived::Average {
            field,
            times: by,
            only,
            ..
        } => (format!("average {}", stored(field)), times(by), only),
        Derived::Extreme {
            field, least, only, ..
        } => {
            let end = if least { "least" } else { "greatest" };
            (format!("{end} {}", stored(field)), None, only)
        }
        Derived::Recent {
            max,
            sort: (field, descending),
            fields,
            only,
        } => {
            let sign = if descending { "-" } else { "" };
            let mut shown: Vec<String> = fields.iter().map(|field| stored(field)).collect();
            shown.sort_unstable();
            let shows = format!("shows {}", shown.join(", "));
            let what = format!("last {max} by {sign}{}", stored(field));
            (what, Some(shows), only)
        }
        other => (format!("{other:?}"), None, &[][..]),
    };
    out.push(format!("{what} of {}", name_of(child)));
    out.extend(more);
    let only = only.iter();
    let mut only: Vec<String> = only
        .map(|(field, value)| format!("where {} is {}", stored(field), literal(*value)))
        .collect();
    only.sort_unstable();
    out.extend(only);
}

fn literal(value: Literal) -> String {
    match value {
        Literal::Str(text) => text.to_owned(),
        Literal::Int(number) => number.to_string(),
        Literal::Double(number) => number.to_string(),
        Literal::Bool(flag) => flag.to_string(),
        other => format!("{other:?}"),
    }
}
