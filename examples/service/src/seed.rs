//! Data to try the service with.

use std::time::{Duration, SystemTime};

use bson::DateTime;
use mongo_model::{Database, MongoModel, Result, sync_indexes};

use crate::models::{Customer, Event, NewCustomer, NewEvent, NewVenue, Venue};

const DAY: Duration = Duration::from_secs(86_400);

/// Stores two venues with events on the next days, and a customer, unless there are venues.
pub async fn seed(db: &Database) -> Result<()> {
    sync_indexes(db).await?;
    if Venue::scan(db, |v| v.all()).exists().await? {
        return Ok(());
    }
    for (name, city, seats) in [("Blue Note", "Lisbon", 120), ("Opera", "Porto", 900)] {
        let venue = Venue::from(NewVenue {
            name: name.to_owned(),
            city: city.to_owned(),
            seats,
        });
        Venue::insert(db, &venue).await?;
        for (days, title) in [(1, "Quartet"), (2, "Late show"), (9, "Gala")] {
            let event = Event::from(NewEvent {
                venue: venue.id,
                title: title.to_owned(),
                description: None,
                starts: DateTime::from_system_time(SystemTime::now() + days * DAY),
                seats,
                price_cents: 2_500,
            });
            Event::insert(db, &event).await?;
        }
    }
    let customer = Customer::from(NewCustomer {
        name: "Ann Lee".to_owned(),
        email: "ann@example.com".to_owned(),
    });
    Customer::insert(db, &customer).await?;
    Ok(())
}
