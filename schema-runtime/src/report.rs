//! Advice on the schema of a program, as data, text and Markdown.

pub(crate) mod costs;
pub(crate) mod limits;

use std::fmt;

use bson::Document;

use crate::bson_util::path::join;
use crate::driver::{self, Database};
use crate::graph::scan;
use crate::index::collect::definitions;
use crate::index_spec::definition::{Definition, Source};
use crate::schema::model::ModelMeta;
use crate::schema::registry;
use crate::schema::relation::Holds;
use crate::schema::rows::FieldRow;
use crate::schema::stored;

const REDUNDANT: &str = "IDX_REDUNDANT";

/// Returns all advice about the models that are linked into the program: from rules of level "advice" that their
/// derives found broken, and from rules that need several models. Sends nothing; [`Report::with_usage`] asks the server
/// too. `#[model(strict)]` turns the former into errors; `#[model(allow(rule, reason = ".."))]` leaves a rule out.
///
/// ```
/// println!("{}", mongo_model::report());
/// # let _ = mongo_model::report().markdown();
/// ```
#[must_use]
pub fn report() -> Report {
    let models = registry::models();
    let models = models.into_iter().map(|meta| {
        let mut findings: Vec<Finding> = meta
            .advice
            .iter()
            .map(|advice| Finding {
                rule: advice.rule,
                field: advice.field.to_owned(),
                says: advice.says.to_owned(),
            })
            .collect();
        let indexes = definitions(meta);
        let mut more = redundant(&indexes);
        more.extend(two_way(meta));
        more.extend(copies(meta));
        more.extend(sorted(meta, &indexes));
        more.retain(|finding| !meta.allowed.contains(&finding.rule));
        // The derive's finding does not name the indexes, and covers only those of its own struct.
        if more.iter().any(|finding| finding.rule == REDUNDANT) {
            findings.retain(|finding| finding.rule != REDUNDANT);
        }
        findings.extend(more);
        ModelReport {
            model: meta.name,
            collection: meta.collection,
            schema_version: meta.schema.map(|schema| schema.version),
            indexes: indexes.iter().map(shown).collect(),
            costs: meta.costs(),
            findings,
        }
    });
    Report {
        models: models.collect(),
    }
}

/// The findings of [`report`]. `Display` writes text for a terminal, [`markdown`](Report::markdown) a page.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The models, by collection and name.
    pub models: Vec<ModelReport>,
}

/// The indexes of one model, and the advice about it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ModelReport {
    /// The Rust name.
    pub model: &'static str,
    /// The collection.
    pub collection: &'static str,
    /// The model's `schema_version`, if it has one.
    pub schema_version: Option<i32>,
    /// The keys of the indexes that the program declares, besides the one of `_id`: `host: 1, time: -1`.
    pub indexes: Vec<String>,
    /// The costs of an insert, an update and a delete.
    pub costs: costs::Costs,
    /// The advice about the model.
    pub findings: Vec<Finding>,
}

/// A piece of advice.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The rule's code; its lower-case form is the name in `allow(..)`.
    pub rule: &'static str,
    /// The subject of the advice: a field by its Rust name, an index by its keys; empty for the model.
    pub field: String,
    /// The text of the advice.
    pub says: String,
}

impl Report {
    /// True if there is no advice.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.models.iter().all(|model| model.findings.is_empty())
    }

    /// Every finding, with its model.
    pub fn findings(&self) -> impl Iterator<Item = (&ModelReport, &Finding)> {
        let models = self.models.iter();
        models.flat_map(|model| model.findings.iter().map(move |finding| (model, finding)))
    }

    /// The report as a Markdown page with one table.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut out = String::from("| model | about | rule | advice |\n|---|---|---|---|\n");
        for (model, finding) in self.findings() {
            let cell = |text: &str| text.replace('|', "\\|");
            out.push_str(&format!(
                "| {} | {} | `{}` | {} |\n",
                cell(model.model),
                cell(&finding.field),
                finding.rule,
                cell(&finding.says),
            ));
        }
        out
    }

    /// Adds the indexes that no query has used since the server started or the index was built, as `IDX_UNUSED`: this
    /// is meaningful only on a server that has seen all of the program's work. Unique and expiring indexes, and the
    /// library's own, are left out: they are useful without a query.
    ///
    /// Sends one `aggregate` (`$indexStats`) per collection.
    ///
    /// # Errors
    /// The driver's.
    pub async fn with_usage(mut self, db: &Database) -> crate::error::Result<Self> {
        for meta in registry::models() {
            let mut wanted = definitions(meta);
            wanted.retain(|one| {
                let own = one
                    .keys
                    .first()
                    .is_some_and(|(key, _)| key.starts_with(stored::OWN));
                !own && !one.unique && one.expire_after.is_none()
            });
            if wanted.is_empty() || meta.allowed.contains(&"IDX_UNUSED") {
                continue;
            }
            let unused = unused(db, meta).await?;
            let entry = self
                .models
                .iter_mut()
                .find(|entry| entry.model == meta.name && entry.collection == meta.collection);
            let Some(entry) = entry else { continue };
            entry.findings.extend(
                wanted
                    .iter()
                    .filter(|one| unused.iter().any(|key| Some(key) == key_of(one).as_ref()))
                    .map(|one| Finding {
                        rule: "IDX_UNUSED",
                        field: shown(one),
                        says: "no query has used this index since the server started or the index was made: remove it, if the server has seen all of the program's work".to_owned(),
                    }),
            );
        }
        Ok(self)
    }
}

/// The keys of the indexes that were never used.
async fn unused(db: &Database, meta: &ModelMeta) -> crate::error::Result<Vec<Document>> {
    use futures::TryStreamExt;

    let pipeline = vec![bson::doc! { "$indexStats": {} }];
    let decode = |raw: &bson::RawDocument| {
        let used = raw.get_document("accesses").ok();
        let used = used.and_then(|used| used.get_i64("ops").ok());
        let key = raw.get_document("key").ok();
        let key = key.and_then(|key| Document::try_from(key).ok());
        Ok(key.filter(|_| used == Some(0)))
    };
    let reads = driver::Reads::AsConfigured;
    let rows = driver::aggregate(
        db,
        Some(meta.collection),
        pipeline,
        None,
        reads,
        None,
        decode,
    );
    let all: Vec<Option<Document>> = rows.try_collect().await?;
    Ok(all.into_iter().flatten().collect())
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for model in &self.models {
            let (findings, indexes) = (model.findings.len(), model.indexes.len());
            let noun = if indexes == 1 { "index" } else { "indexes" };
            write!(
                f,
                "{} ({}): {indexes} {noun}",
                model.model, model.collection
            )?;
            if let Some(version) = model.schema_version {
                write!(f, ", schema version {version}")?;
            }
            match findings {
                0 => writeln!(f, ", no advice")?,
                1 => writeln!(f, ", 1 piece of advice")?,
                more => writeln!(f, ", {more} pieces of advice")?,
            }
            writeln!(f, "  {}", model.costs)?;
            for finding in &model.findings {
                match &*finding.field {
                    "" => writeln!(f, "  {} [{}]", finding.says, finding.rule)?,
                    field => writeln!(f, "  {field}: {} [{}]", finding.says, finding.rule)?,
                }
            }
        }
        Ok(())
    }
}

fn key_of(definition: &Definition) -> Option<Document> {
    definition.spec().get_document("key").cloned().ok()
}

/// `host: 1, time: -1`
fn shown(definition: &Definition) -> String {
    let keys = key_of(definition).unwrap_or_default();
    let keys = keys.iter().map(|(path, kind)| match kind.as_str() {
        Some(kind) => format!("{path}: {kind}"),
        None => format!("{path}: {kind}"),
    });
    keys.collect::<Vec<_>>().join(", ")
}

/// Indexes that are a prefix of another one, no matter which field, variant or reference declared them.
fn redundant(all: &[Definition]) -> Vec<Finding> {
    let plain = all.iter().filter(|one| one.is_plain() && !one.unique);
    let longer = |one: &&Definition| {
        let begins = |other: &Definition| {
            other.is_plain()
                && other.keys.len() > one.keys.len()
                && other.keys.starts_with(&one.keys)
        };
        // A propagation walks the documents of one reference by `_id`.
        one.keys.last().is_some_and(|(key, _)| key != "_id") && all.iter().any(begins)
    };
    plain
        .filter(longer)
        .map(|one| Finding {
            rule: REDUNDANT,
            field: shown(one),
            says:
                "another index begins with these keys, and serves the same queries: remove this one"
                    .to_owned(),
        })
        .collect()
}

/// Models that refer to each other without saying that these are two sides of one relation.
fn two_way(meta: &'static ModelMeta) -> Vec<Finding> {
    let mut out = Vec::new();
    for field in &meta.flat().fields {
        let Some(relation) = field.relation.filter(|one| one.inverse.is_none()) else {
            continue;
        };
        let other = (relation.target)();
        if other.collection == meta.collection || relation.holds != Holds::Ids {
            continue;
        }
        let back = other.flat().fields.iter().find(|back| {
            back.relation.is_some_and(|back| {
                back.inverse.is_none() && (back.target)().collection == meta.collection
            })
        });
        out.extend(back.map(|back| Finding {
            rule: "REFS_TWO_WAY",
            field: field.rust.clone(),
            says: format!(
                "`{}` refers back: if these are the two sides of one relation, add `inverse = {}` here, and `inverse = {}` to `{}::{}`",
                other.name, back.rust, field.rust, other.name, back.rust
            ),
        }));
    }
    out
}

/// References with two indexes, where a single one would do if their sort field could not change.
fn sorted(meta: &ModelMeta, indexes: &[Definition]) -> Vec<Finding> {
    let fields = meta.shape.fields;
    let found = fields.iter().filter_map(|reference| {
        let relation = reference.relation?;
        let (by, _) = relation.sort?;
        let sort = fields.iter().find(|row| row.rust == by)?;
        let below = if relation.entry { relation.entry_id } else { "" };
        let path = join(reference.name, below);
        let has = |keys: &[&str]| {
            indexes.iter().find(|one| {
                let paths = one.keys.iter().map(|(path, _)| path.as_str());
                one.is_plain() && paths.eq(keys.iter().copied())
            })
        };
        let by_id = has(&[&path, "_id"]).filter(|one| one.source == Source::Automatic)?;
        let by_sort = has(&[&path, sort.name, "_id"])?;
        let could_be = scan::could_be_fixed(sort) && scan::may_walk_sorted(meta, &path);
        could_be.then(|| Finding {
            rule: "PARENT_SORT_FIXED",
            field: sort.rust.to_owned(),
            says: format!(
                "if it never changes, add `#[immutable]`: the index `{}` is then not needed, because `{}` serves in its place",
                shown(by_id),
                shown(by_sort),
            ),
        })
    });
    found.collect()
}

/// Copies that are there twice, and sources of which nothing is left to copy.
fn copies(meta: &'static ModelMeta) -> Vec<Finding> {
    let mut out = Vec::new();
    let fields = &meta.flat().fields;
    let parent = |path: &str| {
        path.rsplit_once('.')
            .map_or("", |(parent, _)| parent)
            .to_owned()
    };
    let copied: Vec<_> = fields
        .iter()
        .filter_map(|field| Some((field, field.copy?, parent(&field.rust))))
        .collect();
    for (n, (field, copy, beside)) in copied.iter().enumerate() {
        let source = (copy.source)();
        let same = |(_, other, place): &&(_, &crate::schema::rows::CopyRow, String)| {
            other.field == copy.field
                && other.via == copy.via
                && other.snapshot == copy.snapshot
                && (other.source)().collection == source.collection
                && place == beside
        };
        if let Some((first, ..)) = copied[..n].iter().find(same) {
            out.push(Finding {
                rule: "DENORM_TWICE",
                field: field.rust.clone(),
                says: format!("`{}` is the same copy: remove one of them", first.rust),
            });
        }
        // All copies on one reference, once.
        let here = |other: &crate::schema::rows::CopyRow, place: &String| {
            other.via == copy.via && place == beside && (other.source)().name == source.name
        };
        let first = copied
            .iter()
            .position(|(_, other, place)| here(other, place));
        let copies = |row: &FieldRow| {
            copied
                .iter()
                .any(|(_, other, place)| here(other, place) && other.field == row.rust)
        };
        let mut own = source
            .shape
            .fields
            .iter()
            .filter(|row| row.name != "_id")
            .peekable();
        if first == Some(n) && own.peek().is_some() && own.all(copies) {
            out.push(Finding {
                rule: "DENORM_ALL",
                field: field.rust.clone(),
                says: format!(
                    "all of `{}` is copied here: if nothing else needs it, its collection can be dropped",
                    source.name
                ),
            });
        }
    }
    out
}
