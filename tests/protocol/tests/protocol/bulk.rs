//! `update_many` of sources: the properties that hold, and those that break with another clear.

use mongo_model_protocol::bulk::Role::{Echo, Many, One, Resume};
use mongo_model_protocol::bulk::{Bulk, Clear, Config, Role};
use mongo_model_protocol::run::{can_always_settle, proves, proves_big};

use crate::breaks_both;

const ROLES: &[Role] = &[Many(1), One(0, 2), Resume];

fn breaks(config: Config) {
    breaks_both(Bulk(config));
}

#[test]
fn every_source_of_an_update_many_reaches_its_copy() {
    proves(Bulk(Config::sound(ROLES)));
    proves(Bulk(Config::sound(&[
        Many(1),
        One(0, 2),
        One(1, 3),
        Resume,
    ])));
    proves(Bulk(Config::sound(&[Many(1), Many(2), Resume])));
    can_always_settle(&Bulk(Config::sound(ROLES)));
}

#[test]
fn with_a_clear_by_revision_stray_tokens_do_no_harm() {
    proves(Bulk(Config {
        drop_token: false,
        ..Config::sound(ROLES)
    }));
    proves(Bulk(Config::sound(&[Many(1), One(0, 2), Echo, Resume])));
}

#[test]
fn c5_a_clear_by_token_takes_the_flag_of_others() {
    let by_token = |roles| Config {
        clear: Clear::Token,
        ..Config::sound(roles)
    };
    breaks(Config {
        drop_token: false,
        ..by_token(ROLES)
    });
    // Taking the token off in every other write is not enough: the call's own first send may come late.
    breaks(by_token(&[Many(1), One(0, 2), Echo, Resume]));
    proves(Bulk(by_token(ROLES)));
}

#[test]
fn c5_a_clear_by_id_takes_the_flag_of_others() {
    breaks(Config {
        clear: Clear::Id,
        ..Config::sound(ROLES)
    });
}

#[test]
#[ignore = "millions of states: run with --release"]
fn big() {
    proves_big(Bulk(Config::sound(&[
        Many(1),
        One(0, 2),
        One(1, 3),
        Resume,
        Resume,
    ])));
    proves_big(Bulk(Config::sound(&[Many(1), Many(2), One(0, 3), Resume])));
    proves_big(Bulk(Config::sound(&[
        Many(1),
        One(0, 2),
        Echo,
        Resume,
        Resume,
    ])));
}
