//! Attributes for the indexes that exist.

use bson::{Bson, Document};

use super::{Builder, Place, attribute, rust_path};
use crate::findings::Level;
use crate::pull::model::{Attribute, Body, Field, Ty, Type};
use crate::pull::source::flag;

/// A key of an index: `-time`, `text(title)`.
struct IndexKey {
    text: String,
    kind: &'static str,
    ty: Ty,
    optional: bool,
    arrays: usize,
    /// The field's place, if it is one of the model itself.
    top: Option<usize>,
}

impl Builder<'_> {
    /// Declares the indexes of a collection on its model, which is the last type that was written.
    pub(super) fn declare_indexes(&mut self, at: usize) {
        for index in &self.data.sources[at].indexes {
            let name = index.get_str("name").unwrap_or_default();
            if name == "_id_" || flag(index, "clustered") {
                continue;
            }
            let here = Place::new(at, name);
            if let Some(message) = self.replaced(at, index) {
                self.note(&here, "index_of_reference", Level::Note, message, None);
                continue;
            }
            match self.declare(index) {
                Ok(()) => self.found(&here, "index", "is declared".to_owned(), 1.0),
                Err(why) => self.review(
                    &here,
                    "undeclared_index",
                    format!("the index `{name}` is not declared: {why}"),
                ),
            }
        }
    }

    /// The sentence about an index that a reference declares by itself, or has a better one for; `None` for others.
    fn replaced(&self, at: usize, index: &Document) -> Option<String> {
        const PLAIN: [&str; 4] = ["v", "key", "name", "background"];
        if index.keys().any(|option| !PLAIN.contains(&option.as_str())) {
            return None;
        }
        let keys = index.get_document("key").ok()?;
        let ascends = |key: &Bson| {
            matches!(key, Bson::Int32(1) | Bson::Int64(1)) || *key == Bson::Double(1.0)
        };
        let mut names = keys.keys();
        let path = names.next().filter(|_| keys.values().all(ascends))?;
        let reference = self.links.refs.get(&Place::new(at, path))?;
        match (names.next().map(String::as_str), names.next()) {
            (None, _) => Some(format!(
                "is not declared: `{path}` refers to `{}`, and {{ {path}: 1, _id: 1 }} of that reference serves the same queries; drop this one once the other is built",
                self.data.sources[self.data.references[reference.reference].to].name
            )),
            (Some("_id"), None) => Some(format!("is the index of the reference `{path}`")),
            _ => None,
        }
    }

    fn declare(&mut self, index: &Document) -> Result<(), String> {
        let Some((_, model)) = self.types.last() else {
            return Err("there is no model".to_owned());
        };
        let Body::Struct(fields) = &model.body else {
            return self.declare_in_variants(index);
        };
        let keys = self.keys(fields, index)?;
        if flag(index, "unique") {
            self.holds_no_copies(&keys)?;
        }
        let mut options = self.options(fields, index, &keys)?;
        let allows = allows(index, &keys, fields);
        let Some((_, model)) = self.types.last_mut() else {
            return Err("there is no model".to_owned());
        };
        match keys.as_slice() {
            [
                IndexKey {
                    top: Some(top),
                    kind,
                    ..
                },
            ] if !index.contains_key("weights")
                && !options.iter().any(|option| option.starts_with("partial")) =>
            {
                if !kind.is_empty() {
                    options.insert(0, (*kind).to_owned());
                }
                if let Body::Struct(fields) = &mut model.body {
                    declare_on(&mut fields[*top], &options, allows);
                }
            }
            keys => {
                let texts: Vec<&str> = keys.iter().map(|key| key.text.as_str()).collect();
                options.insert(0, format!("keys({})", texts.join(", ")));
                let text = format!("index({})", options.join(", "));
                let Some(model) = &mut model.model else {
                    return Err("there is no model".to_owned());
                };
                model.options.push(attribute(text, None));
                for allow in allows {
                    let rule = allow.split(',').next().unwrap_or_default().to_owned();
                    if !model
                        .options
                        .iter()
                        .any(|option| option.text.starts_with(&rule))
                    {
                        model.options.push(attribute(allow, None));
                    }
                }
            }
        }
        Ok(())
    }

    /// An index over one field: of every kind of documents, or of one kind if it holds those alone.
    fn declare_in_variants(&mut self, index: &Document) -> Result<(), String> {
        let keys = index
            .get_document("key")
            .map_err(|_| "it has no keys".to_owned())?;
        let mut only = keys.keys();
        let (Some(key), None) = (only.next(), only.next()) else {
            return Err(
                "on documents of several kinds only indexes over one field are written".to_owned(),
            );
        };
        let Some((
            _,
            Type {
                body: Body::Tagged { variants, tag },
                ..
            },
        )) = self.types.last()
        else {
            return Err("there is no model".to_owned());
        };
        let filter = index.get_document("partialFilterExpression").ok();
        let one = filter.and_then(|filter| filter.get_str(tag).ok().filter(|_| filter.len() == 1));
        if filter.is_some() && one.is_none() {
            return Err(
                "on documents of several kinds a partial index holds those of one kind".to_owned(),
            );
        }
        let mut plain = index.clone();
        plain.remove("partialFilterExpression");
        let chosen: Vec<String> = variants
            .iter()
            .filter(|(stored, _, _)| one.is_none_or(|one| one == stored))
            .map(|(_, _, name)| name.clone())
            .collect();
        let mut places = Vec::new();
        for (at, (_, ty)) in self.types.iter().enumerate() {
            let Body::Struct(fields) = &ty.body else {
                continue;
            };
            if !chosen.contains(&ty.name) {
                continue;
            }
            let resolved = self
                .keys(fields, &plain)
                .map_err(|_| format!("not every kind of documents has `{key}`"))?;
            let [
                IndexKey {
                    top: Some(top),
                    kind,
                    ..
                },
            ] = resolved.as_slice()
            else {
                return Err(format!("`{key}` is no field of the documents themselves"));
            };
            let mut options = self.options(fields, &plain, &resolved)?;
            if !kind.is_empty() {
                options.insert(0, (*kind).to_owned());
            }
            places.push((at, *top, options, allows(&plain, &resolved, fields)));
        }
        if places.is_empty() {
            return Err("no kind of documents is in it".to_owned());
        }
        for (at, top, options, allows) in places {
            if let Body::Struct(fields) = &mut self.types[at].1.body {
                declare_on(&mut fields[top], &options, allows);
            }
        }
        Ok(())
    }

    /// Refuses a unique key that is a whole document with copies which follow their source: it changes with them, and the models do not
    /// compile with it.
    fn holds_no_copies(&self, keys: &[IndexKey]) -> Result<(), String> {
        let is_live = |attribute: &Attribute| {
            attribute.text.starts_with("#[denorm(") && !attribute.text.contains("snapshot")
        };
        for key in keys {
            let Ty::Named(name) = &key.ty else { continue };
            let ty = self.types.iter().find(|(_, ty)| ty.name == *name);
            let Some((
                _,
                Type {
                    body: Body::Struct(fields),
                    ..
                },
            )) = ty
            else {
                continue;
            };
            if fields
                .iter()
                .any(|field| field.attributes.iter().any(is_live))
            {
                return Err(format!(
                    "its unique key `{}` is a document with copies, which change with their source; make a unique index over the reference inside",
                    key.text
                ));
            }
        }
        Ok(())
    }

    fn keys(&self, fields: &[Field], index: &Document) -> Result<Vec<IndexKey>, String> {
        let mut out = Vec::new();
        let keys = index
            .get_document("key")
            .map_err(|_| "it has no keys".to_owned())?;
        for (path, direction) in keys {
            if path == "_fts" {
                for (path, _) in index.get_document("weights").into_iter().flatten() {
                    out.push(self.key(fields, path, "text")?);
                }
                continue;
            }
            if path == "_ftsx" {
                continue;
            }
            let kind = match direction {
                Bson::String(kind) => match kind.as_str() {
                    "hashed" => "hashed",
                    "2dsphere" => "geo",
                    other => return Err(format!("indexes of kind `{other}` cannot be declared")),
                },
                Bson::Int32(n) if *n < 0 => "desc",
                Bson::Int64(n) if *n < 0 => "desc",
                Bson::Double(n) if *n < 0.0 => "desc",
                _ => "",
            };
            if path == "$**" {
                out.push(IndexKey {
                    text: "wildcard".to_owned(),
                    kind: "wildcard",
                    ty: Ty::Bson,
                    optional: false,
                    arrays: 0,
                    top: None,
                });
                continue;
            }
            match path.strip_suffix(".$**") {
                Some(path) => out.push(self.key(fields, path, "wildcard")?),
                None => out.push(self.key(fields, path, kind)?),
            }
        }
        if out
            .iter()
            .filter(|key| key.arrays > 0 && key.kind != "text")
            .count()
            > 1
        {
            return Err("it crosses several arrays".to_owned());
        }
        Ok(out)
    }

    fn key(&self, fields: &[Field], path: &str, kind: &'static str) -> Result<IndexKey, String> {
        let Some(found) = self.resolve(fields, path) else {
            return Err(format!("`{path}` is no field of the model"));
        };
        let (names, ty, optional, arrays) = found;
        let rust = rust_path(&names);
        if kind == "hashed" && arrays > 0 {
            return Err(format!("`{path}` is an array"));
        }
        let text = match kind {
            "" => rust,
            "desc" => format!("-{rust}"),
            kind => format!("{kind}({rust})"),
        };
        let top = (names.len() == 1)
            .then(|| fields.iter().position(|field| field.stored == path))
            .flatten();
        Ok(IndexKey {
            text,
            kind,
            ty,
            optional,
            arrays,
            top,
        })
    }

    /// The Rust names of a stored path, its type, if it may be absent, and how many arrays it crosses.
    fn resolve(&self, fields: &[Field], path: &str) -> Option<(Vec<String>, Ty, bool, usize)> {
        let (head, rest) = path.split_once('.').unwrap_or((path, ""));
        let field = fields
            .iter()
            .find(|field| field.stored == head && !field.stored.is_empty())?;
        let optional = matches!(field.ty, Ty::Option(_));
        let (inner, arrays) = match field.ty.required() {
            Ty::Vec(inner) => (inner.required(), 1),
            ty @ Ty::Fixed(..) => (ty, 1),
            ty => (ty, 0),
        };
        if rest.is_empty() {
            return Some((
                vec![field.rust.clone()],
                field.ty.required().clone(),
                optional,
                arrays,
            ));
        }
        let Ty::Named(name) = inner else { return None };
        let (_, inner) = self.types.iter().find(|(_, ty)| ty.name == *name)?;
        let Body::Struct(inner) = &inner.body else {
            return None;
        };
        let (mut names, ty, inner_optional, inner_arrays) = self.resolve(inner, rest)?;
        names.insert(0, field.rust.clone());
        Some((names, ty, optional || inner_optional, arrays + inner_arrays))
    }

    fn options(
        &self,
        fields: &[Field],
        index: &Document,
        keys: &[IndexKey],
    ) -> Result<Vec<String>, String> {
        let mut out = Vec::new();
        for option in ["unique", "sparse"] {
            if flag(index, option) {
                out.push(option.to_owned());
            }
        }
        if let Some(after) = index.get("expireAfterSeconds") {
            let seconds = match after {
                Bson::Int32(n) => i64::from(*n),
                Bson::Int64(n) => *n,
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "the server stores whole seconds"
                )]
                Bson::Double(n) => *n as i64,
                _ => return Err("its expiry is no number".to_owned()),
            };
            let dates = keys.iter().all(|key| matches!(key.ty, Ty::Date));
            if !dates || seconds < 0 {
                return Err("it expires documents by a field that is not always a date".to_owned());
            }
            out.push(format!("expire_after = {seconds}"));
        }
        let text = index.contains_key("weights");
        if let Ok(filter) = index.get_document("partialFilterExpression") {
            out.push(format!("partial({})", self.partial(fields, filter)?));
        }
        if let Ok(collation) = index.get_document("collation").map(collation) {
            out.push(collation?);
        }
        if text {
            let weights: Vec<String> = index
                .get_document("weights")
                .into_iter()
                .flatten()
                .filter_map(|(path, weight)| {
                    let weight = crate::pull::profile::Key::of(weight)?;
                    let crate::pull::profile::Key::Int(weight) = weight else {
                        return None;
                    };
                    let (names, ..) = self.resolve(fields, path)?;
                    (weight != 1).then(|| format!("{} = {weight}", rust_path(&names)))
                })
                .collect();
            if !weights.is_empty() {
                out.push(format!("weights({})", weights.join(", ")));
            }
            for (stored, option, usual) in [
                ("default_language", "default_language", "english"),
                ("language_override", "language_override", "language"),
            ] {
                if let Ok(value) = index.get_str(stored)
                    && value != usual
                {
                    out.push(format!("{option} = {value:?}"));
                }
            }
        }
        if keys.iter().any(|key| key.kind == "geo" && !is_geo(&key.ty)) {
            return Err("its field does not always hold a place".to_owned());
        }
        if flag(index, "hidden") {
            return Err("it is hidden: drop it, or unhide it and pull again".to_owned());
        }
        Ok(out)
    }

    /// `partial(..)`: comparisons of fields.
    fn partial(&self, fields: &[Field], filter: &Document) -> Result<String, String> {
        let refused = || "its filter has conditions that cannot be declared".to_owned();
        let mut out = Vec::new();
        for (path, condition) in filter {
            let (names, ..) = self.resolve(fields, path).ok_or_else(refused)?;
            let rust = rust_path(&names);
            match condition {
                Bson::Document(operators) if operators.keys().all(|key| key.starts_with('$')) => {
                    let mut parts = Vec::new();
                    for (operator, value) in operators {
                        parts.push(match operator.as_str() {
                            "$exists" if *value == Bson::Boolean(true) => "exists".to_owned(),
                            "$type" => format!("type = {:?}", value.as_str().ok_or_else(refused)?),
                            "$eq" | "$gt" | "$gte" | "$lt" | "$lte" => format!(
                                "{} = {}",
                                &operator[1..],
                                literal(value).ok_or_else(refused)?
                            ),
                            _ => return Err(refused()),
                        });
                    }
                    out.push(format!("{rust}({})", parts.join(", ")));
                }
                value => out.push(format!("{rust} = {}", literal(value).ok_or_else(refused)?)),
            }
        }
        Ok(out.join(", "))
    }
}

/// `#[index(..)]` on a field, with the exceptions that it needs.
fn declare_on(field: &mut Field, options: &[String], allows: Vec<String>) {
    let text = match options.is_empty() {
        true => "#[index]".to_owned(),
        false => format!("#[index({})]", options.join(", ")),
    };
    field.attributes.push(attribute(text, None));
    let allows = allows.into_iter();
    field
        .attributes
        .extend(allows.map(|allow| attribute(format!("#[model({allow})]"), None)));
}

fn literal(value: &Bson) -> Option<String> {
    match value {
        Bson::Boolean(value) => Some(value.to_string()),
        Bson::Int32(value) => Some(value.to_string()),
        Bson::Int64(value) => Some(value.to_string()),
        Bson::String(value) => Some(format!("{value:?}")),
        _ => None,
    }
}

fn is_geo(ty: &Ty) -> bool {
    matches!(
        ty,
        Ty::Named(_) | Ty::Fixed(..) | Ty::Vec(_) | Ty::Document | Ty::Map(_) | Ty::Bson
    )
}

/// `collation(locale = "en", strength = 2)`; other settings that differ from the usual cannot be declared.
fn collation(given: &Document) -> Result<String, String> {
    let locale = given
        .get_str("locale")
        .map_err(|_| "its collation has no locale".to_owned())?;
    let mut out = vec![format!("locale = {locale:?}")];
    for (key, value) in given {
        match (key.as_str(), value) {
            ("strength", Bson::Int32(3))
            | (
                "caseLevel" | "numericOrdering" | "backwards" | "normalization",
                Bson::Boolean(false),
            ) => {}
            ("strength", Bson::Int32(n)) => out.push(format!("strength = {n}")),
            ("caseLevel", Bson::Boolean(true)) => out.push("case_level = true".to_owned()),
            ("numericOrdering", Bson::Boolean(true)) => {
                out.push("numeric_ordering = true".to_owned())
            }
            ("caseFirst", Bson::String(value)) if value == "off" => {}
            ("alternate", Bson::String(value)) if value == "non-ignorable" => {}
            ("maxVariable", Bson::String(value)) if value == "punct" => {}
            ("locale" | "version", _) => {}
            _ => return Err(format!("its collation sets `{key}`")),
        }
    }
    Ok(format!("collation({})", out.join(", ")))
}

/// Exceptions from rules that the existing index breaks.
fn allows(index: &Document, keys: &[IndexKey], fields: &[Field]) -> Vec<String> {
    let mut out = Vec::new();
    let unique = flag(index, "unique");
    let partial = index.contains_key("partialFilterExpression");
    let allow = |rule: &str| format!("allow({rule}, reason = \"measured: the index exists\")");
    if unique && !partial && keys.iter().any(|key| key.optional) {
        out.push(allow("idx_unique_null"));
    }
    if unique && keys.iter().any(|key| key.arrays > 0) {
        out.push(allow("idx_unique_array"));
    }
    let language = fields.iter().any(|field| field.stored == "language");
    let usual = index
        .get_str("language_override")
        .is_ok_and(|name| name == "language");
    if index.contains_key("weights") && language && usual {
        out.push(allow("idx_text_language"));
    }
    out
}
