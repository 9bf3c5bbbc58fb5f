//! A two-way reference: the properties that hold, and those that break without each rule.

use mongo_model_protocol::run::{FLAGGED, SETTLED, can_always_settle, proves, proves_big, refutes};
use mongo_model_protocol::two_way::Role::{Echo, Reassign as To, Resume};
use mongo_model_protocol::two_way::{Config, Prune, Role, Token, TwoWay};

use crate::breaks_both;

/// There and back: the case a revision on the entries does not catch.
const BACK: &[Role] = &[To(1), To(0), Resume];

fn sound(persons: usize, roles: &[Role]) -> Config {
    Config::sound(persons, roles)
}

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
    breaks_both(TwoWay(config));
}

#[test]
fn both_sides_agree() {
    proves(TwoWay(sound(2, BACK)));
    proves(TwoWay(sound(2, &[To(1), Echo, Resume])));
    proves(TwoWay(sound(3, &[To(1), To(2)])));
    can_always_settle(&TwoWay(sound(2, &[To(1), Resume])));
    can_always_settle(&TwoWay(Config {
        crashes: false,
        ..sound(2, BACK)
    }));
}

#[test]
fn w3b_only_bounds_the_list() {
    proves(TwoWay(Config {
        crashes: false,
        prune: Prune::No,
        ..sound(2, BACK)
    }));
}

#[test]
fn d2_a_flag_without_marks_is_not_enough() {
    breaks(calm(Config {
        marks: false,
        ..sound(2, BACK)
    }));
}

#[test]
fn m11_a_send_with_the_token_of_the_one_before_breaks() {
    breaks(Config {
        token: Token::SameAgain,
        ..sound(2, &[To(1), To(0), Echo])
    });
}

#[test]
fn d2_a_revision_is_no_token() {
    breaks(Config {
        token: Token::Revision,
        ..sound(2, BACK)
    });
}

/// It takes three writers for the sweeper to find a mark and an owner that are both old.
fn one_read() -> Config {
    let config = sound(2, &[To(1), To(0), To(1), Resume]);
    Config {
        crashes: false,
        prune: Prune::No,
        read_again: false,
        ..config
    }
}

#[test]
fn d2_the_sweeper_reads_again_between_fix_and_clear() {
    refutes(TwoWay(one_read()), FLAGGED);
}

#[test]
fn d2_old_owners_are_pruned_by_revision() {
    let config = sound(2, &[To(1), To(0), To(1), Resume]);
    breaks(Config {
        prune: Prune::ByPerson,
        ..config
    });
}

#[test]
#[ignore = "millions of states: run with --release"]
fn big() {
    refutes(TwoWay(one_read()), SETTLED);
    proves_big(TwoWay(sound(3, &[To(1), To(2), Resume])));
    proves_big(TwoWay(sound(2, &[To(1), To(0), Echo, Resume])));
}
