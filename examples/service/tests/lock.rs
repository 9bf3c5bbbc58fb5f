//! `mongo-model.lock` says what the models promise; `cargo mongo-model lock` writes it.

use mongo_model_service as _; // links the models

#[test]
fn schema_is_locked() {
    mongo_model_tool::assert_locked!();
}
