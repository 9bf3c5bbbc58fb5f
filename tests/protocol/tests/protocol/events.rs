//! Events: the properties that hold, and those that break without each rule.

use mongo_model_protocol::events::Role::{Delete, DeleteWithEvent, Emit, Finish, Read, StoreAgain};
use mongo_model_protocol::events::{Config, Events, ONCE, ORDER, Role};
use mongo_model_protocol::run::{SETTLED, can_always_settle, proves, refutes};

const READ: &[Role] = &[Emit, Emit, Finish, Finish, Read];
const DELETED: &[Role] = &[Emit, Emit, Finish, Delete];
const LAST: &[Role] = &[Emit, Emit, Finish, DeleteWithEvent];
const LAST_READ: &[Role] = &[Emit, Finish, DeleteWithEvent, StoreAgain, Read];
const STORED_AGAIN: &[Role] = &[Emit, Finish, Delete, StoreAgain, Read];

/// Searches for the property that breaks when one rule is off.
fn breaks(roles: &[Role], rollbacks: u8, property: &'static str, off: impl Fn(&mut Config)) {
    let mut config = Config::sound(roles, rollbacks);
    off(&mut config);
    refutes(Events(config), property);
}

#[test]
fn every_event_is_delivered_once_and_handled_in_order() {
    for roles in [READ, DELETED, LAST, LAST_READ, STORED_AGAIN] {
        let seen = proves(Events(Config::sound(roles, 0)));
        println!("{roles:?}: {seen:?}");
    }
    for roles in [DELETED, LAST] {
        can_always_settle(&Events(Config::sound(roles, 0)));
    }
}

#[test]
fn a_change_of_primary_takes_back_no_event_of_the_log() {
    for roles in [&READ[..4], DELETED, LAST] {
        let seen = proves(Events(Config::sound(roles, 1)));
        println!("{roles:?}: {seen:?}");
    }
    breaks(&READ[..4], 1, ONCE, |config| config.proves = false);
}

#[test]
fn events_that_are_logged_in_any_order_are_handled_in_any_order() {
    breaks(READ, 0, ORDER, |config| config.in_order = false);
    breaks(READ, 0, ORDER, |config| config.one_at_a_time = false);
}

#[test]
fn an_event_that_is_not_known_by_its_token_is_logged_twice() {
    breaks(READ, 0, ONCE, |config| config.by_token = false);
}

#[test]
fn a_finisher_that_removes_more_than_it_has_logged_loses_events() {
    breaks(READ, 0, SETTLED, |config| config.removes_own = false);
}

#[test]
fn a_delete_loses_events_unless_it_delivers_them_and_keeps_writers_out() {
    breaks(DELETED, 0, SETTLED, |config| config.delivers_first = false);
    breaks(DELETED, 0, SETTLED, |config| config.guards = false);
}

#[test]
fn a_document_that_is_stored_again_needs_greater_numbers() {
    breaks(STORED_AGAIN, 0, ONCE, |config| config.far = false);
}

#[test]
fn the_event_of_a_delete_is_logged_before_the_document_goes_and_after_the_others() {
    breaks(LAST, 0, SETTLED, |config| config.logs_last = false);
    breaks(LAST, 0, SETTLED, |config| config.last_comes_last = false);
}
