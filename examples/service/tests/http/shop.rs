//! The service with a database of its own, and requests to it.

use axum::body::{Body, BodyDataStream};
use axum::http::request::Builder;
use axum::http::{Method, Request, StatusCode, header};
use axum::response::Response;
use http_body_util::BodyExt;
use mongo_model::{Database, Id, Running, Tenant, Tenants, verify};
use mongo_model_dev_server::{DevServer, Topology};
use mongo_model_service::models::Organisation;
use mongo_model_service::router;
use serde_json::{Value, json};
use tower::ServiceExt;

/// The service on an empty database that no other test uses.
pub(crate) struct Shop {
    pub(crate) db: Database,
    /// The answer that the organisation gets about it.
    pub(crate) tenant: Tenant<Id<Organisation>>,
    service: axum::Router,
    running: Running,
    organisation: Id<Organisation>,
    /// The token of its session.
    session: String,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) tag: Option<String>,
    pub(crate) body: Value,
}

impl Answer {
    /// The text of a field of the body.
    pub(crate) fn text(&self, field: &str) -> String {
        let text = self.body[field].as_str();
        text.unwrap_or_else(|| panic!("{field} of {self:?}"))
            .to_owned()
    }

    pub(crate) fn id(&self) -> String {
        self.text("id")
    }

    /// The same, if the answer has this status.
    pub(crate) fn with(self, status: u16) -> Self {
        assert_eq!(self.status.as_u16(), status, "{self:?}");
        self
    }
}

/// A database that no other test uses.
pub(crate) async fn database(test: &str) -> Database {
    let server = DevServer::shared(Topology::ReplicaSet(1)).await;
    let server = server.expect("a server");
    let client = server.client().await.expect("a client");
    client.database(&server.unique_db(test))
}

impl Shop {
    pub(crate) async fn open(test: &str) -> Self {
        let db = database(test).await;
        let mut shop = Shop {
            running: mongo_model::start(&db).await.expect("started"),
            service: router(db.clone()),
            organisation: Id::new(),
            tenant: db.tenant(Id::new()),
            db,
            session: String::new(),
        };
        shop.sign_up("one").await;
        shop
    }

    /// Sends the requests that follow for a new organisation. Gives the session of the one before.
    pub(crate) async fn sign_up(&mut self, name: &str) -> String {
        let organisation = self.post("/organisations", json!({ "name": name })).await;
        let organisation = organisation.with(201);
        self.organisation = organisation.id().parse().expect("an id");
        self.tenant = self.db.tenant(self.organisation);
        self.sign_in(&organisation.text("session"))
    }

    pub(crate) fn organisation(&self) -> Id<Organisation> {
        self.organisation
    }

    /// Sends the requests that follow in this session. Gives the one before.
    pub(crate) fn sign_in(&mut self, session: &str) -> String {
        std::mem::replace(&mut self.session, session.to_owned())
    }

    /// Ends a test: nothing is unfinished, and everything that the library maintains is right.
    pub(crate) async fn close(self) {
        self.running.stop().await;
        let report = verify(&self.db).await.expect("verified");
        assert!(report.is_settled(), "{report}");
        self.db.drop().await.expect("dropped");
    }

    pub(crate) async fn request(&self, request: Request<Body>) -> Answer {
        let response: Response = self.service.clone().oneshot(request).await.expect("served");
        let status = response.status();
        let tag = response.headers().get(header::ETAG);
        let tag = tag.map(|tag| tag.to_str().expect("a tag").to_owned());
        let body = response.into_body().collect().await.expect("read");
        let body = body.to_bytes();
        let text = String::from_utf8_lossy(&body);
        Answer {
            status,
            tag,
            body: serde_json::from_slice(&body).unwrap_or_else(|_| json!(text)),
        }
    }

    /// The body of an answer as it comes.
    pub(crate) async fn stream(&self, path: &str) -> BodyDataStream {
        let request = self.head(Method::GET, path).body(Body::empty());
        let request = request.expect("a request");
        let response = self.service.clone().oneshot(request).await.expect("served");
        assert_eq!(response.status(), 200);
        response.into_body().into_data_stream()
    }

    fn head(&self, method: Method, path: &str) -> Builder {
        Request::builder()
            .method(method)
            .uri(path)
            .header(header::AUTHORIZATION, format!("Bearer {}", self.session))
            .header(header::CONTENT_TYPE, "application/json")
    }

    async fn send(&self, method: Method, path: &str, body: Value) -> Answer {
        let request = self.head(method, path);
        let request = request.body(Body::from(body.to_string()));
        self.request(request.expect("a request")).await
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, Value::Null).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(Method::POST, path, body).await
    }

    pub(crate) async fn put(&self, path: &str, body: Value) -> Answer {
        self.send(Method::PUT, path, body).await
    }

    pub(crate) async fn patch(&self, path: &str, body: Value) -> Answer {
        self.send(Method::PATCH, path, body).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        self.send(Method::DELETE, path, Value::Null).await
    }

    /// Changes a document that was read with this tag.
    pub(crate) async fn patch_if(&self, path: &str, tag: &str, body: Value) -> Answer {
        let request = self.head(Method::PATCH, path);
        let request = request.header(header::IF_MATCH, tag);
        let request = request.body(Body::from(body.to_string()));
        self.request(request.expect("a request")).await
    }

    /// Changes a resource in the name of a user.
    pub(crate) async fn patch_as(&self, user: &str, path: &str, tag: &str, body: Value) -> Answer {
        let request = self.head(Method::PATCH, path);
        let request = request.header(header::IF_MATCH, tag);
        let request = request.header("x-user", user);
        let request = request.body(Body::from(body.to_string()));
        self.request(request.expect("a request")).await
    }

    pub(crate) async fn venue(&self, name: &str, seats: i64) -> String {
        let body = json!({ "name": name, "city": "Lisbon", "seats": seats });
        self.post("/venues", body).await.with(201).id()
    }

    /// An event in the year 2100, so many days after its beginning.
    pub(crate) async fn event(&self, venue: &str, title: &str, day: u32, seats: i64) -> Answer {
        let body = json!({
            "venue": venue,
            "title": title,
            "starts": format!("2100-01-{day:02}T20:00:00Z"),
            "seats": seats,
            "price_cents": 2_500,
        });
        self.post("/events", body).await
    }

    pub(crate) async fn customer(&self, name: &str) -> String {
        let body = json!({ "name": name, "email": format!("{name}@example.com") });
        self.post("/customers", body).await.with(201).id()
    }
}
