//! The table against docs/STORED.md.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::*;
use crate::codec::outdated;

#[test]
fn every_documented_field_is_in_the_table() {
    let page = page();
    let rows = rows(&page);
    assert!(rows.len() > 20, "{rows:?}");
    let unknown: Vec<&str> = rows
        .iter()
        .map(|row| row.path.as_str())
        .filter(|path| !is_named(path))
        .collect();
    assert!(unknown.is_empty(), "not in the table: {unknown:?}");
}

#[test]
fn every_field_of_the_table_is_documented() {
    let page = page();
    let rows = rows(&page);
    let lacking: Vec<&&str> = ALL
        .iter()
        .filter(|path| !is_documented(path, &rows, &page))
        .collect();
    assert!(lacking.is_empty(), "not in docs/STORED.md: {lacking:?}");
}

#[test]
fn no_field_has_two_names() {
    let paths: BTreeSet<&str> = ALL.iter().copied().collect();
    assert_eq!(paths.len(), ALL.len());
}

#[test]
fn keys_are_the_last_steps_of_paths() {
    assert_eq!(key::OWN, "_dn");
    assert_eq!(key::REVISION, "r");
    assert_eq!(key::UNCOUNTED_TO, "to");
    assert_eq!(key::JOB_LEASE, "t");
    assert_eq!(key::COPY_REVISION, "_r");
    // The keys of raw documents are written out.
    assert_eq!(OWN_KEY.as_str(), OWN);
    assert_eq!(ITEMS_TAKEN_KEY.as_str(), key::ITEMS_TAKEN);
}

/// The key of a token is the same in all lists.
#[test]
fn tokens_have_one_key_in_all_lists() {
    for key in [
        key::UNVERIFIED_TOKEN,
        key::UNCONFIRMED_TOKEN,
        key::UNCOUNTED_TOKEN,
        key::COUNTED_TOKEN,
        key::RESERVED_TOKEN,
    ] {
        assert_eq!(key, TOKEN);
    }
    for (this, key) in [
        (THIS_TOKEN, TOKEN),
        (THIS_LINK, key::UNCONFIRMED_LINK),
        (THIS_CHILDREN, key::UNCONFIRMED_CHILDREN),
    ] {
        assert_eq!(this, format!("$$this.{key}"));
    }
}

#[test]
fn own_fields_are_recognised() {
    for own in [
        "_dn",
        "_dn.r",
        "_dn.u.0",
        "_r_host",
        "parts.3._r",
        "host._r",
    ] {
        assert!(is_own_field(own), "{own}");
    }
    assert_eq!(
        own_pattern(),
        r"^(?:_dn|_ng)(?:\.|$)|(?:^|\.)_r(?:_[^.]*)?$"
    );
    for foreign in ["name", "_dnx", "_region", "parts.0.name", "_r_x.y", "a._dn"] {
        assert!(!is_own_field(foreign), "{foreign}");
    }
}

/// A row of one of the tables of fields: the path, and the type with the keys of documents inside.
#[derive(Debug)]
struct Row {
    path: String,
    of_type: String,
}

fn page() -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/STORED.md");
    fs::read_to_string(page).expect("docs/STORED.md")
}

/// The rows whose first cell is one name, of all tables that begin with the column `field`.
fn rows(page: &str) -> Vec<Row> {
    let mut out = Vec::new();
    let (mut in_job, mut in_fields) = (false, false);
    for line in page.lines() {
        if line.starts_with('#') {
            in_job = line.contains("`_dn.q`");
        }
        let Some(cells) = line.strip_prefix("| ") else {
            in_fields &= line.starts_with("|---");
            continue;
        };
        let mut cells = cells.split(" | ");
        let (first, of_type) = (
            cells.next().unwrap_or_default(),
            cells.next().unwrap_or_default(),
        );
        if first == "field" {
            in_fields = true;
        }
        let name = first
            .strip_prefix('`')
            .and_then(|rest| rest.strip_suffix('`'))
            .filter(|name| in_fields && !name.contains('`'));
        if let Some(name) = name {
            out.push(Row {
                path: if in_job {
                    format!("_dn.q.{name}")
                } else {
                    name.to_owned()
                },
                of_type: of_type.to_owned(),
            });
        }
    }
    out
}

fn is_named(path: &str) -> bool {
    ALL.contains(&path)
        || path == outdated::FIELD
        // The program declares it, and the library finds it by its Rust name.
        || path == "has_extras"
        || path.strip_suffix("<reference>") == Some(COPY_REVISION_PREFIX)
}

fn is_documented(path: &str, rows: &[Row], page: &str) -> bool {
    // The first element of an array is no field of its own.
    let path = path.strip_suffix(".0").unwrap_or(path);
    let inside = |row: &Row| {
        let key = path
            .strip_prefix(&row.path)
            .and_then(|rest| rest.strip_prefix('.'));
        key.is_some_and(|key| {
            ["{", ", "].iter().any(|before| {
                let key = format!("{before}{key}");
                row.of_type.contains(&format!("{key}:")) || row.of_type.contains(&format!("{key}?"))
            })
        })
    };
    let around = |row: &Row| {
        row.path
            .strip_prefix(path)
            .is_some_and(|rest| rest.starts_with('.'))
    };
    let never_stored = page
        .split("`_dn.zz` appears in commands")
        .nth(1)
        .and_then(|rest| rest.split("\n\n").next())
        .is_some_and(|text| path == "_dn.zz" || text.contains(&format!("`{path}`")));
    never_stored
        || rows
            .iter()
            .any(|row| row.path == path || inside(row) || around(row))
}
