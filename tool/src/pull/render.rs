//! Rust source for models.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use super::existing::module_of;
use super::model::{Attribute, Body, Field, File, ModelOptions, Models, Ty, Type};
use super::names::{raw, serde_camel};

/// Comments are wrapped at this column.
const WIDTH: usize = 100;

/// The files of the models, by name: one for each collection, or one for all.
pub(crate) fn render(
    models: &Models,
    database: &str,
    single: Option<&str>,
) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    if let Some(name) = single {
        let types: Vec<&Type> = models.files.iter().flat_map(|file| &file.types).collect();
        let text = format!("{}\n{}", about(database), body(&types, &BTreeMap::new()));
        out.insert(name.to_owned(), format_source(text));
        return out;
    }
    let mut modules = BTreeMap::new();
    for file in &models.files {
        for ty in &file.types {
            modules.insert(ty.name.as_str(), file.name.as_str());
        }
    }
    for file in &models.files {
        out.insert(
            format!("{}.rs", file.name),
            format_source(module(file, &modules)),
        );
    }
    out
}

/// The root of the modules in these files of a folder.
pub(crate) fn render_root(database: &str, folder: &str, files: &BTreeSet<&str>) -> String {
    let mut root = format!("{}\n", about(database));
    for file in files {
        let name = module_of(file);
        // The compiler looks for no file of such a module by itself.
        if !name.is_ascii() {
            let _ = writeln!(root, "#[path = {file:?}]");
        }
        if name == folder {
            root.push_str("#[allow(clippy::module_inception)] // the name of the collection\n");
        }
        let _ = writeln!(root, "pub mod {};", raw(name));
    }
    root
}

fn about(database: &str) -> String {
    format!(
        "//! Models of the database `{}`, written by `cargo mongo-model pull`.\n",
        plain(database)
    )
}

fn module(file: &File, modules: &BTreeMap<&str, &str>) -> String {
    let types: Vec<&Type> = file.types.iter().collect();
    let foreign: BTreeMap<&str, &str> = modules
        .iter()
        .filter(|(_, module)| **module != file.name)
        .map(|(name, module)| (*name, *module))
        .collect();
    body(&types, &foreign)
}

/// Imports and types.
fn body(types: &[&Type], foreign: &BTreeMap<&str, &str>) -> String {
    let mut text = String::new();
    let mut used = Used::default();
    for ty in types {
        used.add(ty, foreign);
        text.push('\n');
        write_type(&mut text, ty);
    }
    format!("{}{text}", used.imports())
}

/// The names that a file imports.
#[derive(Default)]
struct Used {
    bson: BTreeSet<&'static str>,
    library: BTreeSet<&'static str>,
    object_id: bool,
    map: bool,
    models: BTreeSet<String>,
}

impl Used {
    fn add(&mut self, ty: &Type, foreign: &BTreeMap<&str, &str>) {
        self.library.insert(if ty.model.is_some() {
            "MongoModel"
        } else {
            "MongoEmbed"
        });
        let mut import = |name: &str| {
            if let Some(module) = foreign.get(name) {
                self.models
                    .insert(format!("use super::{}::{name};\n", raw(module)));
            }
        };
        let fields: &[Field] = match &ty.body {
            Body::Struct(fields) => fields,
            Body::Tagged { variants, .. } => {
                variants.iter().for_each(|(_, _, name)| import(name));
                return;
            }
            Body::Units(_) => return,
        };
        for field in fields {
            // Attributes name models: `#[parent(User)]`.
            for attribute in &field.attributes {
                let words = attribute
                    .text
                    .split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                let options = attribute.text.starts_with("#[parent(")
                    || attribute.text.starts_with("#[refs(")
                    || attribute.text.starts_with("#[denorm(")
                    || attribute.text.starts_with("#[recent(")
                    || attribute.text.starts_with("#[count(")
                    || attribute.text.starts_with("#[sum(")
                    || attribute.text.starts_with("#[avg(")
                    || attribute.text.starts_with("#[min(")
                    || attribute.text.starts_with("#[max(");
                words.filter(|_| options).for_each(&mut import);
            }
            field.ty.visit(&mut |ty| match ty {
                Ty::Named(name) => import(name),
                Ty::Id(name) => {
                    self.library.insert("Id");
                    import(name);
                }
                Ty::ObjectId => self.object_id = true,
                Ty::Map(_) => self.map = true,
                Ty::Date => _ = self.bson.insert("DateTime"),
                Ty::Decimal => _ = self.bson.insert("Decimal128"),
                Ty::Binary => _ = self.bson.insert("Binary"),
                Ty::Uuid => _ = self.bson.insert("Uuid"),
                Ty::Timestamp => _ = self.bson.insert("Timestamp"),
                Ty::Bson => _ = self.bson.insert("Bson"),
                Ty::Document => _ = self.bson.insert("Document"),
                _ => {}
            });
        }
    }

    fn imports(&self) -> String {
        let list = |from: &str, names: &BTreeSet<&str>| match names.len() {
            0 => String::new(),
            1 => format!(
                "use {from}::{};\n",
                names.iter().copied().collect::<String>()
            ),
            _ => format!(
                "use {from}::{{{}}};\n",
                names.iter().copied().collect::<Vec<_>>().join(", ")
            ),
        };
        let mut out = String::new();
        if self.map {
            out.push_str("use std::collections::BTreeMap;\n\n");
        }
        if self.object_id {
            out.push_str("use bson::oid::ObjectId;\n");
        }
        out.push_str(&list("bson", &self.bson));
        out.push_str(&list("mongo_model", &self.library));
        out.push_str("use serde::{Deserialize, Serialize};\n");
        if !self.models.is_empty() {
            out.push('\n');
        }
        self.models.iter().for_each(|line| out.push_str(line));
        out
    }
}

fn write_type(out: &mut String, ty: &Type) {
    for doc in &ty.docs {
        comment(out, "", "///", doc);
    }
    for review in ty.model.iter().flat_map(|model| &model.reviews) {
        comment(out, "", "// REVIEW:", review);
    }
    let derive = match (&ty.model, &ty.body) {
        (Some(_), _) => "Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel",
        (None, Body::Units(_)) => {
            "Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, MongoEmbed"
        }
        (None, _) => "Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed",
    };
    let _ = writeln!(out, "#[derive({derive})]");
    let rename = match &ty.body {
        Body::Struct(fields) => rename_fields(fields),
        Body::Units(units) => {
            rename_variants(units.iter().map(|(stored, ident, _)| (stored, ident)))
        }
        Body::Tagged { variants, .. } => {
            rename_variants(variants.iter().map(|(stored, ident, _)| (stored, ident)))
        }
    };
    let mut serde: Vec<String> = Vec::new();
    if let Body::Tagged { tag, .. } = &ty.body {
        serde.push(format!("tag = {tag:?}"));
    }
    serde.extend(rename.map(|rule| format!("rename_all = {rule:?}")));
    if !serde.is_empty() {
        let _ = writeln!(out, "#[serde({})]", serde.join(", "));
    }
    if let Some(options) = &ty.model {
        write_options(out, options);
    }
    match &ty.body {
        Body::Struct(fields) => {
            let _ = writeln!(out, "pub struct {} {{", ty.name);
            fields
                .iter()
                .for_each(|field| write_field(out, field, rename));
        }
        Body::Units(units) => {
            let _ = writeln!(out, "pub enum {} {{", ty.name);
            for (stored, ident, remark) in units {
                remark
                    .iter()
                    .for_each(|remark| comment(out, "    ", "//", remark));
                if renamed(rename, ident).as_deref() != Some(stored) {
                    let _ = writeln!(out, "    #[serde(rename = {stored:?})]");
                }
                let _ = writeln!(out, "    {ident},");
            }
        }
        Body::Tagged { variants, .. } => {
            let _ = writeln!(out, "pub enum {} {{", ty.name);
            for (stored, ident, name) in variants {
                if renamed(rename, ident).as_deref() != Some(stored) {
                    let _ = writeln!(out, "    #[serde(rename = {stored:?})]");
                }
                let _ = writeln!(out, "    {ident}({name}),");
            }
        }
    }
    out.push_str("}\n");
}

fn write_options(out: &mut String, options: &ModelOptions) {
    if options.options.is_empty() {
        let _ = writeln!(out, "#[model(collection = {:?})]", options.collection);
        return;
    }
    let _ = writeln!(out, "#[model(\n    collection = {:?},", options.collection);
    for Attribute { text, evidence } in &options.options {
        evidence
            .iter()
            .for_each(|evidence| comment(out, "    ", "//", evidence));
        let _ = writeln!(out, "    {text},");
    }
    out.push_str(")]\n");
}

fn write_field(out: &mut String, field: &Field, rename: Option<&str>) {
    let mut serde: Vec<String> = Vec::new();
    let stored = match rename {
        Some(_) => serde_camel(&field.rust),
        None => field.rust.clone(),
    };
    if stored != field.stored && !field.serde.contains(&"flatten") {
        serde.push(format!("rename = {:?}", field.stored));
    }
    serde.extend(field.serde.iter().map(|part| (*part).to_owned()));
    let evidence = field
        .attributes
        .iter()
        .filter_map(|attribute| attribute.evidence.as_ref());
    let mut comments: Vec<&String> = Vec::new();
    for text in field.comments.iter().chain(evidence) {
        if !comments.contains(&text) {
            comments.push(text);
        }
    }
    for text in comments {
        comment(out, "    ", "//", text);
    }
    for text in &field.reviews {
        comment(out, "    ", "// REVIEW:", text);
    }
    if !serde.is_empty() {
        let _ = writeln!(out, "    #[serde({})]", serde.join(", "));
    }
    for attribute in &field.attributes {
        let _ = writeln!(out, "    {}", attribute.text);
    }
    let _ = writeln!(out, "    pub {}: {},", raw(&field.rust), field.ty.text());
}

/// `camelCase`, if it spares attributes.
fn rename_fields(fields: &[Field]) -> Option<&'static str> {
    let named = || {
        fields
            .iter()
            .filter(|field| !field.serde.contains(&"flatten"))
    };
    // serde's rule cuts names at their first byte.
    if named().any(|field| !field.rust.is_ascii()) {
        return None;
    }
    let wrong = |name: fn(&str) -> String| {
        named()
            .filter(|field| name(&field.rust) != field.stored)
            .count()
    };
    (wrong(serde_camel) + 1 < wrong(str::to_owned)).then_some("camelCase")
}

const VARIANT_RULES: [&str; 6] = [
    "lowercase",
    "UPPERCASE",
    "camelCase",
    "snake_case",
    "SCREAMING_SNAKE_CASE",
    "kebab-case",
];

/// The rule that spares the most attributes, if it spares two.
fn rename_variants<'a>(
    variants: impl Iterator<Item = (&'a String, &'a String)>,
) -> Option<&'static str> {
    let variants: Vec<_> = variants.collect();
    let fits = |rule: Option<&str>| {
        variants
            .iter()
            .filter(|(stored, ident)| renamed(rule, ident).as_ref() == Some(stored))
            .count()
    };
    let best = VARIANT_RULES
        .into_iter()
        .rev()
        .max_by_key(|rule| fits(Some(rule)))?;
    (fits(Some(best)) > fits(None) + 1).then_some(best)
}

/// The stored name of a variant under a rule of serde's.
fn renamed(rule: Option<&str>, ident: &str) -> Option<String> {
    let words = |separator: char| {
        let mut out = String::new();
        for (at, c) in ident.chars().enumerate() {
            if at > 0 && c.is_uppercase() {
                out.push(separator);
            }
            out.push(c.to_ascii_lowercase());
        }
        out
    };
    Some(match rule {
        None => ident.to_owned(),
        Some("lowercase") => ident.to_ascii_lowercase(),
        Some("UPPERCASE") => ident.to_ascii_uppercase(),
        Some("camelCase") => ident.get(..1)?.to_ascii_lowercase() + &ident[1..],
        Some("snake_case") => words('_'),
        Some("SCREAMING_SNAKE_CASE") => words('_').to_ascii_uppercase(),
        Some("kebab-case") => words('-'),
        Some(_) => return None,
    })
}

/// A comment, wrapped; names from the database cannot end it.
fn comment(out: &mut String, indent: &str, mark: &str, text: &str) {
    let text = plain(text);
    let mut line = format!("{indent}{mark}");
    let next = if mark.starts_with("///") { "///" } else { "//" };
    for word in text.split_whitespace() {
        if line.chars().count() + 1 + word.chars().count() > WIDTH
            && line.len() > indent.len() + mark.len()
        {
            let _ = writeln!(out, "{line}");
            line = format!("{indent}{next}");
        }
        line.push(' ');
        line.push_str(word);
    }
    let _ = writeln!(out, "{line}");
}

/// The text without control characters.
pub(crate) fn plain(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

/// Source as rustfmt has it; as it is where there is no rustfmt.
fn format_source(text: String) -> String {
    formatted(&text).unwrap_or(text)
}

fn formatted(text: &str) -> Option<String> {
    let mut child = Command::new("rustfmt")
        .args(["--edition", "2024", "--emit", "stdout", "--quiet"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    child.stdin.take()?.write_all(text.as_bytes()).ok()?;
    let done = child.wait_with_output().ok()?;
    let text = String::from_utf8(done.stdout).ok()?;
    (done.status.success() && !text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collection_may_have_the_name_of_the_folder() {
        let root = render_root("shop", "models", &BTreeSet::from(["models.rs", "users.rs"]));
        let modules: Vec<&str> = root
            .lines()
            .filter(|line| !line.is_empty())
            .skip(1)
            .collect();
        assert_eq!(
            modules,
            [
                "#[allow(clippy::module_inception)] // the name of the collection",
                "pub mod models;",
                "pub mod users;"
            ]
        );
    }
}
