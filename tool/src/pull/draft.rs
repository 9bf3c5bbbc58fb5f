//! The first `pull.toml`: what a run decided, for the user to keep or to change.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::infer::Inferred;
use super::names::type_name;
use super::source::{ModelFile, Source};
use crate::findings::Level;

const HEAD: &str = r#"# Names and decisions for `cargo mongo-model pull`. Every run reads this file, and none changes it once it is there.
# A line behind `#` is what `pull` decides by itself: take the `#` away to keep it, or change it.
#
# [collections.NAME]
# model = "Name"                  the name of the struct
# accept = ["kind"]               kinds of findings that need no review any more; `--json` names the kinds
# [collections.NAME.fields."a.b"]
# name = "name"                   the field's name
# type = "Name"                   the name of the struct or enum in it
# reference = false               it refers to nothing
# copy = "snapshot"               a copy that keeps its value; "live": it follows its source; "none": it is no copy
# enum = false                    its strings are no enum
# accept = ["kind"]
# [collections.NAME.indexes.NAME]
# accept = ["kind"]
"#;

/// Lines of a table, each with true if it is a default.
#[derive(Default)]
struct Table {
    lines: BTreeSet<(String, bool)>,
    accept: BTreeSet<&'static str>,
}

/// The text of the file.
pub(crate) fn draft(sources: &[Source], inferred: &Inferred) -> String {
    let mut out = HEAD.to_owned();
    for (at, source) in sources.iter().enumerate() {
        let model = inferred.names[at].as_ref();
        let Some(model) = model.filter(|_| source.file == ModelFile::Written) else {
            continue;
        };
        let header = format!("collections.{}", key(&source.name));
        let mut tables: BTreeMap<String, Table> = BTreeMap::new();
        let own = tables.entry(header.clone()).or_default();
        let is_plain = *model == type_name(&source.name);
        own.lines.insert((format!("model = {model:?}"), is_plain));
        for chosen in inferred.chosen.iter().filter(|one| one.place.source == at) {
            let table = tables
                .entry(field(&header, &chosen.place.path))
                .or_default();
            let word = if chosen.is_type { "type" } else { "name" };
            let line = format!("{word} = {:?}", chosen.name);
            table.lines.insert((line, chosen.is_plain));
        }
        for note in &inferred.notes[at] {
            let table = match (note.about.as_str(), note.kind) {
                ("", _) => header.clone(),
                (name, "undeclared_index") => format!("{header}.indexes.{}", key(name)),
                (path, _) => field(&header, path),
            };
            let line = match note.kind {
                "reference" => Some("reference = true"),
                "copy" => Some("copy = \"live\""),
                "snapshot" => Some("copy = \"snapshot\""),
                "enum" => Some("enum = true"),
                _ => None,
            };
            if line.is_none() && note.level != Level::Problem {
                continue;
            }
            let table = tables.entry(table).or_default();
            table.lines.extend(line.map(|line| (line.to_owned(), true)));
            if note.level == Level::Problem {
                table.accept.insert(note.kind);
            }
        }
        tables
            .iter()
            .for_each(|(name, table)| write(&mut out, name, table));
    }
    out
}

fn write(out: &mut String, name: &str, table: &Table) {
    let mark = |is_default| if is_default { "# " } else { "" };
    let all_default = table.lines.iter().all(|(_, is_default)| *is_default);
    let _ = writeln!(out, "\n{}[{name}]", mark(all_default));
    for (line, is_default) in &table.lines {
        let _ = writeln!(out, "{}{line}", mark(*is_default));
    }
    if !table.accept.is_empty() {
        let kinds: Vec<_> = table.accept.iter().collect();
        let _ = writeln!(out, "# accept = {kinds:?}");
    }
}

fn field(header: &str, path: &str) -> String {
    format!("{header}.fields.{}", key(path))
}

/// A key of TOML.
fn key(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(is_bare) {
        return name.to_owned();
    }
    let escaped = name.chars().map(|c| match c {
        '"' | '\\' => format!("\\{c}"),
        c if c.is_control() => format!("\\u{:04X}", u32::from(c)),
        c => c.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_they_are_written() {
        for name in ["a", "a.b", "", "a \"b\"", "\\", "\u{7f}\n", "возраст", "é"] {
            let text = format!("{} = 1", key(name));
            let table: toml::Table = text.parse().expect(&text);
            assert!(table.contains_key(name), "{text}");
        }
    }
}
