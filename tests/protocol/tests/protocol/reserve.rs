//! Bounded counts: the properties that hold, and those that break without each rule.

use mongo_model_protocol::reserve::Role::{Buy, Refund, Resume};
use mongo_model_protocol::reserve::{BOUND, Config, NUMBER, Reserve, Role};
use mongo_model_protocol::run::{SETTLED, can_always_settle, proves, refutes};

const BUYERS: &[Role] = &[Buy, Buy, Buy, Resume];

fn sound(roles: &[Role]) -> Config {
    Config::sound(1, roles)
}

#[test]
fn the_bound_holds() {
    proves(Reserve(sound(BUYERS)));
    proves(Reserve(sound(&[Buy, Buy, Refund(0), Resume, Resume])));
    proves(Reserve(Config::sound(2, BUYERS)));
    can_always_settle(&Reserve(sound(&[Buy, Buy, Resume])));
}

/// What readers see: also a number that has not been counted yet is within the bound.
#[test]
fn the_number_stays_within_the_bound_while_no_lease_passes() {
    let prompt = |roles| Config {
        expires: false,
        ..sound(roles)
    };
    let model = Reserve(Config {
        crashes: false,
        ..prompt(&[Buy, Buy, Buy, Refund(0), Resume])
    });
    proves(model);
    refutes(
        Reserve(Config {
            before: false,
            ..prompt(BUYERS)
        }),
        NUMBER,
    );
}

#[test]
fn a_child_that_is_stored_before_it_has_a_place_exceeds_the_bound() {
    let config = Config {
        before: false,
        ..sound(BUYERS)
    };
    refutes(Reserve(config), BOUND);
}

#[test]
fn a_number_that_is_read_before_it_is_changed_exceeds_the_bound() {
    let config = Config {
        filtered: false,
        ..sound(BUYERS)
    };
    refutes(Reserve(config), BOUND);
}

#[test]
fn a_count_beside_its_reservation_counts_twice() {
    let config = Config {
        converts: false,
        ..sound(BUYERS)
    };
    refutes(Reserve(config), SETTLED);
}

#[test]
fn a_reservation_that_is_released_although_its_child_is_there_exceeds_the_bound() {
    let config = Config {
        looks: false,
        ..sound(BUYERS)
    };
    refutes(Reserve(config), BOUND);
}

#[test]
fn a_writer_that_is_late_and_does_not_look_again_exceeds_the_bound() {
    let config = Config {
        again: false,
        ..sound(BUYERS)
    };
    refutes(Reserve(config), BOUND);
}

#[test]
fn a_late_writer_that_does_not_renew_its_reservation_exceeds_the_bound() {
    let config = Config {
        renews: false,
        ..sound(BUYERS)
    };
    refutes(Reserve(config), BOUND);
}

#[test]
fn a_place_that_is_never_given_back_is_lost() {
    let config = Config {
        releases: false,
        ..sound(&[Buy, Buy, Resume])
    };
    refutes(Reserve(config), SETTLED);
}

/// A finisher has counted the child of a late writer: the writer reserves no second place, which nobody would have.
#[test]
fn a_reservation_for_a_child_that_is_counted_already_takes_a_place() {
    let alone = |looks_again| Config {
        crashes: false,
        releases: false,
        looks_again,
        ..Config::sound(2, BUYERS)
    };
    proves(Reserve(alone(true)));
    refutes(Reserve(alone(false)), SETTLED);
}
