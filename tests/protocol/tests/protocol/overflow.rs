//! Arrays that overflow into buckets: the properties that hold, and those that break without each rule.

use mongo_model_protocol::overflow::Role::{Echo, Push, Read, Remove};
use mongo_model_protocol::overflow::{ALL, Config, ONCE, Overflow, ROOM, Role, SAID};
use mongo_model_protocol::run::{can_always_settle, proves, proves_big, refutes};

/// Three items of which one is sent twice, also late, and one removed; and a reader.
const EVERYONE: &[Role] = &[Push(1), Push(2), Push(4), Push(2), Remove(1), Read, Echo];

fn breaks(config: Config, property: &'static str) {
    refutes(Overflow(config), property);
}

#[test]
fn every_item_is_stored_once_and_found() {
    proves(Overflow(Config::sound(EVERYONE)));
    let fewer = &[Push(1), Push(2), Push(2), Remove(1), Read, Echo];
    proves(Overflow(Config {
        max: 2,
        ..Config::sound(EVERYONE)
    }));
    can_always_settle(&Overflow(Config::sound(fewer)));
}

#[test]
fn a_bucket_before_the_flag_is_missed_by_readers() {
    // A program that sends it again finds it in the bucket of a program that died before it flagged the document.
    let config = Config {
        flag_first: false,
        ..Config::sound(&[Push(1), Push(2), Push(2), Read])
    };
    breaks(config.clone(), SAID);
    breaks(config, ALL);
}

#[test]
fn an_array_that_takes_items_again_takes_what_a_bucket_has() {
    let config = Config {
        closed: false,
        ..Config::sound(&[Push(1), Push(2), Remove(1), Push(2)])
    };
    breaks(config, ONCE);
}

#[test]
fn without_the_guard_of_the_room_the_array_is_overfull() {
    let config = Config {
        guard_room: false,
        ..Config::sound(&[Push(1), Push(2)])
    };
    breaks(config, ROOM);
}

#[test]
fn without_the_guard_of_the_item_a_second_send_stores_it_twice() {
    let config = Config {
        max: 2,
        guard_item: false,
        ..Config::sound(&[Push(1), Push(1)])
    };
    breaks(config, ONCE);
}

#[test]
fn a_flag_for_an_item_that_is_there_by_now_sends_it_to_a_bucket() {
    let config = Config {
        guard_flag: false,
        ..Config::sound(&[Push(2), Push(1), Push(1), Remove(2)])
    };
    breaks(config, ONCE);
}

#[test]
fn two_looks_miss_what_comes_in_between() {
    let config = Config {
        one_look: false,
        ..Config::sound(&[Push(2), Push(1), Push(1), Push(4), Remove(2)])
    };
    breaks(config, ONCE);
}

#[test]
#[ignore = "millions of states: run with --release"]
fn big() {
    let roles = &[
        Push(1),
        Push(2),
        Push(4),
        Push(1),
        Push(4),
        Remove(1),
        Remove(2),
        Read,
        Echo,
    ];
    let config = Config::sound(roles);
    proves_big(Overflow(config.clone()));
    proves_big(Overflow(Config { max: 2, ..config }));
}
