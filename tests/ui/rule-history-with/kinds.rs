// A history of what is no document of one struct.

use mongo_model::{BucketId, Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "mails", queue, history)]
pub struct Mail {
    #[serde(rename = "_id")]
    pub id: Id<Mail>,
    pub to: String,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Line {
    pub id: Id<Line>,
    pub text: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "mail_lines", bucket(lines), history)]
pub struct MailLines {
    #[serde(rename = "_id")]
    pub id: BucketId<Mail>,
    #[parent(Mail)]
    pub mail: Id<Mail>,
    pub count: i64,
    #[embed(max = 50)]
    pub lines: Vec<Line>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "mails", shares = Mail, history(keep = "1y"))]
pub struct Receipt {
    #[serde(rename = "_id")]
    pub id: Id<Receipt>,
    pub at: bson::DateTime,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Circle {
    #[serde(rename = "_id")]
    pub id: Id<Shape>,
    pub radius: f64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "shapes", history)]
#[serde(tag = "kind")]
pub enum Shape {
    Circle(Circle),
}

fn main() {}
