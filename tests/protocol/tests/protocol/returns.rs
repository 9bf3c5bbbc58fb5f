//! A parent that comes back: the properties that hold, and those that break without each rule.

use mongo_model_protocol::returns::Role::{
    Delete, Insert, Leave, Move, Refused, Remove, Resume, Store,
};
use mongo_model_protocol::returns::{Config, Goes, Late, Moved, OWN, Returns, Role};
use mongo_model_protocol::run::{FLAGGED, SETTLED, can_always_settle, proves, proves_big, refutes};

/// A child moves to a parent that is deleted and stored again.
const MOVES: &[Role] = &[Delete, Store, Move, Resume];
/// It goes, and comes again.
const COMES: &[Role] = &[Delete, Store, Remove, Insert, Resume];

fn calm(config: Config) -> Config {
    Config {
        crashes: false,
        ..config
    }
}

#[test]
fn a_child_with_copies() {
    proves(Returns(Config::sound(MOVES)));
    proves(Returns(Config::sound(COMES)));
    proves(Returns(Config::sound(&[
        Delete, Store, Move, Leave, Resume,
    ])));
    proves(Returns(Config::sound(&[
        Delete, Store, Delete, Insert, Remove, Move, Resume,
    ])));
    can_always_settle(&Returns(Config::sound(MOVES)));
}

#[test]
fn a_child_without_copies() {
    proves(Returns(Config::plain(MOVES)));
    proves(Returns(Config::plain(COMES)));
    proves(Returns(Config::plain(&[
        Delete, Store, Delete, Store, Move, Resume,
    ])));
    can_always_settle(&Returns(Config::plain(MOVES)));
}

#[test]
fn what_was_moved_to_nothing_does_not_just_stay() {
    let config = Config {
        moved: Moved::Stays,
        ..calm(Config::sound(&[Delete, Move, Resume]))
    };
    refutes(Returns(config.clone()), FLAGGED);
    refutes(Returns(config), SETTLED);
}

#[test]
fn a_late_rule_does_not_take_the_child_of_a_later_parent() {
    let roles = &[Delete, Store, Move, Remove, Insert];
    let config = Config {
        moved: Moved::RuleByReference,
        ..calm(Config::sound(roles))
    };
    refutes(Returns(config), OWN);
}

#[test]
fn a_child_that_came_by_reference_is_counted_by_a_later_parent() {
    let config = Config {
        goes: Goes::ByReference,
        ..calm(Config::sound(&[Delete, Store, Move, Resume]))
    };
    refutes(Returns(config.clone()), FLAGGED);
    refutes(Returns(config.clone()), SETTLED);
    refutes(Returns(config), OWN);
}

#[test]
fn what_comes_late_is_told_and_only_where_there_is_no_parent() {
    let config = Config {
        late: Late::Always,
        ..calm(Config::plain(&[Delete, Store, Move, Resume]))
    };
    refutes(Returns(config.clone()), FLAGGED);
    refutes(Returns(config), SETTLED);
}

/// A delete of the child that is refused, beside one of the parent.
const REFUSED: &[Role] = &[Delete, Store, Move, Refused, Resume];

#[test]
fn a_child_that_was_to_go_itself() {
    proves(Returns(Config::sound(REFUSED)));
    proves(Returns(Config::plain(REFUSED)));
    can_always_settle(&Returns(Config::sound(&[Delete, Move, Refused, Resume])));
}

#[test]
fn what_lives_again_is_compared_again() {
    let config = Config {
        mark_live: false,
        ..calm(Config::sound(REFUSED))
    };
    refutes(Returns(config.clone()), FLAGGED);
    refutes(Returns(config), SETTLED);
}

#[test]
#[ignore = "millions of states: run with --release"]
fn big() {
    let all = &[
        Delete, Store, Delete, Store, Insert, Remove, Move, Leave, Move, Resume, Resume,
    ];
    proves_big(Returns(Config::sound(all)));
    proves_big(Returns(Config::plain(all)));
}
