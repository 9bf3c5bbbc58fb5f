//! The models of the protocol, one module each: the properties that hold, and those that break without each rule.

mod begin;
mod bucket;
mod bulk;
mod checked;
mod confirm;
mod copies;
mod counter;
mod delete;
mod durability;
mod erase;
mod events;
mod follow;
mod group;
mod history;
mod overflow;
mod page;
mod parents;
mod places;
mod queue;
mod recent;
mod refill;
mod repoint;
mod reserve;
mod returns;
mod saga;
mod shards;
mod tree;
mod two_way;

use mongo_model_protocol::run::{FLAGGED, Protocol, SETTLED, refutes};

/// Searches until a wrong copy has no flag, and until one is left when all is settled; panics if either never happens.
fn breaks_both(model: impl Protocol) {
    refutes(model.clone(), FLAGGED);
    refutes(model, SETTLED);
}
