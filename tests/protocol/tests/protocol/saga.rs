//! Journals of sagas: the properties that hold, and those that break without each rule.

use mongo_model_protocol::run::{proves, proves_big, refutes};
use mongo_model_protocol::saga::{Config, ENDED, KEPT, ONCE, STANDS, Saga};

#[test]
fn a_saga_runs_once() {
    proves(Saga(Config::sound(1, 2)));
    proves(Saga(Config::sound(2, 1)));
}

#[test]
fn a_retry_that_replaces_runs_the_saga_again() {
    let config = Config {
        fresh_ids: false,
        insert_only: false,
        new_first: false,
        ..Config::sound(1, 1)
    };
    refutes(Saga(config.clone()), ONCE);
    refutes(Saga(config), STANDS);
}

#[test]
fn a_retry_that_inserts_finds_no_journal_of_a_saga_that_has_ended() {
    let config = Config {
        fresh_ids: false,
        new_first: false,
        ..Config::sound(1, 1)
    };
    refutes(Saga(config), ONCE);
}

#[test]
fn a_lost_attempt_that_can_be_run_is_a_second_saga() {
    let config = Config {
        new_first: false,
        ..Config::sound(1, 1)
    };
    refutes(Saga(config), ONCE);
}

#[test]
fn a_late_insert_under_the_same_id_brings_an_ended_saga_back() {
    let config = Config {
        fresh_ids: false,
        ..Config::sound(1, 1)
    };
    refutes(Saga(config), ONCE);
}

#[test]
fn a_late_sign_of_life_does_not_take_a_decision_back() {
    let config = Config {
        undecided: false,
        ..Config::sound(1, 1)
    };
    refutes(Saga(config), STANDS);
}

#[test]
fn a_late_step_is_not_made_after_its_saga_was_undone() {
    let config = Config {
        fence: false,
        ..Config::sound(1, 1)
    };
    refutes(Saga(config), STANDS);
}

#[test]
fn a_saga_inserts_once() {
    proves(Saga(Config::inserting(1, 2)));
    proves(Saga(Config::inserting(2, 1)));
}

#[test]
fn a_late_insert_is_not_made_after_its_saga_was_undone() {
    let config = Config {
        in_time: false,
        ..Config::inserting(1, 1)
    };
    refutes(Saga(config.clone()), STANDS);
    refutes(Saga(config), ENDED);
}

#[test]
fn a_program_without_an_answer_does_not_undo_an_insert() {
    let config = Config {
        stops: false,
        ..Config::inserting(1, 1)
    };
    refutes(Saga(config.clone()), STANDS);
    refutes(Saga(config), ENDED);
}

#[test]
fn an_insert_that_is_changed_stays() {
    let config = Config {
        as_inserted: false,
        ..Config::inserting(1, 0)
    };
    refutes(Saga(config), KEPT);
}

#[test]
#[ignore = "many states: run with --release"]
fn big() {
    proves_big(Saga(Config::sound(2, 2)));
}
