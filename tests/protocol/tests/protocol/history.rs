//! A history: the properties that hold, and those that break without each rule.

use mongo_model_protocol::history::Role::{Delete, Finish, Foreign, Guarded, Pipe, Sweep};
use mongo_model_protocol::history::{BACK, Config, History, MET, Role, STORED};
use mongo_model_protocol::run::{SETTLED, can_always_settle, proves, refutes};

const CHANGED: &[Role] = &[Pipe(1), Guarded(2), Pipe(0), Finish, Finish];
const SWEPT: &[Role] = &[Pipe(1), Guarded(2), Finish, Sweep];
const MIXED: &[Role] = &[Pipe(1), Guarded(2), Foreign(3), Finish];
const MIXED_SWEPT: &[Role] = &[Pipe(1), Guarded(2), Foreign(3), Sweep];
const DELETED: &[Role] = &[Pipe(1), Guarded(2), Finish, Delete, Delete];

/// Searches for the property that breaks when one rule is off.
fn breaks(roles: &[Role], rollbacks: u8, property: &'static str, off: impl Fn(&mut Config)) {
    let mut config = Config::sound(roles, rollbacks);
    off(&mut config);
    refutes(History(config), property);
}

#[test]
fn every_change_is_in_the_log_with_the_values_before_and_after_it() {
    for roles in [CHANGED, SWEPT, MIXED, MIXED_SWEPT, DELETED] {
        let seen = proves(History(Config::sound(roles, 0)));
        println!("{roles:?}: {seen:?}");
    }
    can_always_settle(&History(Config::sound(DELETED, 0)));
}

#[test]
fn a_change_of_primary_takes_back_no_entry_of_the_log() {
    for roles in [SWEPT, MIXED, MIXED_SWEPT, &DELETED[..4]] {
        let seen = proves(History(Config::sound(roles, 1)));
        println!("{roles:?}: {seen:?}");
    }
    breaks(SWEPT, 1, MET, |config| config.proves = false);
    breaks(SWEPT, 1, STORED, |config| config.proves = false);
}

#[test]
fn a_page_that_is_proved_by_tokens_has_values_of_a_write_that_was_taken_back() {
    breaks(MIXED_SWEPT, 1, MET, |config| config.proves_values = false);
    let mut config = Config::sound(SWEPT, 1);
    config.proves_values = false;
    proves(History(config));
}

#[test]
fn an_update_that_does_not_compare_has_met_another_value() {
    breaks(CHANGED, 0, MET, |config| config.compares = false);
    breaks(CHANGED, 0, BACK, |config| config.compares = false);
}

#[test]
fn a_value_that_is_read_after_the_entries_is_that_of_a_later_change() {
    breaks(CHANGED, 0, STORED, |config| config.one_read = false);
    breaks(CHANGED, 0, BACK, |config| config.one_read = false);
}

#[test]
fn an_entry_that_is_not_known_by_its_token_is_logged_twice() {
    breaks(CHANGED, 0, SETTLED, |config| config.by_token = false);
}

#[test]
fn a_delete_loses_entries_unless_it_delivers_them_and_its_own() {
    breaks(DELETED, 0, SETTLED, |config| config.delivers_first = false);
    breaks(DELETED, 0, SETTLED, |config| config.says_delete = false);
}

#[test]
fn a_foreign_change_between_the_last_entry_and_the_end_of_a_delete_is_not_in_the_log() {
    breaks(&[Pipe(1), Foreign(3), Finish, Delete], 0, MET, |_| {});
}
