//! The type that the values at a place deserve.

use super::bounds::{Bound, Holds, MOST, bound};
use super::shapes::{is_map, map_values};
use super::{Builder, Place, attribute};
use crate::findings::Level;
use crate::output::{count, number};
use crate::pull::model::{Body, Field, Ty, Type};
use crate::pull::names::{camel, type_name};
use crate::pull::profile::{DEEPEST, Fields, Kind, Values, confidence, percent, share};
use crate::pull::relate::split;

/// Documents that nest deeper stay documents.
const DEEPEST_STRUCT: usize = 16;
/// Above this an `f64` does not hold every integer.
const EXACT: u64 = 1 << 53;
/// Names of fields with sums of money.
const MONEY: [&str; 20] = [
    "price", "cost", "amount", "total", "subtotal", "fee", "salary", "balance", "tax", "revenue",
    "discount", "payment", "fare", "charge", "rent", "wage", "deposit", "refund", "premium",
    "budget",
];

/// The type of single values that are not null; `None` where they have several, or are arrays or documents.
pub(crate) fn scalar_ty(values: &Values) -> Option<Ty> {
    if values.is_only(&[Kind::Int32, Kind::Int64]) {
        return Some(if values.kinds.contains_key(&Kind::Int64) {
            Ty::I64
        } else {
            Ty::I32
        });
    }
    if values.is_only(&[Kind::Int32, Kind::Int64, Kind::Double]) {
        return (values.numbers.largest <= EXACT).then_some(Ty::F64);
    }
    Some(match values.only_kind()? {
        Kind::Bool => Ty::Bool,
        Kind::Date => Ty::Date,
        Kind::Decimal => Ty::Decimal,
        Kind::ObjectId => Ty::ObjectId,
        Kind::String => Ty::String,
        Kind::Timestamp => Ty::Timestamp,
        Kind::Uuid => Ty::Uuid,
        Kind::Binary => Ty::Binary,
        _ => return None,
    })
}

impl Builder<'_> {
    /// Decides the type of a field, with the attributes and findings that follow from it.
    pub(super) fn decide(&mut self, here: &Place, values: &Values, field: &mut Field) {
        field.ty = self.ty(here, values, field);
        let ty = field.ty.clone();
        self.note_scalars(here, values, &ty, field);
    }

    fn ty(&mut self, here: &Place, values: &Values, field: &mut Field) -> Ty {
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

    /// Values of several types.
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
            field.reviews.push(format!("{message}."));
            self.review(here, "extended_json", message.to_owned());
        }
        let mut advice = "decide on one type and correct the others.".to_owned();
        if let Some((kind, most)) = values.main_kind().filter(|(_, share)| *share >= 0.5) {
            advice = format!(
                "if it is {} in truth, correct the other {}.",
                kind.name(),
                percent(1.0 - most)
            );
        }
        field
            .reviews
            .push(format!("several types ({kinds}): {advice}"));
        let numbers = values.text.count > 0
            && share(values.text.numbers + values.text.empty, values.text.count) > 0.8;
        let hint = if numbers {
            "; the strings are numbers, or empty"
        } else {
            ""
        };
        self.review(
            here,
            "mixed_types",
            format!("has several types: {kinds}{hint}"),
        );
        Ty::Bson
    }

    /// Findings about single values.
    fn note_scalars(&mut self, here: &Place, values: &Values, ty: &Ty, field: &mut Field) {
        let text = &values.text;
        let most = |part: u64| text.count >= 3 && share(part, text.count) >= 0.75;
        let name = split(&here.path).1.to_ascii_lowercase();
        if *ty == Ty::String && most(text.dates) {
            let message = format!(
                "{} of the strings are dates: as text they do not expire, and compare only if they are written alike",
                percent(share(text.dates, text.count))
            );
            field
                .reviews
                .push(format!("{message}; store BSON dates, then use `DateTime`."));
            let sure = Some(confidence(text.dates, text.count));
            self.note(here, "date_as_string", Level::Problem, message, sure);
        }
        if *ty == Ty::F64
            && MONEY.iter().any(|word| name.contains(word))
            && values.numbers.cents > 0
        {
            let doubles = values.kinds.get(&Kind::Double).copied().unwrap_or_default();
            let cents = share(values.numbers.cents, doubles);
            if cents >= 0.75 {
                let message = format!(
                    "looks like money in a double ({} with at most two digits behind the point)",
                    percent(cents)
                );
                field.reviews.push(format!(
                    "{message}: sums are not exact; use `Decimal128` or an integer of cents."
                ));
                let sure = Some(confidence(values.numbers.cents, doubles));
                self.note(here, "money_as_float", Level::Problem, message, sure);
            }
        }
        if matches!(ty, Ty::I64 | Ty::F64)
            && values.kinds.len() > 1
            && values.is_only(&[Kind::Int32, Kind::Int64, Kind::Double])
        {
            let kinds = values.kinds_text();
            field.comments.push(kinds.clone());
            self.note(
                here,
                "mixed_widths",
                Level::Note,
                format!("numbers of several types: {kinds}"),
                None,
            );
        }
    }

    /// Arrays.
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
            reviews: Vec::new(),
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
        field.reviews.append(&mut inner.reviews);
        field.comments.append(&mut inner.comments);
        if items.nulls > 0 && ty != Ty::Bson {
            ty = Ty::Option(Box::new(ty));
            field.comments.push(format!(
                "{} of the elements are null",
                percent(share(items.nulls, items.count))
            ));
        }
        if items.count == 0 {
            field
                .reviews
                .push("the arrays are empty: nothing says what they hold.".to_owned());
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
        field.attributes.push(bounded.embed(holds));
        if nested > 1 && nested.saturating_mul(bounded.max) > MOST {
            let reason = format!("measured: {} and arrays in them", bounded.evidence);
            field.attributes.push(attribute(
                format!("#[model(allow(embed_nested_product, reason = \"{reason}\"))]"),
                None,
            ));
            field.reviews.push(
                "arrays in arrays multiply: move one of them into a collection of its own."
                    .to_owned(),
            );
            self.review(
                here,
                "nested_arrays",
                format!(
                    "the bounds of nested arrays allow {} elements",
                    number(nested.saturating_mul(bounded.max))
                ),
            );
        }
        match &bounded.review {
            Some(review) => {
                field.reviews.push(review.clone());
                self.review(here, "large_array", review.trim_end_matches('.').to_owned());
            }
            None => self.note(
                here,
                "bound",
                Level::Note,
                format!("bounded at {}: {}", number(bounded.max), bounded.evidence),
                None,
            ),
        }
    }

    /// The element of an array.
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
            field.reviews.push(
                "arrays in arrays have no bound of their own: store documents with an array."
                    .to_owned(),
            );
            self.review(
                here,
                "arrays_in_arrays",
                "holds arrays in arrays of several lengths: the inner ones stay `Bson`".to_owned(),
            );
            return Ty::Bson;
        }
        let mut inner = Field {
            ty: Ty::Bson,
            ..field.clone()
        };
        let ty = self.ty(here, items, &mut inner);
        field.reviews = inner.reviews;
        field.comments = inner.comments;
        if let Ty::Map(_) = ty {
            // The bound of a map in an array has no place to stand.
            return Ty::Document;
        }
        ty
    }

    /// Embedded documents.
    fn document(&mut self, here: &Place, values: &Values, field: &mut Field) -> Ty {
        let name = split(&here.path).1;
        let Some(fields) = values
            .fields
            .as_deref()
            .filter(|fields| !fields.named.is_empty())
        else {
            if values.fields.is_none() {
                field
                    .reviews
                    .push("nests too deep to be looked into.".to_owned());
                self.review(here, "deep", format!("documents nest more than {DEEPEST} levels deep: the inner ones stay `Document`"));
            } else {
                field.comments.push("always empty".to_owned());
            }
            return Ty::Document;
        };
        if self.inside.iter().any(|above| above == name) || self.inside.len() >= DEEPEST_STRUCT {
            field.reviews.push("nests in itself: a type cannot hold itself, so that inner documents stay `Document`; give each a `#[parent(..)]` instead.".to_owned());
            self.review(here, "recursive", "documents nest in documents of the same kind, or very deep: the inner ones stay `Document`".to_owned());
            return Ty::Document;
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

    /// Writes the struct, or the tagged enum, for embedded documents.
    fn structure(&mut self, here: &Place, name: &str, fields: &Fields) -> String {
        let several = here.path.ends_with('*') || self.product > 1;
        let short = if several {
            type_name(name)
        } else {
            camel(name)
        };
        let wanted = match self.taken.has(&short) {
            false => short,
            true => {
                let above = split(split(&here.path).0).1;
                let owner = self.names[here.source].clone().unwrap_or_default();
                format!(
                    "{}{short}",
                    if above.is_empty() {
                        owner
                    } else {
                        camel(above)
                    }
                )
            }
        };
        let rust = self.taken.free_type(&wanted);
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

    /// Documents whose keys are data.
    fn map(&mut self, here: &Place, fields: &Fields, field: &mut Field) -> Ty {
        let values = map_values(fields);
        let mut inner = Field {
            attributes: Vec::new(),
            comments: Vec::new(),
            reviews: Vec::new(),
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
        field.reviews.append(&mut inner.reviews);
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
        field.attributes.push(match &bounded.options {
            Some(_) => bounded.embed(holds),
            None => attribute(
                format!(
                    "#[model(allow(embed_map, reason = \"measured: {}\"))]",
                    bounded.evidence
                ),
                Some(bounded.evidence.clone()),
            ),
        });
        field.reviews.extend(bounded.review);
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
