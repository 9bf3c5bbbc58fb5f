//! The type that the values at a place deserve.

use super::bounds::{Bound, Holds, MOST, bound};
use super::maps::{is_map, map_values};
use super::types::{conversion, main_class, scalar_ty};
use super::{Builder, Place, attribute};
use bson::{Document, doc};

use crate::findings::Level;
use crate::output::{count, number};
use crate::pull::model::{Body, Field, Ty, Type, shown_filter};
use crate::pull::names::{camel, type_name};
use crate::pull::profile::{DEEPEST, Fields, Kind, Values, confidence, percent, share};
use crate::pull::relate::split;

/// Documents that nest deeper stay documents.
const DEEPEST_STRUCT: usize = 16;
/// The advice names the type that at least this share of the values has.
const MOSTLY: f64 = 0.9;

impl Builder<'_> {
    /// Decides the type of a field, with the attributes and findings that follow from it.
    pub(super) fn decide(&mut self, here: &Place, values: &Values, field: &mut Field) {
        field.ty = self.ty(here, values, field);
        let ty = field.ty.clone();
        self.note_text(here, values, &ty);
        self.note_numbers(here, values, &ty, field);
    }

    fn ty(&mut self, here: &Place, values: &Values, field: &mut Field) -> Ty {
        self.note_outliers(here, values);
        if let Some(forced) = self.links.forced(here) {
            return forced;
        }
        match values.only_kind() {
            None if values.kinds.is_empty() => Ty::Bson,
            Some(Kind::Array) => self.array(here, values, field),
            Some(Kind::Document) => self.document(here, values, field),
            Some(Kind::String) => self.units(here, values).unwrap_or(Ty::String),
            _ => scalar_ty(values).unwrap_or_else(|| self.mixed(here, values, field)),
        }
    }

    /// The type of a field with values of several types.
    fn mixed(&mut self, here: &Place, values: &Values, field: &mut Field) -> Ty {
        let kinds = values.kinds_text();
        if values.only_kind().is_some() {
            field
                .comments
                .push(format!("{kinds}: only `Bson` holds it"));
            return Ty::Bson;
        }
        let strange = values
            .fields
            .as_deref()
            .is_some_and(|fields| fields.named.keys().any(|name| name.starts_with('$')));
        if strange {
            let message = "holds documents whose keys begin with `$`: `Bson` cannot read those that look like extended JSON";
            self.review(here, "extended_json", message.to_owned());
        }
        let advice = self.advice(here, values);
        let message = format!("has several types ({kinds}): {advice}");
        let filter = main_class(values).and_then(|main| outlier_filter(here, main, values));
        self.review_some(here, "mixed_types", message, filter);
        if let Some((to, remove_empty)) = conversion(values) {
            self.resolve_by(here, to, remove_empty);
        }
        Ty::Bson
    }

    /// The advice on how values of several types become values of one.
    fn advice(&mut self, here: &Place, values: &Values) -> String {
        let text = &values.text;
        let mut others = values.clone();
        others.kinds.remove(&Kind::String);
        let ty = scalar_ty(&others).map(|ty| ty.text());
        if let (Some(ty), true) = (&ty, text.count > 0 && text.empty == text.count) {
            let empty = shown_filter(&doc! { &here.path: "" });
            return format!(
                "the strings are empty ({empty} finds them): store nothing for them, then use `Option<{ty}>`"
            );
        }
        let is_number = |ty: &String| ["i32", "i64", "f64", "Decimal128"].contains(&ty.as_str());
        if let Some(ty) = ty.filter(is_number)
            && share(text.numbers + text.empty, text.count) > 0.8
        {
            return format!("the strings are numbers, or empty: store numbers, then use `{ty}`");
        }
        let Some(main) = main_class(values) else {
            return "decide on one type and correct the others".to_owned();
        };
        let found = match outlier_filter(here, main, values) {
            Some(filter) => format!(" ({} finds them)", shown_filter(&filter)),
            None => String::new(),
        };
        let Some(most) = values.majority(MOSTLY) else {
            let others: u64 =
                values.kinds.values().sum::<u64>() - values.kinds.values().max().unwrap_or(&0);
            return format!(
                "if it is {} in truth, correct the other {}{found}",
                main.name(),
                percent(share(others, values.present()))
            );
        };
        // The struct is written though the field does not have it.
        let mut unused = Field::new(&here.path);
        let ty = match main {
            Kind::Document | Kind::Array => self.ty(here, &most, &mut unused).text(),
            _ => scalar_ty(&most).map_or_else(|| main.name().to_owned(), |ty| ty.text()),
        };
        format!(
            "correct the others{found}, then use `{ty}`; `--majority 99%` writes that at once, and no model reads the others"
        )
    }

    /// Notes the values that were set apart.
    fn note_outliers(&mut self, here: &Place, values: &Values) {
        let Some(main) = main_class(values).filter(|_| !values.outliers.is_empty()) else {
            return;
        };
        let all = values.outliers.iter();
        let kinds: Vec<String> = all
            .map(|(kind, count)| format!("{} {}", number(*count), kind.name()))
            .collect();
        let filter = outlier_filter(here, main, values);
        let found = match &filter {
            Some(filter) => format!("{} finds their documents", shown_filter(filter)),
            None => "correct them".to_owned(),
        };
        let message = format!(
            "has values of other types ({}), which the model cannot read: {found}",
            kinds.join(", ")
        );
        self.review_some(here, "outliers", message, filter);
        if let Some((to, remove_empty)) = conversion(values) {
            self.resolve_by(here, to, remove_empty);
        }
    }

    /// The type of a field with arrays.
    fn array(&mut self, here: &Place, values: &Values, field: &mut Field) -> Ty {
        let empty = Values::default();
        let items = values.items.as_deref().unwrap_or(&empty);
        if let Some(length) = fixed(here, values, items) {
            field.comments.push(format!("always {length} numbers"));
            return Ty::Fixed(Box::new(Ty::F64), length);
        }
        let documents = items.only_kind() == Some(Kind::Document);
        let holds = if documents {
            Holds::Documents
        } else {
            Holds::Scalars
        };
        let bounded = bound(&values.lengths, holds, self.product);
        let mut inner = Field {
            attributes: Vec::new(),
            comments: Vec::new(),
            serde: Vec::new(),
            ..field.clone()
        };
        let (above, inner_above) = (self.product, self.inner);
        self.product = above.saturating_mul(bounded.max);
        self.inner = 1;
        let mut ty = self.item(here, items, &mut inner);
        // The rule of embedded documents counts the values of enums too.
        let holds = holding(&ty);
        let bounded = bound(&values.lengths, holds, above);
        let nested = self.inner;
        self.product = above;
        self.inner = inner_above.max(nested.saturating_mul(bounded.max));
        field.comments.append(&mut inner.comments);
        if items.nulls > 0 && ty != Ty::Bson {
            ty = Ty::Option(Box::new(ty));
            field.comments.push(format!(
                "{} of the elements are null",
                percent(share(items.nulls, items.count))
            ));
        }
        if items.count == 0 {
            let message = "has only empty arrays: nothing says what they hold";
            self.review(here, "empty_arrays", message.to_owned());
        }
        self.bounded(here, &bounded, holds, nested, field);
        Ty::Vec(Box::new(ty))
    }

    /// The attributes of a bound, and what is found about it.
    pub(super) fn bounded(
        &mut self,
        here: &Place,
        bounded: &Bound,
        holds: Holds,
        nested: u64,
        field: &mut Field,
    ) {
        field.attributes.extend(bounded.embed(holds));
        if nested > 1 && nested.saturating_mul(bounded.max) > MOST {
            let reason = format!("measured: {} and arrays in them", bounded.evidence);
            field.attributes.push(attribute(
                format!("#[model(allow(embed_nested_product, reason = \"{reason}\"))]"),
                None,
            ));
            self.review(
                here,
                "nested_arrays",
                format!(
                    "holds arrays in arrays, and the bounds of nested arrays allow {} elements: move one of them into a collection of its own",
                    number(nested.saturating_mul(bounded.max))
                ),
            );
        }
        match &bounded.review {
            Some(review) => self.review(here, "large_array", review.clone()),
            None => self.note(
                here,
                "bound",
                Level::Note,
                format!("bounded at {}: {}", number(bounded.max), bounded.evidence),
                None,
            ),
        }
    }

    /// The type of an array's elements.
    fn item(&mut self, here: &Place, items: &Values, field: &mut Field) -> Ty {
        if items.only_kind() == Some(Kind::Array) {
            let inner = items.items.as_deref();
            if let Some(inner) = inner
                && items.nulls == 0
                && inner.nulls == 0
                && let Some(ty @ (Ty::F64 | Ty::I32 | Ty::I64)) = scalar_ty(inner)
                && let Some(length) = (1..=16).find(|length| items.lengths.always(*length))
            {
                return Ty::Fixed(Box::new(ty), length);
            }
            let message = "holds arrays in arrays of several lengths, which have no bound of their own: the inner ones stay `Bson`; store documents with an array";
            self.review(here, "arrays_in_arrays", message.to_owned());
            return Ty::Bson;
        }
        let mut inner = Field {
            ty: Ty::Bson,
            ..field.clone()
        };
        let ty = self.ty(here, items, &mut inner);
        field.comments = inner.comments;
        if let Ty::Map(_) = ty {
            // The bound of a map in an array has no place to stand.
            return Ty::Document;
        }
        ty
    }

    /// The type of a field with embedded documents.
    fn document(&mut self, here: &Place, values: &Values, field: &mut Field) -> Ty {
        let name = split(&here.path).1;
        let Some(fields) = values
            .fields
            .as_deref()
            .filter(|fields| !fields.named.is_empty())
        else {
            if values.fields.is_none() {
                let message = format!(
                    "documents nest more than {DEEPEST} levels deep: the inner ones stay `Document`"
                );
                self.review(here, "deep", message);
            } else {
                field.comments.push("always empty".to_owned());
            }
            return Ty::Document;
        };
        if self.inside.iter().any(|above| above == name) || self.inside.len() >= DEEPEST_STRUCT {
            let message = "documents nest in documents of the same kind, or very deep: a type cannot hold itself, and the inner ones stay `Document`; give each a `#[parent(..)]` instead";
            self.review(here, "recursive", message.to_owned());
            return Ty::Document;
        }
        if fields.get("$ref").is_some() && fields.get("$id").is_some() {
            return self.dbref(here, fields);
        }
        if is_map(fields) {
            return self.map(here, fields, field);
        }
        if let Some((known, nested)) = self.shapes.written(here) {
            self.inner = self.inner.max(nested);
            return Ty::Named(known);
        }
        let ty = self.structure(here, name, fields);
        Ty::Named(ty)
    }

    /// The type of references with the name of their collection, as old drivers write them.
    fn dbref(&mut self, here: &Place, fields: &Fields) -> Ty {
        let collections = fields.get("$ref").map(|values| &values.text.distinct);
        let named = collections.into_iter().flat_map(|text| text.keys());
        let models = named.map(|name| {
            let at = self
                .data
                .sources
                .iter()
                .position(|source| *source.name == **name);
            at.and_then(|at| self.names[at].clone())
                .unwrap_or_else(|| name.to_string())
        });
        let models: Vec<String> = models.map(|name| format!("`#[parent({name})]`")).collect();
        let message = format!(
            "is a DBRef: store its `$id` alone, then declare {}",
            models.join(" or ")
        );
        self.review(here, "dbref", message);
        Ty::Document
    }

    /// Writes the struct, or the tagged enum, for embedded documents.
    fn structure(&mut self, here: &Place, name: &str, fields: &Fields) -> String {
        let several = here.path.ends_with('*') || self.product > 1;
        let short = match self.shapes.family(here) {
            Some(above) => type_name(&above),
            None if several => type_name(name),
            None => camel(name),
        };
        let rust = self.free_name(here, &short, "Part");
        let merged = self.shapes.merged(here);
        let fields = merged.as_ref().unwrap_or(fields);
        let inner_above = std::mem::replace(&mut self.inner, 1);
        self.inside.push(name.to_owned());
        let body = match self.tagged(here, fields, &rust) {
            Some(body) => body,
            None => Body::Struct(self.fields(here, fields)),
        };
        self.inside.pop();
        let nested = self.inner;
        self.inner = inner_above.max(nested);
        let places = self.shapes.places(here);
        let docs = match places.len() {
            0 | 1 => vec![format!(
                "`{}` in `{}`: {}.",
                here.path,
                self.data.sources[here.source].name,
                count(fields.documents, "document")
            )],
            _ => {
                let shown: Vec<String> = places
                    .iter()
                    .take(4)
                    .map(|place| {
                        format!("`{}.{}`", self.data.sources[place.source].name, place.path)
                    })
                    .collect();
                self.found(
                    here,
                    "shared",
                    format!("has the shape of {}", shown.join(", ")),
                    confidence(fields.documents, fields.documents),
                );
                vec![format!(
                    "In {}: {}.",
                    shown.join(", "),
                    count(fields.documents, "document")
                )]
            }
        };
        let owner = self.owner(here);
        self.types.push((
            owner,
            Type {
                name: rust.clone(),
                docs,
                model: None,
                body,
            },
        ));
        self.shapes.write(here, &rust, nested);
        rust
    }

    /// The type of documents whose keys are data.
    fn map(&mut self, here: &Place, fields: &Fields, field: &mut Field) -> Ty {
        let values = map_values(fields);
        let mut inner = Field {
            attributes: Vec::new(),
            comments: Vec::new(),
            ..field.clone()
        };
        let documents = values.only_kind() == Some(Kind::Document);
        let array = values.kinds.contains_key(&Kind::Array);
        let key = Place::new(here.source, format!("{}.*", here.path));
        let mut ty = match array {
            true => Ty::Bson,
            false if documents => Ty::Document,
            false => self.ty(&key, &values, &mut inner),
        };
        if documents
            && let Some(fields) = values
                .fields
                .as_deref()
                .filter(|fields| !fields.named.is_empty() && !is_map(fields))
        {
            let short = split(&here.path).1.to_owned();
            self.inside.push(short.clone());
            ty = Ty::Named(self.structure(&key, &short, fields));
            self.inside.pop();
        }
        if values.nulls > 0 && ty != Ty::Bson {
            ty = Ty::Option(Box::new(ty));
        }
        field.comments.append(&mut inner.comments);
        let names = fields.names.distinct.len() as u64 + fields.names.others;
        let mut lengths = crate::pull::profile::Lengths::default();
        lengths.add_length(fields.widest);
        let holds = holding(&ty);
        let mut bounded = bound(&lengths, holds, self.product);
        bounded.evidence = format!(
            "the keys are data: at most {} in a document",
            number(fields.widest)
        );
        match &bounded.option {
            Some(_) => field.attributes.extend(bounded.embed(holds)),
            None => field.attributes.push(attribute(
                format!(
                    "#[model(allow(embed_map, reason = \"measured: {}\"))]",
                    bounded.evidence
                ),
                Some(bounded.evidence.clone()),
            )),
        }
        if let Some(review) = bounded.review {
            self.review(here, "large_map", review);
        }
        self.found(
            here,
            "map",
            format!(
                "is a map: its {} are data",
                count(names.max(fields.named.len() as u64), "different key")
            ),
            confidence(values.count, values.count),
        );
        Ty::Map(Box::new(ty))
    }
}

/// The filter that finds values of other types; `None` where no filter does.
fn outlier_filter(here: &Place, main: Kind, values: &Values) -> Option<Document> {
    if here
        .path
        .split('.')
        .any(|name| name == "*" || name.is_empty() || name.starts_with('$'))
    {
        return None;
    }
    // A condition on the type of a field is one on the elements of its arrays too.
    if main == Kind::Array {
        return Some(doc! { &here.path: { "$not": { "$type": "array" }, "$ne": null } });
    }
    let numbers = [Kind::Int32, Kind::Int64, Kind::Double];
    let is_main =
        |kind: &Kind| *kind == main || (numbers.contains(&main) && numbers.contains(kind));
    let kinds = values.kinds.keys().chain(values.outliers.keys());
    let names: Option<Vec<&str>> = kinds
        .filter(|kind| !is_main(kind))
        .map(|kind| match kind {
            Kind::Other => None,
            Kind::Uuid => Some(Kind::Binary.name()),
            kind => Some(kind.name()),
        })
        .collect();
    match names?.as_slice() {
        [] => None,
        [only] => Some(doc! { &here.path: { "$type": *only } }),
        several => Some(doc! { &here.path: { "$type": several.to_vec() } }),
    }
}

/// The rule that counts elements of the type.
fn holding(ty: &Ty) -> Holds {
    match ty.required() {
        Ty::Named(_) => Holds::Documents,
        _ => Holds::Scalars,
    }
}

/// The length of arrays that are points or boxes on a map.
fn fixed(here: &Place, values: &Values, items: &Values) -> Option<usize> {
    const NAMES: [&str; 8] = [
        "coordinates",
        "coords",
        "location",
        "loc",
        "geo",
        "position",
        "bbox",
        "lnglat",
    ];
    let name = split(&here.path).1.to_ascii_lowercase();
    let numbers = items.nulls == 0 && items.is_only(&[Kind::Double, Kind::Int32, Kind::Int64]);
    let length = [2, 3, 4]
        .into_iter()
        .find(|length| values.lengths.always(*length))?;
    (numbers && NAMES.contains(&name.as_str())).then_some(length)
}
