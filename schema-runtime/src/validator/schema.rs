//! A model's tables as a `$jsonSchema`.

use bson::{Bson, Document, doc};

use crate::bson_util::exact::Exact;
use crate::document::comparisons;
use crate::schema::checks::{CheckRule, Limit, Part, Rules};
use crate::schema::comparison::Comparison;
use crate::schema::model::ModelMeta;
use crate::schema::rows::{FieldRow, Kind, Shape};
use crate::schema::value::Cardinality;

/// The prefix of the title of every schema that this library writes.
pub(super) const TITLE: &str = "mongo-model: ";

/// The end of a text, to PCRE and in JSON Schema.
pub(super) const END: &str = r"(?![\s\S])";

/// The server compares names by their bytes unless the pattern begins so.
pub(super) const CHARACTERS: &str = "(*UTF)";

/// The pattern for a character that is no white space, as Rust defines it: PCRE's `\S` knows only the white space of ASCII.
const NOT_EMPTY: &str = "[^\u{9}-\u{d}\u{20}\u{85}\u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}]";

/// The `$jsonSchema` of a model's documents.
///
/// A field is required if every document that serde writes and reads has it: no `Option`, no `#[serde(default)]`, no
/// `skip_serializing_if`. Fields that the library fills (references, copies, versions, derived data) are not required. For an enum
/// with data, only the tag is required: one of its variants' tags, or any string if a variant is `#[serde(other)]`. A field without
/// a known type (`opaque`, `#[serde(with = ..)]`, `Bson`) may hold anything. Integers may be stored in 32 or 64 bits, and are those that
/// the field's type holds; floats may be stored as integers. The schema does not limit the length of binary data, for which `$jsonSchema`
/// has no keyword.
#[must_use]
pub fn json_schema(meta: &ModelMeta) -> Document {
    let mut schema = doc! { "title": format!("{TITLE}{}", meta.name) };
    schema.extend(object(meta.shape, meta.rules(false)));
    schema
}

/// The filter of the documents that a model describes: `{ "$jsonSchema": .. }`, and an `$expr` beside it where the model compares fields,
/// because no schema does.
#[must_use]
pub fn conditions(model: &ModelMeta) -> Document {
    let mut schema = json_schema(model);
    let Some(comparisons) = comparisons::of_model(model) else {
        return doc! { "$jsonSchema": schema };
    };
    schema.insert("description", describe(model.stored_comparisons()));
    doc! { "$jsonSchema": schema, "$expr": comparisons }
}

/// The description of a schema beside which comparisons stand.
pub(super) fn describe<'c>(comparisons: impl IntoIterator<Item = &'c Comparison>) -> String {
    let texts = comparisons.into_iter().map(|comparison| comparison.text);
    texts.collect::<Vec<_>>().join("; ")
}

/// A document with these fields.
fn object(shape: &Shape, rules: Rules) -> Document {
    let mut fields = Fields {
        rules,
        required: Vec::new(),
        properties: Document::new(),
    };
    fields.add(shape, true);
    let Fields {
        required,
        properties,
        ..
    } = fields;
    let mut schema = doc! { "bsonType": "object" };
    // The server refuses an empty list.
    if !required.is_empty() {
        schema.insert("required", required);
    }
    if !properties.is_empty() {
        schema.insert("properties", properties);
    }
    schema
}

struct Fields {
    rules: Rules,
    required: Vec<String>,
    properties: Document,
}

impl Fields {
    fn add(&mut self, shape: &Shape, always: bool) {
        // The tag of an enum decides which of its fields a document has.
        let varies = |row: &FieldRow| row.tag || row.variant.is_some();
        let varies = shape.fields.iter().any(varies);
        if let Some((tag, kinds)) = kinds(shape) {
            self.required.push(tag.to_owned());
            let is_any = |row: &FieldRow| row.name == tag && row.kind == Kind::Any;
            let schema = if shape.fields.iter().any(is_any) {
                doc! { "bsonType": "string" }
            } else {
                doc! { "enum": kinds }
            };
            self.properties.insert(tag, schema);
        }
        for row in shape.fields {
            let always = always && !row.nullable && !row.absent && !varies;
            if row.name.is_empty() {
                if let Some(inner) = row.shape {
                    self.add(inner, always);
                }
                continue;
            }
            let refers = row.relation.is_some() || row.copy.is_some();
            let kept = refers || row.derived.is_some() || row.version.is_some();
            if row.tag || always && !kept {
                self.required.push(row.name.to_owned());
            }
            let schema = field(row, self.rules);
            if !row.tag && kinds(shape).is_some_and(|(tag, _)| tag == row.name) {
                continue;
            }
            // Fields of several variants may share a name and differ.
            match self.properties.get(row.name) {
                Some(Bson::Document(other)) if *other != schema => {
                    self.properties.insert(row.name, Document::new());
                }
                Some(_) => {}
                None => {
                    self.properties.insert(row.name, schema);
                }
            }
        }
    }
}

/// The stored tag of a model that is an enum, and the values that it can have; `None` for other models.
fn kinds(shape: &Shape) -> Option<(&'static str, Vec<&'static str>)> {
    let variants = || shape.fields.iter().filter_map(|row| row.variant);
    let (tag, _) = variants().next()?;
    let mut kinds: Vec<&str> = variants().map(|(_, kind)| kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    Some((tag, kinds))
}

/// A field with this row.
pub(super) fn field(row: &FieldRow, rules: Rules) -> Document {
    // A copy, which the library fills, may be null because it had no source at some time.
    let nullable = row.nullable || row.copy.is_some();
    match (row.kind, row.facts.card) {
        _ if row.tag => value(Kind::String, false, row, rules),
        (Kind::Array, Cardinality::Array) => {
            let mut schema = types(&["array"], nullable);
            let (most, about) = (row.most_elements(rules), |part| row.rules(part, rules));
            if most > 0 {
                schema.insert("maxItems", bound(most));
            }
            let least = about(Part::Whole).map(CheckRule::least).max().unwrap_or(0);
            if least > 0 {
                schema.insert("minItems", bound(least));
            }
            let mut items = value(row.facts.elem_kind, row.facts.elem_nullable, row, rules);
            restrict(&mut items, about(Part::Each), row.facts.elem_nullable);
            if !items.is_empty() {
                schema.insert("items", items);
            }
            schema
        }
        (Kind::Map, Cardinality::Map) => {
            let mut schema = types(&["object"], nullable);
            if row.max > 0 {
                schema.insert("maxProperties", bound(row.max));
            }
            let mut each = value(row.facts.elem_kind, row.facts.elem_nullable, row, rules);
            let about = |part| row.rules(part, rules);
            restrict(&mut each, about(Part::Each), row.facts.elem_nullable);
            if !each.is_empty() {
                schema.insert("additionalProperties", each);
            }
            let keys: Vec<Bson> = about(Part::Keys).filter_map(keys).collect();
            if !keys.is_empty() {
                schema.insert("allOf", keys);
            }
            schema
        }
        (kind, _) => {
            let mut schema = value(kind, nullable, row, rules);
            restrict(&mut schema, row.rules(Part::Whole, rules), nullable);
            schema
        }
    }
}

/// Adds the rules of a value that is no array.
fn restrict(
    schema: &mut Document,
    rules: impl Iterator<Item = &'static CheckRule>,
    nullable: bool,
) {
    let null = nullable.then_some(Bson::Null);
    let is_decimal = holds_decimals(schema);
    for rule in rules {
        match *rule {
            CheckRule::Len { min, max } => {
                if min > 0 {
                    schema.insert("minLength", bound(min));
                }
                let longest = schema.get_i64("maxLength").unwrap_or(i64::MAX);
                if bound(max) < longest {
                    schema.insert("maxLength", bound(max));
                }
            }
            CheckRule::NotEmpty => add_pattern(schema, NOT_EMPTY.to_owned()),
            CheckRule::Pattern(_) | CheckRule::Email | CheckRule::Url => {
                add_pattern(schema, rule.pattern().map(as_pcre).unwrap_or_default());
            }
            CheckRule::Finite => {
                let ends = match is_decimal {
                    true => doc! { "minimum": Exact::MAX.negated(), "maximum": Exact::MAX },
                    false => doc! { "minimum": f64::MIN, "maximum": f64::MAX },
                };
                schema.extend(
                    ends.into_iter()
                        .filter(|(end, _)| !schema.contains_key(end))
                        .collect::<Document>(),
                );
            }
            CheckRule::Range {
                min,
                max,
                exclusive,
            } => {
                // A limit outside of the type is none.
                let is_outside = |end: &str, limit: Limit| match (schema.get_i64(end), limit) {
                    (Ok(least), Limit::Int(limit)) if end == "minimum" => limit < least,
                    (Ok(most), Limit::Int(limit)) => limit > most,
                    _ => false,
                };
                let min = min.filter(|min| !is_outside("minimum", *min));
                let max = max.filter(|max| !is_outside("maximum", *max));
                let number = |limit: Limit| match limit {
                    Limit::Float(_) if is_decimal => limit.decimal().into(),
                    Limit::Int(n) => Bson::Int64(n),
                    Limit::Float(n) => Bson::Double(n),
                };
                schema.extend(min.map(|min| ("minimum".to_owned(), number(min))));
                schema.extend(max.map(|max| ("maximum".to_owned(), number(max))));
                if exclusive && max.is_some() {
                    schema.insert("exclusiveMaximum", true);
                }
            }
            CheckRule::OneOf(values) => {
                let values = values.iter().copied().map(Bson::from);
                schema.insert("enum", values.chain(null.clone()).collect::<Vec<_>>());
            }
            CheckRule::OneOfInt(values) => {
                let values = values.iter().copied().map(Bson::from);
                schema.insert("enum", values.chain(null.clone()).collect::<Vec<_>>());
            }
            // A schema compares no fields, and knows no function of the program.
            CheckRule::Compare(_) | CheckRule::With(_) | CheckRule::OtherDocument => {}
        }
    }
}

/// The schema of a map whose keys all meet a rule: keys that do not meet it are additional properties, which are not allowed.
fn keys(rule: &CheckRule) -> Option<Bson> {
    let pattern = match *rule {
        CheckRule::Len { min, max } => {
            let max = (max < u64::MAX).then(|| max.to_string());
            let max = max.unwrap_or_default();
            format!(r"^[\s\S]{{{min},{max}}}{END}")
        }
        CheckRule::NotEmpty => NOT_EMPTY.to_owned(),
        CheckRule::OneOf(values) => {
            let values = values.iter().map(|value| (*value, Document::new().into()));
            let values: Document = values
                .map(|(key, any): (&str, Bson)| (key.to_owned(), any))
                .collect();
            return Some(doc! { "properties": values, "additionalProperties": false }.into());
        }
        rule => as_pcre(rule.pattern()?),
    };
    let any = doc! { format!("{CHARACTERS}{pattern}"): {} };
    Some(doc! { "patternProperties": any, "additionalProperties": false }.into())
}

/// A schema has one pattern.
fn add_pattern(schema: &mut Document, pattern: String) {
    if !schema.contains_key("pattern") {
        schema.insert("pattern", pattern);
        return;
    }
    let mut others = schema.get_array("allOf").cloned().unwrap_or_default();
    others.push(doc! { "pattern": pattern }.into());
    schema.insert("allOf", others);
}

/// The same pattern in PCRE, where `$` is also in front of a line break at the end, and other characters may end a line.
fn as_pcre(pattern: &str) -> String {
    let mut out = String::new();
    let (mut is_escaped, mut in_class) = (false, false);
    for c in pattern.chars() {
        match c {
            '$' if !is_escaped && !in_class => out.push_str(END),
            '.' if !is_escaped && !in_class => out.push_str("[^\\n]"),
            c => out.push(c),
        }
        in_class = match c {
            '[' if !is_escaped => true,
            ']' if !is_escaped => false,
            _ => in_class,
        };
        is_escaped = c == '\\' && !is_escaped;
    }
    out
}

/// True if the values are decimals.
pub(super) fn holds_decimals(schema: &Document) -> bool {
    let types = schema.get("bsonType").into_iter();
    let is_decimal = |name: &Bson| name.as_str() == Some("decimal");
    let mut types = types.flat_map(|types| {
        types
            .as_array()
            .map_or(std::slice::from_ref(types), Vec::as_slice)
    });
    types.any(is_decimal)
}

/// The schema of a field's value, or of one of its elements.
fn value(kind: Kind, nullable: bool, row: &FieldRow, rules: Rules) -> Document {
    let names: &[&str] = match kind {
        Kind::String => &["string"],
        Kind::Int => &["int", "long"],
        Kind::Double => &["double", "int", "long"],
        Kind::Decimal => &["decimal"],
        Kind::Bool => &["bool"],
        Kind::Date => &["date"],
        Kind::ObjectId => &["objectId"],
        // An array of numbers is read, too.
        Kind::Binary if row.facts.dimensions > 0 => &["binData", "array"],
        Kind::Binary => &["binData"],
        Kind::Timestamp => &["timestamp"],
        Kind::Array => &["array"],
        Kind::Map => &["object"],
        Kind::Document => {
            let inner = row.shape.map(|shape| object(shape, rules));
            let mut schema = types(&["object"], nullable);
            schema.extend(
                inner
                    .into_iter()
                    .flatten()
                    .filter(|(key, _)| key != "bsonType"),
            );
            return schema;
        }
        _ => return Document::new(),
    };
    let mut schema = types(names, nullable);
    if let (Kind::Int, Some((least, greatest))) = (kind, row.facts.range) {
        // The server itself refuses what 64 bits do not hold.
        let ends = [
            ("minimum", least, i64::MIN),
            ("maximum", greatest, i64::MAX),
        ];
        let narrow = ends.iter().filter(|(_, end, widest)| end != widest);
        schema.extend(narrow.map(|(name, end, _)| ((*name).to_owned(), Bson::from(*end))));
    }
    if kind == Kind::String && row.max_len > 0 {
        schema.insert("maxLength", bound(row.max_len));
    }
    if kind == Kind::String && !row.facts.tags.is_empty() {
        let tags = row.facts.tags.iter().copied().map(Bson::from);
        let null = nullable.then_some(Bson::Null);
        schema.insert("enum", tags.chain(null).collect::<Vec<_>>());
    }
    schema
}

fn types(names: &[&str], nullable: bool) -> Document {
    let mut names: Vec<&str> = names.to_vec();
    if nullable {
        names.push("null");
    }
    match names.as_slice() {
        [one] => doc! { "bsonType": *one },
        many => doc! { "bsonType": many.to_vec() },
    }
}

fn bound(max: u64) -> i64 {
    i64::try_from(max).unwrap_or(i64::MAX)
}
