//! The models of copies on two shards.

use mongo_model_protocol::run::{FLAGGED, can_always_settle, proves, refutes};
use mongo_model_protocol::shards::{Config, Shards};

#[test]
fn copies_follow_while_documents_move_between_shards() {
    let seen = proves(Shards(Config::sound(2, 3)));
    assert!(seen.states > 1_000, "{seen:?}");
    can_always_settle(&Shards(Config::sound(1, 2)));
}

/// A document that moves to a shard which W2 has left would keep its old copy, without a flag.
#[test]
fn copies_that_w2_has_passed_over_are_asked_for() {
    let trusting = Config {
        asks_again: false,
        ..Config::sound(1, 1)
    };
    refutes(Shards(trusting), FLAGGED);
}
