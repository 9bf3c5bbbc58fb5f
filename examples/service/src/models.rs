//! The models of the shop: organisations and their sessions; and of each organisation its venues, their events with what is said about them,
//! its customers, and orders with a ticket per seat, and the sales of each day. Nobody sees or changes what belongs to another organisation: the calls of its models take a `Tenant`.

use bson::{DateTime, Uuid};
use mongo_model::geo::Point;
use mongo_model::{Id, MongoEmbed, MongoModel, Period};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "organisations",
    new(NewOrganisation, deserialize),
    view(OrganisationView, with(session: String))
)]
pub struct Organisation {
    #[serde(rename = "_id")]
    pub id: Id<Organisation>,
    #[check(not_empty, len = ..=200)]
    pub name: String,
}

/// A client that is signed in. Its `_id` is the secret that the client sends with each request.
#[derive(Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "sessions")]
pub struct Session {
    #[serde(rename = "_id")]
    pub id: Id<Session, Uuid>,
    #[parent(Organisation, on_delete = cascade)]
    pub organisation: Id<Organisation>,
    #[created]
    #[index(expire_after = "30d")]
    pub created: DateTime,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "venues",
    tenant = organisation,
    new(NewVenue, deserialize),
    view(VenueView, skip(organisation, created)),
    patch(VenuePatch, skip(seats))
)]
pub struct Venue {
    #[serde(rename = "_id")]
    pub id: Id<Venue>,
    pub organisation: Id<Organisation>,
    #[check(not_empty, len = ..=200)]
    #[index(contains)]
    pub name: String,
    #[check(not_empty, len = ..=200)]
    pub city: String,
    #[index(geo)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Point>,
    /// The most seats that an event can have.
    #[check(range = 1..=1_000_000)]
    pub seats: i64,
    #[count(Event)]
    #[serde(default)]
    pub events: i64,
    #[recent(Event, max = 3, sort = -starts, fields(starts, title))]
    #[serde(default)]
    pub latest: Vec<LatestEvent>, // struct LatestEvent { id: Id<Event>, starts: DateTime, title: String }
    #[created]
    pub created: DateTime,
    #[updated]
    pub updated: DateTime,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "events",
    tenant = organisation,
    history(keep = "1y"),
    new(NewEvent, deserialize),
    view(EventView, skip(organisation, income_cents, version, created)),
    patch(EventPatch, skip(venue)),
    view(SalesView, only(sold as tickets, income_cents as cents)),
    index(keys(starts, id)),
    access(upcoming(range = starts, sort = starts))
)]
pub struct Event {
    #[serde(rename = "_id")]
    pub id: Id<Event>,
    pub organisation: Id<Organisation>,
    #[parent(Venue, sort = starts)]
    pub venue: Id<Venue>,
    #[denorm(from = Venue, field = name)] // follows a new name of the venue
    pub venue_name: String,
    #[check(not_empty, len = ..=200)]
    pub title: String,
    #[check(len = ..=2000)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[model(allow(parent_sort_fixed, reason = "events are postponed"))]
    pub starts: DateTime,
    #[check(range = 1..)]
    pub seats: i64,
    #[check(range = 0..=100_000_000)]
    pub price_cents: i64,
    /// The number of tickets, one per sold seat: never more than `seats`. It does not raise the version: sales disturb nobody who edits the event.
    #[count(Ticket, max = seats)]
    #[serde(default)]
    pub sold: i64,
    /// The sum of their prices.
    #[sum(Ticket, field = price_cents)]
    #[serde(default)]
    pub income_cents: i64,
    /// When the last order was placed that is not cancelled.
    #[max(Order, field = placed)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_sale: Option<DateTime>,
    #[version]
    pub version: i64,
    #[created]
    pub created: DateTime,
}

/// A remark on an event, or an answer to another comment. It goes with its answers.
#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "comments",
    tenant = organisation,
    new(NewComment, deserialize),
    view(CommentView, skip(organisation))
)]
pub struct Comment {
    #[serde(rename = "_id")]
    pub id: Id<Comment>,
    pub organisation: Id<Organisation>,
    #[parent(Event, sort = written, on_delete = cascade)]
    pub event: Id<Event>,
    /// The comment that it answers.
    #[parent(Comment, tree(depth = 8), on_delete = cascade)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above: Option<Id<Comment>>,
    /// The comments above it, the first one first.
    #[ancestors]
    #[serde(default)]
    pub path: Vec<Id<Comment>>,
    #[check(not_empty, len = ..=2000)]
    pub text: String,
    #[count(Comment)]
    #[serde(default)]
    pub answers: i64,
    #[created]
    pub written: DateTime,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "customers",
    tenant = organisation,
    soft_delete,
    new(NewCustomer, deserialize),
    view(CustomerView, skip(organisation, deleted)),
    patch = CustomerPatch
)]
pub struct Customer {
    #[serde(rename = "_id")]
    pub id: Id<Customer>,
    pub organisation: Id<Organisation>,
    #[check(not_empty, len = ..=200)]
    #[personal(erased = "former customer")] // in its orders as well
    pub name: String,
    /// Unique whatever the case, among customers that are not deleted.
    #[check(pattern = r"^[^@\s]+@[^@\s]+\.[^@\s]+$", len = ..=254)]
    #[index(unique, collation(locale = "en", strength = 2))]
    #[personal(erased = "{id}@erased.invalid")]
    pub email: String,
    #[created]
    pub created: DateTime,
    #[deleted]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted: Option<DateTime>,
}

/// An order. Its `_id` comes from the client, so that a request that is sent twice is one order. A cancelled order stays.
#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "orders",
    tenant = organisation,
    soft_delete,
    events(OrderEvent, readers(mails)),
    new(NewOrder, deserialize, derive(Clone, Copy)),
    view(
        OrderView,
        skip(organisation, price_cents),
        with(total_cents: i64 = Order::total_cents, tickets: Vec<Id<Ticket>>)
    ),
    view(
        OrderLine,
        only(id, event_title, seats, placed),
        with(total_cents: i64 = Order::total_cents)
    )
)]
pub struct Order {
    #[serde(rename = "_id")]
    pub id: Id<Order>,
    pub organisation: Id<Organisation>,
    #[parent(Customer, sort = -placed)]
    pub customer: Id<Customer>,
    #[denorm(from = Customer, field = name)]
    pub customer_name: String,
    #[parent(Event)]
    pub event: Id<Event>,
    #[denorm(from = Event, field = title)]
    pub event_title: String,
    #[denorm(from = Event, field = price_cents, snapshot)] // stays as it was
    pub price_cents: i64,
    #[check(range = 1..=10)]
    pub seats: i64,
    #[created]
    pub placed: DateTime,
    #[deleted]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancelled: Option<DateTime>,
}

impl Order {
    pub fn total_cents(&self) -> i64 {
        self.price_cents * self.seats
    }
}

/// News of an order, stored with it.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "type")]
pub enum OrderEvent {
    Placed,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "tickets",
    tenant = organisation,
    soft_delete,
    new(NewTicket, skip(admitted))
)]
pub struct Ticket {
    #[serde(rename = "_id")]
    pub id: Id<Ticket>,
    pub organisation: Id<Organisation>,
    #[parent(Order, on_delete = cascade)] // cancelled with its order
    pub order: Id<Order>,
    #[parent(Event)]
    pub event: Id<Event>,
    #[parent(Venue)]
    pub venue: Id<Venue>,
    #[denorm(from = Event, field = price_cents, snapshot)]
    pub price_cents: i64,
    pub sold_at: DateTime,
    /// When its holder came in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub admitted: Option<DateTime>,
    #[deleted]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancelled: Option<DateTime>,
}

/// The tickets of a venue that were sold on one day by its clocks, without those that are cancelled.
#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "venue_days",
    tenant = organisation,
    view(DayView, only(tickets, cents), with(starts: DateTime = VenueDay::starts))
)]
pub struct VenueDay {
    #[serde(rename = "_id")]
    #[period(per = day, zone = "Europe/Lisbon")]
    pub id: Period<Venue>,
    pub organisation: Id<Organisation>,
    #[count(Ticket, at = sold_at)]
    #[serde(default)]
    pub tickets: i64,
    /// The sum of their prices.
    #[sum(Ticket, field = price_cents, at = sold_at)]
    #[serde(default)]
    pub cents: i64,
}

impl VenueDay {
    pub fn starts(&self) -> DateTime {
        self.id.start()
    }
}
