//! Data to try the service with.

use std::time::{Duration, SystemTime};

use bson::DateTime;
use mongo_model::geo::Point;
use mongo_model::{Database, MongoModel, Result, Tenants, sync_indexes};

use crate::api::organisations::sign_in;
use crate::models::{
    Customer, Event, NewCustomer, NewEvent, NewOrganisation, NewVenue, Organisation, Venue,
};

const DAY: Duration = Duration::from_secs(86_400);

/// Stores an organisation with two venues, with events on the next days, and a customer, unless there are organisations. Gives the token
/// of a session.
pub async fn seed(db: &Database) -> Result<Option<String>> {
    sync_indexes(db).await?;
    if Organisation::scan(db, |o| o.all()).exists().await? {
        return Ok(None);
    }
    let organisation = Organisation::from(NewOrganisation {
        name: "Shop".to_owned(),
    });
    Organisation::insert(db, &organisation).await?;
    let (id, tenant) = (organisation.id, db.tenant(organisation.id));
    let venues = [
        ("Blue Note", "Lisbon", (-9.14, 38.71), 120),
        ("Opera", "Porto", (-8.61, 41.15), 900),
    ];
    for (name, city, (lng, lat), seats) in venues {
        let venue = NewVenue {
            name: name.to_owned(),
            city: city.to_owned(),
            place: Some(Point { lng, lat }),
            seats,
        };
        let venue = Venue::from((venue, id));
        Venue::insert(&tenant, &venue).await?;
        for (days, title) in [(1, "Quartet"), (2, "Late show"), (9, "Gala")] {
            let event = NewEvent {
                venue: venue.id,
                title: title.to_owned(),
                description: None,
                starts: DateTime::from_system_time(SystemTime::now() + days * DAY),
                seats,
                price_cents: 2_500,
            };
            Event::insert(&tenant, &(event, id).into()).await?;
        }
    }
    let customer = NewCustomer {
        name: "Ann Lee".to_owned(),
        email: "ann@example.com".to_owned(),
    };
    Customer::insert(&tenant, &(customer, id).into()).await?;
    Ok(Some(sign_in(db, id).await?))
}
