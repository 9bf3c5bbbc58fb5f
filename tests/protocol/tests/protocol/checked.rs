//! Checked references: the properties that hold, and those that break without each rule.

use mongo_model_protocol::checked::Role::{Compare, Delete, Insert, Repoint, Resume, Store};
use mongo_model_protocol::checked::Rule::{Cascade, Deny, Unset};
use mongo_model_protocol::checked::{Check, Checked, Config, KEPT, Role, Rule};
use mongo_model_protocol::run::{
    FLAGGED, SETTLED, can_always_settle, proves, proves_big, refutes, spares,
};

use crate::breaks_both;

const RULES: [Rule; 3] = [Deny, Unset, Cascade];
const INSERT: &[Role] = &[Delete(0), Insert(0, 0), Resume];

/// An absent child with this rule, and one target.
fn absent(rule: Rule, roles: &[Role]) -> Config {
    Config::sound(1, &[(rule, None)], roles)
}

/// No program dies, and none resumes.
fn calm(config: Config) -> Config {
    let roles = config.roles.into_iter();
    let roles = roles.filter(|role| *role != Resume).collect();
    Config {
        crashes: false,
        roles,
        ..config
    }
}

fn breaks(config: Config) {
    breaks_both(Checked(config));
}

#[test]
fn an_insert_beside_a_delete_leaves_no_orphan() {
    for rule in RULES {
        proves(Checked(absent(rule, INSERT)));
        can_always_settle(&Checked(absent(rule, INSERT)));
        let twice = &[Delete(0), Delete(0), Insert(0, 0), Resume];
        proves(Checked(absent(rule, twice)));
        let two = &[(rule, None), (rule, Some(0))];
        proves(Checked(Config::sound(1, two, INSERT)));
    }
}

#[test]
fn a_reference_that_moves_beside_deletes_leaves_no_orphan() {
    for rule in RULES {
        let roles = &[Delete(0), Delete(1), Repoint(0, 1), Resume];
        proves(Checked(Config::sound(2, &[(rule, Some(0))], roles)));
        let again = &[Delete(0), Repoint(0, 0), Resume];
        proves(Checked(Config::sound(1, &[(rule, Some(0))], again)));
        can_always_settle(&Checked(Config::sound(1, &[(rule, Some(0))], again)));
        let new = &[Delete(0), Insert(0, 0), Repoint(0, 1), Resume];
        proves(Checked(Config::sound(2, &[(rule, None)], new)));
    }
}

#[test]
fn a_refused_delete_has_changed_nothing() {
    for rule in [Unset, Cascade] {
        let both = &[(Deny, Some(0)), (rule, Some(0))];
        proves(Checked(Config::sound(1, both, &[Delete(0), Resume])));
        let comes = &[(Deny, None), (rule, Some(0))];
        proves(Checked(Config::sound(1, comes, INSERT)));
        let late = calm(Config {
            check: Check::After,
            ..Config::sound(1, both, &[Delete(0)])
        });
        refutes(Checked(late.clone()), KEPT);
        spares(Checked(late), SETTLED);
    }
}

#[test]
fn a_reference_needs_the_mark() {
    for rule in RULES {
        breaks(Config {
            mark: false,
            ..absent(rule, INSERT)
        });
        // Nobody needs to die where the program that deletes is done before the other one looks.
        let moves = &[Delete(1), Repoint(0, 1)];
        let moves = Config::sound(2, &[(rule, Some(0))], moves);
        let calm = calm(Config {
            mark: false,
            ..moves
        });
        refutes(Checked(calm), FLAGGED);
    }
}

#[test]
fn a_look_before_the_write_is_not_enough() {
    for rule in RULES {
        let before = |config| Config {
            look_after: false,
            ..config
        };
        breaks(calm(before(absent(rule, INSERT))));
        let moves = &[Delete(1), Repoint(0, 1)];
        breaks(calm(before(Config::sound(2, &[(rule, Some(0))], moves))));
    }
}

#[test]
fn a_delete_looks_again_after_d1() {
    let before = |check| Config {
        check,
        ..absent(Deny, INSERT)
    };
    breaks(calm(before(Check::Before)));
    proves(Checked(before(Check::Between)));
}

#[test]
fn a_check_and_a_delete_without_a_tombstone_leave_orphans() {
    for rule in RULES {
        breaks(Config {
            tombstone: false,
            check: Check::Before,
            ..absent(rule, INSERT)
        });
    }
    let crashed = Config {
        tombstone: false,
        ..Config::sound(1, &[(Unset, Some(0))], &[Delete(0), Resume])
    };
    breaks(crashed.clone());
    spares(Checked(calm(crashed)), SETTLED);
}

#[test]
fn b4_i2_must_not_take_a_tombstone_for_a_target() {
    for rule in RULES {
        breaks(calm(Config {
            i2_tests_del: false,
            ..absent(rule, INSERT)
        }));
    }
}

#[test]
fn c1_i2_waits_for_a_delete_that_may_be_undone() {
    let both = &[(Deny, Some(0)), (Unset, Some(0))];
    let again = Config::sound(1, both, &[Delete(0), Repoint(1, 0)]);
    refutes(
        Checked(calm(Config {
            wait_at_tombstone: false,
            ..again
        })),
        KEPT,
    );
}

#[test]
fn a_delete_that_was_undone_must_not_go_on() {
    let comes = &[(Deny, Some(1)), (Unset, Some(0))];
    let config = Config {
        commit_guarded: false,
        ..Config::sound(2, comes, &[Delete(0), Resume])
    };
    refutes(Checked(config.clone()), KEPT);
    spares(Checked(config), SETTLED);
}

#[test]
fn an_insert_that_is_taken_back_must_not_take_the_reference_that_another_program_stored() {
    let roles = &[Delete(0), Insert(0, 0), Repoint(0, 1)];
    let config = Config {
        withdraw_by_reference: false,
        ..Config::sound(2, &[(Unset, None)], roles)
    };
    refutes(Checked(calm(config.clone())), KEPT);
    spares(Checked(calm(config)), SETTLED);
}

#[test]
fn i3_takes_off_only_the_marks_that_it_has_read() {
    let roles = &[Delete(1), Repoint(0, 0), Repoint(0, 1), Resume];
    breaks(Config {
        clear_exactly: false,
        ..Config::sound(2, &[(Unset, Some(0))], roles)
    });
}

#[test]
fn a_target_that_comes_back_leaves_nothing_wrong() {
    for rule in RULES {
        let back = absent(rule, &[Delete(0), Store(0), Insert(0, 0), Resume]);
        // The rule names the reference alone: a late step can take a new one, which then does not dangle.
        spares(Checked(back.clone()), FLAGGED);
        spares(Checked(back), SETTLED);
    }
    let late = &[Delete(0), Store(0), Insert(0, 0), Resume];
    refutes(Checked(absent(Unset, late)), KEPT);
    proves(Checked(absent(Deny, late)));
}

#[test]
fn the_rule_needs_the_mark() {
    let calm = |rule_by_mark| Config {
        crashes: false,
        rule_by_mark,
        ..absent(Unset, &[Delete(0), Store(0), Insert(0, 0), Compare])
    };
    proves(Checked(calm(true)));
    refutes(Checked(calm(false)), KEPT);
}

#[test]
fn two_deletes_and_two_writers_leave_no_orphan() {
    for rule in RULES {
        let two = &[(rule, None), (Deny, Some(1))];
        let roles = &[Delete(0), Delete(1), Insert(0, 0), Repoint(0, 1), Resume];
        proves(Checked(Config::sound(2, two, roles)));
    }
}

#[test]
#[ignore = "millions of states: run with --release"]
fn big() {
    for rule in RULES {
        let two = &[(rule, None), (Deny, Some(1))];
        let writes = [Insert(0, 0), Repoint(0, 1), Repoint(1, 0)];
        let roles = [&[Delete(0), Delete(1)], writes.as_slice(), &[Resume]];
        proves_big(Checked(Config::sound(2, two, &roles.concat())));
    }
}
