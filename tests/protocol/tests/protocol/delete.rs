//! Deleting a source: the properties that hold, and those that break without each rule.

use mongo_model_protocol::delete::Policy::{Deny, Pull};
use mongo_model_protocol::delete::Role::{Delete as Del, Insert, Recreate, Resume, Save, Update};
use mongo_model_protocol::delete::{Config, Delete, KEPT, Role, Way};
use mongo_model_protocol::run::{SETTLED, can_always_settle, proves, proves_big, refutes, spares};

use crate::breaks_both;

const INSERT: &[Role] = &[Del, Insert(0), Resume];

/// No program dies, and none resumes.
fn calm(config: Config) -> Config {
    let roles = config
        .roles
        .into_iter()
        .filter(|role| *role != Resume)
        .collect();
    Config {
        crashes: false,
        roles,
        ..config
    }
}

fn breaks(config: Config) {
    breaks_both(Delete(config));
}

#[test]
fn pull_takes_every_copy() {
    proves(Delete(Config::sound(
        Pull,
        1,
        1,
        &[Del, Update(1), Insert(1), Resume],
    )));
    proves(Delete(Config::sound(
        Pull,
        1,
        0,
        &[Del, Update(1), Save(0), Resume],
    )));
    proves(Delete(Config::sound(
        Pull,
        1,
        1,
        &[Del, Save(0), Insert(1), Resume],
    )));
    can_always_settle(&Delete(Config::sound(
        Pull,
        1,
        1,
        &[Del, Insert(1), Resume],
    )));
    can_always_settle(&Delete(Config::sound(
        Pull,
        1,
        0,
        &[Del, Update(1), Save(0), Resume],
    )));
}

#[test]
fn deny_keeps_the_source_of_every_copy() {
    proves(Delete(Config::sound(
        Deny,
        0,
        1,
        &[Del, Update(1), Insert(0), Resume],
    )));
    proves(Delete(Config::sound(
        Deny,
        0,
        1,
        &[Del, Del, Insert(0), Resume],
    )));
    proves(Delete(Config::sound(
        Deny,
        1,
        0,
        &[Del, Update(1), Save(0), Resume],
    )));
    can_always_settle(&Delete(Config::sound(Deny, 0, 1, INSERT)));
    can_always_settle(&Delete(Config::sound(Deny, 1, 0, &[Del, Save(0), Resume])));
}

#[test]
fn a_source_may_come_back_under_its_id() {
    for (copies, empty) in [(1, 0), (0, 1)] {
        let roles = &[Del, Update(1), Recreate(2), Insert(0), Resume];
        proves(Delete(Config::sound(Pull, copies, empty, roles)));
    }
}

#[test]
fn a_delete_without_a_tombstone_leaves_dangling_copies() {
    // Source first: a crash before the copies are gone. Copies first: an insert in between, as well made as can be.
    let source_first = |roles| Config {
        way: Way::SourceFirst,
        ..Config::sound(Pull, 1, 0, roles)
    };
    breaks(source_first(&[Del, Resume]));
    spares(Delete(calm(source_first(&[Del]))), SETTLED);
    breaks(calm(Config {
        way: Way::CopiesFirst,
        ..Config::sound(Pull, 0, 1, INSERT)
    }));
    let alone = Config {
        way: Way::CopiesFirst,
        ..Config::sound(Pull, 1, 0, &[Del])
    };
    refutes(Delete(alone.clone()), KEPT);
    spares(Delete(alone), SETTLED);
}

#[test]
fn an_insert_needs_the_mark() {
    breaks(Config {
        mark: false,
        ..Config::sound(Pull, 0, 1, INSERT)
    });
}

#[test]
fn b4_i2_must_not_take_a_tombstone_for_a_source() {
    breaks(calm(Config {
        i2_tests_del: false,
        ..Config::sound(Pull, 0, 1, INSERT)
    }));
}

#[test]
fn b4_w1_on_a_tombstone_leaves_it_for_ever() {
    let config = Config {
        w1_tests_del: false,
        ..Config::sound(Pull, 1, 0, &[Del, Update(1)])
    };
    refutes(Delete(calm(config)), SETTLED);
}

#[test]
fn a_denied_delete_looks_again_after_d1() {
    breaks(calm(Config {
        recheck: false,
        ..Config::sound(Deny, 0, 1, INSERT)
    }));
}

#[test]
fn d3_deletes_only_what_its_d1_left() {
    let twice = &[Del, Del, Insert(0), Resume];
    breaks(Config {
        d3_by_revision: false,
        ..Config::sound(Deny, 0, 1, twice)
    });
}

#[test]
fn c1_i2_waits_for_a_delete_that_may_be_undone() {
    let config = Config::sound(Deny, 1, 0, &[Del, Save(0)]);
    refutes(
        Delete(calm(Config {
            wait_at_tombstone: false,
            ..config
        })),
        KEPT,
    );
}

#[test]
fn a_source_that_comes_back_must_start_above_its_past() {
    let config = Config::sound(
        Pull,
        0,
        1,
        &[Del, Update(1), Recreate(2), Insert(0), Resume],
    );
    breaks(Config {
        fresh_revision: false,
        ..config
    });
}

#[test]
fn a_late_pull_must_not_take_the_copies_of_a_source_that_came_back() {
    let roles = &[Del, Recreate(2), Insert(0), Resume];
    let config = Config {
        d2_by_revision: false,
        ..Config::sound(Pull, 0, 1, roles)
    };
    refutes(Delete(config.clone()), KEPT);
    spares(Delete(config), SETTLED);
    let once = Config::sound(Pull, 0, 1, INSERT);
    proves(Delete(Config {
        d2_by_revision: false,
        ..once
    }));
}

#[test]
#[ignore = "millions of states: run with --release"]
fn big() {
    let all = &[Del, Update(1), Insert(1), Save(0), Resume];
    proves_big(Delete(Config::sound(Pull, 1, 1, all)));
    proves_big(Delete(Config::sound(
        Deny,
        1,
        1,
        &[Del, Del, Insert(1), Save(0), Resume],
    )));
    let back = &[Del, Update(1), Recreate(2), Insert(0), Resume, Resume];
    proves_big(Delete(Config::sound(Pull, 1, 0, back)));
}
