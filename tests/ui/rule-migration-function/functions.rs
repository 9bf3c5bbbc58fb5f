// A migration is called with itself, and awaited.

use mongo_model::{Migration, Result, migration};

#[migration]
fn at_once(_m: &Migration) -> Result<()> {
    Ok(())
}

#[migration]
async fn of_nothing() -> Result<()> {
    Ok(())
}

#[migration]
async fn of_two(_m: &Migration, _batch: u32) -> Result<()> {
    Ok(())
}

#[migration]
pub struct SplitName;

#[migration]
async fn without_result(_m: &Migration) {}

fn main() {}
