//! Counting in groups: the properties that hold, and those that break without each rule.

use mongo_model_protocol::group::{Config, Group, ONCE};
use mongo_model_protocol::run::{FLAGGED, can_always_settle, proves, proves_big, refutes};

fn breaks(config: Config, property: &'static str) {
    refutes(Group(config), property);
}

#[test]
fn every_child_is_counted_once() {
    proves(Group(Config::sound(&[0b11])));
    proves(Group(Config::sound(&[0b01, 0b10])));
    can_always_settle(&Group(Config {
        lost: 0,
        ..Config::sound(&[0b11])
    }));
}

#[test]
fn an_epoch_that_was_read_later_counts_a_finished_child_again() {
    breaks(
        Config {
            chain: false,
            ..Config::sound(&[0b11])
        },
        ONCE,
    );
}

#[test]
fn tokens_removed_in_an_unknown_epoch_hide_that_a_child_was_finished() {
    breaks(
        Config {
            guard_tidy: false,
            ..Config::sound(&[0b11])
        },
        ONCE,
    );
}

#[test]
fn without_the_guard_of_the_tokens_a_late_update_counts_again() {
    breaks(
        Config {
            guard_tokens: false,
            ..Config::sound(&[0b11])
        },
        ONCE,
    );
}

#[test]
fn without_the_guard_of_the_epoch_a_late_update_counts_after_the_token_is_gone() {
    breaks(
        Config {
            guard_epoch: false,
            ..Config::sound(&[0b11])
        },
        ONCE,
    );
}

#[test]
fn a_token_that_goes_before_the_flag_lets_a_finisher_count_again() {
    breaks(
        Config {
            clear_first: false,
            ..Config::sound(&[0b11])
        },
        ONCE,
    );
}

#[test]
fn every_child_of_a_call_is_counted_once() {
    proves(Group(Config::calls(&[0b11])));
    proves(Group(Config::calls(&[0b011, 0b100])));
    can_always_settle(&Group(Config {
        lost: 0,
        ..Config::calls(&[0b11])
    }));
}

#[test]
fn a_call_counts_a_child_again_that_a_finisher_has_counted_under_the_shared_token() {
    breaks(
        Config {
            guard_shared: false,
            ..Config::calls(&[0b11])
        },
        ONCE,
    );
}

#[test]
fn a_shared_token_that_goes_after_the_first_flag_lets_a_finisher_count_again() {
    breaks(
        Config {
            clear_all: false,
            ..Config::calls(&[0b11])
        },
        ONCE,
    );
}

#[test]
fn nothing_is_unflagged_and_uncounted() {
    mongo_model_protocol::run::spares(Group(Config::sound(&[0b11])), FLAGGED);
    mongo_model_protocol::run::spares(Group(Config::calls(&[0b11])), FLAGGED);
}

#[test]
#[ignore = "millions of states: run with --release"]
fn big() {
    proves_big(Group(Config::sound(&[0b011, 0b100])));
    proves_big(Group(Config {
        finishers: 2,
        ..Config::sound(&[0b11])
    }));
}
