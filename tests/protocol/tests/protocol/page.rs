//! Deletes of two documents by one call: the properties that hold, and those that break without each rule.

use mongo_model_protocol::page::{Config, KEPT, Page, RETURNED};
use mongo_model_protocol::run::{FLAGGED, can_always_settle, proves, refutes};

#[test]
fn a_page_goes_as_a_whole() {
    let seen = proves(Page(Config::sound(2)));
    assert!(seen.states > 500, "{seen:?}");
    can_always_settle(&Page(Config::sound(2)));
}

#[test]
fn a_delete_is_certain_when_its_whole_page_is_marked() {
    let early = Config {
        certain_last: false,
        ..Config::sound(1)
    };
    refutes(Page(early.clone()), FLAGGED);
    refutes(Page(early.clone()), KEPT);
    refutes(Page(early), RETURNED);
}

#[test]
fn a_delete_becomes_certain_while_its_leader_stands() {
    let unguarded = Config {
        guarded: false,
        ..Config::sound(1)
    };
    refutes(Page(unguarded.clone()), KEPT);
    refutes(Page(unguarded), RETURNED);
}
