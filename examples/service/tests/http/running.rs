//! The service as a program: health, numbers, seeds, and its end.

use std::time::Duration;

use mongo_model::{MongoModel, Tenants, finishing};
use mongo_model_service::api::organisations::sign_in;
use mongo_model_service::models::{Event, NewOrganisation, Organisation, Venue};
use mongo_model_service::{seed, serve};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

use crate::shop::{Shop, database};

#[tokio::test]
async fn health_and_numbers() {
    let shop = Shop::open("health").await;
    shop.get("/health/live").await.with(204);
    shop.get("/health/ready").await.with(204);
    let venue = shop.venue("Blue Note", 100).await;
    shop.get(&format!("/venues/{venue}")).await.with(200);
    shop.get("/nowhere").await.with(404);

    let metrics = shop.get("/metrics").await.with(200);
    let text = metrics.body.as_str().expect("text");
    let line = r#"requests_total{method="GET",route="/venues/{id}",status="200"} 1"#;
    assert!(text.lines().any(|found| found == line), "{text}");
    assert!(text.contains("mongo_model_work_failed_total 0"), "{text}");
    shop.close().await;
}

#[tokio::test]
async fn seeds_are_stored_once() {
    let shop = Shop::open("seeds").await;
    let signed_up = Organisation::delete(&shop.db, shop.organisation()).await;
    signed_up.expect("deleted");
    for _ in 0..2 {
        seed::seed(&shop.db).await.expect("stored");
    }
    let all = shop.db.across_tenants("a test of seeds");
    let venues = Venue::scan(&all, |v| v.all()).await.expect("read");
    let events: Vec<i64> = venues.iter().map(|venue| venue.events).collect();
    assert_eq!(events, [3, 3]);
    shop.close().await;
}

/// Sends a request to a socket, and gives the status line of the answer.
async fn send(socket: &mut TcpStream, head: &str, session: &str, body: &str) -> String {
    let length = body.len();
    let request = format!(
        "{head} HTTP/1.1\r\nAuthorization: Bearer {session}\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    socket.write_all(request.as_bytes()).await.expect("sent");
    let mut answer = vec![0; 4096];
    let length = socket.read(&mut answer).await.expect("answered");
    let answer = String::from_utf8_lossy(&answer[..length]).into_owned();
    answer.lines().next().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn the_program_ends_when_its_work_is_done() {
    let db = database("shutdown").await;
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("bound");
    let address = listener.local_addr().expect("an address");
    let (stop, stopped) = oneshot::channel::<()>();
    let served = tokio::spawn(serve(db.clone(), listener, async {
        let _ = stopped.await;
    }));

    let organisation = Organisation::from(NewOrganisation {
        name: "one".to_owned(),
    });
    Organisation::insert(&db, &organisation)
        .await
        .expect("stored");
    let session = sign_in(&db, organisation.id).await.expect("stored");
    let tenant = db.tenant(organisation.id);
    let mut socket = TcpStream::connect(address).await.expect("connected");
    let body = r#"{ "name": "Blue Note", "city": "Lisbon", "seats": 100 }"#;
    let status = send(&mut socket, "POST /venues", &session, body).await;
    assert_eq!(status, "HTTP/1.1 201 Created");
    let venues = Venue::scan(&tenant, |v| v.all()).await.expect("read");
    let body = format!(
        r#"{{ "venue": "{}", "title": "Quartet", "starts": "2100-01-01T20:00:00Z", "seats": 10, "price_cents": 100 }}"#,
        venues[0].id
    );
    let status = send(&mut socket, "POST /events", &session, &body).await;
    assert_eq!(status, "HTTP/1.1 201 Created");

    stop.send(()).expect("it serves");
    let ended = tokio::time::timeout(Duration::from_secs(30), served).await;
    let left = ended.expect("it ends").expect("no panic").expect("served");
    assert_eq!((left.open, left.failed), (0, 0));
    assert_eq!(finishing(&db).open, 0);
    assert!(TcpStream::connect(address).await.is_err());
    let events = Event::scan(&tenant, |e| e.all()).await.expect("read");
    assert_eq!(events[0].venue_name, "Blue Note");
    db.drop().await.expect("dropped");
}
