//! BSON as such: dotted paths, depth, ids, integer widths, operators of one update. Knows no model.

#[cfg(feature = "driver")]
pub(crate) mod amount;
#[cfg(feature = "driver")]
pub(crate) mod calendar;
pub(crate) mod depth;
#[cfg(feature = "driver")]
pub(crate) mod driver_text;
pub(crate) mod exact;
pub(crate) mod id;
pub(crate) mod id_key;
pub(crate) mod number;
pub(crate) mod operators;
#[cfg(feature = "driver")]
pub(crate) mod order;
pub(crate) mod parts;
pub(crate) mod path;
pub(crate) mod redacted;
pub(crate) mod shorten;
pub(crate) mod stored_id;
