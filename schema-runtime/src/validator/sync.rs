//! `sync_validators`: carries out a plan.

use std::fmt;
use std::future::IntoFuture;

use bson::{Document, doc};
use futures::FutureExt;
use futures::future::BoxFuture;
use mongodb::Database;

use super::plan::{CONSTRAINT, ValidatorChange, Wanted, plan};
use crate::driver::capabilities::require;
use crate::driver::catalog::{code, run_write};
use crate::error::server::Feature;
use crate::error::{Error, Result};

const NAMESPACE_EXISTS: i32 = 48;

/// Gives the collections in `db` the validators that follow from the models: every model linked into the program, or those of
/// [`only`](SyncValidators::only).
///
/// A new validator has the level `moderate` (documents that were wrong before can still be changed) and the action `warn` (a wrong
/// document is stored, and the server's log has a line about it). The level and action that a collection's validator
/// already has stay, unless the call sets [`error`](SyncValidators::error), [`constraint`](SyncValidators::constraint) or
/// [`warn`](SyncValidators::warn).
///
/// Sends one `listCollections`; then, only where something has to be done, one `collMod` per collection, or one
/// `create` if the collection does not exist. Each is atomic, the whole is not; it can be run again at any time, even
/// by several programs at once. The commands use the database's write concern. Views and time series have no validators
/// and are skipped. An existing collection that has the level [`constraint`](SyncValidators::constraint), or gets it, needs four `collMod`:
/// the server changes a validator at a lower level alone, and looks at all documents before it raises the level.
///
/// # Errors
/// [`Error::ForeignValidator`] (nothing was changed), [`Error::NamespaceTooLong`] (nothing was sent), [`Error::Unsupported`] (nothing was
/// changed), or [`Error::Driver`]: the collections before the one that failed have their validators. If documents of that one are
/// in the way of `constraint`, it has its validator, at the level `strict`; the server's error has a query that finds them.
pub fn sync_validators(db: &Database) -> SyncValidators<'_> {
    SyncValidators {
        db,
        wanted: Wanted::default(),
        replace: false,
    }
}

/// See [`sync_validators`]. Does nothing unless awaited.
#[must_use = "nothing is sent before it is awaited"]
pub struct SyncValidators<'a> {
    db: &'a Database,
    wanted: Wanted,
    replace: bool,
}

choices!(SyncValidators);

impl fmt::Debug for SyncValidators<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SyncValidators")
            .field("wanted", &self.wanted)
            .field("replace", &self.replace)
            .finish_non_exhaustive()
    }
}

impl SyncValidators<'_> {
    /// Replaces validators that this library did not write, too.
    pub fn replace(mut self) -> Self {
        self.replace = true;
        self
    }
}

/// The result of [`sync_validators`].
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ValidatorReport {
    /// The collections whose validator, level or action changed.
    pub changed: Vec<ValidatorChange>,
}

impl ValidatorReport {
    /// True if nothing was changed.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        self.changed.is_empty()
    }
}

impl fmt::Display for ValidatorReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_unchanged() {
            return writeln!(f, "no validator was changed");
        }
        self.changed
            .iter()
            .try_for_each(|change| writeln!(f, "{change}"))
    }
}

impl<'a> IntoFuture for SyncValidators<'a> {
    type Output = Result<ValidatorReport>;
    type IntoFuture = BoxFuture<'a, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        async move {
            if self.wanted.level == Some(CONSTRAINT) {
                require(self.db, Feature::ConstraintValidators).await?;
            }
            let plan = plan(self.db, &self.wanted).await?;
            let foreign = plan.changes.iter().filter(|change| change.is_foreign());
            let collections: Vec<String> =
                foreign.map(|change| change.collection.clone()).collect();
            if !self.replace && !collections.is_empty() {
                return Err(Error::ForeignValidator { collections });
            }
            let mut report = ValidatorReport::default();
            for change in plan.changes {
                apply(self.db, &change).await?;
                report.changed.push(change);
            }
            Ok(report)
        }
        .boxed()
    }
}

async fn apply(db: &Database, change: &ValidatorChange) -> Result<()> {
    let options = doc! {
        "validator": &change.validator,
        "validationLevel": &change.level,
        "validationAction": &change.action,
    };
    if !change.exists {
        let mut create = doc! { "create": &change.collection };
        create.extend(options.clone());
        match run_write(db, create).await {
            // Another program was faster.
            Err(error) if code(&error) == Some(NAMESPACE_EXISTS) => {}
            done => return Ok(done?),
        }
    }
    for modify in modifications(change) {
        run_write(db, modify).await?;
    }
    Ok(())
}

/// The commands that change an existing collection.
fn modifications(change: &ValidatorChange) -> Vec<Document> {
    let collection = &change.collection;
    let set = |level: &str| {
        doc! {
            "collMod": collection,
            "validator": &change.validator,
            "validationLevel": level,
            "validationAction": &change.action,
        }
    };
    if change.level != CONSTRAINT {
        return vec![set(&change.level)];
    }
    vec![
        doc! { "collMod": collection, "validationLevel": "strict" },
        set("strict"),
        doc! { "collMod": collection, "prepareConstraintValidationLevel": true },
        doc! {
            "collMod": collection,
            "validationLevel": CONSTRAINT,
            "validationAction": &change.action,
        },
    ]
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::{ValidatorChange, modifications};

    /// At `constraint` MongoDB 9.0 refuses another validator; it raises the level from `strict` alone, of a collection that is prepared for
    /// it, and with a command that brings no validator.
    #[test]
    fn the_level_constraint_is_reached_in_steps() {
        let change = |level: &str| ValidatorChange {
            collection: "things".to_owned(),
            exists: true,
            live: None,
            validator: doc! { "$jsonSchema": { "required": ["_id"] } },
            level: level.to_owned(),
            action: "error".to_owned(),
            broken: 0,
            examples: Vec::new(),
        };
        let strict = doc! {
            "collMod": "things",
            "validator": { "$jsonSchema": { "required": ["_id"] } },
            "validationLevel": "strict",
            "validationAction": "error",
        };
        assert_eq!(
            modifications(&change("strict")),
            std::slice::from_ref(&strict)
        );
        let steps = [
            doc! { "collMod": "things", "validationLevel": "strict" },
            strict,
            doc! { "collMod": "things", "prepareConstraintValidationLevel": true },
            doc! { "collMod": "things", "validationLevel": "constraint", "validationAction": "error" },
        ];
        assert_eq!(modifications(&change("constraint")), steps);
    }
}
