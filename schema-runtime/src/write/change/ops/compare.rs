//! Comparisons of fields, of which an update changes some: the filter of the same command says that the new values meet them.

use bson::{Bson, Document, doc};

use super::Changes;
use super::range::{Limit, Range};
use crate::document::comparisons::{self, Operand};
use crate::error::violation::Violation;
use crate::error::{Error, Result};
use crate::schema::checks::CheckRule;
use crate::schema::comparison::Comparison;
use crate::schema::model::ModelMeta;

/// The value of a field after the update.
enum Changed {
    /// The update does not change the value.
    Not,
    /// The new value does not depend on the stored value; `None` if the field is absent afterwards.
    To(Option<Bson>),
    /// The new value is an expression of the stored value.
    By(Document),
    /// No expression gives the new value.
    Unknown(&'static str),
}

impl Changes {
    /// Adds the conditions of the model's comparisons. Called again, it adds the same.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the new values alone do not meet one; [`Error::Impossible`] if no condition says what a field becomes.
    pub(super) fn compare(&mut self, meta: &'static ModelMeta) -> Result<()> {
        self.ranges.retain(|range| !range.is_comparison());
        let mut broken = Vec::new();
        for comparison in meta.comparisons {
            match self.condition(meta, comparison)? {
                Condition::Met => {}
                Condition::Broken => broken.push(Violation::of_comparison(comparison)),
                Condition::If(unmet) => {
                    let path = comparison.fields().next().unwrap_or_default();
                    let limit = Limit::Check(CheckRule::Compare(comparison));
                    self.ranges
                        .push(Range::new(meta.name, path.to_owned(), limit, unmet));
                }
            }
        }
        match broken.is_empty() {
            true => Ok(()),
            false => Err(Error::invalid(meta.name, broken)),
        }
    }

    fn condition(&self, meta: &ModelMeta, comparison: &'static Comparison) -> Result<Condition> {
        let changed = |name: &str| self.changed(name);
        let all = || comparison.fields().map(changed);
        if all().all(|change| matches!(change, Changed::Not))
            || all().any(|change| matches!(change, Changed::To(None)))
        {
            return Ok(Condition::Met);
        }
        for (name, change) in comparison.fields().zip(all()) {
            if let Changed::Unknown(operator) = change {
                return Err(Error::Impossible {
                    what: format!(
                        "`{operator}` of {}.{name}, which is compared in `{comparison}`: set the value",
                        meta.name
                    ),
                });
            }
        }
        if all().all(|change| matches!(change, Changed::To(_))) {
            let value = |name: &str| match self.changed(name) {
                Changed::To(value) => value.as_ref().and_then(Operand::of),
                _ => None,
            };
            return Ok(match comparisons::is_met(meta, comparison, value) {
                true => Condition::Met,
                false => Condition::Broken,
            });
        }
        let value = |name: &str| match self.changed(name) {
            Changed::To(value) => doc! { "$literal": value.unwrap_or(Bson::Null) }.into(),
            Changed::By(expression) => expression.into(),
            Changed::Not | Changed::Unknown(_) => Bson::String(format!("${name}")),
        };
        let met = comparisons::expression(meta, comparison, value);
        Ok(Condition::If(doc! { "$expr": { "$not": [met] } }))
    }

    /// The change of a field of the model.
    fn changed(&self, name: &str) -> Changed {
        let of = |operator| {
            let paths = self.operators.get_document(operator).ok();
            paths.and_then(|paths| paths.get(name))
        };
        let stored = format!("${name}");
        // The server refuses arithmetic on other values, and takes none as 0.
        let is_number =
            || doc! { "$in": [{ "$type": &stored }, ["int", "long", "double", "decimal"]] };
        let or_zero = || doc! { "$cond": [is_number(), &stored, 0] };
        if let Some(value) = of("$set") {
            return Changed::To((*value != Bson::Null).then(|| value.clone()));
        }
        if of("$unset").is_some() {
            return Changed::To(None);
        }
        if let Some(by) = of("$inc") {
            return Changed::By(doc! { "$add": [or_zero(), by] });
        }
        if let Some(by) = of("$mul") {
            return Changed::By(doc! { "$multiply": [or_zero(), by] });
        }
        if let Some(value) = of("$min") {
            let value = doc! { "$literal": value };
            let is_missing = doc! { "$eq": [{ "$type": &stored }, "missing"] };
            let is_less = doc! { "$lt": [&value, &stored] };
            let replaces = doc! { "$or": [is_missing, is_less] };
            return Changed::By(doc! { "$cond": [replaces, value, &stored] });
        }
        if let Some(value) = of("$max") {
            let value = doc! { "$literal": value };
            let is_greater = doc! { "$gt": [&value, &stored] };
            return Changed::By(doc! { "$cond": [is_greater, value, &stored] });
        }
        match of("$currentDate") {
            Some(_) => Changed::Unknown("current_date"),
            None => Changed::Not,
        }
    }
}

/// A comparison after an update.
enum Condition {
    /// Every document meets the comparison.
    Met,
    /// No document meets the comparison.
    Broken,
    /// The documents that match this filter do not meet the comparison.
    If(Document),
}
