//! A parent that is updated without a wait for the journal: the properties that hold, and those that break without each rule.

use mongo_model_protocol::confirm::{Config, Confirm, ONCE};
use mongo_model_protocol::run::{FLAGGED, SETTLED, can_always_settle, proves, refutes};

/// Only the server dies.
fn calm(config: Config) -> Config {
    Config {
        crashes: false,
        ..config
    }
}

#[test]
fn a_killed_server_leaves_every_child_counted_or_flagged() {
    for kills in [1, 2] {
        proves(Confirm(Config {
            kills,
            ..Config::sound(1)
        }));
        proves(Confirm(Config {
            kills,
            ..Config::sound(2)
        }));
    }
    can_always_settle(&Confirm(Config::sound(1)));
    can_always_settle(&Confirm(calm(Config::sound(2))));
}

#[test]
fn more_durability_than_asked_for_changes_nothing() {
    proves(Confirm(Config {
        journal_parent: true,
        ..Config::sound(2)
    }));
}

#[test]
fn an_update_of_the_parent_that_is_waited_for_needs_no_confirmation() {
    proves(Confirm(Config {
        journal_parent: true,
        confirm: false,
        ..Config::sound(2)
    }));
}

/// The journal of one server keeps the order of writes, but a program that outlives the server goes on with its next one.
#[test]
fn a_durable_removal_of_the_flag_does_not_replace_the_confirmation() {
    let config = Config {
        confirm: false,
        ..calm(Config::sound(1))
    };
    let seen = refutes(Confirm(config.clone()), FLAGGED);
    assert_eq!(seen.steps, 6, "learn, insert, journal, count, kill, clear");
    refutes(Confirm(config), SETTLED);
}

#[test]
fn a_confirmation_that_can_be_lost_confirms_nothing() {
    let config = Config {
        durable_confirm: false,
        ..calm(Config::sound(1))
    };
    refutes(Confirm(config), FLAGGED);
}

#[test]
fn a_child_that_can_be_lost_is_counted_without_being_there() {
    let config = Config {
        journal_child: false,
        ..calm(Config::sound(1))
    };
    let seen = refutes(Confirm(config), FLAGGED);
    assert_eq!(seen.steps, 4, "learn, insert, kill, count");
}

/// The token goes, and then the flag comes back.
#[test]
fn a_flag_that_comes_back_after_its_token_counts_twice() {
    let config = Config {
        journal_clear: false,
        ..calm(Config::sound(1))
    };
    refutes(Confirm(config), ONCE);
}
