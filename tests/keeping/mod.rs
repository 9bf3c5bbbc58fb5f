//! Derived data of a parent (last-N lists and counts) agrees with its children, on a standalone server and on a
//! replica set.

mod averages;
mod chosen;
mod compound;
mod counting;
mod decimals;
mod declared;
mod extremes;
mod inside;
mod lasting;
mod periods;
mod places;
mod ratings;
mod returned;
mod settled;
mod summed_fields;
mod sums;
mod together;
mod zones;
