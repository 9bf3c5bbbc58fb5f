//! Erases of a person: the properties that hold, and those that break without each rule.

use mongo_model_protocol::erase::Role::{Erase as Erases, Resume, Store};
use mongo_model_protocol::erase::{Config, Erase, Role};
use mongo_model_protocol::run::{can_always_settle, proves};

use crate::breaks_both;

const ROLES: &[Role] = &[Erases, Erases, Store(0), Store(2), Resume];

#[test]
fn an_erase_leaves_no_value() {
    let seen = proves(Erase(Config::sound(ROLES)));
    assert!(seen.states > 5_000, "{seen:?}");
    can_always_settle(&Erase(Config::sound(ROLES)));
}

#[test]
fn the_flag_comes_first() {
    breaks_both(Erase(Config {
        flag_first: false,
        ..Config::sound(&[Erases, Resume])
    }));
}

#[test]
fn the_flag_goes_last() {
    breaks_both(Erase(Config {
        clear_last: false,
        ..Config::sound(&[Erases, Resume])
    }));
}

#[test]
fn a_flag_goes_by_its_token() {
    breaks_both(Erase(Config {
        clear_by_token: false,
        ..Config::sound(ROLES)
    }));
}
