//! A reference that moves while sources change: the properties that hold, and those that break without each rule.

use mongo_model_protocol::repoint::Role::{Delete, Rename, Repoint as To, Resume};
use mongo_model_protocol::repoint::{Config, Repoint, Role};
use mongo_model_protocol::run::{SETTLED, can_always_settle, proves, proves_big, spares};

use crate::breaks_both;

const RENAMES: &[Role] = &[Rename(0, 1), Rename(1, 2), To(1), Resume];

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
    breaks_both(Repoint(config));
}

#[test]
fn a_moved_reference_has_the_value_of_its_source() {
    proves(Repoint(Config::sound(2, RENAMES)));
    proves(Repoint(Config::sound(
        3,
        &[Rename(0, 1), Rename(1, 2), To(1), To(2), Resume],
    )));
    can_always_settle(&Repoint(Config::sound(2, RENAMES)));
}

#[test]
fn there_and_back() {
    proves(Repoint(Config::sound(
        2,
        &[Rename(0, 1), Rename(1, 2), To(1), To(0), Resume],
    )));
}

#[test]
fn the_new_source_may_be_deleted_meanwhile() {
    let roles = &[Rename(0, 1), Rename(1, 2), To(1), Delete(1), Resume];
    proves(Repoint(Config::sound(2, roles)));
    proves(Repoint(Config::sound(
        3,
        &[To(1), To(2), Delete(1), Resume, Resume],
    )));
    can_always_settle(&Repoint(Config::sound(
        2,
        &[Rename(1, 2), To(1), Delete(1), Resume],
    )));
}

#[test]
fn c3_without_a_mark_a_crash_leaves_an_old_value() {
    let config = |roles| Config {
        mark: false,
        ..Config::sound(2, roles)
    };
    breaks(config(&[Rename(1, 2), To(1), Resume]));
    spares(Repoint(calm(config(&[Rename(1, 2), To(1)]))), SETTLED);
}

#[test]
fn m10_a_kept_revision_fences_out_the_new_source() {
    breaks(calm(Config {
        drop_revision: false,
        ..Config::sound(2, RENAMES)
    }));
}

#[test]
fn a2_i3_must_name_the_reference() {
    let bare = |drop_marks, roles| Config {
        i3_names_source: false,
        drop_marks,
        ..Config::sound(2, roles)
    };
    breaks(calm(bare(true, &[To(1), Delete(1)])));
    // Re-pointing alone hurts only if it leaves the older marks, as a document with several edges does.
    let back = &[Rename(0, 1), To(1), To(0), Resume];
    breaks(bare(false, back));
    proves(Repoint(bare(true, back)));
    proves(Repoint(Config {
        drop_marks: false,
        ..Config::sound(2, back)
    }));
}

#[test]
fn c3_w2_must_name_the_reference() {
    breaks(calm(Config {
        w2_names_source: false,
        ..Config::sound(2, RENAMES)
    }));
}

#[test]
#[ignore = "millions of states: run with --release"]
fn big() {
    let all = &[Rename(0, 1), Rename(1, 2), To(1), To(2), Delete(1), Resume];
    for drop_marks in [true, false] {
        proves_big(Repoint(Config {
            drop_marks,
            ..Config::sound(3, all)
        }));
    }
    let two = &[Rename(0, 1), Rename(1, 2), To(1), Delete(1), Resume, Resume];
    proves_big(Repoint(Config::sound(2, two)));
}
