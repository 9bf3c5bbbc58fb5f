//! A server that loses data it has shown: which writes must be durable, and which need not.

use mongo_model_protocol::durability::Role::{Insert, Resume, Update};
use mongo_model_protocol::durability::{Config, Durability, Role};
use mongo_model_protocol::run::{FLAGGED, SETTLED, can_always_settle, proves, proves_big, refutes};

const WRITES: &[Role] = &[Update(1), Update(2), Resume];
const INSERT: &[Role] = &[Update(1), Insert(0), Resume];

fn sound(copies: usize, empty: usize, roles: &[Role]) -> Config {
    Config::sound(copies, empty, roles)
}

/// Only the server dies.
fn calm(config: Config) -> Config {
    Config {
        crashes: false,
        ..config
    }
}

#[test]
fn a_killed_server_leaves_everything_flagged() {
    for kills in [1, 2] {
        proves(Durability(Config {
            kills,
            ..sound(2, 0, WRITES)
        }));
        proves(Durability(Config {
            kills,
            ..sound(0, 1, INSERT)
        }));
        proves(Durability(Config {
            kills,
            ..sound(1, 1, &[Update(1), Insert(1), Resume])
        }));
        proves(Durability(Config {
            kills,
            ..sound(1, 0, &[Update(1), Update(2), Resume, Resume])
        }));
    }
    can_always_settle(&Durability(sound(1, 0, WRITES)));
    can_always_settle(&Durability(sound(0, 1, INSERT)));
}

#[test]
fn more_durability_than_asked_for_changes_nothing() {
    proves(Durability(Config {
        journal_i1: true,
        journal_w3: true,
        ..sound(0, 1, INSERT)
    }));
}

#[test]
fn m6_a_lost_w1_leaves_its_copies_ahead() {
    let config = Config {
        journal_w1: false,
        ..calm(sound(1, 0, &[Update(1)]))
    };
    refutes(Durability(config.clone()), FLAGGED);
    refutes(Durability(config), SETTLED);
}

#[test]
fn m6_a_lost_w2_leaves_its_copies_behind() {
    let config = Config {
        journal_w2: false,
        ..calm(sound(1, 0, &[Update(1)]))
    };
    refutes(Durability(config.clone()), FLAGGED);
    refutes(Durability(config), SETTLED);
}

#[test]
fn m9_a_resumer_must_not_act_on_what_can_be_lost() {
    let config = Config {
        durable_reads: false,
        ..calm(sound(1, 0, &[Update(1), Resume]))
    };
    let seen = refutes(Durability(config.clone()), FLAGGED);
    assert_eq!(seen.steps, 4, "write, read, kill, fan-out");
    refutes(Durability(config), SETTLED);
}

#[test]
fn m9_nor_must_the_check_of_a_new_copy() {
    let config = Config {
        durable_reads: false,
        ..calm(sound(0, 1, &[Update(1), Insert(0)]))
    };
    refutes(Durability(config.clone()), FLAGGED);
    refutes(Durability(config), SETTLED);
}

#[test]
fn m10_a_revision_from_an_ordinary_read_fences_out_the_source() {
    let config = Config {
        no_revision_at_insert: false,
        ..calm(sound(0, 1, &[Update(1), Insert(0)]))
    };
    refutes(Durability(config.clone()), FLAGGED);
    refutes(Durability(config), SETTLED);
}

#[test]
fn a2_i3_in_two_commands_clears_the_mark_of_a_fix_that_was_lost() {
    let config = Config {
        one_command: false,
        ..calm(sound(0, 1, INSERT))
    };
    refutes(Durability(config.clone()), FLAGGED);
    refutes(Durability(config), SETTLED);
}

#[test]
#[ignore = "millions of states: run with --release"]
fn big() {
    let roles = &[Update(1), Update(2), Insert(1), Resume];
    proves_big(Durability(Config {
        kills: 2,
        ..sound(1, 1, roles)
    }));
    proves_big(Durability(Config {
        kills: 2,
        ..sound(0, 1, &[Update(1), Insert(0), Resume, Resume])
    }));
    proves_big(Durability(Config {
        kills: 2,
        ..sound(2, 0, &[Update(1), Update(2), Resume, Resume])
    }));
}
