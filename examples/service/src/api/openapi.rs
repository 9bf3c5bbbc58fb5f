//! `GET /openapi.json`: the routes of this service, and the types of their JSON as the models declare them.

use axum::routing::get;
use axum::{Json, Router};
use bson::{Document, doc};
use mongo_model::Database;
use mongo_model::validator::{ApiStruct, api_schema};

use crate::models::{
    CommentView, CustomerPatch, CustomerView, DayView, EventPatch, EventView, NewComment,
    NewCustomer, NewEvent, NewOrder, NewOrganisation, NewVenue, OrderLine, OrderView,
    OrganisationView, SalesView, VenuePatch, VenueView,
};

pub fn routes() -> Router<Database> {
    Router::new().route("/openapi.json", get(async || Json(document())))
}

/// The JSON of an answer.
#[derive(Clone, Copy)]
enum Answer {
    Nothing,
    One(&'static str),
    Page(&'static str),
    Each(&'static str),
    Near(&'static str),
    /// An object of the library's own.
    Object,
    /// A list of such objects.
    Objects,
    /// One after the other, as server-sent events.
    Told(&'static str),
}

/// Method and path, the struct of the body, the status, and the answer.
type Operation = (
    &'static str,
    &'static str,
    Option<&'static str>,
    &'static str,
    Answer,
);

const OPERATIONS: &[Operation] = &[
    (
        "post",
        "/organisations",
        Some(NewOrganisation::NAME),
        "201",
        Answer::One(OrganisationView::NAME),
    ),
    (
        "post",
        "/venues",
        Some(NewVenue::NAME),
        "201",
        Answer::One(VenueView::NAME),
    ),
    ("get", "/venues", None, "200", Answer::Near(VenueView::NAME)),
    (
        "get",
        "/venues/search",
        None,
        "200",
        Answer::Each(VenueView::NAME),
    ),
    (
        "get",
        "/venues/{id}",
        None,
        "200",
        Answer::One(VenueView::NAME),
    ),
    (
        "patch",
        "/venues/{id}",
        Some(VenuePatch::NAME),
        "200",
        Answer::One(VenueView::NAME),
    ),
    ("delete", "/venues/{id}", None, "204", Answer::Nothing),
    (
        "get",
        "/venues/{id}/events",
        None,
        "200",
        Answer::Page(EventView::NAME),
    ),
    (
        "get",
        "/venues/{id}/sales",
        None,
        "200",
        Answer::Each(DayView::NAME),
    ),
    ("get", "/events", None, "200", Answer::Page(EventView::NAME)),
    (
        "post",
        "/events",
        Some(NewEvent::NAME),
        "201",
        Answer::One(EventView::NAME),
    ),
    (
        "get",
        "/events/{id}",
        None,
        "200",
        Answer::One(EventView::NAME),
    ),
    (
        "patch",
        "/events/{id}",
        Some(EventPatch::NAME),
        "200",
        Answer::One(EventView::NAME),
    ),
    ("delete", "/events/{id}", None, "204", Answer::Nothing),
    ("get", "/events/{id}/history", None, "200", Answer::Objects),
    (
        "get",
        "/events/{id}/sales",
        None,
        "200",
        Answer::One(SalesView::NAME),
    ),
    (
        "get",
        "/events/{id}/sales/live",
        None,
        "200",
        Answer::Told(SalesView::NAME),
    ),
    (
        "get",
        "/events/{id}/comments",
        None,
        "200",
        Answer::Page(CommentView::NAME),
    ),
    (
        "post",
        "/comments",
        Some(NewComment::NAME),
        "201",
        Answer::One(CommentView::NAME),
    ),
    ("delete", "/comments/{id}", None, "204", Answer::Nothing),
    (
        "get",
        "/comments/{id}/answers",
        None,
        "200",
        Answer::Each(CommentView::NAME),
    ),
    (
        "post",
        "/customers",
        Some(NewCustomer::NAME),
        "201",
        Answer::One(CustomerView::NAME),
    ),
    (
        "get",
        "/customers/{id}",
        None,
        "200",
        Answer::One(CustomerView::NAME),
    ),
    (
        "patch",
        "/customers/{id}",
        Some(CustomerPatch::NAME),
        "200",
        Answer::One(CustomerView::NAME),
    ),
    ("delete", "/customers/{id}", None, "204", Answer::Nothing),
    (
        "get",
        "/customers/{id}/orders",
        None,
        "200",
        Answer::Page(OrderLine::NAME),
    ),
    (
        "get",
        "/customers/{id}/personal",
        None,
        "200",
        Answer::Object,
    ),
    (
        "delete",
        "/customers/{id}/personal",
        None,
        "200",
        Answer::Object,
    ),
    (
        "put",
        "/orders/{id}",
        Some(NewOrder::NAME),
        "201",
        Answer::One(OrderView::NAME),
    ),
    (
        "get",
        "/orders/{id}",
        None,
        "200",
        Answer::One(OrderView::NAME),
    ),
    ("delete", "/orders/{id}", None, "204", Answer::Nothing),
    (
        "post",
        "/tickets/{id}/admission",
        None,
        "204",
        Answer::Nothing,
    ),
];

fn document() -> Document {
    let mut paths = Document::new();
    for (method, path, body, status, answer) in OPERATIONS {
        let mut operation = Document::new();
        if path.contains("{id}") {
            let id = doc! { "type": "string", "pattern": "^[0-9a-f]{24}$" };
            let id = doc! { "name": "id", "in": "path", "required": true, "schema": id };
            operation.insert("parameters", vec![id]);
        }
        if let Some(name) = body {
            let body = doc! { "required": true, "content": content(reference(name)) };
            operation.insert("requestBody", body);
        }
        let mut done = doc! { "description": "done" };
        match answer {
            Answer::Nothing => {}
            Answer::Object => drop(done.insert("content", content(doc! { "type": "object" }))),
            Answer::Objects => {
                let objects = doc! { "type": "array", "items": { "type": "object" } };
                done.insert("content", content(objects));
            }
            Answer::One(name) => drop(done.insert("content", content(reference(name)))),
            Answer::Page(name) => drop(done.insert("content", content(page(name)))),
            Answer::Each(name) => drop(done.insert("content", content(each(name)))),
            Answer::Near(name) => drop(done.insert("content", content(near(name)))),
            Answer::Told(name) => {
                let schema = doc! { "schema": reference(name) };
                done.insert("content", doc! { "text/event-stream": schema });
            }
        }
        operation.insert("responses", doc! { *status: done });
        if *path == "/organisations" {
            operation.insert("security", Vec::<Document>::new());
        }
        let mut operations = paths.get_document(path).cloned().unwrap_or_default();
        operations.insert(*method, operation);
        paths.insert(*path, operations);
    }
    doc! {
        "openapi": "3.1.0",
        "info": { "title": "Tickets", "version": env!("CARGO_PKG_VERSION") },
        "paths": paths,
        "security": [{ "session": [] }],
        "components": {
            "schemas": schemas(),
            "securitySchemes": { "session": { "type": "http", "scheme": "bearer" } },
        },
    }
}

fn schemas() -> Document {
    let mut all = Document::new();
    macro_rules! add {
        ($($name:ident),*) => {
            $(all.insert($name::NAME, api_schema::<$name>());)*
        };
    }
    add!(
        NewVenue, VenuePatch, VenueView, DayView, NewEvent, EventPatch, EventView, SalesView
    );
    add!(
        NewCustomer,
        CustomerPatch,
        CustomerView,
        NewOrder,
        OrderView,
        OrderLine
    );
    add!(NewOrganisation, OrganisationView, NewComment, CommentView);
    all
}

fn reference(name: &str) -> Document {
    doc! { "$ref": format!("#/components/schemas/{name}") }
}

fn each(name: &str) -> Document {
    doc! { "type": "array", "items": reference(name) }
}

fn near(name: &str) -> Document {
    let near = doc! { "venue": reference(name), "meters": { "type": "number" } };
    doc! { "type": "array", "items": { "type": "object", "properties": near } }
}

fn page(name: &str) -> Document {
    doc! { "type": "object", "properties": { "items": each(name), "next": { "type": ["string", "null"] } } }
}

fn content(schema: Document) -> Document {
    doc! { "application/json": { "schema": schema } }
}
