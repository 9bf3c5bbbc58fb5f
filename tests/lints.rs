//! Models in a crate with a strict team's lints: no lint fires in or because of an expansion.
#![deny(warnings)]
#![deny(
    missing_docs,
    unreachable_pub,
    unused_qualifications,
    missing_debug_implementations,
    unnameable_types,
    non_local_definitions,
    private_interfaces,
    private_bounds,
    nonstandard_style,
    unused,
    single_use_lifetimes
)]
#![deny(clippy::all, clippy::pedantic)]

use mongo_model::{Id, MongoEmbed, MongoModel, MongoProjection};
use serde::{Deserialize, Serialize};

/// A part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "parts",
    index(keys(name, -made), unique),
    new(NewPart, deserialize),
    view(PartView, skip(state)),
    patch = PartPatch
)]
pub struct Part {
    /// Its id.
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    /// Its name.
    pub name: String,
    /// When it was made.
    #[index(expire_after = "30d")]
    pub made: bson::DateTime,
    /// A private field.
    place: Place,
    /// Nobody sets it any more.
    #[deprecated]
    pub old_name: Option<String>,
    /// Its type is private.
    state: State,
}

/// Private.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, MongoEmbed)]
enum State {
    /// It can be bought.
    Sold,
}

/// A product.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    /// Its id.
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    /// Its parts.
    #[refs(Part)]
    #[denorm(from = Part, field = name)]
    pub parts: Vec<ProductPart>,
    /// Its main part.
    #[parent(Part)]
    pub main: Option<Id<Part>>,
}

/// A person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "persons")]
pub struct Person {
    /// Its id.
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    /// One side of two.
    #[refs(Task, inverse = owner)]
    pub tasks: Vec<Id<Task>>,
    /// Private.
    #[refs(Person, inverse = friends)]
    friends: Vec<Id<Person>>,
    /// The last ones.
    #[recent(Task, max = 10, sort = made, fields(made))]
    pub last: Vec<LastTask>,
    /// How many.
    #[count(Task)]
    number: i64,
}

/// A task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "tasks")]
pub struct Task {
    /// Its id.
    #[serde(rename = "_id")]
    pub id: Id<Task>,
    /// The other side.
    #[parent(Person, inverse = tasks)]
    pub owner: Option<Id<Person>>,
    /// When it was made.
    pub made: bson::DateTime,
}

/// A note.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "notes")]
pub struct Note {
    /// Its id.
    #[serde(rename = "_id")]
    pub id: Id<Note>,
    /// Unique.
    #[index(unique)]
    pub code: String,
    /// Its subject.
    pub on: Subject,
    /// By a key, with a copy.
    #[parent(Note, key = code, missing = strict)]
    #[denorm(from = Note, field = id_text)]
    pub last: Option<LastNote>,
    /// By a key, in a map.
    #[refs(Note, key = code)]
    pub others: std::collections::BTreeMap<String, i32>,
    /// Copied.
    pub id_text: String,
}

/// A part or a product.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "type", content = "id")]
pub enum Subject {
    /// A part.
    Part(#[parent(Part)] Id<Part>),
    /// A note.
    Note(#[parent(Note)] Id<Note>),
}

/// A part in short.
#[derive(Debug, Deserialize, MongoProjection)]
#[projection(of = Part, fallback = ProductPart)]
pub struct PartInShort {
    /// Its id.
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    /// Its name.
    pub name: String,
    /// A private field.
    #[projection(nested)]
    place: Option<City>,
}

impl PartInShort {
    /// Its city.
    #[must_use]
    pub fn city(&self) -> Option<&str> {
        self.place.as_ref().map(|place| &*place.city)
    }
}

/// A place in short.
#[derive(Debug, Deserialize, MongoProjection)]
#[projection(of = Place)]
pub struct City {
    /// A city.
    pub city: String,
}

/// A place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct Place {
    /// A city.
    pub city: String,
    /// The kind of the place.
    pub kind: PlaceKind,
}

/// A kind of place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind")]
pub enum PlaceKind {
    /// A shelf.
    Shelf {
        /// Its number.
        number: i32,
    },
    /// Nowhere.
    Lost,
}

#[test]
fn the_models_are_used() {
    let place = Place {
        city: "Bloomington".to_owned(),
        kind: PlaceKind::Shelf { number: 3 },
    };
    let part = Part {
        id: Id::new(),
        name: "#4 grommet".to_owned(),
        made: bson::DateTime::MIN,
        place,
        #[expect(deprecated, reason = "a struct has all its fields")]
        old_name: None,
        state: State::Sold,
    };
    let product = Product {
        id: Id::new(),
        parts: vec![ProductPart {
            id: part.id,
            name: part.name.clone(),
        }],
        main: Some(part.id),
    };
    let stored = bson::serialize_to_document(&product).expect("encodes");
    assert_eq!(stored.get_array("parts").expect("an array").len(), 1);
    assert_eq!(
        bson::deserialize_from_document::<Product>(stored).expect("decodes"),
        product
    );
    assert_eq!(part.place.city, "Bloomington");
}
