//! The options of one read that say how the server answers it, and not what it answers.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use mongodb::options::{
    Acknowledgment, Hint, ReadConcern, ReadPreference, SelectionCriteria, WriteConcern,
};

use super::Reads;
use crate::schema::model::OptionsRow;
use crate::schema::registry::models;

/// The options of one read. What is not set is as the database handle says.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReadOptions {
    pub(crate) criteria: Option<SelectionCriteria>,
    pub(crate) concern: Option<ReadConcern>,
    pub(crate) max_time: Option<Duration>,
    /// The name of the index to use.
    pub(crate) hint: Option<String>,
    pub(crate) comment: Option<String>,
    /// The reason to see the documents of all tenants.
    pub(crate) reason: Option<Arc<str>>,
    pub(crate) batch_size: Option<u32>,
    pub(crate) allow_disk_use: Option<bool>,
}

impl ReadOptions {
    /// The options of a read that decides what is written, or refused.
    pub(crate) fn from_primary() -> Self {
        ReadOptions {
            criteria: Reads::FromPrimary.criteria(),
            ..ReadOptions::default()
        }
    }

    /// True if none is set.
    pub(crate) fn is_empty(&self) -> bool {
        let ReadOptions {
            criteria,
            concern,
            max_time,
            hint,
            comment,
            reason,
            batch_size,
            allow_disk_use,
        } = self;
        criteria.is_none()
            && concern.is_none()
            && max_time.is_none()
            && hint.is_none()
            && comment.is_none()
            && reason.is_none()
            && batch_size.is_none()
            && allow_disk_use.is_none()
    }

    /// These options, completed by `others` where they are not set.
    pub(crate) fn or(self, others: &ReadOptions) -> Self {
        ReadOptions {
            criteria: self.criteria.or_else(|| others.criteria.clone()),
            concern: self.concern.or_else(|| others.concern.clone()),
            max_time: self.max_time.or(others.max_time),
            hint: self.hint.or_else(|| others.hint.clone()),
            comment: self.comment.or_else(|| others.comment.clone()),
            reason: self.reason.or_else(|| others.reason.clone()),
            batch_size: self.batch_size.or(others.batch_size),
            allow_disk_use: self.allow_disk_use.or(others.allow_disk_use),
        }
    }

    pub(crate) fn hint(&self) -> Option<Hint> {
        self.hint.clone().map(Hint::Name)
    }

    pub(super) fn of_model(row: &OptionsRow, in_session: bool) -> Self {
        let settled = Some(row).filter(|_| !in_session);
        let preference = settled.and_then(|row| row.read_preference);
        let concern = settled.and_then(|row| row.read_concern);
        ReadOptions {
            criteria: preference.map(|name| SelectionCriteria::ReadPreference(preference_of(name))),
            concern: concern.map(ReadConcern::custom),
            max_time: row.max_time_ms.map(Duration::from_millis),
            ..ReadOptions::default()
        }
    }
}

/// The options that the model of a collection declares.
pub(super) fn of_collection(collection: &str) -> Option<&'static OptionsRow> {
    static DECLARED: OnceLock<HashMap<&'static str, OptionsRow>> = OnceLock::new();
    let declared = DECLARED.get_or_init(|| {
        let models = models().into_iter();
        let models = models.filter(|model| model.options != OptionsRow::NONE);
        models
            .map(|model| (model.collection, model.options))
            .collect()
    });
    declared.get(collection)
}

/// The write concern that the model of a collection declares.
pub(super) fn write_concern(collection: &str) -> Option<WriteConcern> {
    let declared = of_collection(collection)?.write_concern?;
    let acknowledgment = match declared.parse() {
        Ok(servers) => Acknowledgment::Nodes(servers),
        Err(_) => Acknowledgment::from(declared),
    };
    Some(WriteConcern::builder().w(acknowledgment).build())
}

/// The read preference of a name that the derive accepts.
fn preference_of(name: &str) -> ReadPreference {
    let options = None;
    match name {
        "primaryPreferred" => ReadPreference::PrimaryPreferred { options },
        "secondary" => ReadPreference::Secondary { options },
        "secondaryPreferred" => ReadPreference::SecondaryPreferred { options },
        "nearest" => ReadPreference::Nearest { options },
        _ => ReadPreference::Primary,
    }
}
