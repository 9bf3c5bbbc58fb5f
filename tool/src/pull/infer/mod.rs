//! Decides what the profiles deserve: structs, enums, attributes and the sentences about them.

mod access;
mod bounds;
mod checks;
mod declare;
mod doubts;
mod fields;
mod indexes;
mod links;
mod maps;
mod naming;
mod numbers;
mod places;
mod recents;
mod shapes;
mod types;
mod units;
mod values;

use std::collections::BTreeMap;

pub(crate) use self::maps::{is_map, map_values};
pub(crate) use self::naming::Chosen;

use bson::Document;

use self::fields::{Names, rust_names};
use self::links::Links;
use self::shapes::Shapes;
use super::decisions::Decisions;
use super::model::{Attribute, Body, File, ModelOptions, Models, Note, Type};
use super::names::{Taken, camel, raw, snake, type_name};
use super::profile::{Fields, confidence};
use super::profiled::Query;
use super::relate::{Count, Recent, Reference};
use super::source::{Class, ModelFile, Source};
use crate::findings::Level;
use crate::output::{count, number};

/// The data that was read and measured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Data<'a> {
    pub(crate) sources: &'a [Source],
    pub(crate) references: &'a [Reference],
    pub(crate) counts: &'a [Count],
    pub(crate) recents: &'a [Recent],
    pub(crate) queries: &'a [Query],
    pub(crate) decisions: &'a Decisions,
}

/// The models, and by collection what was found.
pub(crate) struct Inferred {
    pub(crate) models: Models,
    /// The models' names, by collection.
    pub(crate) names: Vec<Option<String>>,
    pub(crate) notes: Vec<Vec<Note>>,
    pub(crate) chosen: Vec<Chosen>,
}

/// A place in the documents of a collection.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) source: usize,
    /// The dotted path; empty for whole documents.
    pub(crate) path: String,
}

impl Place {
    pub(crate) fn new(source: usize, path: impl Into<String>) -> Self {
        Place {
            source,
            path: path.into(),
        }
    }

    /// The place of a field in the documents here.
    pub(crate) fn field(&self, name: &str) -> Self {
        let path = match self.path.as_str() {
            "" => name.to_owned(),
            path => format!("{path}.{name}"),
        };
        Place {
            source: self.source,
            path,
        }
    }
}

/// The work in progress.
pub(crate) struct Builder<'a> {
    data: Data<'a>,
    names: Vec<Option<String>>,
    taken: Taken,
    files: Taken,
    /// Types that are written, each with the collection whose file has it; `None` is the shared file.
    types: Vec<(Option<usize>, Type)>,
    shapes: Shapes,
    links: Links,
    /// Enums of strings, by the place that they are named after.
    units: BTreeMap<Place, Option<String>>,
    notes: Vec<Vec<Note>>,
    chosen: Vec<Chosen>,
    /// Documents above the one that is described, from the outermost: the names of their fields.
    inside: Vec<String>,
    /// The number of documents that the bounds of the arrays above allow.
    product: u64,
    /// The number of elements that the bounds of the arrays inside the present value allow.
    inner: u64,
}

/// The models for the data.
pub(crate) fn infer(data: Data<'_>) -> Inferred {
    let mut taken = Taken::types();
    data.decisions
        .types()
        .for_each(|name| _ = taken.reserve(name));
    let named = |source: &Source| {
        let has_model = source.class != Class::View
            && source.file != ModelFile::Outside
            && source.unread.is_none()
            && source.root.documents > 0
            && source
                .root
                .get("_id")
                .is_some_and(|id| id.count == source.root.documents);
        let decided = data.decisions.model(&source.name).map(str::to_owned);
        has_model.then(|| decided.unwrap_or_else(|| taken.free_type(&type_name(&source.name))))
    };
    let names: Vec<Option<String>> = data.sources.iter().map(named).collect();
    let links = Links::decide(data, &names);
    let mut builder = Builder {
        shapes: Shapes::find(data.sources, &links),
        links,
        data,
        taken,
        files: Taken::default(),
        types: Vec::new(),
        units: BTreeMap::new(),
        notes: vec![Vec::new(); names.len()],
        chosen: Vec::new(),
        names,
        inside: Vec::new(),
        product: 1,
        inner: 1,
    };
    builder.note_links();
    for source in 0..data.sources.len() {
        builder.describe(source);
    }
    builder.note_access();
    builder.finish()
}

impl Builder<'_> {
    fn note(
        &mut self,
        place: &Place,
        kind: &'static str,
        level: Level,
        message: String,
        confidence: Option<f64>,
    ) {
        let about = place.path.clone();
        let collection = &self.data.sources[place.source].name;
        let level = match self.data.decisions.accepts(collection, &about, kind) {
            true => Level::Note,
            false => level,
        };
        let notes = &mut self.notes[place.source];
        // A field of several kinds of documents is described once for each.
        let is_same =
            |note: &Note| note.kind == kind && note.about == about && note.message == message;
        if notes.iter().any(is_same) {
            return;
        }
        notes.push(Note {
            kind,
            level,
            about,
            message,
            confidence,
            filter: None,
            examples: Vec::new(),
            resolve: None,
            is_in_source: false,
        });
    }

    /// Something that the models express.
    fn found(&mut self, place: &Place, kind: &'static str, message: String, confidence: f64) {
        let confidence = Some((confidence * 1000.0).round() / 1000.0);
        self.note(place, kind, Level::Note, message, confidence);
    }

    /// Something that a person has to decide: the source says it at the place.
    fn review(&mut self, place: &Place, kind: &'static str, message: String) {
        self.note(place, kind, Level::Problem, message, None);
    }

    /// Something that a person has to decide about documents that a filter finds.
    fn review_some(
        &mut self,
        place: &Place,
        kind: &'static str,
        message: String,
        filter: Option<Document>,
    ) {
        self.review(place, kind, message);
        if let Some(note) = self.notes[place.source].last_mut() {
            note.filter = filter;
        }
    }

    /// The sentences for the field at a place.
    fn take_reviews(&mut self, here: &Place) -> Vec<String> {
        let notes = self.notes[here.source].iter_mut();
        let mine = notes.filter(|note| note.level == Level::Problem && note.about == here.path);
        mine.map(|note| {
            note.is_in_source = true;
            format!("{}.", note.message)
        })
        .collect()
    }

    /// Writes the sentences that no field has above the model; where there is no model, nothing can be reviewed.
    fn place_other_reviews(&mut self) {
        for (at, notes) in self.notes.iter_mut().enumerate() {
            let of_model =
                |(owner, ty): &&mut (Option<usize>, Type)| *owner == Some(at) && ty.model.is_some();
            let mut model = self.types.iter_mut().find(of_model);
            for note in notes {
                if note.level != Level::Problem || note.is_in_source {
                    continue;
                }
                match model.as_mut().and_then(|(_, ty)| ty.model.as_mut()) {
                    Some(options) => {
                        note.is_in_source = true;
                        let about = match note.about.as_str() {
                            "" => String::new(),
                            about => format!("`{about}` "),
                        };
                        options.reviews.push(format!("{about}{}.", note.message));
                    }
                    None => note.level = Level::Note,
                }
            }
        }
    }

    /// Describes one collection.
    fn describe(&mut self, at: usize) {
        let source = &self.data.sources[at];
        let place = Place::new(at, "");
        let Some(name) = self.names[at].clone() else {
            let why = match (&source.unread, source.class) {
                (Some(why), _) => format!("{why}: no model is written"),
                (None, Class::View) => "is a view: its source has the model".to_owned(),
                _ if source.root.documents == 0 => {
                    "has no documents: no model is written".to_owned()
                }
                _ => "has documents without `_id`: no model is written".to_owned(),
            };
            self.note(&place, "skipped", Level::Note, why, None);
            return;
        };
        let mut docs = vec![self.summary(source)];
        match source.class {
            Class::Capped => docs.push(
                "The collection is capped: documents cannot be deleted, and old ones disappear."
                    .to_owned(),
            ),
            Class::TimeSeries => docs.push(
                "The collection is a time series: documents are inserted, and hardly changed."
                    .to_owned(),
            ),
            Class::Plain | Class::View => {}
        }
        if source.validator().is_some() {
            docs.push(
                "The collection has a validator: the model repeats its ranges, lengths and lists of values, and nothing else of it."
                    .to_owned(),
            );
        }
        if let Some(why) = &source.unseen {
            let message = format!(
                "not all documents were compared with the model ({why}): `--full` reads them all, `cargo mongo-model check --full` finds those that do not fit"
            );
            self.review(&place, "unseen", message);
        }
        let root = &source.root;
        let body = match self.tagged(&place, root, &name) {
            Some(body) => body,
            None => Body::Struct(self.fields(&place, root)),
        };
        let common = self.links.common.iter().filter(|place| place.source == at);
        let common: Vec<String> = common
            .map(|place| rust_path(&rust_names(root, &place.path)))
            .collect();
        let mut options = Vec::new();
        if !common.is_empty() {
            options.push(attribute(format!("common({})", common.join(", ")), None));
        }
        let options = ModelOptions {
            collection: source.name.clone(),
            options,
            reviews: Vec::new(),
        };
        let model = Type {
            name,
            docs,
            model: Some(options),
            body,
        };
        self.types.push((Some(at), model));
        self.declare_indexes(at);
    }

    fn summary(&self, source: &Source) -> String {
        let all = count(source.documents, "document");
        match source.is_sampled() {
            true => format!(
                "`{}`: {all}, {} of them read.",
                source.name,
                number(source.read)
            ),
            false => format!("`{}`: {all}.", source.name),
        }
    }

    /// The variants of documents that a tag tells apart.
    fn tagged(&mut self, place: &Place, fields: &Fields, name: &str) -> Option<Body> {
        let variants = fields.variants.as_ref()?;
        let here = place.field(&variants.tag);
        if variants.untagged > 0 || variants.by_tag.is_empty() {
            let message = format!(
                "looks like the tag of {} kinds of documents, but {} without a usable one: correct them and pull again for an enum",
                variants.by_tag.len(),
                are(variants.untagged)
            );
            self.review(&here, "tagged", message);
            return None;
        }
        // A field has one name in all kinds of documents.
        let names = Names::of(fields);
        let mut idents = Taken::default();
        let mut out = Vec::new();
        let mut by_name: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        for variant in variants.by_tag.values() {
            for (field, (_, values)) in &variant.named {
                let seen = by_name.entry(field).or_default();
                seen.0 += values.count;
                seen.1 += variant.documents;
            }
        }
        for (tag, variant) in &variants.by_tag {
            let ident = idents.free(&camel(tag), "");
            let type_name = self.taken.free_type(&format!("{name}{ident}"));
            let mut described = Vec::new();
            for (field, _) in variant.in_order() {
                let (Some(values), Some(rust)) = (fields.get(field), names.find(field)) else {
                    continue;
                };
                if *field == *variants.tag {
                    continue;
                }
                let (stored, all) = by_name.get(field).copied().unwrap_or_default();
                described.push(self.field(place, field, rust, values, all.saturating_sub(stored)));
            }
            let docs = vec![format!(
                "`{}` is `{tag}`: {}.",
                variants.tag,
                count(variant.documents, "document")
            )];
            let owner = self.owner(place);
            self.types.push((
                owner,
                Type {
                    name: type_name.clone(),
                    docs,
                    model: None,
                    body: Body::Struct(described),
                },
            ));
            out.push((tag.to_string(), ident, type_name));
        }
        let kinds = variants.by_tag.len();
        self.found(
            &here,
            "tagged",
            format!("tells {kinds} kinds of documents apart"),
            confidence(fields.documents, fields.documents),
        );
        Some(Body::Tagged {
            tag: variants.tag.to_string(),
            variants: out,
        })
    }

    /// The file that a type at the place goes to.
    fn owner(&self, place: &Place) -> Option<usize> {
        match self.shapes.is_shared(place) {
            true => None,
            false => Some(place.source),
        }
    }

    fn finish(mut self) -> Inferred {
        self.place_other_reviews();
        let mut files = Vec::new();
        for at in (0..self.names.len()).map(Some).chain([None]) {
            let mut types: Vec<Type> = self
                .types
                .iter()
                .filter(|(owner, _)| *owner == at)
                .map(|(_, ty)| ty.clone())
                .collect();
            if types.is_empty() {
                continue;
            }
            types.sort_by_key(|ty| ty.model.is_none());
            let name = match at {
                Some(at) => snake(&self.data.sources[at].name),
                None => "shared".to_owned(),
            };
            let name = self.files.free(
                &if name == "mod" {
                    "mod_".to_owned()
                } else {
                    name
                },
                "_",
            );
            files.push(File {
                name,
                source: at,
                types,
            });
        }
        Inferred {
            models: Models { files },
            names: self.names,
            notes: self.notes,
            chosen: self.chosen,
        }
    }
}

/// True if the names of the fields are too many to be those of a struct.
pub(crate) fn is_wide(fields: &Fields) -> bool {
    fields.rest.is_some() || fields.named.len() > 200
}

pub(crate) fn attribute(text: String, evidence: Option<String>) -> Attribute {
    Attribute { text, evidence }
}

/// `1 is`, `5 are`.
pub(crate) fn plural_is(n: u64) -> String {
    format!("{} {}", number(n), if n == 1 { "is" } else { "are" })
}

/// `1 document is`, `5 documents are`.
pub(crate) fn are(n: u64) -> String {
    format!(
        "{} {}",
        count(n, "document"),
        if n == 1 { "is" } else { "are" }
    )
}

/// The identifier of a path's last field in source code, where it is one of a struct.
pub(crate) fn rust_path(names: &[String]) -> String {
    names
        .iter()
        .map(|name| raw(name))
        .collect::<Vec<_>>()
        .join(".")
}
