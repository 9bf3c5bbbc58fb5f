//! A history of a model with all that has one, whose collection another model shares.

use bson::DateTime;
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "history_mails", history, soft_delete, events = String)]
pub struct Mail {
    #[serde(rename = "_id")]
    pub id: Id<Mail>,
    pub to: String,
    #[version]
    pub version: i64,
    #[deleted]
    pub deleted_at: Option<DateTime>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "history_pages", tenant = org, history(skip(body, views, id), keep = "52w"))]
#[serde(rename_all = "camelCase")]
pub struct Page {
    #[serde(rename = "_id")]
    pub id: Id<Page>,
    pub org: i64,
    #[serde(rename = "text")]
    pub body: String,
    pub views: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "history_notes", history(keep = "1y"))]
pub struct Note {
    #[serde(rename = "_id")]
    pub id: Id<Note>,
    pub text: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "history_notes", shares = Note)]
pub struct Title {
    #[serde(rename = "_id")]
    pub id: Id<Title>,
    pub title: String,
}

fn keeps_history<M: mongo_model::KeepsHistory>() -> (&'static str, &'static [&'static str], Option<u64>) {
    let row = M::model_meta().history.expect("a history");
    (row.log, row.skip, row.keep)
}

pub fn main() {
    assert_eq!(keeps_history::<Mail>(), ("_dn.history.history_mails", &[][..], None));
    assert_eq!(keeps_history::<Page>(), ("_dn.history.history_pages", &["text", "views", "_id"][..], Some(31_449_600)));
    assert_eq!(keeps_history::<Note>(), ("_dn.history.history_notes", &[][..], Some(31_536_000)));
    assert!(Title::meta().history.is_none());
}
