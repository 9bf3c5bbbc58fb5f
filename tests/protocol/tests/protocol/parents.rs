//! The follower and the parents of a child: the properties that hold, and those that break without each of its rules.

use mongo_model_protocol::parents::Role::{
    Delete, Follow as Follower, Insert, Mark, Move, Remove, Repair, Replace, Resume, Shift,
};
use mongo_model_protocol::parents::{Config, Parents, Role};
use mongo_model_protocol::run::{FLAGGED, SETTLED, can_always_settle, proves, refutes};

/// What other programs do with a child that the library moves or deletes, and whether there is one.
const BESIDE: [(Option<u8>, Role); 5] = [
    (None, Insert(0)),
    (Some(0), Shift(1)),
    (Some(0), Mark),
    (Some(0), Replace(1)),
    (Some(0), Remove),
];

#[test]
fn a_child_that_the_library_changes_before_it_is_followed_is_accounted_for() {
    for (child, foreign) in BESIDE {
        for own in [Move(2), Delete] {
            let roles = [foreign, own, Follower, Resume];
            proves(Parents(Config::with_images(child, &roles)));
        }
    }
    // Without images, a flag that is lost with its document says nothing: see below.
    for (child, foreign) in &BESIDE[..3] {
        for own in [Move(2), Delete] {
            let roles = [*foreign, own, Follower, Repair, Resume];
            proves(Parents(Config::sound(*child, &roles)));
        }
    }
    can_always_settle(&Parents(Config::sound(
        Some(0),
        &[Shift(1), Delete, Follower, Repair, Resume],
    )));
}

#[test]
fn several_foreign_changes_are_accounted_for() {
    let runs: [(Option<u8>, &[Role]); 4] = [
        (None, &[Insert(0), Shift(1), Move(2), Follower]),
        (None, &[Insert(0), Move(1), Remove, Follower]),
        (None, &[Insert(0), Delete, Insert(1), Follower]),
        (Some(0), &[Shift(1), Mark, Move(2), Follower]),
    ];
    for (child, roles) in runs {
        proves(Parents(Config::with_images(child, roles)));
    }
    for (child, roles) in [runs[0], runs[2], runs[3]] {
        let roles = [roles, &[Repair]].concat();
        proves(Parents(Config::sound(child, &roles)));
    }
}

/// The library moves or deletes a child that another program has stored: it takes one from a parent that never counted it.
#[test]
fn a_parent_that_only_the_event_names_has_to_count_again() {
    for own in [Move(1), Delete] {
        let config = Config {
            count_where_put: false,
            ..Config::sound(None, &[Insert(0), own, Follower])
        };
        refutes(Parents(config.clone()), FLAGGED);
        refutes(Parents(config), SETTLED);
    }
}

/// The same after a move, where the image names the parent before it, and the library's move the parent after.
#[test]
fn an_image_does_not_name_the_parent_of_the_event() {
    let config = Config {
        count_where_put: false,
        ..Config::with_images(Some(0), &[Shift(1), Move(2), Follower])
    };
    refutes(Parents(config.clone()), FLAGGED);
    refutes(Parents(config), SETTLED);
}

/// The delete of the library leaves the parent to which another program has moved the child, and not the one that counts it.
#[test]
fn a_delete_of_the_library_does_not_deal_with_foreign_moves() {
    for images in [false, true] {
        let config = Config {
            ignore_own_deletes: false,
            images,
            ..Config::sound(Some(0), &[Shift(1), Delete, Follower])
        };
        refutes(Parents(config.clone()), FLAGGED);
        refutes(Parents(config), SETTLED);
    }
}

/// A writer that has flagged the child counts it at its parents although it is gone.
#[test]
fn flags_that_are_lost_with_the_document_count_again() {
    for foreign in [Remove, Replace(2)] {
        let config = Config {
            count_lost_flags: false,
            ..Config::with_images(Some(0), &[Move(1), foreign, Follower])
        };
        refutes(Parents(config.clone()), FLAGGED);
        refutes(Parents(config), SETTLED);
    }
}

/// A limit: without an image nothing names the parents of lost flags, and the comparison of a gap finds the number right before the writer
/// adds to it.
#[test]
fn flags_that_are_lost_need_an_image() {
    let roles = [Move(1), Remove, Follower, Repair];
    refutes(Parents(Config::sound(Some(0), &roles)), FLAGGED);
}

/// The library moves a child that another program has marked as deleted: no parent changes, and nothing names the former one any more.
#[test]
fn a_mark_whose_parent_is_not_known_is_a_gap() {
    let config = Config {
        marks_are_gaps: false,
        ..Config::sound(Some(0), &[Mark, Move(1), Follower, Repair])
    };
    refutes(Parents(config.clone()), FLAGGED);
    refutes(Parents(config), SETTLED);
}

/// A number that equals that of the children, while a flag will still add to it.
#[test]
fn a_comparison_that_forgets_flags_trusts_a_number_that_is_right_by_chance() {
    let config = Config {
        compare_with_flags: false,
        ..Config::sound(Some(0), &[Shift(1), Move(0), Follower, Repair])
    };
    refutes(Parents(config.clone()), FLAGGED);
    refutes(Parents(config), SETTLED);
}
