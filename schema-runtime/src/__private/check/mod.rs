//! The rules that need types, checked by item-level consts of the expansions, so that `cargo check` sees them.
//!
//! Each names the user's field and model, and panics with the whole message; `#[track_caller]` puts the caret on the user's
//! own tokens.

mod access;
mod bucket;
mod children;
mod comparison;
mod copy;
mod field;
mod index;
mod members;
mod number;
mod personal;
mod projection;
mod queue;
mod relation;
mod shared;
mod soft_delete;
mod stamp;
mod tenant;
mod two_way;
mod unknown;
mod values;
mod variants;
mod version;

pub use access::*;
pub use bucket::*;
pub use children::*;
pub use comparison::*;
pub use copy::*;
pub use field::*;
pub use index::*;
pub use members::*;
pub use number::*;
pub use personal::*;
pub use projection::*;
pub use queue::*;
pub use relation::*;
pub use shared::*;
pub use soft_delete::*;
pub use stamp::*;
pub use tenant::*;
pub use two_way::*;
pub use unknown::{unknown_beside_copies, unknown_in_model, unknown_in_variant};
pub use variants::*;
pub use version::*;
