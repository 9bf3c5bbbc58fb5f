//! Bounded arrays: the properties that hold, and those that break without each rule.

use mongo_model_protocol::places::Role::{Delete, Refused, Store, Sweep};
use mongo_model_protocol::places::{BOUND, Config, LENGTH, Places, Role};
use mongo_model_protocol::run::{can_always_settle, proves, refutes};

const WRITERS: &[Role] = &[Store, Store, Store, Sweep];

fn sound(roles: &[Role]) -> Config {
    Config::sound(1, roles)
}

#[test]
fn the_bound_holds() {
    proves(Places(sound(WRITERS)));
    proves(Places(sound(&[Store, Store, Delete(0), Sweep, Sweep])));
    proves(Places(sound(&[Store, Refused, Store, Sweep])));
    proves(Places(Config::sound(2, WRITERS)));
    can_always_settle(&Places(sound(&[Store, Store, Sweep])));
}

#[test]
fn the_array_stays_within_its_bound_while_no_lease_passes() {
    let prompt = Config {
        expires: false,
        crashes: false,
        ..sound(&[Store, Store, Store, Delete(0), Sweep])
    };
    proves(Places(prompt));
    let late = Config {
        expires: false,
        before: false,
        ..sound(WRITERS)
    };
    refutes(Places(late), LENGTH);
}

#[test]
fn a_child_that_is_stored_before_it_has_a_place_exceeds_the_bound() {
    let config = Config {
        before: false,
        ..sound(WRITERS)
    };
    refutes(Places(config), BOUND);
}

#[test]
fn an_array_that_is_read_before_the_place_is_taken_exceeds_the_bound() {
    let config = Config {
        filtered: false,
        ..sound(WRITERS)
    };
    refutes(Places(config), BOUND);
}

#[test]
fn a_bound_on_the_ids_alone_does_not_hold() {
    let config = Config {
        counts_places: false,
        ..sound(WRITERS)
    };
    refutes(Places(config), BOUND);
}

#[test]
fn a_sweep_of_young_places_exceeds_the_bound() {
    let config = Config {
        waits: false,
        ..sound(WRITERS)
    };
    refutes(Places(config), BOUND);
}

#[test]
fn a_writer_that_is_late_and_does_not_look_again_exceeds_the_bound() {
    let config = Config {
        again: false,
        ..sound(WRITERS)
    };
    refutes(Places(config), BOUND);
}
