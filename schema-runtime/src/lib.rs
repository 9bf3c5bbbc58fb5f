//! The compiler reviews your MongoDB schema.

#![cfg_attr(
    not(feature = "driver"),
    allow(
        dead_code,
        reason = "without the driver nothing is sent, but everything can be named"
    )
)]

#[cfg(feature = "derive")]
pub use mongo_model_derive::{MongoEmbed, MongoModel};
#[cfg(feature = "driver")]
pub use mongodb::{ClientSession, Database};

mod codec;
pub mod crud;
mod error;
pub mod field;
pub mod filter;
mod flat;
mod id;
pub mod index;
pub mod load;
mod lookup;
pub mod model;
mod registry;
#[cfg(not(feature = "driver"))]
mod stub;
pub mod update;
pub mod value;

pub use error::{Error, Result};
pub use filter::{Filter, raw_filter};
pub use id::Id;
#[cfg(feature = "driver")]
pub use index::{plan_indexes, sync_indexes};
pub use load::{Loaded, LoadedOne};
pub use model::MongoModel;
pub use registry::models;
#[cfg(not(feature = "driver"))]
pub use stub::{ClientSession, Database};
pub use update::Updated;

#[doc(hidden)]
pub mod __private;
