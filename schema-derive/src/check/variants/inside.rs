//! Rules on the variants of an embedded enum that store a field under one name. The paths of references and copies know no variants:
//! what one variant declares there holds for the documents of all of them.

use std::collections::BTreeMap;
use std::mem::{Discriminant, discriminant};

use syn::Path;

use crate::ctxt::Ctxt;
use crate::diag::{self, Differs};
use crate::ir::{Copied, Entry, Ir, Role, Row, same_path};
use crate::names::{dotted, unraw};
use crate::syntax::{Check, DenormAttr, Level, OnDelete, OnMissing, Part};

pub(super) fn check(ir: &Ir<'_>, cx: &Ctxt) {
    if ir.is_model() || ir.item.serde.tag.is_none() {
        return;
    }
    let fields = ir.fields();
    let rows: Vec<&Row<'_>> = fields
        .filter(|row| row.variant.is_some() && !row.unnamed && row.is_addressable())
        .collect();
    for (n, second) in rows.iter().enumerate() {
        cx.set_place(second.place());
        // A name that one variant has twice is reported as such.
        let other = |first: &&&Row<'_>| {
            let own = second.variant.is_some_and(|variant| first.is_of(variant));
            !own && first.stored() == second.stored()
        };
        let mut same_name = rows[..n].iter().filter(other);
        let found = same_name.find_map(|first| Some((first, difference(first, second)?)));
        if let Some((first, differs)) = found {
            let names = [variant(ir, first), variant(ir, second)];
            cx.push(diag::variants_differ(
                &second.field.ident,
                &names,
                second.stored(),
                differs,
            ));
        }
    }
    for (n, copy) in rows.iter().enumerate() {
        let mut earlier = rows[..n].iter();
        // If several variants have the copy, the same others lack it: the first reports them.
        if earlier.all(|row| row.stored() != copy.stored()) {
            check_beside(ir, &rows, copy, cx);
        }
    }
}

/// `Payment::Card`
fn variant(ir: &Ir<'_>, row: &Row<'_>) -> String {
    let name = row.variant.map(|variant| unraw(&variant.ident));
    format!("{}::{}", ir.name(), name.unwrap_or_default())
}

/// A plain copy follows the reference beside it, so every variant with this reference has the copy too.
fn check_beside(ir: &Ir<'_>, rows: &[&Row<'_>], copy: &Row<'_>, cx: &Ctxt) {
    let Role::Copy { via, .. } = copy.role else {
        return;
    };
    let of = |row: &Row<'_>, name: &str| {
        let mut fields = ir.siblings(row);
        fields.any(|other| other.is_addressable() && other.stored() == name)
    };
    let refers = |row: &&&Row<'_>| row.stored() == via.serde.name && row.is_reference();
    let mut without = rows.iter().filter(refers);
    if let Some(without) = without.find(|row| !of(row, copy.stored())) {
        cx.set_place(copy.place());
        let owner = variant(ir, without);
        cx.push(diag::variant_without_copy(
            &copy.field.ident,
            copy.owner(),
            &via.rust(),
            &owner,
        ));
    }
}

/// The difference between two fields of one stored name, if one of them is a reference or a copy, or has checks.
fn difference(first: &Row<'_>, second: &Row<'_>) -> Option<Differs> {
    if is_unclear(first) || is_unclear(second) {
        return None;
    }
    match (&first.role, &second.role) {
        (Role::Copy { attr: a, via: of }, Role::Copy { attr: b, via: to }) => {
            if !same_source(a, b) || of.serde.name != to.serde.name {
                return Some(Differs::Kind);
            }
            (follows(a) != follows(b)).then_some(Differs::Copies)
        }
        (Role::Copy { .. }, _) | (_, Role::Copy { .. }) => Some(Differs::Kind),
        _ => match (Reference::of(first), Reference::of(second)) {
            (None, None) => (checks(first) != checks(second)).then_some(Differs::Checks),
            (Some(a), Some(b)) => a.difference(&b),
            _ => Some(Differs::Kind),
        },
    }
}

/// The checks of a field as they are written.
fn checks(row: &Row<'_>) -> Vec<(Part, bool, String)> {
    let checks = row.check().into_iter().flat_map(|check| &check.checks);
    checks
        .map(|one| (one.part, one.on_write, one.tokens.to_string()))
        .collect()
}

/// True if a mistake hides what the field is.
fn is_unclear(row: &Row<'_>) -> bool {
    row.broken().is_some() || matches!(row.role, Role::Own) && !row.copies().is_empty()
}

fn same_source(a: &DenormAttr, b: &DenormAttr) -> bool {
    let source = |attr: &DenormAttr| attr.fields.first().map(|path| dotted(path));
    same_path(&a.from, &b.from) && source(a) == source(b)
}

/// The rules by which a copy follows its source.
fn follows(attr: &DenormAttr) -> (bool, Level) {
    (attr.snapshot, attr.level)
}

/// The properties of a reference that all documents with its path share.
struct Reference<'a> {
    target: &'a Path,
    many: bool,
    key: Option<String>,
    entry: Option<&'a Entry<'a>>,
    rules: (OnDelete, OnMissing, Discriminant<Check>),
    sort: Option<(String, bool)>,
}

impl<'a> Reference<'a> {
    fn of(row: &'a Row<'a>) -> Option<Self> {
        let (target, rules, sort) = match &row.role {
            Role::Refs { attr, .. } => {
                let rules = (attr.on_delete, attr.missing, discriminant(&attr.check));
                (&attr.target, rules, None)
            }
            Role::Parent { attr, .. } => {
                let rules = (attr.on_delete, attr.missing, discriminant(&attr.check));
                (&attr.target, rules, attr.sort.as_ref())
            }
            _ => return None,
        };
        Some(Reference {
            target,
            many: matches!(row.role, Role::Refs { .. }),
            key: row.key().map(unraw),
            entry: row.entry(),
            rules,
            sort: sort.map(|sort| (unraw(&sort.field), sort.descending)),
        })
    }

    fn difference(&self, other: &Self) -> Option<Differs> {
        if !same_path(self.target, other.target) {
            let last = |path: &Path| path.segments.last().map(|segment| segment.ident.clone());
            let differs = match last(self.target) == last(other.target) {
                true => Differs::Path,
                false => Differs::Target,
            };
            return Some(differs);
        }
        if self.many != other.many || self.key != other.key {
            return Some(Differs::Kind);
        }
        if self.rules != other.rules || self.sort != other.sort {
            return Some(Differs::Rules);
        }
        match (self.entry, other.entry) {
            (None, None) => None,
            (Some(a), Some(b)) => entries(a, b),
            _ => Some(Differs::Kind),
        }
    }
}

/// The difference between the entries of two references.
fn entries(a: &Entry<'_>, b: &Entry<'_>) -> Option<Differs> {
    let copies = |entry: &Entry<'_>| -> BTreeMap<String, String> {
        let copies = entry.copies.iter();
        copies
            .map(|copied| (copied.stored.clone(), dotted(copied.source)))
            .collect()
    };
    if a.id != b.id || copies(a) != copies(b) {
        return Some(Differs::Kind);
    }
    let alike = |copied: &Copied<'_>| {
        let mut others = b.copies.iter();
        let other = others.find(|other| other.stored == copied.stored);
        other.and_then(|other| other.attr).map(follows) == copied.attr.map(follows)
    };
    (!a.copies.iter().all(alike)).then_some(Differs::Copies)
}
