//! Starts two replica sets and a router that shards every collection, prints its connection string, and runs until its input ends.

use mongo_model_router::Router;
use tokio::task::spawn_blocking;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let router = Router::start(2, true).await?;
    println!("{}", router.uri());
    spawn_blocking(|| std::io::copy(&mut std::io::stdin(), &mut std::io::sink())).await??;
    Ok(())
}
