//! Moves in a tree: the properties that hold, and those that break without each rule.

use mongo_model_protocol::run::{SETTLED, can_always_settle, proves, refutes};
use mongo_model_protocol::tree::Role::{Finish, Insert, Move};
use mongo_model_protocol::tree::{Config, NODES, RING, Role, Tree};

type Stored = [Option<Option<usize>>; NODES];

/// A root, and a root with a child that has one, too.
const DEEP: Stored = [Some(None), Some(None), Some(Some(1)), Some(Some(2))];
/// The same without the last.
const SHALLOW: Stored = [Some(None), Some(None), Some(Some(1)), None];
/// Two roots, the first with a child.
const APART: Stored = [Some(None), Some(Some(0)), Some(None), None];
/// Two roots.
const ROOTS: Stored = [Some(None), Some(None), None, None];

/// Moves the new document, too.
const MOVE_NEW: Case = (SHALLOW, &[Move(1, Some(0)), Move(3, Some(0)), Insert(3, 2)]);

type Case = (Stored, &'static [Role]);

/// Each move would go below what the other one moves.
const CROSSING: Case = (DEEP, &[Move(0, Some(3)), Move(1, Some(0)), Finish]);
const INSERT: Case = (SHALLOW, &[Move(1, Some(0)), Insert(3, 2), Finish]);
/// The second move goes below the new document.
const BELOW_NEW: Case = (SHALLOW, &[Move(1, Some(0)), Move(0, Some(3)), Insert(3, 2)]);
/// A document and the one above it, at once.
const CHAIN: Case = (ROOTS, &[Move(1, Some(0)), Insert(2, 1), Insert(3, 2)]);
/// A move, and one of the document above its new place.
const TWICE: Case = (APART, &[Move(2, Some(1)), Move(1, None), Insert(3, 2)]);

fn sound((stored, roles): Case) -> Config {
    Config::sound(stored, roles)
}

/// Searches for the property that breaks when one rule is off.
fn breaks(case: Case, property: &'static str, off: impl Fn(&mut Config)) {
    let mut config = sound(case);
    off(&mut config);
    refutes(Tree(config), property);
}

#[test]
fn moves_that_cross_make_no_ring() {
    proves(Tree(sound(CROSSING)));
    can_always_settle(&Tree(sound(CROSSING)));
    proves(Tree(sound(BELOW_NEW)));
}

#[test]
fn inserts_below_a_moving_document_end_with_the_right_ancestors() {
    for case in [INSERT, CHAIN, TWICE] {
        proves(Tree(sound(case)));
    }
    can_always_settle(&Tree(sound(INSERT)));
}

#[test]
fn a_move_that_the_server_refuses_leaves_the_tree_as_it_was() {
    let refuses = |case| Config {
        refuses: true,
        ..sound(case)
    };
    proves(Tree(refuses(CROSSING)));
    proves(Tree(refuses(INSERT)));
    proves(Tree(refuses(MOVE_NEW)));
    breaks(MOVE_NEW, SETTLED, |config| {
        config.refuses = true;
        config.fence_place = false;
    });
    breaks(INSERT, SETTLED, |config| {
        config.refuses = true;
        config.fence = false;
    });
}

#[test]
fn two_moves_at_once_make_a_ring() {
    breaks(CROSSING, RING, |config| config.one_move = false);
}

#[test]
fn a_look_before_the_move_has_begun_makes_a_ring() {
    breaks(CROSSING, RING, |config| config.look_after = false);
}

#[test]
fn ancestors_that_are_stored_do_not_show_a_ring() {
    breaks(BELOW_NEW, RING, |config| config.by_parents = false);
}

#[test]
fn two_decisions_about_one_move_make_a_ring() {
    breaks(BELOW_NEW, RING, |config| config.decide_once = false);
}

#[test]
fn a_late_write_of_an_earlier_move_needs_its_revision() {
    breaks(TWICE, SETTLED, |config| config.guarded = false);
}

#[test]
fn a_new_document_is_compared_after_the_move() {
    breaks(INSERT, SETTLED, |config| config.compare = false);
    breaks(INSERT, SETTLED, |config| config.finish_first = false);
}

#[test]
fn a_corrected_document_is_compared_again() {
    breaks(TWICE, SETTLED, |config| config.compare_again = false);
    breaks(TWICE, SETTLED, |config| config.own_first = false);
}

#[test]
fn a_correction_goes_on_to_the_documents_below() {
    breaks(CHAIN, SETTLED, |config| config.below = false);
}
