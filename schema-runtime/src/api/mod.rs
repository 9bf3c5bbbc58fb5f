//! The JSON of the structs that `view`, `patch` and `new(.., deserialize)` generate.
//!
//! It is the stored form of each field, with ids, dates, decimals and uuids as text. So writing only turns the BSON of a field into JSON,
//! and reading turns text into what the model's table says that the field stores, however deep it lies.

mod given;
mod view;

pub use self::given::Given;
pub use self::view::View;
