//! `plan_validators`: reads, compares, changes nothing.

use std::collections::BTreeMap;
use std::fmt;
use std::future::IntoFuture;

use bson::{Bson, Document, doc};
use futures::FutureExt;
use futures::future::BoxFuture;
use mongodb::Database;

use super::schema::{TITLE, conditions, describe, json_schema};
use crate::driver::catalog;
use crate::error::Result;
use crate::index::planner::{Scope, namespaces};
use crate::schema::model::ModelMeta;

/// Compares the validators in `db` with those that follow from the models: every model linked into the program, or those of
/// [`only`](PlanValidators::only).
///
/// Sends one `listCollections`, and for each existing collection whose validator differs one `aggregate` that counts the stored documents
/// that break the new one; it reads the whole collection. Changes nothing. Models that share a collection share a validator: a document
/// is right if it matches one of the models.
///
/// # Errors
/// [`Error::NamespaceTooLong`](crate::Error::NamespaceTooLong) (nothing was sent), or [`Error::Driver`](crate::Error::Driver).
pub fn plan_validators(db: &Database) -> PlanValidators<'_> {
    PlanValidators {
        db,
        wanted: Wanted::default(),
        counts: true,
    }
}

/// See [`plan_validators`]. Does nothing unless awaited.
#[must_use = "nothing is sent before it is awaited"]
pub struct PlanValidators<'a> {
    db: &'a Database,
    wanted: Wanted,
    /// The documents that break a new validator are counted.
    counts: bool,
}

choices!(PlanValidators);

impl PlanValidators<'_> {
    /// Compares without a look at documents.
    #[doc(hidden)]
    pub fn without_documents(mut self) -> Self {
        self.counts = false;
        self
    }
}

impl fmt::Debug for PlanValidators<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlanValidators")
            .field("wanted", &self.wanted)
            .finish_non_exhaustive()
    }
}

impl<'a> IntoFuture for PlanValidators<'a> {
    type Output = Result<ValidatorPlan>;
    type IntoFuture = BoxFuture<'a, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        async move {
            let mut plan = plan(self.db, &self.wanted).await?;
            let changes = plan.changes.iter_mut();
            for change in changes.filter(|change| self.counts && change.exists) {
                let (collection, validator) = (&change.collection, &change.validator);
                let outside = catalog::count_outside(self.db, collection, validator);
                (change.broken, change.examples) = outside.await?;
            }
            Ok(plan)
        }
        .boxed()
    }
}

/// The selected models, the action of the server on a wrong document, and the documents that it checks.
#[derive(Debug, Clone, Default)]
pub(super) struct Wanted {
    pub(super) scope: Scope,
    pub(super) action: Option<&'static str>,
    pub(super) level: Option<&'static str>,
}

/// The level of MongoDB 9.0 at which every document of a collection is right.
pub(super) const CONSTRAINT: &str = "constraint";

/// The changes that [`sync_validators`](super::sync_validators) would make.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ValidatorPlan {
    /// The collections whose validator differs from the declared one, by name.
    pub changes: Vec<ValidatorChange>,
}

impl ValidatorPlan {
    /// True if all validators are as declared.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }
}

impl fmt::Display for ValidatorPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return writeln!(f, "all validators are as declared");
        }
        self.changes
            .iter()
            .try_for_each(|change| writeln!(f, "{change}"))
    }
}

/// The change of one collection's validator.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ValidatorChange {
    /// The collection.
    pub collection: String,
    /// True if the collection exists.
    pub exists: bool,
    /// The existing validator; `None` if there is none.
    pub live: Option<Document>,
    /// The new validator: `{$jsonSchema: ..}`, and `$expr` beside it where the model compares fields.
    pub validator: Document,
    /// The documents that the server checks: `moderate` (not those that were wrong before), or the level that is requested or set already.
    pub level: String,
    /// The action on a wrong document: `warn` (a line in the server's log), or the action that is requested or set already.
    pub action: String,
    /// The number of stored documents that break the new validator, as [`plan_validators`] counts them; 0 in a report.
    pub broken: u64,
    /// The `_id`s of some of these documents.
    pub examples: Vec<Bson>,
}

impl ValidatorChange {
    /// True if this library did not write the existing validator.
    #[must_use]
    pub fn is_foreign(&self) -> bool {
        let ours = |live: &Document| {
            let Ok(schema) = live.get_document("$jsonSchema") else {
                return false;
            };
            let title = schema.get_str("title");
            // Comparisons stand beside the schema, which then describes them.
            let is_whole = live.len() == 1 || schema.contains_key("description");
            is_whole && title.is_ok_and(|title| title.starts_with(TITLE))
        };
        self.live.as_ref().is_some_and(|live| !ours(live))
    }
}

impl fmt::Display for ValidatorChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match &self.live {
            _ if self.is_foreign() => "conflict",
            None => "add",
            Some(_) => "change",
        };
        let (level, action) = (&self.level, &self.action);
        write!(f, "{}\n  {what:<9} {level}, {action}", self.collection)?;
        match self.broken {
            0 => return Ok(()),
            1 => write!(f, "\n  broken    by 1 document")?,
            n => write!(f, "\n  broken    by {n} documents")?,
        }
        let ids: Vec<String> = self.examples.iter().map(ToString::to_string).collect();
        write!(f, ": {}", ids.join(", "))
    }
}

pub(super) async fn plan(db: &Database, wanted: &Wanted) -> Result<ValidatorPlan> {
    let collections = wanted.scope.collections();
    namespaces(db, collections.keys())?;
    if collections.is_empty() {
        return Ok(ValidatorPlan {
            changes: Vec::new(),
        });
    }
    let names: Vec<&str> = collections.keys().copied().collect();
    let listed = catalog::list_collections(db, names).await?;
    let live: BTreeMap<&str, &Document> = listed
        .iter()
        .filter_map(|one| Some((one.get_str("name").ok()?, one)))
        .collect();
    let changes = collections
        .iter()
        .filter_map(|(name, models)| change(name, models, live.get(name).copied(), wanted));
    Ok(ValidatorPlan {
        changes: changes.collect(),
    })
}

/// The change that a collection needs; `None` if its validator is as declared, and for views and time series, which have none.
fn change(
    collection: &str,
    models: &[&'static ModelMeta],
    listed: Option<&Document>,
    wanted: &Wanted,
) -> Option<ValidatorChange> {
    if listed.is_some_and(|listed| !matches!(listed.get_str("type"), Ok("collection"))) {
        return None;
    }
    let options = listed.and_then(|listed| listed.get_document("options").ok());
    let live = options.and_then(|options| options.get_document("validator").ok());
    let live = live.filter(|live| !live.is_empty());
    // The server's defaults for a validator whose options are not set.
    let set = |key: &str, default| {
        live.and(options)
            .map(|options| options.get_str(key).unwrap_or(default))
    };
    let live_level = set("validationLevel", "strict");
    let live_action = set("validationAction", "error");
    let action = wanted.action.or(live_action).unwrap_or("warn");
    let level = match wanted.level.or(live_level).unwrap_or("moderate") {
        // The action at `constraint` is never `warn`.
        CONSTRAINT if action == "warn" => "strict",
        level => level,
    };
    let change = ValidatorChange {
        collection: collection.to_owned(),
        exists: listed.is_some(),
        live: live.cloned(),
        validator: validator(models),
        level: level.to_owned(),
        action: action.to_owned(),
        broken: 0,
        examples: Vec::new(),
    };
    let same = live == Some(&change.validator)
        && live_action == Some(change.action.as_str())
        && live_level == Some(change.level.as_str());
    (!same).then_some(change)
}

/// The documents that one of the models describes.
fn validator(models: &[&'static ModelMeta]) -> Document {
    if let [model] = models {
        return conditions(model);
    }
    let names: Vec<&str> = models.iter().map(|model| model.name).collect();
    let title = format!("{TITLE}{}", names.join(", "));
    let described = || models.iter().flat_map(|model| model.stored_comparisons());
    if described().next().is_none() {
        let any = models.iter().map(|model| json_schema(model).into());
        let any: Vec<Bson> = any.collect();
        return doc! { "$jsonSchema": { "title": title, "anyOf": any } };
    }
    let any = models.iter().map(|model| conditions(model).into());
    let any: Vec<Bson> = any.collect();
    let schema = doc! { "title": title, "description": describe(described()) };
    doc! { "$jsonSchema": schema, "$or": any }
}

#[cfg(test)]
mod tests {
    use bson::{Document, doc};

    use super::{Wanted, change, validator};

    fn listed(level: &str, live: Document) -> Document {
        let options =
            doc! { "validator": live, "validationLevel": level, "validationAction": "error" };
        doc! { "name": "things", "type": "collection", "options": options }
    }

    /// MongoDB 9.0 adds the level `constraint`, which all documents meet: it is not lowered.
    #[test]
    fn the_level_of_a_newer_server_stays() {
        let wanted = Wanted::default();
        for level in ["strict", "moderate", "constraint"] {
            let same = change("things", &[], Some(&listed(level, validator(&[]))), &wanted);
            assert_eq!(same, None, "{level}");
            let other = listed(level, doc! { "$jsonSchema": { "title": "other" } });
            let changed = change("things", &[], Some(&other), &wanted).expect("a change");
            assert_eq!(
                (changed.level.as_str(), changed.action.as_str()),
                (level, "error")
            );
        }
    }

    #[test]
    fn a_level_is_raised_and_lowered_as_it_is_requested() {
        let at = |level, action| {
            let scope = Default::default();
            Wanted {
                scope,
                action: Some(action),
                level,
            }
        };
        let of = |live: &str, wanted| {
            let changed = change("things", &[], Some(&listed(live, validator(&[]))), &wanted);
            changed.map(|change| (change.level, change.action))
        };
        let changed = |level: &str, action: &str| Some((level.to_owned(), action.to_owned()));
        let constraint = || at(Some(super::CONSTRAINT), "error");
        assert_eq!(of("moderate", constraint()), changed("constraint", "error"));
        assert_eq!(of("constraint", constraint()), None);
        assert_eq!(of("constraint", at(None, "error")), None);
        assert_eq!(
            of("constraint", at(None, "warn")),
            changed("strict", "warn")
        );
        assert_eq!(
            of("moderate", at(None, "warn")),
            changed("moderate", "warn")
        );
    }
}
