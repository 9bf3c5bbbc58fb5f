//! The last N: the properties that hold, and those that break without each rule.

use mongo_model_protocol::recent::Role::{Echo, Edit, Insert, Resume};
use mongo_model_protocol::recent::{Config, Recent, Role};
use mongo_model_protocol::run::{SETTLED, can_always_settle, proves, proves_big, spares};

use crate::breaks_both;

/// Three messages for a list of two.
const THREE: &[Role] = &[Insert(0), Insert(1), Insert(2), Echo, Resume];

fn calm(config: Config) -> Config {
    Config {
        crashes: false,
        ..config
    }
}

fn breaks(config: Config) {
    breaks_both(Recent(config));
}

#[test]
fn the_newest_are_on_the_host() {
    proves(Recent(Config::sound(&[1, 2, 3], 2, THREE)));
    proves(Recent(Config::sound(&[1, 1, 1], 2, THREE)));
    can_always_settle(&Recent(Config::sound(
        &[1, 2],
        1,
        &[Insert(0), Insert(1), Resume],
    )));
}

#[test]
fn as_they_were_edited_last() {
    let roles = &[Insert(0), Insert(1), Edit(0), Echo, Resume];
    proves(Recent(Config::sound(&[1, 2], 2, roles)));
    proves(Recent(Config::sound(&[1, 2], 1, roles)));
}

#[test]
fn without_the_id_a_second_delivery_evicts_another() {
    let config = Config::sound(&[1, 2], 2, &[Insert(0), Insert(1), Echo, Resume]);
    breaks(Config {
        by_id: false,
        ..calm(config)
    });
}

#[test]
fn without_the_flag_a_crash_loses_the_newest() {
    let config = Config {
        flag: false,
        ..Config::sound(&[1], 1, &[Insert(0), Resume])
    };
    breaks(config.clone());
    spares(Recent(calm(config)), SETTLED);
}

#[test]
fn without_the_revision_an_old_text_comes_back() {
    let config = Config::sound(&[1], 1, &[Insert(0), Edit(0), Resume]);
    breaks(Config {
        by_revision: false,
        ..calm(config)
    });
}

#[test]
fn without_a_total_order_the_first_to_come_is_the_one_to_go() {
    breaks(Config {
        total_order: false,
        ..calm(Config::sound(&[1, 1], 1, &[Insert(0), Insert(1)]))
    });
}

#[test]
fn m5_a_clear_by_id_takes_the_flag_of_an_edit() {
    let config = Config::sound(&[1], 1, &[Insert(0), Edit(0), Resume]);
    breaks(Config {
        clear_by_revision: false,
        ..config
    });
}

#[test]
#[ignore = "millions of states: run with --release"]
fn big() {
    let all = &[
        Insert(0),
        Insert(1),
        Insert(2),
        Edit(0),
        Edit(1),
        Echo,
        Resume,
    ];
    proves_big(Recent(Config::sound(&[1, 1, 2], 2, all)));
}
