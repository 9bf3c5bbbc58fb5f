//! `examples/shop.rs`, run and looked at.

use mongo_model_dev_server::monitor::CommandLog;
use mongo_model_dev_server::{DevServer, Topology};

#[path = "../../examples/shop.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    reason = "its `main` is not called from here"
)]
mod example;

#[tokio::test]
async fn the_shop_joins_forward_and_back() -> Result<(), Box<dyn std::error::Error>> {
    let server = DevServer::shared(Topology::Standalone).await?;
    let log = CommandLog::new();
    let client = server.client_with(|options| log.attach(options)).await?;
    let db = client.database(&server.unique_db("shop"));
    let mut found = example::shop(&db, &log).await?;
    assert_eq!(found.partnos, ["123-aff-456", "222-bolt", "123-aff-456"]);
    found.with_grommet.sort();
    assert_eq!(
        found.with_grommet,
        ["left-handed smoke shifter", "smoke pump"]
    );
    let listed: Vec<_> = found
        .listings
        .iter()
        .map(|listing| (listing.name.as_str(), listing.catalog_number))
        .collect();
    assert_eq!(
        listed,
        [("left-handed smoke shifter", 1234), ("smoke pump", 5678)]
    );
    let views: Vec<_> = found
        .views
        .iter()
        .map(|view| (view.name.as_str(), view.price.is_some()))
        .collect();
    assert_eq!(
        views,
        [
            ("blue hose", true),
            ("lost washer", false),
            ("#4 grommet", true)
        ]
    );
    assert_eq!(found.bolts, 10);
    assert_eq!(found.renamed, ["#5 grommet", "#2 bolt", "#5 grommet"]);
    let [stale, fresh] = found.interrupted;
    assert_eq!(stale, ["#5 grommet", "#2 bolt", "#5 grommet"]);
    assert_eq!(fresh, ["#5 grommet", "#3 bolt", "#5 grommet"]);
    db.drop().await?;
    Ok(())
}
