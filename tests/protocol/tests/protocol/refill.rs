//! The last N where messages go and change their time: the properties that hold, and those that break without each rule.

use mongo_model_protocol::refill::Role::{Echo, Insert, Leave, Prune, Resume, Retime};
use mongo_model_protocol::refill::{Config, Refills, Role};
use mongo_model_protocol::run::{can_always_settle, proves, proves_big};

use crate::breaks_both;

/// Two messages for a list of one.
const TWO: &[(u8, bool)] = &[(1, true), (2, true)];
/// The same with one that is yet to come.
const MORE: &[(u8, bool)] = &[(1, true), (2, true), (3, false)];

fn breaks(config: Config) {
    breaks_both(Refills(config));
}

#[test]
fn what_goes_makes_room() {
    proves(Refills(Config::sound(TWO, 1, &[Leave(1), Resume])));
    can_always_settle(&Refills(Config::sound(TWO, 1, &[Leave(1), Resume])));
}

#[test]
fn what_sinks_makes_room() {
    proves(Refills(Config::sound(TWO, 1, &[Retime(1, 0), Resume])));
}

/// `#[min]` and `#[max]` are lists of one: the order of a child changes with each of its updates.
#[test]
fn an_extreme_that_rises_and_sinks_is_the_one_of_the_children() {
    let roles = &[Retime(0, 3), Retime(1, 0), Echo];
    proves(Refills(Config {
        crashes: false,
        ..Config::sound(TWO, 1, roles)
    }));
    let once = Config::sound(TWO, 1, &[Retime(0, 3), Resume]);
    proves(Refills(once.clone()));
    can_always_settle(&Refills(once));
}

#[test]
fn without_a_refill_an_extreme_that_sinks_stays() {
    breaks(Config {
        refill: false,
        crashes: false,
        ..Config::sound(TWO, 1, &[Retime(1, 0)])
    });
}

/// The document of a period, of which an extreme is kept: it is stored with its first message.
fn period(messages: &[(u8, bool)], roles: &[Role]) -> Config {
    Config {
        stored: false,
        ..Config::sound(messages, 1, roles)
    }
}

#[test]
fn the_first_message_of_a_period_stores_its_document() {
    let none = &[(1, false), (2, false)];
    proves(Refills(period(none, &[Insert(0), Insert(1), Resume])));
    can_always_settle(&Refills(period(none, &[Insert(0), Insert(1), Resume])));
    // A message that moves to another day and comes back; the document goes meanwhile.
    let one = &[(1, false)];
    for roles in [
        &[Insert(0), Leave(0), Prune, Resume][..],
        &[Insert(0), Leave(0), Prune, Echo],
        &[Leave(0), Insert(0), Prune, Echo],
    ] {
        proves(Refills(Config {
            crashes: false,
            ..period(one, roles)
        }));
    }
    proves(Refills(period(none, &[Insert(0), Prune, Resume])));
}

#[test]
fn without_the_document_of_a_period_an_extreme_is_lost() {
    breaks(Config {
        stores: false,
        crashes: false,
        ..period(&[(1, false)], &[Insert(0)])
    });
}

#[test]
fn a_late_send_brings_nothing_back() {
    let alone = Config::sound(&[(1, false)], 1, &[Insert(0), Leave(0), Echo]);
    proves(Refills(Config {
        crashes: false,
        ..alone
    }));
}

#[test]
fn without_the_mark_a_late_send_brings_back_what_is_gone() {
    let roles = &[Insert(0), Leave(0), Echo, Resume];
    breaks(Config {
        mark: false,
        ..Config::sound(&[(1, false)], 1, roles)
    });
}

#[test]
fn without_a_refill_the_list_is_short() {
    breaks(Config {
        refill: false,
        crashes: false,
        ..Config::sound(TWO, 1, &[Leave(1)])
    });
}

#[test]
fn a_refill_that_does_not_read_again_brings_back_what_is_gone() {
    let config = Config::sound(
        &[(1, true), (2, true), (3, true)],
        1,
        &[Leave(2), Leave(1), Resume],
    );
    breaks(Config {
        read_again: false,
        ..config
    });
}

#[test]
fn a_clear_of_all_marks_takes_those_of_others() {
    let config = Config::sound(
        &[(1, true), (2, true), (3, true)],
        1,
        &[Leave(2), Leave(1), Resume],
    );
    breaks(Config {
        clear_exactly: false,
        ..config
    });
}

#[test]
#[ignore = "millions of states: run with --release"]
fn big() {
    proves_big(Refills(Config::sound(
        TWO,
        1,
        &[Leave(1), Leave(0), Resume],
    )));
    proves_big(Refills(Config::sound(
        MORE,
        1,
        &[Leave(1), Insert(2), Resume],
    )));
    proves_big(Refills(Config::sound(
        TWO,
        1,
        &[Retime(1, 0), Retime(0, 3), Resume],
    )));
    proves_big(Refills(Config::sound(
        &[(1, false)],
        1,
        &[Insert(0), Leave(0), Echo, Resume],
    )));
    let three = &[(1, true), (2, true), (3, true)];
    proves_big(Refills(Config::sound(
        three,
        2,
        &[Leave(2), Leave(1), Resume],
    )));
    proves_big(Refills(Config::sound(
        three,
        1,
        &[Leave(2), Retime(1, 0), Resume],
    )));
    proves_big(Refills(Config::sound(
        MORE,
        1,
        &[Leave(1), Insert(2), Echo, Resume],
    )));
}
