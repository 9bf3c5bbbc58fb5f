//! The models that an earlier run wrote into the folder. A run that writes only some models keeps the others, and what they need.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::merge::{Kept, SNAPSHOT, read_folder};
use super::model::Models;
use super::names::raw;
use super::source::{ModelFile, Source};
use crate::failure::Result;

/// The files of the last run that still exist, by name.
#[derive(Debug, Default)]
pub(crate) struct Existing {
    files: BTreeMap<String, String>,
}

/// The collections whose models a run writes.
#[derive(Debug)]
pub(crate) struct Coverage<'a> {
    pub(crate) sources: &'a [Source],
    /// The models' names, by collection.
    pub(crate) names: &'a [Option<String>],
    /// True if the user sees every collection of the database.
    pub(crate) is_complete: bool,
}

impl Existing {
    /// Reads the folder; a single file is the only one.
    pub(crate) fn read(folder: &Path, single: Option<&str>) -> Result<Self> {
        let mut files = read_folder(&folder.join(SNAPSHOT))?;
        files.retain(|name, _| {
            single.is_none_or(|single| single == name) && folder.join(name).exists()
        });
        Ok(Existing { files })
    }

    /// True if the model of a collection is there.
    pub(crate) fn has(&self, collection: &str) -> bool {
        let literal = format!("{collection:?}");
        self.files
            .values()
            .any(|text| collections_in(text).any(|other| other == literal))
    }

    /// The files that stay as they are because the run cannot see everything that they hold or refer to. `files` are the new texts.
    fn kept(&self, coverage: &Coverage<'_>, files: &BTreeMap<String, String>) -> BTreeSet<String> {
        let mut kept: BTreeSet<String> = self
            .files
            .iter()
            .filter(|(_, text)| collections_in(text).any(|literal| coverage.is_hidden(literal)))
            .map(|(name, _)| name.clone())
            .collect();
        loop {
            let more: Vec<String> = self
                .files
                .iter()
                .filter(|(name, _)| *name != "mod.rs" && !kept.contains(*name))
                .filter(|(name, text)| {
                    let new = files.get(*name).map_or("", String::as_str);
                    loses_import(text, new, &kept) || self.is_needed(name, new, &kept)
                })
                .map(|(name, _)| name.clone())
                .collect();
            if more.is_empty() {
                return kept;
            }
            kept.extend(more);
        }
    }

    /// True if a file that is kept imports a type that the new text does not have.
    fn is_needed(&self, name: &str, new: &str, kept: &BTreeSet<String>) -> bool {
        let module = format!("use super::{}::", raw(module_of(name)));
        let imported = kept.iter().flat_map(|name| self.files[name].lines());
        imported
            .filter_map(|line| line.strip_prefix(&module)?.strip_suffix(';'))
            .any(|ty| {
                let declared = |keyword: &str| new.contains(&format!("pub {keyword} {ty} {{"));
                !declared("struct") && !declared("enum")
            })
    }
}

impl Coverage<'_> {
    /// True if the collection may exist, and the run has no model for it.
    fn is_hidden(&self, literal: &str) -> bool {
        let listed = self
            .sources
            .iter()
            .position(|source| format!("{:?}", source.name) == literal);
        match listed {
            Some(at) => self.names[at].is_none(),
            None => !self.is_complete,
        }
    }

    /// Takes out the files that stay as they are.
    pub(crate) fn restrict(
        &self,
        existing: &Existing,
        models: &Models,
        files: &mut BTreeMap<String, String>,
    ) -> Kept {
        let hidden = existing.kept(self, files);
        let others = models.files.iter().filter(|file| {
            file.source
                .is_some_and(|at| self.sources[at].file != ModelFile::Written)
        });
        let not_asked: BTreeSet<String> = others.map(|file| format!("{}.rs", file.name)).collect();
        files.retain(|name, _| !hidden.contains(name) && !not_asked.contains(name));
        Kept { not_asked, hidden }
    }
}

/// The module of a file: `users` of `users.rs`.
pub(crate) fn module_of(file: &str) -> &str {
    file.strip_suffix(".rs").unwrap_or(file)
}

/// True if the old text imports a type of a kept file, and the new one does not.
fn loses_import(old: &str, new: &str, kept: &BTreeSet<String>) -> bool {
    let of_kept = |line: &&str| {
        let module = line
            .strip_prefix("use super::")
            .and_then(|rest| rest.split("::").next());
        module
            .is_some_and(|module| kept.contains(&format!("{}.rs", module.trim_start_matches("r#"))))
    };
    old.lines()
        .filter(of_kept)
        .any(|import| !new.lines().any(|line| line == import))
}

/// The collections of the models in a file, as literals of Rust.
fn collections_in(text: &str) -> impl Iterator<Item = &str> {
    const OPTION: &str = "collection = ";
    text.match_indices(OPTION).filter_map(|(at, _)| {
        let literal = &text[at + OPTION.len()..];
        let mut escaped = false;
        let end = literal.char_indices().skip(1).find(|(_, c)| {
            let ends = *c == '"' && !escaped;
            escaped = *c == '\\' && !escaped;
            ends
        });
        end.map(|(end, _)| &literal[..=end])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collections_are_read_as_they_are_written() {
        let text = format!(
            "#[model(collection = {:?})]\n#[model(\n    collection = {:?},\n    common(a),\n)]",
            "a \"quoted\\ one", "users"
        );
        let found: Vec<&str> = collections_in(&text).collect();
        assert_eq!(found, [r#""a \"quoted\\ one""#, r#""users""#]);
    }

    #[test]
    fn a_file_stays_if_its_import_or_its_types_would_be_lost() {
        let kept = BTreeSet::from(["b.rs".to_owned()]);
        let old = "use super::b::B;\npub struct A {";
        assert!(loses_import(old, "pub struct A {", &kept));
        assert!(!loses_import(old, old, &kept));
        let b = "use super::shared::Address;\npub struct B {".to_owned();
        let existing = Existing {
            files: BTreeMap::from([("b.rs".to_owned(), b)]),
        };
        assert!(existing.is_needed("shared.rs", "pub struct Other {", &kept));
        assert!(!existing.is_needed("shared.rs", "pub struct Address {", &kept));
        assert!(!existing.is_needed("other.rs", "", &kept));
    }
}
