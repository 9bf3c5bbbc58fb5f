//! `pull.toml`: the names and decisions of the user, which every run respects.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use super::model::CopyKind;
use super::names::{Taken, is_identifier};
use super::profile::{Fields, Values};
use super::relate::{Reference, split};
use super::source::Source;
use crate::failure::{Failure, Result};

type Named<T> = BTreeMap<Spanned<String>, T>;

/// The decisions, by collection.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Decisions {
    #[serde(default)]
    collections: Named<OfCollection>,
    #[serde(skip)]
    file: PathBuf,
    /// The text of the file, which tells the lines of what it says.
    #[serde(skip)]
    text: String,
}

/// The decisions about a collection.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct OfCollection {
    model: Option<Spanned<String>>,
    accept: Vec<Spanned<String>>,
    fields: Named<OfField>,
    indexes: Named<OfIndex>,
}

/// The decisions about a field.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct OfField {
    /// The identifier.
    name: Option<Spanned<String>>,
    /// The name of the struct or enum.
    r#type: Option<Spanned<String>>,
    reference: Option<bool>,
    copy: Option<Spanned<CopyKind>>,
    r#enum: Option<bool>,
    accept: Vec<Spanned<String>>,
}

/// The decisions about an index that exists.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct OfIndex {
    accept: Vec<Spanned<String>>,
}

/// A decision that nothing in the data asks for.
#[derive(Debug)]
pub(crate) struct Unused {
    pub(crate) about: String,
    pub(crate) line: usize,
    pub(crate) text: String,
}

impl Decisions {
    /// Reads the file; no decisions if there is none.
    pub(crate) fn read(file: &Path, text: Option<String>) -> Result<Self> {
        let text = text.unwrap_or_default();
        let wrong = |error: toml::de::Error| {
            let at = error.span().map_or(0, |span| span.start);
            let message = format!("{}: {}", place(file, &text, at), error.message());
            Failure::new(message)
                .help("the first lines that `pull` writes into it say what it takes")
        };
        let mut decisions: Decisions = toml::from_str(&text).map_err(wrong)?;
        decisions.file = file.to_owned();
        decisions.text = text;
        decisions.check_names()?;
        Ok(decisions)
    }

    fn refuse<T>(&self, at: &Spanned<T>, message: &str) -> Failure {
        let place = place(&self.file, &self.text, at.span().start);
        Failure::new(format!("{place}: {message}"))
    }

    fn line<T>(&self, at: &Spanned<T>) -> usize {
        line(&self.text, at.span().start)
    }

    /// Checks that names are identifiers, and that no two types and no two fields of a document have one name.
    fn check_names(&self) -> Result<()> {
        let mut types = Taken::types();
        for of in self.collections.values() {
            let mut fields = BTreeMap::new();
            for (path, field) in &of.fields {
                let Some(name) = &field.name else { continue };
                self.check_identifier(name)?;
                if path.as_ref() == "_id" {
                    return Err(self.refuse(name, "the field `_id` is always `id`"));
                }
                let first = fields.insert((split(path.as_ref()).0, name.as_ref()), path);
                if let Some(first) = first {
                    let message =
                        format!("`{}` is the name of `{}`", name.as_ref(), first.as_ref());
                    return Err(self.refuse(name, &message));
                }
            }
            let inner = of.fields.values().filter_map(|field| field.r#type.as_ref());
            for name in of.model.iter().chain(inner) {
                self.check_identifier(name)?;
                if !types.reserve(name.as_ref()) {
                    let message = format!(
                        "`{}` is the name of another type, or of one that models use",
                        name.as_ref()
                    );
                    return Err(self.refuse(name, &message));
                }
            }
        }
        Ok(())
    }

    fn check_identifier(&self, name: &Spanned<String>) -> Result<()> {
        match is_identifier(name.as_ref()) {
            true => Ok(()),
            false => Err(self.refuse(name, &format!("{:?} is no identifier", name.as_ref()))),
        }
    }

    /// Checks that the collections exist; those that a user may not see are not asked for.
    pub(crate) fn check_collections(&self, sources: &[Source], is_complete: bool) -> Result<()> {
        let exists = |name: &str| sources.iter().any(|source| source.name == name);
        let mut names = self.collections.keys();
        match names.find(|name| is_complete && !exists(name.as_ref())) {
            None => Ok(()),
            Some(name) => {
                let there: Vec<&str> = sources.iter().map(|source| &*source.name).collect();
                let message = format!("no collection is called `{}`", name.as_ref());
                Err(self
                    .refuse(name, &message)
                    .help(format!("the database has {}", there.join(", "))))
            }
        }
    }

    /// Writes the names of fields into the profile of a collection. Each path and index has to exist.
    pub(crate) fn name_fields(&self, source: &mut Source) -> Result<()> {
        let Some(of) = self.collections.get(&*source.name) else {
            return Ok(());
        };
        for (path, field) in &of.fields {
            let name = field.name.as_ref().map(Spanned::as_ref);
            let exists = visit_at(&mut source.root, path.as_ref(), &mut |values| {
                values.chosen_name = name.cloned();
            });
            if !exists {
                let message = format!("`{}` has no field `{}`", source.name, path.as_ref());
                return Err(self.refuse(path, &message));
            }
        }
        let exists = |name: &str| {
            let mut all = source.indexes.iter();
            all.any(|index| index.get_str("name").is_ok_and(|own| own == name))
        };
        match of.indexes.keys().find(|name| !exists(name.as_ref())) {
            None => Ok(()),
            Some(name) => {
                let message = format!("`{}` has no index `{}`", source.name, name.as_ref());
                Err(self.refuse(name, &message))
            }
        }
    }

    fn field(&self, collection: &str, path: &str) -> Option<&OfField> {
        self.collections.get(collection)?.fields.get(path)
    }

    /// The name of a collection's model.
    pub(crate) fn model(&self, collection: &str) -> Option<&str> {
        let model = self.collections.get(collection)?.model.as_ref();
        model.map(|name| name.as_ref().as_str())
    }

    /// The name of the type at a path.
    pub(crate) fn type_at(&self, collection: &str, path: &str) -> Option<&str> {
        let ty = self.field(collection, path)?.r#type.as_ref();
        ty.map(|name| name.as_ref().as_str())
    }

    /// The names of all types.
    pub(crate) fn types(&self) -> impl Iterator<Item = &str> {
        let all = self.collections.values().flat_map(|of| {
            let inner = of.fields.values().filter_map(|field| field.r#type.as_ref());
            of.model.iter().chain(inner)
        });
        all.map(|name| name.as_ref().as_str())
    }

    /// False if the strings at a path are to be no enum.
    pub(crate) fn may_be_enum(&self, collection: &str, path: &str) -> bool {
        let field = self.field(collection, path);
        field.and_then(|field| field.r#enum) != Some(false)
    }

    /// True if a finding of this kind needs no review any more.
    pub(crate) fn accepts(&self, collection: &str, about: &str, kind: &str) -> bool {
        let all = self.accepted(collection);
        all.into_iter()
            .any(|(path, accepted)| path == about && accepted.as_ref() == kind)
    }

    /// The findings of a collection that are accepted, each with what it is about.
    fn accepted(&self, collection: &str) -> Vec<(&str, &Spanned<String>)> {
        let Some(of) = self.collections.get(collection) else {
            return Vec::new();
        };
        let fields = of.fields.iter().map(|(path, field)| (path, &field.accept));
        let indexes = of.indexes.iter().map(|(name, index)| (name, &index.accept));
        let named = fields.chain(indexes);
        let named = named.map(|(about, accept)| (about.as_ref().as_str(), accept));
        let all = named.chain([("", &of.accept)]);
        all.flat_map(|(about, accept)| accept.iter().map(move |kind| (about, kind)))
            .collect()
    }

    /// Takes out the references that are none.
    pub(crate) fn drop_references(&self, sources: &[Source], references: &mut Vec<Reference>) {
        references.retain(|reference| {
            let field = self.field(&sources[reference.from].name, &reference.path);
            field.and_then(|field| field.reference) != Some(false)
        });
    }

    /// Decides copies, and takes out those that are none.
    pub(crate) fn decide_copies(&self, sources: &[Source], references: &mut [Reference]) {
        for reference in references {
            let collection = &sources[reference.from].name;
            let group = split(&reference.path).0;
            for copy in &mut reference.copies {
                let path = join(group, &copy.field);
                let field = self.field(collection, &path);
                copy.decided = field.and_then(|field| Some(*field.copy.as_ref()?.as_ref()));
            }
            let is_one = |kind: Option<CopyKind>| kind != Some(CopyKind::None);
            reference.copies.retain(|copy| is_one(copy.decided));
        }
    }

    /// The decisions about a collection that nothing asks for: `is_found` tells if a finding of this kind is about that.
    pub(crate) fn unused(
        &self,
        collection: &str,
        is_found: impl Fn(&str, &str) -> bool,
    ) -> Vec<Unused> {
        let accepted = self.accepted(collection).into_iter();
        let accepted = accepted.filter(|(about, kind)| !is_found(kind.as_ref(), about));
        let mut out: Vec<Unused> = accepted
            .map(|(about, kind)| Unused {
                about: about.to_owned(),
                line: self.line(kind),
                text: format!("accept = [{:?}]", kind.as_ref()),
            })
            .collect();
        let of = self.collections.get(collection);
        for (path, field) in of.iter().flat_map(|of| &of.fields) {
            if let Some(copy) = &field.copy
                && *copy.as_ref() != CopyKind::None
                && !["copy", "snapshot", "undeclared_copy"]
                    .iter()
                    .any(|kind| is_found(kind, path.as_ref()))
            {
                out.push(Unused {
                    about: path.as_ref().clone(),
                    line: self.line(copy),
                    text: "copy".to_owned(),
                });
            }
        }
        out
    }
}

/// Calls `f` with the values at a dotted path, through arrays; `*` stands for all keys of a map. False if there are none.
fn visit_at(fields: &mut Fields, path: &str, f: &mut impl FnMut(&mut Values)) -> bool {
    // The profile has no more names than it can tell apart.
    let is_full = fields.rest.is_some();
    let (head, rest) = match path.split_once('.') {
        Some((head, rest)) => (head, Some(rest)),
        None => (path, None),
    };
    let named = fields.named.iter_mut();
    let mut exists = is_full;
    for (_, (_, values)) in named.filter(|(name, _)| head == "*" || ***name == *head) {
        let Some(rest) = rest else {
            f(values);
            exists = true;
            continue;
        };
        let items = values
            .items
            .as_mut()
            .and_then(|items| items.fields.as_mut());
        for inner in [items, values.fields.as_mut()].into_iter().flatten() {
            exists |= visit_at(inner, rest, f);
        }
    }
    exists
}

fn join(group: &str, field: &str) -> String {
    match group {
        "" => field.to_owned(),
        group => format!("{group}.{field}"),
    }
}

fn line(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

fn place(file: &Path, text: &str, at: usize) -> String {
    format!("{}, line {}", file.display(), line(text, at))
}

#[cfg(test)]
mod tests {
    use bson::rawdoc;

    use super::*;

    fn read(text: &str) -> Result<Decisions> {
        Decisions::read(Path::new("pull.toml"), Some(text.to_owned()))
    }

    #[track_caller]
    fn refuses(text: &str, message: &str) {
        let failure = read(text).expect_err(text).to_string();
        assert_eq!(failure, message, "{text}");
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        refuses(
            "\n[collections.a]\nmodle = \"A\"\n",
            "pull.toml, line 3: unknown field `modle`, expected one of `model`, `accept`, `fields`, `indexes`",
        );
        refuses(
            "[collections.a]\nmodel = \"A b\"\n",
            "pull.toml, line 2: \"A b\" is no identifier",
        );
        refuses(
            "[collections.a]\nmodel = \"A\"\n[collections.b]\nmodel = \"A\"\n",
            "pull.toml, line 4: `A` is the name of another type, or of one that models use",
        );
        refuses(
            "[collections.a.fields]\nx = { name = \"z\" }\ny = { name = \"z\" }\n",
            "pull.toml, line 3: `z` is the name of `x`",
        );
        refuses(
            "[collections.a.fields]\nx = { copy = \"frozen\" }\n",
            "pull.toml, line 2: unknown variant `frozen`, expected one of `live`, `snapshot`, `none`",
        );
        refuses(
            "[collections.a]\n\nmodel = \n",
            "pull.toml, line 3: string values must be quoted, expected literal string",
        );
    }

    #[test]
    fn paths_lead_through_arrays_and_maps() {
        let mut fields = Fields::default();
        let document =
            rawdoc! { "items": [{ "sku": "a" }], "by_day": { "2024-01-01": { "n": 1 } } };
        fields.add(&document, 0);
        for (path, exists) in [
            ("items", true),
            ("items.sku", true),
            ("by_day.*", true),
            ("by_day.*.n", true),
            ("items.size", false),
            ("item", false),
        ] {
            assert_eq!(visit_at(&mut fields, path, &mut |_| {}), exists, "{path}");
        }
    }
}
