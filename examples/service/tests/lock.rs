//! `mongo-model.lock` says what the models promise. Fails with the facts that differ; `cargo mongo-model lock` writes them.

use std::process::ExitCode;

use mongo_model_service as _; // links the models

fn main() -> ExitCode {
    let command = ["cargo mongo-model", "lock", "--check"];
    mongo_model_tool::run(command.map(Into::into))
}
