//! The follower: the properties that hold, and those that break without each of its rules.

use mongo_model_protocol::follow::Role::{
    Follow as Follower, Own, ReadAndReplace, Rename, Repair, RepairAll, Replace, Resume, Set, Spoil,
};
use mongo_model_protocol::follow::{Config, Follow, HEALED, REPAIRED, Role};
use mongo_model_protocol::run::{FLAGGED, SETTLED, can_always_settle, proves, proves_big, refutes};

const RENAME: &[Role] = &[Rename(1), Own(2), Follower, Resume];
const LOSE: &[Role] = &[Rename(1), Spoil(2), Follower, Repair];

#[test]
fn every_wrong_copy_is_accounted_for() {
    proves(Follow(Config::sound(RENAME)));
    proves(Follow(Config::sound(&[
        Rename(1),
        Replace(2),
        Own(3),
        Follower,
    ])));
    proves(Follow(Config::sound(&[Spoil(1), Own(2), Follower, Resume])));
    proves(Follow(Config::sound(&[
        ReadAndReplace(1),
        Own(2),
        Follower,
        Resume,
    ])));
    can_always_settle(&Follow(Config::sound(&[
        Rename(1),
        Own(2),
        Follower,
        Resume,
    ])));
}

#[test]
fn a_lost_place_is_a_gap() {
    proves(Follow(Config::losing(1, LOSE)));
    proves(Follow(Config::losing(2, LOSE)));
    proves(Follow(Config::losing(
        1,
        &[Rename(1), Own(2), Follower, Repair, Resume],
    )));
    proves(Follow(Config::losing(
        1,
        &[Rename(1), Spoil(2), Own(3), Follower, Repair],
    )));
    proves(Follow(Config::losing(
        2,
        &[Rename(1), Replace(2), Own(3), Follower, Repair],
    )));
    proves(Follow(Config::losing(
        1,
        &[ReadAndReplace(1), Own(2), Follower, Repair, Resume],
    )));
    proves(Follow(Config::losing(
        1,
        &[Replace(1), Own(2), Own(3), Follower, Repair],
    )));
}

#[test]
fn two_that_believe_they_lead_do_no_harm() {
    proves(Follow(Config::sound(&[
        Rename(1),
        Own(2),
        Follower,
        Follower,
    ])));
    proves(Follow(Config::losing(
        1,
        &[Rename(1), Follower, Follower, Repair],
    )));
}

#[test]
fn a_position_stored_before_the_effects_loses_them() {
    let config = Config {
        store_after: false,
        ..Config::sound(&[Rename(1), Follower])
    };
    refutes(Follow(config.clone()), FLAGGED);
}

#[test]
fn a_fan_out_without_a_new_revision_reaches_nothing() {
    let config = Config {
        raise: false,
        ..Config::sound(&[Rename(1), Follower])
    };
    refutes(Follow(config.clone()), FLAGGED);
    refutes(Follow(config), SETTLED);
}

/// The revision 1 of a raised source becomes 2 by the library's next write, before anyone gives it a far revision.
#[test]
fn a_replaced_source_that_is_raised_by_one_stays_below_its_copies() {
    let config = Config {
        raise_far: false,
        ..Config::sound(&[Rename(1), Replace(2), Own(3), Follower])
    };
    refutes(Follow(config.clone()), FLAGGED);
    refutes(Follow(config), SETTLED);
}

#[test]
fn a_gap_recorded_after_its_position_is_lost_with_the_program() {
    let config = Config {
        gap_with_position: false,
        ..Config::losing(1, LOSE)
    };
    refutes(Follow(config.clone()), FLAGGED);
    refutes(Follow(config), SETTLED);
}

#[test]
fn a_stream_opened_after_the_repair_misses_what_happens_meanwhile() {
    let config = Config {
        stream_first: false,
        ..Config::losing(1, &[Rename(1), Rename(2), Follower])
    };
    refutes(Follow(config.clone()), FLAGGED);
    refutes(Follow(config), SETTLED);
}

#[test]
fn a_gap_cleared_before_its_repair_is_lost_with_the_program() {
    let config = Config {
        clear_after: false,
        ..Config::losing(1, LOSE)
    };
    refutes(Follow(config.clone()), FLAGGED);
    refutes(Follow(config), SETTLED);
}

#[test]
fn a_repair_that_clears_later_gaps_loses_them() {
    let config = Config {
        clear_one: false,
        ..Config::losing(2, &[Rename(1), Rename(2), Follower, Repair])
    };
    refutes(Follow(config.clone()), FLAGGED);
    refutes(Follow(config), SETTLED);
}

/// A writer that has written its copies before the other program's change clears its flag after the repair has passed over it.
#[test]
fn a_repair_that_trusts_flags_is_deceived() {
    let config = Config {
        take_over_flags: false,
        ..Config::losing(1, &[Rename(1), Own(2), Follower, Repair])
    };
    refutes(Follow(config.clone()), FLAGGED);
    refutes(Follow(config), SETTLED);
}

/// A late fan-out of the source's revision, from before another program's change, reaches a copy that has been marked for the comparison.
#[test]
fn a_repair_at_the_same_revision_is_undone_by_a_late_fan_out() {
    let config = Config {
        repair_raises: false,
        ..Config::losing(1, &[Rename(1), Own(2), Follower, Repair, Resume])
    };
    refutes(Follow(config.clone()), FLAGGED);
    refutes(Follow(config), SETTLED);
}

/// A program that reads a document and stores it again takes the revision along: the event looks like one of the library.
#[test]
fn a_replacement_is_foreign_whatever_it_carries() {
    let config = Config {
        replace_is_foreign: false,
        ..Config::sound(&[ReadAndReplace(1), Follower])
    };
    refutes(Follow(config.clone()), FLAGGED);
    refutes(Follow(config), SETTLED);
}

/// The fence keeps a leader that was overtaken from moving the position back, which costs time. No copy depends on it; nor on the flag in
/// the write that raises, while the position is behind the event.
#[test]
fn the_fence_and_the_flag_are_not_needed_for_the_promise() {
    proves(Follow(Config {
        fence: false,
        ..Config::losing(1, &[Rename(1), Follower, Follower, Repair])
    }));
    proves(Follow(Config {
        flag: false,
        ..Config::sound(RENAME)
    }));
}

#[test]
fn the_next_write_corrects_a_source_that_lost_its_revision() {
    for [one, other] in [[Own(2), Own(3)], [Own(2), Set(3)], [Set(2), Set(3)]] {
        proves(Follow(Config::sound(&[Replace(1), one, other, Resume])));
    }
    proves(Follow(Config::sound(&[
        Replace(1),
        Replace(2),
        Own(3),
        Set(4),
    ])));
    proves(Follow(Config::sound(&[
        Rename(1),
        Spoil(2),
        Own(3),
        Set(4),
    ])));
}

/// Revision 1 says that the source had none. Two writers that change it before either looks leave 2, below the old copies.
#[test]
fn two_writers_hide_a_lost_revision() {
    for [one, other] in [[Own(2), Own(3)], [Own(2), Set(3)], [Set(2), Set(3)]] {
        let config = Config {
            counts_raises: false,
            ..Config::sound(&[Replace(1), one, other, Resume])
        };
        refutes(Follow(config.clone()), HEALED);
    }
}

#[test]
fn a_repair_corrects_for_good() {
    let runs: [&[Role]; 9] = [
        &[Rename(0), Own(2), RepairAll, Resume],
        &[Rename(1), Own(2), RepairAll, Resume],
        &[Spoil(1), Own(2), RepairAll, Resume],
        &[Replace(1), Own(2), RepairAll, Resume],
        &[Rename(1), Spoil(2), RepairAll, Resume],
        &[Rename(1), Own(2), Set(3), RepairAll],
        &[Replace(1), Own(2), Own(3), RepairAll],
        &[ReadAndReplace(1), Own(2), RepairAll, Resume],
        &[ReadAndReplace(1), Own(2), Own(3), Own(4), RepairAll],
    ];
    for roles in runs {
        proves(Follow(Config::sound(roles)));
    }
    can_always_settle(&Follow(Config::sound(&[
        Rename(1),
        Own(2),
        RepairAll,
        Resume,
    ])));
}

/// Another program changes a flagged source back to what its copy says. The copy looks right; then the writer fans out what it read before.
#[test]
fn a_repair_that_passes_over_flags_is_undone() {
    let config = Config {
        take_over_flags: false,
        ..Config::sound(&[Rename(0), Own(2), RepairAll])
    };
    refutes(Follow(config), REPAIRED);
}

/// A program puts a source back as it was before two writes: the next revisions are used a second time.
#[test]
fn a_repair_that_raises_by_one_repeats_revisions() {
    let config = Config {
        raise_far: false,
        ..Config::sound(&[ReadAndReplace(1), Own(2), Own(3), Own(4), RepairAll])
    };
    refutes(Follow(config), REPAIRED);
}

/// A writer from before another program's change, whose work another program has finished: no flag is left, and its fan-out reaches a copy that is being compared.
#[test]
fn a_repair_that_raises_nothing_is_undone() {
    let config = Config {
        repair_raises: false,
        ..Config::sound(&[Rename(1), Own(2), RepairAll, Resume])
    };
    refutes(Follow(config), REPAIRED);
}

#[test]
#[ignore = "millions of states: run with --release"]
fn big() {
    proves_big(Follow(Config::losing(
        2,
        &[Rename(1), Replace(2), Own(3), Follower, Follower, Repair],
    )));
    proves_big(Follow(Config::losing(
        1,
        &[Rename(1), Spoil(2), Own(3), Follower, Repair, Resume],
    )));
    proves_big(Follow(Config::losing(
        1,
        &[
            ReadAndReplace(1),
            Rename(2),
            Own(3),
            Follower,
            Repair,
            Resume,
        ],
    )));
}
