// Two migrations of one name in other modules have names of their own in the ledger.

use mongo_model::{Migration, Result, migration};

mod users {
    use super::*;

    #[migration(name = "users_split")]
    async fn split(_m: &Migration) -> Result<()> {
        Ok(())
    }
}

mod orders {
    use super::*;

    #[migration(name = "orders_split", after = "users_split")]
    async fn split(_m: &Migration) -> Result<()> {
        Ok(())
    }

    #[migration(name = "orders_join", after("users_split", "orders_split"))]
    async fn join(_m: &Migration) -> Result<()> {
        Ok(())
    }
}

pub fn main() {}
