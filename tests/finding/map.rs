//! Places on the map: the filters find the same documents as arithmetic on the globe, by the index.

use bson::doc;
use mongo_model::geo::{Point, Polygon};
use mongo_model::{Error, Id, MongoModel, MongoProjection};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "map_buoys")]
pub struct Buoy {
    #[serde(rename = "_id")]
    pub id: i32,
    #[index(geo)]
    pub at: Point,
    pub kind: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "map_zones")]
pub struct Zone {
    #[serde(rename = "_id")]
    pub id: Id<Zone>,
    pub name: String,
    #[index(geo)]
    pub area: Option<Polygon<8>>,
}

#[derive(Debug, PartialEq, Deserialize, MongoProjection)]
#[projection(of = Buoy)]
pub(crate) struct Kind {
    pub(crate) kind: String,
}

const fn point(lng: f64, lat: f64) -> Point {
    Point { lng, lat }
}

/// A buoy on each crossing of a grid, some of them on the line where the longitudes meet, and both poles.
fn buoys() -> Vec<Buoy> {
    let lats = (-8..=8)
        .map(|n| f64::from(n) * 11.0)
        .chain([-90.0, 90.0, 89.5]);
    let places = lats.flat_map(|lat| (-18..=18).map(move |n| point(f64::from(n) * 10.0, lat)));
    let buoys = places.enumerate().map(|(id, at)| Buoy {
        id: i32::try_from(id).expect("small"),
        at,
        kind: if id % 3 == 0 { "red" } else { "green" }.to_owned(),
    });
    buoys.collect()
}

impl Bench {
    async fn buoys(&self) -> Vec<Buoy> {
        self.index(&[Buoy::meta()]).await;
        let buoys = buoys();
        Buoy::insert_many(&self.db, &buoys).await.expect("stored");
        self.forget();
        buoys
    }
}

fn ids(buoys: Vec<Buoy>) -> Vec<i32> {
    let mut ids: Vec<i32> = buoys.into_iter().map(|buoy| buoy.id).collect();
    ids.sort_unstable();
    ids
}

#[tokio::test]
async fn a_box_finds_the_points_between_its_sides() {
    alone("map_box", async |bench| {
        let db = &bench.db;
        let buoys = bench.buoys().await;
        let boxes = [
            // On the grid, beside it, a single point, a line.
            (point(-20.0, -11.0), point(30.0, 44.0)),
            (point(-19.9, -10.9), point(29.9, 43.9)),
            (point(10.0, 22.0), point(10.0, 22.0)),
            (point(-60.0, 33.0), point(60.0, 33.0)),
            // Far in the north, where the shortest line leaves the parallel most.
            (point(-100.0, 55.0), point(100.0, 77.0)),
            (point(-30.0, 88.0), point(40.0, 90.0)),
            (point(-30.0, -90.0), point(40.0, -88.0)),
            // Across the line where the longitudes meet.
            (point(170.0, -22.0), point(-160.0, 22.0)),
            (point(20.0, -40.0), point(10.0, 40.0)),
            // The whole map.
            (point(-180.0, -90.0), point(180.0, 90.0)),
            (point(-180.0, -90.0), point(180.0, 0.0)),
        ];
        for (south_west, north_east) in boxes {
            let (west, east) = (south_west.lng, north_east.lng);
            let expected = buoys.iter().filter(|buoy| {
                let lng = buoy.at.lng;
                let between = match west <= east {
                    true => west <= lng && lng <= east,
                    false => west <= lng || lng <= east,
                };
                between && (south_west.lat..=north_east.lat).contains(&buoy.at.lat)
            });
            let expected: Vec<i32> = expected.map(|buoy| buoy.id).collect();
            let found = Buoy::find(db, |b| b.at.within_box(south_west, north_east))
                .batch_size(1_000)
                .await;
            let plan = bench.plan().await;
            assert_eq!(
                ids(found.expect("found")),
                expected,
                "{south_west:?} {north_east:?}"
            );
            plan.assert_served_by("at");
        }
        // Hardly more documents are read than are found.
        let small = Buoy::find(db, |b| {
            b.at.within_box(point(-20.0, -11.0), point(30.0, 44.0))
        });
        assert_eq!(small.await.expect("found").len(), 36);
        assert!(bench.plan().await.documents <= 40);
    })
    .await;
}

#[tokio::test]
async fn a_polygon_finds_what_lies_in_it_and_not_in_its_holes() {
    alone("map_polygon", async |bench| {
        let db = &bench.db;
        bench.buoys().await;
        let triangle = [point(-1.0, -1.0), point(21.0, -1.0), point(10.0, 25.0)];
        let area = Polygon::<6>::new(triangle).expect("a triangle");
        let found = Buoy::find(db, |b| b.at.within_polygon(&area)).await;
        bench.plan().await.assert_served_by("at");
        let corners = |buoys: Vec<Buoy>| {
            let mut places: Vec<_> = buoys
                .iter()
                .map(|b| (b.at.lng as i32, b.at.lat as i32))
                .collect();
            places.sort_unstable();
            places
        };
        let inside = [(0, 0), (10, 0), (10, 11), (10, 22), (20, 0)];
        assert_eq!(corners(found.expect("found")), inside);
        let hole = [point(9.0, 10.0), point(9.0, 12.0), point(11.0, 11.0)];
        let area = area.with_hole(hole).expect("a hole");
        let found = Buoy::find(db, |b| b.at.within_polygon(&area))
            .await
            .expect("found");
        assert_eq!(corners(found), [(0, 0), (10, 0), (10, 22), (20, 0)]);
        let outside = Buoy::scan(db, |b| !b.at.within_polygon(&area))
            .count()
            .await;
        assert_eq!(outside.expect("counted"), buoys().len() as u64 - 4);
    })
    .await;
}

#[tokio::test]
async fn an_area_is_stored_and_found_by_a_point_in_it() {
    on_both("map_zones", async |bench| {
        let db = &bench.db;
        bench.index(&[Zone::meta()]).await;
        let square = |lng: f64, lat: f64| {
            let corners = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)];
            Polygon::new(corners.map(|(x, y)| point(lng + x, lat + y))).expect("a square")
        };
        let zone = |name: &str, area| Zone {
            id: Id::new(),
            name: name.to_owned(),
            area,
        };
        let zones = [
            zone("centre", Some(square(0.0, 0.0))),
            zone("east", Some(square(3.0, 1.0))),
            zone("nowhere", None),
        ];
        Zone::insert_many(db, &zones).await.expect("stored");
        let stored = Zone::get(db, zones[0].id)
            .await
            .expect("read")
            .expect("stored");
        assert_eq!(stored, zones[0]);
        bench.forget();
        let names = |zones: Vec<Zone>| {
            let mut names: Vec<String> = zones.into_iter().map(|zone| zone.name).collect();
            names.sort();
            names
        };
        let of = |point| Zone::find(db, move |z| z.area.intersects(&point));
        assert_eq!(names(of(point(1.0, 1.0)).await.expect("found")), ["centre"]);
        bench.plan().await.assert_served_by("area");
        assert_eq!(
            names(of(point(3.5, 2.0)).await.expect("found")),
            ["centre", "east"]
        );
        assert_eq!(
            names(of(point(9.0, 2.0)).await.expect("found")),
            Vec::<String>::new()
        );
        let window = square(6.0, 0.0);
        let over = Zone::find(db, |z| z.area.intersects(&window)).await;
        assert_eq!(names(over.expect("found")), ["east"]);
    })
    .await;
}

#[tokio::test]
async fn distances_are_those_of_the_server() {
    on_both("map_distance", async |bench| {
        let db = &bench.db;
        bench.buoys().await;
        let here = point(0.5, 0.0);
        let near = || Buoy::find(db, |b| b.at.near(here, 2_000_000.0).and(b.kind.eq("green")));
        let plain = near().await.expect("found");
        bench.forget();
        let found = near().with_distance().await.expect("found");
        assert_eq!(bench.sent(), ["aggregate"]);
        let documents: Vec<Buoy> = found.iter().map(|found| found.document.clone()).collect();
        assert_eq!(documents, plain);
        assert!(!found.is_empty() && found.is_sorted_by(|a, b| a.meters <= b.meters));
        for found in &found {
            // On the server's globe.
            let (place, radius) = (found.document.at, 6_378_100.0);
            let [lat, from] = [place.lat, here.lat].map(f64::to_radians);
            let east = (place.lng - here.lng).to_radians();
            let cosine = lat.sin() * from.sin() + lat.cos() * from.cos() * east.cos();
            let expected: f64 = cosine.acos() * radius;
            assert!(
                (found.meters - expected).abs() < 1.0,
                "{found:?}: {expected}"
            );
        }
        let kinds = near()
            .skip(1)
            .limit(2)
            .project::<Kind>()
            .with_distance()
            .await;
        let kinds: Vec<(Kind, f64)> = kinds
            .expect("found")
            .into_iter()
            .map(|k| (k.document, k.meters))
            .collect();
        assert_eq!(kinds.len(), 2);
        assert!((kinds[0].1 - found[1].meters).abs() < f64::EPSILON);
        assert_eq!(kinds[0].0.kind, "green");
    })
    .await;
}

#[tokio::test]
async fn a_place_that_does_not_exist_sends_nothing() {
    alone("map_invalid", async |bench| {
        let db = &bench.db;
        let nowhere = point(200.0, 0.0);
        let buoy = Buoy { id: 1, at: nowhere, kind: "red".to_owned() };
        bench.forget();
        let stored = Buoy::insert(db, &buoy).await;
        assert!(matches!(&stored, Err(Error::Encode { .. })), "{stored:?}");
        for filter in [
            Buoy::find(db, |b| b.at.within_circle(nowhere, 10.0)).await,
            Buoy::find(db, |b| b.at.near(nowhere, 10.0)).await,
            Buoy::find(db, |b| b.at.within_box(point(0.0, 10.0), point(1.0, 9.0))).await,
        ] {
            assert!(matches!(&filter, Err(Error::Encode { .. })), "{filter:?}");
        }
        assert_eq!(bench.count(), 0);
        // Another program has stored it.
        bench.seed("map_buoys", [doc! { "_id": 2, "kind": "red", "at": { "type": "Point", "coordinates": [0, 95] } }]).await;
        let error = Buoy::get(db, 2).await.expect_err("no place");
        assert!(error.to_string().contains("the latitude is not within -90..=90"), "{error}");
    })
    .await;
}

#[test]
fn places_of_another_crate_are_checked() {
    use geo_types::{Coord, LineString};

    let point = geo_types::Point::new(12.5, 41.9);
    let here = Point::try_from(point).expect("a place");
    assert_eq!((here.lng, here.lat), (12.5, 41.9));
    assert_eq!(geo_types::Point::from(here), point);
    let swapped = geo_types::Point::new(41.9, 112.5);
    Point::try_from(swapped).expect_err("no latitude");

    // Closed by that crate, and wound with the clock; with a hole.
    let ring = |corners: &[(f64, f64)]| -> LineString<f64> {
        corners
            .iter()
            .map(|(x, y)| Coord { x: *x, y: *y })
            .collect()
    };
    let outer = ring(&[(12.0, 41.0), (12.0, 43.0), (14.0, 43.0), (14.0, 41.0)]);
    let hole = ring(&[(12.5, 41.5), (12.6, 41.5), (12.6, 41.6)]);
    let there = geo_types::Polygon::new(outer, vec![hole]);
    let area = Polygon::<7>::try_from(&there).expect("an area");
    assert_eq!(area.rings().len(), 2);
    let lngs = |ring: &[Point]| -> Vec<f64> { ring.iter().map(|point| point.lng).collect() };
    assert_eq!(lngs(&area.rings()[0]), [14.0, 14.0, 12.0, 12.0, 14.0]);
    let back = geo_types::Polygon::from(&area);
    assert_eq!(Polygon::<7>::try_from(&back).expect("an area"), area);
    Polygon::<6>::try_from(&there).expect_err("too many corners");
    let line = geo_types::Polygon::new(ring(&[(1.0, 2.0), (3.0, 4.0)]), Vec::new());
    Polygon::<6>::try_from(&line).expect_err("no area");
    let nowhere = geo_types::Polygon::new(ring(&[(1.0, 2.0), (3.0, 94.0), (5.0, 6.0)]), Vec::new());
    Polygon::<6>::try_from(&nowhere).expect_err("no latitude");
}
