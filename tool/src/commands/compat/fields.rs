//! The changes of one fact about a field.

use super::kinds::{self as kind, Kind};
use crate::commands::lock::facts::Fact;

/// The parts of a field's line in a lock.
#[derive(Clone, Copy)]
pub(super) struct Said<'f>(&'f [String]);

impl<'f> Said<'f> {
    pub(super) fn of(fact: &'f Fact) -> Self {
        Said(&fact.0)
    }

    pub(super) fn kind(self) -> &'f str {
        self.0.first().map_or("", String::as_str)
    }

    pub(super) fn all(self) -> impl Iterator<Item = &'f str> {
        self.0.iter().map(String::as_str)
    }

    pub(super) fn more(self) -> impl Iterator<Item = &'f str> {
        self.0.iter().skip(1).map(String::as_str)
    }

    pub(super) fn has(self, part: &str) -> bool {
        self.more().any(|one| one == part)
    }

    /// The rest of the part that begins so.
    pub(super) fn after(self, start: &str) -> Option<&'f str> {
        self.more().find_map(|part| part.strip_prefix(start))
    }

    /// The parts that these words begin.
    fn beginning(self, starts: &[&str]) -> Vec<&'f str> {
        let begins = |part: &&str| starts.iter().any(|start| part.starts_with(start));
        self.more().filter(begins).collect()
    }

    pub(super) fn absence(self) -> Absence {
        if self.has("optional") {
            Absence::LeftOut
        } else if self.has("or null") {
            Absence::Null
        } else if self.has("may be absent") {
            Absence::Default
        } else {
            Absence::Never
        }
    }

    /// True if a document without the field can be read.
    pub(super) fn may_be_absent(self) -> bool {
        match self.absence() {
            Absence::Never => false,
            // Functions of the program are asked for a value.
            Absence::Null => !self.has("serde functions"),
            Absence::LeftOut | Absence::Default => true,
        }
    }
}

/// The ways in which a value may be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Absence {
    Never,
    Null,
    LeftOut,
    Default,
}

impl Absence {
    /// True if a program of this kind reads all documents of one of another.
    fn reads(self, written: Absence) -> bool {
        match written {
            Absence::Never => true,
            Absence::Null => matches!(self, Absence::Null | Absence::LeftOut),
            Absence::LeftOut | Absence::Default => self != Absence::Never,
        }
    }
}

/// True if a document without this field can be read.
pub(super) fn may_be_absent(fact: &Fact) -> bool {
    Said::of(fact).may_be_absent()
}

/// The names under which the field is read as well.
pub(super) fn has_alias(fact: &Fact, name: &str) -> bool {
    Said::of(fact).has(&format!("alias {name}"))
}

/// The values of a tag.
pub(super) fn variants(fact: &Fact) -> Vec<&str> {
    let values = Said::of(fact).after("one of ");
    values.map_or_else(Vec::new, |values| values.split(" | ").collect())
}

/// The changes of a field that is on both sides.
pub(super) fn of_field(old: &Fact, new: &Fact) -> Vec<&'static Kind> {
    let (old, new) = (Said::of(old), Said::of(new));
    let mut out = Vec::new();
    out.extend(of_type(old.kind(), new.kind()));
    out.extend(
        match (
            new.absence().reads(old.absence()),
            old.absence().reads(new.absence()),
        ) {
            _ if old.absence() == new.absence() => None,
            (true, true) => Some(kind::absence_changed),
            (true, false) => Some(kind::made_optional),
            (false, _) => Some(kind::made_required),
        },
    );
    add_variants(old, new, &mut out);
    let (before, after) = (old.beginning(&["alias "]), new.beginning(&["alias "]));
    out.extend(
        after
            .iter()
            .any(|one| !before.contains(one))
            .then_some(kind::alias_added),
    );
    out.extend(
        before
            .iter()
            .any(|one| !after.contains(one))
            .then_some(kind::alias_removed),
    );
    for bound in ["max ", "max_len "] {
        let of = |said: Said<'_>| said.after(bound).and_then(|n| n.parse::<u64>().ok());
        out.extend(of_bound(of(old), of(new)));
    }
    let checks = ["must ", "each must ", "keys must "];
    let (before, after) = (old.beginning(&checks), new.beginning(&checks));
    out.extend(
        after
            .iter()
            .any(|one| !before.contains(one))
            .then_some(kind::check_added),
    );
    out.extend(
        before
            .iter()
            .any(|one| !after.contains(one))
            .then_some(kind::check_removed),
    );
    if old.has("serde functions") != new.has("serde functions") {
        out.push(kind::form_changed);
    }
    out.extend(of_parts(old, new));
    out.extend(of_role(old, new));
    add_reference(old, new, &mut out);
    out.extend(of_copy(old, new));
    out.extend(of_derived(old, new));
    let period = |said: Said<'_>| {
        said.beginning(&["hour of ", "day of ", "week of ", "month of "])
            .join("")
    };
    out.extend((period(old) != period(new)).then_some(kind::period_changed));
    out
}

/// The kinds of change that the roles of a new field are, beside that of its value.
pub(super) fn of_added(new: &Fact) -> Vec<&'static Kind> {
    let empty = Fact(Vec::new());
    let (old, new) = (Said::of(&empty), Said::of(new));
    let mut out = Vec::new();
    add_reference(old, new, &mut out);
    out.extend(of_copy(old, new));
    out.extend(of_derived(old, new));
    out.extend(new.has("version").then_some(kind::version_added));
    out
}

fn of_type(old: &str, new: &str) -> Option<&'static Kind> {
    let (before, after) = (inside(old), inside(new));
    if old == new {
        return None;
    }
    if before.0 != after.0 {
        return Some(kind::type_changed);
    }
    let (before, after) = (before.1, after.1);
    let null = |kind: &str| kind.ends_with(" or null");
    match (range(before), range(after)) {
        (Some((from, to)), Some((least, greatest))) if least <= from && to <= greatest => {
            return Some(kind::type_widened);
        }
        (Some((from, to)), Some((least, greatest))) if from <= least && greatest <= to => {
            return Some(kind::type_narrowed);
        }
        (Some(_), None) if after == "double" => return Some(kind::type_to_double),
        (None, Some(_)) if before == "double" => return Some(kind::type_from_double),
        _ => {}
    }
    if after == "any" || (null(after) && after.strip_suffix(" or null") == Some(before)) {
        Some(kind::type_widened)
    } else if before == "any" || (null(before) && before.strip_suffix(" or null") == Some(after)) {
        Some(kind::type_narrowed)
    } else {
        Some(kind::type_changed)
    }
}

/// `[` or `{` of an array or a map, and the type of its elements.
pub(super) fn inside(kind: &str) -> (Option<char>, &str) {
    match kind.chars().next() {
        Some(open @ ('[' | '{')) => (Some(open), &kind[1..kind.len() - 1]),
        _ => (None, kind),
    }
}

/// The values of an integer type.
pub(super) fn range(kind: &str) -> Option<(i128, i128)> {
    Some(match kind {
        "i8" => (i8::MIN.into(), i8::MAX.into()),
        "i16" => (i16::MIN.into(), i16::MAX.into()),
        "i32" => (i32::MIN.into(), i32::MAX.into()),
        "i64" | "int" => (i64::MIN.into(), i64::MAX.into()),
        "u8" => (0, u8::MAX.into()),
        "u16" => (0, u16::MAX.into()),
        "u32" => (0, u32::MAX.into()),
        "u64" => (0, i64::MAX.into()),
        other => {
            let (least, greatest) = other.strip_prefix("int ")?.split_once("..=")?;
            (least.parse().ok()?, greatest.parse().ok()?)
        }
    })
}

fn add_variants(old: Said<'_>, new: Said<'_>, out: &mut Vec<&'static Kind>) {
    let (open, opened) = (old.has("or others"), new.has("or others"));
    match (old.after("one of "), new.after("one of ")) {
        (Some(before), Some(after)) => {
            let (before, after): (Vec<_>, Vec<_>) =
                (before.split(" | ").collect(), after.split(" | ").collect());
            if after.iter().any(|value| !before.contains(value)) {
                out.push(if open {
                    kind::variant_added_to_open
                } else {
                    kind::variant_added
                });
            }
            if before.iter().any(|value| !after.contains(value)) {
                out.push(kind::variant_removed);
            }
        }
        // A text of any content beside an enum.
        (Some(_), None) if !opened => out.push(kind::type_widened),
        (None, Some(_)) if !open => out.push(kind::type_narrowed),
        _ => {}
    }
    match (open, opened) {
        (false, true) => out.push(kind::others_allowed),
        (true, false) => out.push(kind::others_refused),
        _ => {}
    }
}

fn of_bound(old: Option<u64>, new: Option<u64>) -> Option<&'static Kind> {
    let (old, new) = (old.unwrap_or(u64::MAX), new.unwrap_or(u64::MAX));
    match new.cmp(&old) {
        std::cmp::Ordering::Less => Some(kind::bound_lowered),
        std::cmp::Ordering::Equal => None,
        std::cmp::Ordering::Greater => Some(kind::bound_raised),
    }
}

fn of_role(old: Said<'_>, new: Said<'_>) -> Option<&'static Kind> {
    const ROLES: [&str; 7] = [
        "version",
        "created",
        "updated",
        "deleted",
        "immutable",
        "tenant",
        "volatile",
    ];
    let role = |said: Said<'_>| ROLES.into_iter().find(|role| said.has(role));
    match (role(old), role(new)) {
        (before, after) if before == after => None,
        (_, Some("version")) => Some(kind::version_added),
        _ => Some(kind::role_changed),
    }
}

fn add_reference(old: Said<'_>, new: Said<'_>, out: &mut Vec<&'static Kind>) {
    let (before, after) = match (old.after("-> "), new.after("-> ")) {
        (None, None) => return,
        (None, Some(_)) => return out.push(kind::reference_added),
        (Some(_), None) => return out.push(kind::reference_removed),
        (Some(before), Some(after)) => (before, after),
    };
    if before != after {
        return out.push(kind::reference_retargeted);
    }
    const KEYS: [&str; 4] = ["by ", "keys of the map", "values of the map", "where "];
    if old.beginning(&KEYS) != new.beginning(&KEYS) {
        out.push(kind::reference_key_changed);
    }
    if old.after("on delete ") != new.after("on delete ") {
        out.push(kind::delete_rule_changed);
    }
    let inverse = |said: Said<'_>| said.after("inverse ").is_some();
    match (inverse(old), inverse(new)) {
        (false, true) => out.push(kind::inverse_added),
        (true, false) => out.push(kind::inverse_removed),
        _ if old.has("unchecked") && new.has("checked") => out.push(kind::reference_checked),
        _ if old.has("checked") && new.has("unchecked") => out.push(kind::reference_unchecked),
        _ => {}
    }
}

fn of_parts(old: Said<'_>, new: Said<'_>) -> Option<&'static Kind> {
    let length = |said: Said<'_>| said.after("found by parts of ").map(str::to_owned);
    match (length(old), length(new)) {
        (None, Some(_)) => Some(kind::parts_added),
        (Some(_), None) => Some(kind::parts_removed),
        (old, new) => (old != new).then_some(kind::parts_changed),
    }
}

fn of_copy(old: Said<'_>, new: Said<'_>) -> Option<&'static Kind> {
    const LEVELS: [&str; 4] = ["eventual", "transactional", "fire and forget", "snapshot"];
    let level = |said: Said<'_>| LEVELS.into_iter().find(|level| said.has(level));
    match (old.after("copy of "), new.after("copy of ")) {
        (None, None) => None,
        (None, Some(_)) => Some(kind::copy_added),
        (Some(_), None) => Some(kind::copy_removed),
        (before, after) if before != after || old.after("via ") != new.after("via ") => {
            Some(kind::copy_repointed)
        }
        _ => (level(old) != level(new)).then_some(kind::copy_level_changed),
    }
}

fn of_derived(old: Said<'_>, new: Said<'_>) -> Option<&'static Kind> {
    const STARTS: [&str; 6] = [
        "count of ",
        "sum ",
        "average ",
        "least ",
        "greatest ",
        "last ",
    ];
    const MORE: [&str; 5] = [
        "at most ",
        "shows ",
        "times ",
        "where ",
        "in the period of ",
    ];
    let is_derived = |said: Said<'_>| !said.beginning(&STARTS).is_empty();
    match (is_derived(old), is_derived(new)) {
        (false, false) => None,
        (false, true) => Some(kind::derived_added),
        (true, false) => Some(kind::derived_removed),
        (true, true) => {
            let all = [&STARTS[..], &MORE, &["via "]].concat();
            (old.beginning(&all) != new.beginning(&all)).then_some(kind::derived_changed)
        }
    }
}
