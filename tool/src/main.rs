//! `cargo mongo-model`.

use std::process::ExitCode;

fn main() -> ExitCode {
    mongo_model_tool::cargo_main()
}
