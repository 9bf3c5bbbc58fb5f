//! Accounts with a version, and a queue of mails.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

/// An account that several programs change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "guide_accounts")]
pub struct Account {
    #[serde(rename = "_id")]
    pub id: Id<Account>,
    pub owner: String,
    pub balance: i64,
    /// The fencing token of the last holder of the lock that wrote here.
    pub fence: i64,
    #[version]
    pub version: i64,
}

/// A mail to be sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "guide_mails", queue(priority = urgency, max_attempts = 3))]
pub struct Mail {
    #[serde(rename = "_id")]
    pub id: Id<Mail>,
    pub urgency: i32,
    pub subject: String,
}

/// An account with this balance.
#[must_use]
pub fn account(owner: &str, balance: i64) -> Account {
    Account {
        id: Id::new(),
        owner: owner.to_owned(),
        balance,
        fence: 0,
        version: 0,
    }
}

/// A mail with this urgency.
#[must_use]
pub fn mail(urgency: i32, subject: &str) -> Mail {
    Mail {
        id: Id::new(),
        urgency,
        subject: subject.to_owned(),
    }
}
