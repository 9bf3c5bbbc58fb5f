//! Models in a crate that knows the library as `mm`, has no prelude, and shadows every name that an expansion could be tempted
//! to use. That it compiles is the test.
#![no_implicit_prelude]
#![allow(dead_code, non_camel_case_types)]

/// Names of the prelude that mean something else here.
mod shadows {
    #[derive(::std::fmt::Debug)]
    pub(crate) struct Option;
    #[derive(::std::fmt::Debug)]
    pub(crate) struct Vec;
    #[derive(::std::fmt::Debug)]
    pub(crate) struct String;
    #[derive(::std::fmt::Debug)]
    pub(crate) struct Result;
    #[derive(::std::fmt::Debug)]
    pub(crate) struct Some;
    #[derive(::std::fmt::Debug)]
    pub(crate) struct Box;
    pub(crate) trait Clone {}
    pub(crate) trait Copy {}
    pub(crate) trait Default {}
    pub(crate) trait Into {}
    pub(crate) mod core {}
}

/// The models, where the shadows are in scope.
pub mod models {
    #[allow(unused_imports, reason = "they are here to be in the way")]
    use crate::shadows::*;
    use ::mm::{Id, MongoEmbed, MongoModel, MongoProjection};
    use ::serde::{Deserialize, Serialize};

    /// A part.
    #[derive(::std::fmt::Debug, ::std::clone::Clone, Serialize, Deserialize, MongoModel)]
    #[model(
        collection = "parts",
        crate = ::mm,
        index(keys(r#type, -bson)),
        access(of_type(r#type, range = bson, sort = -bson, limit = 3), first(only(r#type = "a"), sort(-bson)))
    )]
    pub struct Part {
        /// Its id.
        #[serde(rename = "_id")]
        pub id: Id<Part>,
        /// A keyword as a name.
        pub r#type: ::std::string::String,
        /// Named like a crate.
        #[index(unique)]
        pub bson: i64,
        /// Named like a type.
        pub i64: ::std::option::Option<bool>,
        /// Named like a function of the expansion.
        pub all: i32,
        /// Named like an import of the expansion.
        pub __rt: i32,
        /// An embedded document.
        pub place: ::std::option::Option<Place>,
    }

    /// A product.
    #[derive(::std::fmt::Debug, ::std::clone::Clone, Serialize, Deserialize, MongoModel)]
    #[model(collection = "products", crate = ::mm)]
    pub struct Product {
        /// Its id.
        #[serde(rename = "_id")]
        pub id: Id<Product>,
        /// References with copies.
        #[refs(Part)]
        #[denorm(from = Part, fields(r#type, bson))]
        pub parts: ::std::vec::Vec<ProductPart>,
        /// A parent with a copy beside it.
        #[parent(Part)]
        pub main: Id<Part>,
        /// The copy.
        #[denorm(from = Part, field = bson)]
        pub bson: i64,
    }

    /// References by key, in maps, and to one of several models.
    #[derive(::std::fmt::Debug, ::std::clone::Clone, Serialize, Deserialize, MongoModel)]
    #[model(collection = "shelves", crate = ::mm)]
    pub struct Shelf {
        /// Its id.
        #[serde(rename = "_id")]
        pub id: Id<Shelf, ::std::string::String>,
        /// By a key, with a copy.
        #[refs(Part, key = bson, missing = keep_slots)]
        #[denorm(from = Part, field = r#type)]
        pub entries: ::std::vec::Vec<ShelfPart>,
        /// By a key.
        #[parent(Part, key = bson, missing = strict)]
        pub one: ::std::option::Option<i64>,
        /// In keys.
        #[refs(Shelf)]
        pub map: ::std::collections::BTreeMap<Id<Shelf, ::std::string::String>, i32>,
        /// In values, by a key.
        #[refs(Part, key = bson)]
        pub values: ::std::collections::HashMap<::std::string::String, i64>,
        /// One of several models.
        pub any: ::std::option::Option<Any>,
    }

    /// A queue, with a version.
    #[derive(::std::fmt::Debug, ::std::clone::Clone, Serialize, Deserialize, MongoModel)]
    #[model(collection = "jobs", crate = ::mm, queue(priority = bool, order = str, max_attempts = 2), access(of_db(db)))]
    pub struct Job {
        /// Its id.
        #[serde(rename = "_id")]
        pub id: Id<Job>,
        /// Its priority.
        pub bool: i64,
        /// Its order.
        pub str: ::std::string::String,
        /// Named like an argument of the expansion.
        #[index]
        #[model(max_len = 5)]
        pub db: ::std::string::String,
        /// Its version.
        #[version]
        pub i64: i64,
    }

    /// An array that overflows.
    #[derive(::std::fmt::Debug, ::std::clone::Clone, Serialize, Deserialize, MongoModel)]
    #[model(collection = "threads", crate = ::mm)]
    pub struct Thread {
        /// Its id.
        #[serde(rename = "_id")]
        pub id: Id<Thread>,
        /// A keyword as a name.
        #[embed(max = 3, overflow = Page)]
        pub r#type: ::std::vec::Vec<Line>,
        /// True if it has extras.
        pub has_extras: bool,
    }

    /// A bucket.
    #[derive(::std::fmt::Debug, ::std::clone::Clone, Serialize, Deserialize, MongoModel)]
    #[model(collection = "pages", crate = ::mm, bucket(r#in))]
    pub struct Page {
        /// Its id.
        #[serde(rename = "_id")]
        pub parent: ::mm::BucketId<Thread>,
        /// Named like an argument of the expansion.
        #[parent(Thread)]
        pub item: Id<Thread>,
        /// How many there are.
        pub count: i64,
        /// A keyword as a name.
        #[embed(max = 5)]
        pub r#in: ::std::vec::Vec<Line>,
        /// Named like an argument of the expansion.
        pub db: ::std::option::Option<bool>,
    }

    /// An item of a bucket.
    #[derive(::std::fmt::Debug, ::std::clone::Clone, Serialize, Deserialize, MongoEmbed)]
    #[model(crate = ::mm)]
    pub struct Line {
        /// Identifies the item.
        pub id: ::std::string::String,
    }

    /// A reference to one of several models.
    #[derive(::std::fmt::Debug, ::std::clone::Clone, Serialize, Deserialize, MongoEmbed)]
    #[serde(tag = "str", content = "i64")]
    #[model(crate = ::mm)]
    pub enum Any {
        /// A part.
        Some(#[parent(Part)] Id<Part>),
        /// A shelf.
        Box(#[parent(Shelf)] Id<Shelf, ::std::string::String>),
    }

    /// An embedded document.
    #[derive(::std::fmt::Debug, ::std::clone::Clone, Serialize, Deserialize, MongoEmbed)]
    #[model(crate = ::mm)]
    pub struct Place {
        /// Indexed wherever it is embedded.
        #[index]
        pub city: ::std::string::String,
        /// More of them.
        #[embed(max = 3)]
        pub str: ::std::vec::Vec<Kind>,
    }

    /// A tag.
    #[derive(::std::fmt::Debug, ::std::clone::Clone, Serialize, Deserialize, MongoEmbed)]
    #[model(crate = ::mm)]
    pub enum Kind {
        /// None.
        None,
        /// Some.
        Some,
    }

    /// One side of two, and what follows from children.
    #[derive(::std::fmt::Debug, ::std::clone::Clone, Serialize, Deserialize, MongoModel)]
    #[model(collection = "boxes", crate = ::mm)]
    pub struct Crate {
        /// Its id.
        #[serde(rename = "_id")]
        pub id: Id<Crate>,
        /// The other side.
        #[refs(Item, inverse = r#in)]
        pub r#type: ::std::vec::Vec<Id<Item>>,
        /// Both sides here.
        #[refs(Crate, inverse = beside)]
        pub beside: ::std::vec::Vec<Id<Crate>>,
        /// The last ones.
        #[recent(Item, max = 10, sort = -r#str, fields(r#str, r#type), via = r#in)]
        pub i64: ::std::vec::Vec<Last>,
        /// How many.
        #[count(Item)]
        pub count: ::core::primitive::i64,
    }

    /// A child.
    #[derive(::std::fmt::Debug, ::std::clone::Clone, Serialize, Deserialize, MongoModel)]
    #[model(collection = "items", crate = ::mm)]
    pub struct Item {
        /// Its id.
        #[serde(rename = "_id")]
        pub id: Id<Item>,
        /// Its parent.
        #[parent(Crate, inverse = r#type)]
        pub r#in: ::std::option::Option<Id<Crate>>,
        /// Named like a type.
        pub r#str: ::std::string::String,
        /// Named like a keyword.
        pub r#type: i32,
    }

    /// A projection of a model.
    #[derive(::std::fmt::Debug, Deserialize, MongoProjection)]
    #[projection(of = Part, fallback = ProductPart, crate = ::mm)]
    pub struct PartView {
        /// A copy.
        pub r#type: ::std::string::String,
        /// Not copied.
        pub __rt: ::std::option::Option<i32>,
        /// In parts.
        #[projection(nested)]
        pub place: ::std::option::Option<City>,
    }

    /// A projection that borrows.
    #[derive(::std::fmt::Debug, Deserialize, MongoProjection)]
    #[projection(of = Part, crate = ::mm)]
    pub struct PartSeen<'r#type> {
        /// Borrowed.
        #[serde(borrow)]
        pub r#type: &'r#type ::std::primitive::str,
    }

    /// A projection of an embedded document.
    #[derive(::std::fmt::Debug, Deserialize, MongoProjection)]
    #[projection(of = Place, crate = ::mm)]
    pub struct City {
        /// A city.
        pub city: ::std::string::String,
    }

    /// A model of a macro names a function of the macro.
    macro_rules! versioned {
        ($name:ident) => {
            /// A model with an older version.
            #[derive(::std::fmt::Debug, Serialize, Deserialize, MongoModel)]
            #[model(collection = "versioned", crate = ::mm, schema_version = 2, unversioned = 1, migrate = keep)]
            pub struct $name {
                /// Its own.
                pub _id: ::bson::oid::ObjectId,
            }
        };
    }
    versioned!(Versioned);

    fn keep(old: ::bson::Document, _version: i32) -> ::bson::Document {
        old
    }

    /// Models in a function, too.
    pub fn local() -> &'static str {
        #[derive(Serialize, Deserialize, MongoModel)]
        #[model(collection = "locals", crate = ::mm)]
        struct Local {
            _id: ::bson::oid::ObjectId,
            #[parent(Part)]
            part: Id<Part>,
        }
        <Local as MongoModel>::meta().collection
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn models_of_functions_are_models() {
        ::std::assert_eq!(crate::models::local(), "locals");
    }
}
