//! `mongo-model.lock` says what the models promise. `cargo mongo-model lock` writes it, and the change is reviewed as a change of the code is.

use mongo_model_service as _; // links the models

#[test]
fn schema_is_locked() {
    mongo_model_tool::assert_locked!();
}
