//! Places on the map, stored as GeoJSON.

#[cfg(feature = "geo-types")]
mod crate_types;

use std::fmt;

use serde::de::Error as _;
use serde::ser::{Error as _, SerializeStruct};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::schema::field::NoFields;
use crate::schema::field::place::Path;
use crate::schema::rows::{FieldRow, Kind, Shape};
use crate::schema::value::{Size, Value, array_bytes, row, row_unknown};

/// A value that is no place on the map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidShape(&'static str);

impl InvalidShape {
    pub(crate) const fn new(reason: &'static str) -> Self {
        InvalidShape(reason)
    }
}

impl fmt::Display for InvalidShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for InvalidShape {}

/// A point on the map, in degrees: the type of a field with `#[index(geo)]`. Its fields have names, so a program cannot swap them unseen.
///
/// Stored, and shown in JSON, as GeoJSON: `{ type: "Point", coordinates: [lng, lat] }`. A longitude outside of -180..=180 and a latitude
/// outside of -90..=90 are refused by every write, filter and read.
///
/// ```
/// # use mongo_model::{Database, Id, MongoModel, Result, geo::Point};
/// # use serde::{Deserialize, Serialize};
/// #[derive(Debug, Serialize, Deserialize, MongoModel)]
/// #[model(collection = "cafes")]
/// pub struct Cafe {
///     #[serde(rename = "_id")]
///     pub id: Id<Cafe>,
///     #[index(geo)]
///     pub place: Point,
/// }
///
/// # async fn example(db: &Database) -> Result<()> {
/// let here = Point { lng: 12.49, lat: 41.9 };
/// let nearest = Cafe::find(db, |c| c.place.near(here, 1_000.0)).limit(10).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a point has a longitude and a latitude"
)]
pub struct Point {
    /// The longitude, positive in the east.
    pub lng: f64,
    /// The latitude, positive in the north.
    pub lat: f64,
}

/// The position of a point in GeoJSON.
type Position = [f64; 2];

impl Point {
    /// The position in GeoJSON.
    ///
    /// # Errors
    /// It is no place on the map.
    pub(crate) fn position(self) -> Result<Position, InvalidShape> {
        if !(-180.0..=180.0).contains(&self.lng) {
            return Err(InvalidShape("the longitude is not within -180..=180"));
        }
        if !(-90.0..=90.0).contains(&self.lat) {
            return Err(InvalidShape("the latitude is not within -90..=90"));
        }
        Ok([self.lng, self.lat])
    }

    /// The point at a position as it is stored, which another program may have given a height.
    fn of_position(position: Vec<f64>) -> Result<Self, InvalidShape> {
        let [lng, lat] = position[..] else {
            return Err(InvalidShape("a position has a longitude and a latitude"));
        };
        let point = Point { lng, lat };
        point.position().map(|_| point)
    }
}

/// A shape as GeoJSON has it.
#[derive(Serialize, Deserialize)]
struct GeoJson<C> {
    #[serde(rename = "type")]
    kind: String,
    coordinates: C,
}

impl<C> GeoJson<C> {
    /// The coordinates of a shape of this kind.
    fn of_kind(self, kind: &'static str) -> Result<C, String> {
        match self.kind == kind {
            true => Ok(self.coordinates),
            false => Err(format!("expected the GeoJSON of a {kind}")),
        }
    }
}

fn write<S: Serializer>(
    serializer: S,
    kind: &'static str,
    coordinates: &impl Serialize,
) -> Result<S::Ok, S::Error> {
    let mut shape = serializer.serialize_struct(kind, 2)?;
    shape.serialize_field("type", kind)?;
    shape.serialize_field("coordinates", coordinates)?;
    shape.end()
}

impl Serialize for Point {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let position = self.position().map_err(S::Error::custom)?;
        write(serializer, "Point", &position)
    }
}

impl<'de> Deserialize<'de> for Point {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = GeoJson::deserialize(deserializer)?.of_kind("Point");
        Point::of_position(read.map_err(D::Error::custom)?).map_err(D::Error::custom)
    }
}

/// The `type` of a shape.
macro_rules! kinds {
    ($($kind:ident $name:literal;)*) => {$(
        enum $kind {}

        #[diagnostic::do_not_recommend]
        impl Value for $kind {
            type Elem = Self;
            type Sub<P: Path> = NoFields;
            const KIND: Kind = Kind::String;
            const TAGS: &'static [&'static str] = &[$name];
        }
    )*};
}

kinds! {
    PointKind "Point";
    PolygonKind "Polygon";
}

#[diagnostic::do_not_recommend]
impl Value for Point {
    type Elem = Self;
    type Sub<P: Path> = NoFields;
    const KIND: Kind = Kind::Document;
    const SHAPE: Option<&'static Shape> = Some(&Shape {
        name: "Point",
        fields: Self::FIELDS,
    });
    const FIELDS: &'static [FieldRow] = &[
        row::<PointKind>("kind", "type"),
        row::<Position>("coordinates", "coordinates"),
    ];
    const SIZE: Size = sized(61, 2, 2);
}

const fn sized(bytes: u64, elems: u64, depth: u64) -> Size {
    Size {
        worst: bytes,
        most: bytes,
        elems,
        depth,
        ..Size::SCALAR
    }
}

/// An area on the map with at most `MAX` corners, those of its holes included: the type of a field with `#[index(geo)]`, or of a filter.
///
/// Its rings are closed, and wound as GeoJSON has them (the outer one against the clock). Stored, and shown in JSON, as GeoJSON. A polygon
/// whose lines cross is refused by the server.
///
/// ```
/// # use mongo_model::{Database, Id, MongoModel, geo::{Point, Polygon}};
/// # use serde::{Deserialize, Serialize};
/// #[derive(Debug, Serialize, Deserialize, MongoModel)]
/// #[model(collection = "couriers")]
/// pub struct Courier {
///     #[serde(rename = "_id")]
///     pub id: Id<Courier>,
///     #[index(geo)]
///     pub delivers_in: Polygon<50>,
/// }
///
/// # async fn example(db: &Database) -> Result<(), Box<dyn std::error::Error>> {
/// let corners = [(12.4, 41.8), (12.6, 41.8), (12.5, 42.0)];
/// let area = Polygon::<50>::new(corners.map(|(lng, lat)| Point { lng, lat }))?;
/// Courier::insert(db, &Courier { id: Id::new(), delivers_in: area }).await?;
/// let door = Point { lng: 12.5, lat: 41.9 };
/// let couriers = Courier::find(db, |c| c.delivers_in.intersects(&door)).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Polygon<const MAX: usize> {
    /// Each closed: the first point is also the last.
    rings: Vec<Vec<Point>>,
}

impl<const MAX: usize> Polygon<MAX> {
    /// The area inside of these corners, given in either direction; the first one need not be repeated at the end.
    ///
    /// # Errors
    /// There are fewer than 3 corners or more than `MAX`, or one of them is no place on the map.
    pub fn new(corners: impl IntoIterator<Item = Point>) -> Result<Self, InvalidShape> {
        Polygon { rings: Vec::new() }.with_ring(corners, true)
    }

    /// The same area without the one inside of these corners.
    ///
    /// # Errors
    /// As [`new`](Polygon::new).
    pub fn with_hole(self, corners: impl IntoIterator<Item = Point>) -> Result<Self, InvalidShape> {
        self.with_ring(corners, false)
    }

    /// The outer ring, and those of the holes. In each, the first point is also the last.
    #[must_use]
    pub fn rings(&self) -> &[Vec<Point>] {
        &self.rings
    }

    fn with_ring(
        mut self,
        corners: impl IntoIterator<Item = Point>,
        against_clock: bool,
    ) -> Result<Self, InvalidShape> {
        let mut ring: Vec<Point> = corners.into_iter().collect();
        if ring.len() > 1 && ring.first() == ring.last() {
            ring.pop();
        }
        if is_against_clock(&ring) != against_clock {
            ring.reverse();
        }
        ring.extend(ring.first().copied());
        self.rings.push(ring);
        self.check().map(|()| self)
    }

    fn check(&self) -> Result<(), InvalidShape> {
        if self.rings.is_empty() || self.rings.iter().any(|ring| ring.len() < 4) {
            return Err(InvalidShape("a ring of a polygon has at least 3 corners"));
        }
        if self.rings.iter().any(|ring| ring.first() != ring.last()) {
            return Err(InvalidShape("a ring of a polygon is not closed"));
        }
        if self.rings.iter().map(|ring| ring.len() - 1).sum::<usize>() > MAX {
            return Err(InvalidShape("the polygon has more corners than its type"));
        }
        self.positions().map(|_| ())
    }

    fn positions(&self) -> Result<Vec<Vec<Position>>, InvalidShape> {
        let rings = self.rings.iter();
        rings
            .map(|ring| ring.iter().map(|point| point.position()).collect())
            .collect()
    }
}

/// True if the area lies on the left of one who walks from corner to corner.
fn is_against_clock(corners: &[Point]) -> bool {
    let next = corners.iter().cycle().skip(1);
    let twice_area = |(from, to): (&Point, &Point)| {
        // The shorter way around the globe, also where it crosses the line between the longitudes 180 and -180.
        let east = (to.lng - from.lng + 540.0).rem_euclid(360.0) - 180.0;
        -east * (from.lat + to.lat)
    };
    corners.iter().zip(next).map(twice_area).sum::<f64>() > 0.0
}

impl<const MAX: usize> Serialize for Polygon<MAX> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let positions = self.positions().map_err(S::Error::custom)?;
        write(serializer, "Polygon", &positions)
    }
}

impl<'de, const MAX: usize> Deserialize<'de> for Polygon<MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read: GeoJson<Vec<Vec<Vec<f64>>>> = GeoJson::deserialize(deserializer)?;
        let rings = read.of_kind("Polygon").map_err(D::Error::custom)?;
        let rings = rings.into_iter().map(|ring| {
            let points = ring.into_iter().map(Point::of_position);
            points.collect::<Result<Vec<Point>, InvalidShape>>()
        });
        let rings = rings.collect::<Result<_, _>>().map_err(D::Error::custom)?;
        let polygon = Polygon { rings };
        polygon.check().map_err(D::Error::custom)?;
        Ok(polygon)
    }
}

#[diagnostic::do_not_recommend]
impl<const MAX: usize> Value for Polygon<MAX> {
    type Elem = Self;
    type Sub<P: Path> = NoFields;
    const KIND: Kind = Kind::Document;
    const SHAPE: Option<&'static Shape> = Some(&Shape {
        name: "Polygon",
        fields: Self::FIELDS,
    });
    const FIELDS: &'static [FieldRow] = &[
        row::<PolygonKind>("kind", "type"),
        row_unknown("coordinates", "coordinates", Kind::Array),
    ];
    // A ring repeats its first corner, and has 3 at least.
    const SIZE: Size = sized(
        36 + array_bytes(MAX as u64 / 3, 5) + array_bytes(MAX as u64 + MAX as u64 / 3, 27),
        MAX as u64 + MAX as u64 / 3,
        4,
    );
}

/// A shape that a filter compares with.
pub trait GeoShape: Serialize {}
impl GeoShape for Point {}
impl<const MAX: usize> GeoShape for Polygon<MAX> {}

/// A field that holds a point, for the filters that look at its coordinates.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `Point`",
    label = "not a point",
    note = "`within_box` compares the coordinates of a `mongo_model::geo::Point`; `within_polygon` takes a field of any GeoJSON"
)]
pub trait PointValue: Value {}
#[diagnostic::do_not_recommend]
impl PointValue for Point {}
#[diagnostic::do_not_recommend]
impl PointValue for Option<Point> {}

#[cfg(test)]
mod tests {
    use bson::{Document, doc};

    use super::{Point, Polygon, Value};

    fn point(lng: f64, lat: f64) -> Point {
        Point { lng, lat }
    }

    fn stored(value: &impl serde::Serialize) -> Document {
        bson::serialize_to_document(value).expect("written")
    }

    #[test]
    fn a_shape_is_as_large_as_its_type_says() {
        let len = |value: &Document| bson::serialize_to_vec(value).expect("written").len() as u64;
        assert_eq!(len(&stored(&point(1.0, 2.0))), Point::SIZE.most);
        let corners = (0..9).map(|n| f64::from(n) * 0.69);
        let circle: Vec<Point> = corners.map(|n| point(n.cos(), n.sin())).collect();
        let polygon = Polygon::<9>::new(circle[..3].iter().copied());
        let polygon = polygon.and_then(|p| p.with_hole(circle[3..6].iter().copied()));
        let polygon = polygon.and_then(|p| p.with_hole(circle[6..].iter().copied()));
        let size = len(&stored(&polygon.expect("nine corners")));
        assert!(size <= Polygon::<9>::SIZE.most, "{size}");
        assert!(size + 10 > Polygon::<9>::SIZE.most, "{size}");
    }

    #[test]
    fn places_that_do_not_exist_are_neither_written_nor_read() {
        for (lng, lat, reason) in [
            (180.5, 0.0, "the longitude is not within -180..=180"),
            (0.0, -91.0, "the latitude is not within -90..=90"),
            (f64::NAN, 0.0, "the longitude is not within -180..=180"),
        ] {
            let error = bson::serialize_to_document(&point(lng, lat)).expect_err("refused");
            assert!(error.to_string().contains(reason), "{error}");
            let document = doc! { "type": "Point", "coordinates": [lng, lat] };
            let read = bson::deserialize_from_document::<Point>(document);
            assert!(read.expect_err("refused").to_string().contains(reason));
        }
        for other in [
            doc! { "type": "LineString", "coordinates": [1.0, 2.0] },
            doc! { "type": "Point", "coordinates": [1.0, 2.0, 3.0] },
            doc! { "type": "Point" },
        ] {
            bson::deserialize_from_document::<Point>(other).expect_err("no point");
        }
        let whole = doc! { "type": "Point", "coordinates": [1, 2] };
        assert_eq!(
            bson::deserialize_from_document::<Point>(whole).expect("a point"),
            point(1.0, 2.0)
        );
    }

    #[test]
    fn rings_are_closed_and_wound() {
        let square = [
            point(0.0, 0.0),
            point(4.0, 0.0),
            point(4.0, 4.0),
            point(0.0, 4.0),
        ];
        let mut clockwise = square;
        clockwise.reverse();
        let hole = [point(1.0, 1.0), point(2.0, 1.0), point(1.0, 2.0)];
        let polygon = Polygon::<10>::new(clockwise).and_then(|p| p.with_hole(hole));
        let polygon = polygon.expect("a polygon");
        let area = |ring: &[Point]| super::is_against_clock(&ring[1..]);
        assert!(area(&polygon.rings()[0]) && !area(&polygon.rings()[1]));
        assert_eq!(polygon.rings()[0].first(), polygon.rings()[0].last());
        // Around the line where the longitudes meet.
        let pacific = [
            point(179.0, 0.0),
            point(-179.0, 0.0),
            point(-179.0, 1.0),
            point(179.0, 1.0),
        ];
        assert!(super::is_against_clock(&pacific));
        let read = bson::deserialize_from_document::<Polygon<10>>(stored(&polygon));
        assert_eq!(read.expect("read"), polygon);
    }

    #[test]
    fn a_polygon_that_is_none_is_refused() {
        let line = [point(0.0, 0.0), point(4.0, 0.0), point(0.0, 0.0)];
        assert!(Polygon::<10>::new(line).is_err());
        let square = [
            point(0.0, 0.0),
            point(4.0, 0.0),
            point(4.0, 4.0),
            point(0.0, 4.0),
        ];
        assert!(Polygon::<3>::new(square).is_err());
        let open = doc! { "type": "Polygon", "coordinates": [[[0, 0], [4, 0], [4, 4], [0, 4]]] };
        let error = bson::deserialize_from_document::<Polygon<9>>(open).expect_err("open");
        assert!(error.to_string().contains("not closed"), "{error}");
        bson::deserialize_from_document::<Polygon<9>>(
            doc! { "type": "Polygon", "coordinates": [] },
        )
        .expect_err("nothing");
    }
}
