// A migration names those that come before it, each once.

use mongo_model::{Migration, Result, migration};

#[migration(after = "add_city")]
async fn add_city(_m: &Migration) -> Result<()> {
    Ok(())
}

#[migration(name = "0007_split_name", after("add_city", "add_city"))]
async fn split_name(_m: &Migration) -> Result<()> {
    Ok(())
}

#[migration(name = "", befor = "add_city")]
async fn drop_name(_m: &Migration) -> Result<()> {
    Ok(())
}

#[migration(after = add_city)]
async fn drop_city(_m: &Migration) -> Result<()> {
    Ok(())
}

#[migration(needs = "members.email")]
async fn greet_members(_m: &Migration) -> Result<()> {
    Ok(())
}

#[migration(needs(index(Member)))]
async fn sort_members(_m: &Migration) -> Result<()> {
    Ok(())
}

fn main() {}
