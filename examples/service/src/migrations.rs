//! Changes of the database that happen once: the program makes them when it starts, or `cargo mongo-model migrations run` does in a step of
//! the deploy.

use bson::{Document, doc};
use mongo_model::{Migration, MongoModel, Result, Tenants, migration, repair};

use crate::models::{Event, Order, VenueDay};

/// Tickets have their venue and the time of their sale, which the sales of each day need. Older programs stored neither, and have to end
/// first.
#[migration]
async fn date_tickets(m: &Migration) -> Result<()> {
    let db = m.db().across_tenants("a migration");
    let tickets = m.db().collection::<Document>("tickets");
    let orders = Order::scan(&db, |o| o.all()).with_deleted();
    m.each(orders, async |order: Order| {
        let event = Event::get(&db, order.event).required().await?;
        let undated = doc! { "order": order.id.into_raw(), "sold_at": { "$exists": false } };
        let venue = event.venue.into_raw();
        let dated = doc! { "$set": { "venue": venue, "sold_at": order.placed } };
        tickets.update_many(undated, dated).await?;
        Ok(())
    })
    .await?;
    repair(m.db()).only::<VenueDay>().await?;
    Ok(())
}
