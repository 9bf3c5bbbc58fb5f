//! Copies of one source: the properties that hold, and those that break without each rule.

use mongo_model_protocol::copies::Role::{Echo, Insert, Resume, Save, Update};
use mongo_model_protocol::copies::{Config, Copies, Flag, MISSING, Role, Verify};
use mongo_model_protocol::run::{
    FLAGGED, SETTLED, can_always_settle, proves, proves_big, refutes, spares,
};

/// Two writers of different fields, and a resumer that finishes their pending work.
const UPDATES: &[Role] = &[Update(0, 1), Update(1, 1), Resume];

/// The fan-outs of a newer and an older value of one field, the newer one equal to what the copies hold.
const THERE_AND_BACK: &[Role] = &[Update(0, 1), Update(0, 0), Resume];

fn sound(copies: usize, empty: usize, roles: &[Role]) -> Config {
    Config::sound(copies, empty, roles)
}

fn calm(config: Config) -> Config {
    Config {
        crashes: false,
        ..config
    }
}

#[test]
fn updates_reach_every_copy() {
    for roles in [
        UPDATES,
        THERE_AND_BACK,
        &[Update(0, 1), Update(0, MISSING), Resume],
    ] {
        proves(Copies(sound(2, 0, roles)));
        can_always_settle(&Copies(sound(2, 0, roles)));
    }
    proves(Copies(sound(
        2,
        0,
        &[Update(0, 1), Update(1, 1), Resume, Resume],
    )));
    proves(Copies(sound(
        2,
        0,
        &[Update(0, 1), Update(1, 1), Echo, Resume],
    )));
}

#[test]
fn a_copy_that_appears_behind_the_scan_is_marked() {
    let racing = sound(1, 1, &[Update(0, 1), Update(1, 1), Insert(1), Resume]);
    proves(Copies(racing));
    can_always_settle(&Copies(sound(0, 1, &[Update(0, 1), Insert(0), Resume])));
}

#[test]
fn a_save_of_what_was_read_earlier_is_marked() {
    proves(Copies(sound(
        1,
        0,
        &[Update(0, 1), Update(1, 1), Save(0), Resume],
    )));
    proves(Copies(sound(
        1,
        1,
        &[Update(0, 1), Insert(1), Save(0), Resume],
    )));
    proves(Copies(sound(1, 0, &[Update(0, 1), Save(0), Echo, Resume])));
    can_always_settle(&Copies(sound(1, 0, &[Update(0, 1), Save(0), Resume])));
}

#[test]
fn m1_without_the_guard_an_older_fan_out_wins() {
    let bare = |roles| Config {
        guarded: false,
        ..sound(1, 0, roles)
    };
    refutes(Copies(calm(bare(UPDATES))), FLAGGED);
    refutes(Copies(calm(bare(UPDATES))), SETTLED);
}

#[test]
fn m2_with_the_flag_in_its_own_write_a_crash_forgets_it() {
    for flag in [Flag::Before, Flag::After] {
        refutes(
            Copies(Config {
                flag,
                ..sound(1, 0, UPDATES)
            }),
            FLAGGED,
        );
        refutes(
            Copies(Config {
                flag,
                ..sound(1, 0, UPDATES)
            }),
            SETTLED,
        );
    }
    spares(
        Copies(Config {
            flag: Flag::After,
            ..calm(sound(1, 0, UPDATES))
        }),
        SETTLED,
    );
}

#[test]
fn m3_a_fan_out_of_the_changed_field_loses_the_other() {
    let delta = Config {
        whole: false,
        ..calm(sound(1, 0, &[Update(0, 1), Update(1, 1)]))
    };
    refutes(Copies(delta.clone()), SETTLED);
    spares(
        Copies(Config {
            whole: false,
            ..calm(sound(1, 0, THERE_AND_BACK))
        }),
        SETTLED,
    );
}

#[test]
fn m4_skipping_equal_copies_lets_an_older_fan_out_win() {
    refutes(
        Copies(Config {
            touch_equal: false,
            ..calm(sound(1, 0, THERE_AND_BACK))
        }),
        SETTLED,
    );
}

#[test]
fn m5_a_clear_by_id_takes_the_flag_of_a_newer_write() {
    refutes(
        Copies(Config {
            clear_by_revision: false,
            ..calm(sound(1, 0, UPDATES))
        }),
        FLAGGED,
    );
    refutes(
        Copies(Config {
            clear_by_revision: false,
            ..sound(1, 0, UPDATES)
        }),
        SETTLED,
    );
}

#[test]
fn m7_a_missing_field_must_be_unset() {
    let config = sound(1, 0, &[Update(0, MISSING), Resume]);
    proves(Copies(config.clone()));
    refutes(
        Copies(Config {
            unset_missing: false,
            ..calm(config)
        }),
        SETTLED,
    );
}

#[test]
fn m10_a_copy_without_revision_is_fixed_even_if_its_source_has_not_moved() {
    let config = sound(0, 1, &[Update(0, 1), Update(0, 2), Insert(0), Resume]);
    proves(Copies(config.clone()));
    refutes(
        Copies(Config {
            fix_unmoved: false,
            ..calm(config)
        }),
        SETTLED,
    );
}

#[test]
fn m11_a_save_sent_again_has_a_token_of_its_own() {
    let config = sound(1, 0, &[Update(0, 1), Save(0), Echo, Resume]);
    refutes(
        Copies(Config {
            fresh_token: false,
            ..calm(config)
        }),
        SETTLED,
    );
}

#[test]
fn an_insert_needs_the_check_and_its_mark() {
    let config = |on_insert| Config {
        on_insert,
        ..sound(0, 1, &[Update(0, 1), Insert(0), Resume])
    };
    refutes(Copies(calm(config(Verify::No))), SETTLED);
    refutes(Copies(config(Verify::Recheck)), SETTLED);
    spares(Copies(calm(config(Verify::Recheck))), SETTLED);
    refutes(Copies(calm(config(Verify::Recheck))), FLAGGED);
}

#[test]
fn a_save_needs_the_mark() {
    let config = Config {
        on_save: Verify::No,
        ..sound(1, 0, &[Update(0, 1), Save(0), Resume])
    };
    refutes(Copies(calm(config)), SETTLED);
}

#[test]
#[ignore = "millions of states: run with --release"]
fn big() {
    proves_big(Copies(sound(
        3,
        0,
        &[Update(0, 1), Update(1, 1), Update(0, 2), Resume, Resume],
    )));
    proves_big(Copies(sound(
        1,
        1,
        &[Update(0, 1), Update(1, 1), Insert(1), Resume, Resume],
    )));
    proves_big(Copies(sound(
        1,
        0,
        &[Update(0, 1), Update(1, 1), Save(0), Save(0), Resume],
    )));
    proves_big(Copies(sound(
        0,
        1,
        &[Update(0, 1), Update(1, 1), Insert(0), Save(0), Echo, Resume],
    )));
}
