//! Numbers of hosts that are stored after their children: the properties that hold, and those that break without each rule.

use mongo_model_protocol::begin::Role::{Begin, Delete, Echo, Insert, Move, Remove, Resume};
use mongo_model_protocol::begin::Side::{Elsewhere, Here};
use mongo_model_protocol::begin::{Begins, Born, Config, Role};
use mongo_model_protocol::run::{can_always_settle, proves, proves_big};

use crate::breaks_both;

const PLAIN: Born = Born {
    side: Here,
    flag: false,
};
const FLAG: Born = Born {
    side: Here,
    flag: true,
};
const AWAY: Born = Born {
    side: Elsewhere,
    flag: false,
};

/// A child that goes while its host comes.
const LEAVE: &[Role] = &[Begin, Move(0, Elsewhere), Resume];
const INSERT: &[Role] = &[Begin, Insert(0), Resume];
/// The host comes twice.
const TWICE: &[Role] = &[Begin, Remove, Begin, Resume];

fn sound(children: &[Born], roles: &[Role]) -> Config {
    Config::sound(children, roles)
}

/// No program dies.
fn calm(config: Config) -> Config {
    Config {
        crashes: false,
        ..config
    }
}

fn stored(config: Config) -> Config {
    Config {
        stored: true,
        ..config
    }
}

fn breaks(config: Config) {
    breaks_both(Begins(config));
}

#[test]
fn a_host_that_comes_late_counts_the_children_it_finds() {
    proves(Begins(sound(&[PLAIN], &[Begin, Resume])));
    proves(Begins(sound(&[FLAG], &[Begin, Resume, Resume])));
    proves(Begins(sound(&[PLAIN, FLAG], &[Begin, Resume])));
}

#[test]
fn children_that_come_and_go_meanwhile_are_counted_once() {
    proves(Begins(sound(&[PLAIN], LEAVE)));
    proves(Begins(sound(&[FLAG], LEAVE)));
    proves(Begins(sound(&[AWAY], &[Begin, Move(0, Here), Resume])));
    proves(Begins(sound(&[PLAIN], &[Begin, Delete(0), Resume])));
    proves(Begins(sound(&[], INSERT)));
}

#[test]
fn a_host_that_comes_twice_knows_nothing_of_its_first_life() {
    proves(Begins(sound(&[PLAIN], TWICE)));
    let leave = &[Begin, Remove, Begin, Move(0, Elsewhere), Resume];
    proves(Begins(sound(&[PLAIN], leave)));
    proves(Begins(sound(
        &[],
        &[Begin, Remove, Begin, Insert(0), Echo, Resume],
    )));
    let again = |role| [Remove, Begin, role, Resume];
    proves(Begins(stored(sound(&[], &again(Insert(0))))));
    proves(Begins(stored(sound(&[PLAIN], &again(Move(0, Elsewhere))))));
}

#[test]
fn there_is_always_a_way_to_the_end() {
    can_always_settle(&Begins(sound(&[FLAG], LEAVE)));
    can_always_settle(&Begins(sound(&[], INSERT)));
    can_always_settle(&Begins(sound(&[PLAIN], TWICE)));
}

#[test]
fn without_the_mark_nobody_knows_that_the_number_is_wrong() {
    breaks(Config {
        mark: false,
        ..sound(&[PLAIN], &[Begin, Resume])
    });
}

#[test]
fn without_a_name_the_mark_of_a_second_life_goes_with_the_first() {
    breaks(Config {
        named: false,
        ..calm(sound(&[PLAIN], TWICE))
    });
}

#[test]
fn a_host_that_was_absent_before_the_flag_may_be_there_after_it() {
    let config = |children, roles| Config {
        absent_again: false,
        ..sound(children, roles)
    };
    breaks(config(&[], INSERT));
    breaks(config(&[PLAIN], LEAVE));
}

#[test]
fn a_flag_that_was_there_before_the_host_may_go_uncounted() {
    let config = |children, roles| Config {
        wait_for_flags: false,
        ..sound(children, roles)
    };
    breaks(config(&[FLAG], &[Begin, Resume]));
    breaks(calm(config(&[], INSERT)));
}

#[test]
fn a_recount_sees_no_child_without_its_flag() {
    let config = |children, roles| Config {
        flags_again: false,
        ..calm(sound(children, roles))
    };
    breaks(config(&[PLAIN], LEAVE));
    breaks(config(&[], INSERT));
}

#[test]
fn the_fast_way_looks_for_flags() {
    breaks(Config {
        look_at_flags: false,
        ..calm(sound(&[PLAIN], LEAVE))
    });
}

#[test]
fn the_fast_way_looks_for_flags_after_the_children() {
    breaks(Config {
        children_first: false,
        ..calm(sound(&[PLAIN], LEAVE))
    });
}

#[test]
fn the_fast_way_is_none_where_something_was_counted() {
    breaks(Config {
        guard: false,
        ..calm(sound(&[PLAIN], LEAVE))
    });
}

/// A program that saw a flag before it was cleared, and the epoch of the new host, counts late.
#[test]
fn the_fast_way_begins_a_new_epoch() {
    breaks(Config {
        new_epoch: false,
        ..calm(sound(&[PLAIN], LEAVE))
    });
}

/// Not a MUST: a count in an epoch of the host's first life happens while its number is not trusted.
#[test]
fn the_first_epoch_need_not_be_new() {
    let config = |children, roles| Config {
        fresh_epoch: false,
        ..sound(children, roles)
    };
    let insert = &[Begin, Remove, Begin, Insert(0), Echo, Resume];
    let leave = &[Remove, Begin, Move(0, Elsewhere), Resume];
    proves(Begins(stored(config(&[PLAIN], leave))));
    proves(Begins(config(&[], insert)));
}

#[test]
#[ignore = "millions of states: run with --release"]
fn big() {
    let back = &[Begin, Move(0, Elsewhere), Move(0, Here), Resume];
    proves_big(Begins(sound(&[PLAIN], back)));
    let inserts = &[Begin, Insert(0), Insert(1), Resume];
    proves_big(Begins(sound(&[], inserts)));
    let across = &[Begin, Move(0, Elsewhere), Move(1, Here), Resume];
    proves_big(Begins(sound(&[PLAIN, AWAY], across)));
    let two = &[Remove, Begin, Move(0, Elsewhere), Resume, Resume];
    proves_big(Begins(stored(sound(&[PLAIN], two))));
    let thrice = &[Remove, Begin, Remove, Begin, Move(0, Elsewhere), Resume];
    proves_big(Begins(stored(sound(&[FLAG], thrice))));
}
