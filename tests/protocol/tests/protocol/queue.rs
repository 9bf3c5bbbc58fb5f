//! Jobs that are acknowledged: the properties that hold, and those that break without each rule.

use mongo_model_protocol::queue::{Config, GONE, ONCE, Queue, TOLD};
use mongo_model_protocol::run::{can_always_settle, proves, refutes, spares};

#[test]
fn one_worker_acknowledges_a_job() {
    proves(Queue(Config::sound(3)));
    can_always_settle(&Queue(Config::sound(2)));
}

#[test]
fn a_missing_job_is_no_proof_of_the_own_delete() {
    let config = Config {
        clock: false,
        ..Config::sound(2)
    };
    refutes(Queue(config.clone()), ONCE);
    spares(Queue(config), GONE);
}

#[test]
fn without_the_token_a_late_delete_is_a_job_of_another() {
    let config = Config {
        token: false,
        ..Config::sound(2)
    };
    refutes(Queue(config), TOLD);
}
