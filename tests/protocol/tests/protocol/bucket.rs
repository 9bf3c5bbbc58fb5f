//! Buckets: the properties that hold, and those that break without each rule.

use mongo_model_protocol::bucket::Role::{Echo, Push, Remove};
use mongo_model_protocol::bucket::{Buckets, Config, KEPT, ONCE, OPEN, ROOM, Role};
use mongo_model_protocol::run::{can_always_settle, proves, proves_big, refutes, spares};

/// Four items, of which one is sent twice, also late, and removed.
const ALL: &[Role] = &[Push(1), Push(2), Push(0b1100), Push(1), Remove(1), Echo];

/// With a send that comes late.
const LATE: &[Role] = &[Push(1), Push(0b110), Push(1), Echo];

fn breaks(config: Config, property: &'static str) {
    refutes(Buckets(config), property);
}

#[test]
fn every_item_is_stored_once() {
    proves(Buckets(Config::sound(ALL)));
    proves(Buckets(Config::sound(LATE)));
    can_always_settle(&Buckets(Config::sound(LATE)));
}

#[test]
fn items_that_are_removed_open_no_bucket_again() {
    let roles = &[Push(0b111), Remove(1), Push(1), Push(0b11), Echo];
    proves(Buckets(Config::sound(roles)));
}

#[test]
fn whoever_does_not_look_stores_it_again_in_the_next_bucket() {
    let config = Config {
        look: false,
        ..Config::sound(&[Push(0b11), Push(1)])
    };
    breaks(config.clone(), ONCE);
    // As long as the bucket is open its own guard helps.
    let config = Config {
        roles: vec![Push(1), Push(1)],
        ..config
    };
    spares(Buckets(config), ONCE);
}

#[test]
fn whoever_looks_first_misses_what_comes_in_between() {
    let roles = &[Push(0b11), Push(1)];
    breaks(
        Config {
            look_last: false,
            ..Config::sound(roles)
        },
        ONCE,
    );
}

#[test]
fn without_the_guard_of_the_room_a_bucket_is_overfull() {
    let roles = &[Push(1), Push(2), Push(4)];
    breaks(
        Config {
            guard_room: false,
            ..Config::sound(roles)
        },
        ROOM,
    );
}

#[test]
fn without_the_guard_of_the_items_two_senders_store_it_twice() {
    let roles = &[Push(2), Push(1), Push(1)];
    breaks(
        Config {
            max: 3,
            guard_items: false,
            ..Config::sound(roles)
        },
        ONCE,
    );
}

#[test]
fn a_bucket_that_a_removal_opens_again_takes_what_the_next_one_has() {
    let roles = &[Push(0b11), Push(4), Remove(1)];
    breaks(
        Config {
            ever_taken: false,
            ..Config::sound(roles)
        },
        OPEN,
    );
    let roles = &[Push(0b11), Push(4), Push(4), Remove(1)];
    breaks(
        Config {
            ever_taken: false,
            ..Config::sound(roles)
        },
        ONCE,
    );
}

#[test]
fn without_the_number_in_the_id_two_open_the_same_bucket() {
    breaks(
        Config {
            unique: false,
            ..Config::sound(&[Push(1), Push(2)])
        },
        OPEN,
    );
    breaks(
        Config {
            unique: false,
            ..Config::sound(&[Push(1), Push(1)])
        },
        ONCE,
    );
}

#[test]
fn what_is_acknowledged_is_there() {
    spares(Buckets(Config::sound(LATE)), KEPT);
}

#[test]
#[ignore = "millions of states: run with --release"]
fn big() {
    let roles = &[
        Push(0b11),
        Push(0b1100),
        Push(0b101),
        Push(1),
        Remove(1),
        Echo,
    ];
    let config = Config::sound(roles);
    proves_big(Buckets(config.clone()));
    proves_big(Buckets(Config { max: 3, ..config }));
}
