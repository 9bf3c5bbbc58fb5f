//! Conditions on places on the map.

use bson::{Bson, Document, doc};

use super::expr::{compare, condition, served_by};
use super::{Filter, encode_error};
use crate::error::Error;
use crate::schema::field::place::{Path, path};
use crate::schema::field::{Field, IndexKind};
use crate::schema::geo::{GeoShape, InvalidShape, Point, PointValue, Polygon};
use crate::schema::model::Model;

/// The radius of the earth in meters, by which the server measures distances.
const EARTH: f64 = 6_378_100.0;

/// The greatest width in degrees of a polygon that covers a part of a box.
const WIDTH: f64 = 90.0;

/// A margin in degrees around a box: between two corners that are one degree apart, the server's line, the shortest one on the globe, leaves
/// the parallel by less.
const MARGIN: f64 = 0.002;

/// The parallel beyond which a box is covered by a circle around the pole.
const POLAR: f64 = 89.0;

impl<P: Path, T, I: IndexKind, W> Field<P, T, I, W>
where
    P::Root: Model,
{
    /// Within `meters` of a point, nearest first. [`with_distance`](crate::crud::Find::with_distance) gives the distances too.
    ///
    /// # Errors
    /// When the call is awaited: [`Error::Encode`] for a point that is no place on the map. This holds for all filters on places.
    pub fn near(self, point: Point, meters: f64) -> Filter<P::Root, I::Geo> {
        let near = geometry::<P>(&point);
        let near = near.map(|near| doc! { "$geometry": near, "$maxDistance": meters });
        Filter::at::<P>(near.map(|near| compare::<P, I>("$nearSphere", Bson::Document(near))))
    }

    /// Within `meters` of a point, unordered: the circle of [`near`](Field::near) for places where the server accepts no order: in a count,
    /// an `or`, a negation.
    pub fn within_circle(self, point: Point, meters: f64) -> Filter<P::Root, I::Circle> {
        let circle = point.position().map_err(invalid::<P>);
        Filter::at::<P>(circle.map(|center| {
            let circle = doc! { "$centerSphere": [center.to_vec(), meters / EARTH] };
            compare::<P, I>("$geoWithin", Bson::Document(circle))
        }))
    }

    /// Inside of a polygon, whole. The sides of a polygon are the shortest lines between its corners.
    pub fn within_polygon<const MAX: usize>(
        self,
        polygon: &Polygon<MAX>,
    ) -> Filter<P::Root, I::Circle> {
        Filter::at::<P>(geometry::<P>(polygon).map(|shape| {
            let within = doc! { "$geometry": shape };
            compare::<P, I>("$geoWithin", Bson::Document(within))
        }))
    }

    /// Has a point in common with a shape: areas that hold a point, or overlap a polygon.
    pub fn intersects(self, shape: &impl GeoShape) -> Filter<P::Root, I::Circle> {
        Filter::at::<P>(geometry::<P>(shape).map(|shape| {
            let intersects = doc! { "$geometry": shape };
            compare::<P, I>("$geoIntersects", Bson::Document(intersects))
        }))
    }

    /// Between two longitudes and two latitudes, as the window of a map is. A box whose western side is east of its eastern one crosses the
    /// line where the longitudes 180 and -180 meet.
    ///
    /// The index finds the surroundings of the box (its polygon has a corner each degree), then the coordinates are compared.
    pub fn within_box(self, south_west: Point, north_east: Point) -> Filter<P::Root, I::Circle>
    where
        T: PointValue,
    {
        let bounds = MapBox::new(south_west, north_east).map_err(invalid::<P>);
        Filter::at::<P>(bounds.map(|bounds| {
            let path = path::<P>();
            let parts = bounds.cover().into_iter();
            let parts: Vec<Document> = parts
                .map(|shape| condition(&path, "$geoWithin", Bson::Document(shape)))
                .collect();
            let inside = bounds.coordinates(&path);
            served_by::<P, I>(doc! { "$and": [{ "$or": parts }, inside] })
        }))
    }
}

/// The GeoJSON of a shape.
fn geometry<P: Path>(shape: &impl GeoShape) -> Result<Document, Error>
where
    P::Root: Model,
{
    let shape = bson::serialize_to_document(shape);
    shape.map_err(|error| encode_error::<P>(error.into()))
}

/// A filter with a shape that is none.
fn invalid<P: Path>(shape: InvalidShape) -> Error
where
    P::Root: Model,
{
    let source = <bson::error::Error as serde::ser::Error>::custom(shape);
    encode_error::<P>(source.into())
}

/// A part of the map between two longitudes and two latitudes.
struct MapBox {
    west: f64,
    east: f64,
    south: f64,
    north: f64,
}

impl MapBox {
    fn new(south_west: Point, north_east: Point) -> Result<Self, InvalidShape> {
        let ([west, south], [east, north]) = (south_west.position()?, north_east.position()?);
        if south > north {
            return Err(InvalidShape::new(
                "the southern side of the box is north of the northern one",
            ));
        }
        Ok(MapBox {
            west,
            east,
            south,
            north,
        })
    }

    /// Its width in degrees.
    fn width(&self) -> f64 {
        match self.east >= self.west {
            true => self.east - self.west,
            false => self.east - self.west + 360.0,
        }
    }

    /// Shapes that cover it together, and hardly more.
    fn cover(&self) -> Vec<Document> {
        let mut parts = Vec::new();
        let (south, north) = (self.south.max(-POLAR), self.north.min(POLAR));
        if south <= north {
            let mut from = 0.0;
            loop {
                let to = self.width().min(from + WIDTH);
                parts.push(self.part(from, to, south - MARGIN, north + MARGIN));
                from = to;
                if from >= self.width() {
                    break;
                }
            }
        }
        let pole = |lat: f64| {
            let angle = (90.0 - POLAR + MARGIN).to_radians();
            doc! { "$centerSphere": [[0.0, lat], angle] }
        };
        parts.extend((self.north > POLAR).then(|| pole(90.0)));
        parts.extend((self.south < -POLAR).then(|| pole(-90.0)));
        parts
    }

    /// The polygon from one distance in degrees to another, both from the western side.
    fn part(&self, from: f64, to: f64, south: f64, north: f64) -> Document {
        let (from, to) = (from - MARGIN, to + MARGIN);
        let steps = (to - from).ceil();
        let longitude = |step: f64| {
            let lng = self.west + from + (to - from) * step / steps;
            (lng + 540.0).rem_euclid(360.0) - 180.0
        };
        let steps_east = || std::iter::successors(Some(0.0), |step| Some(step + 1.0));
        let parallel = |lat: f64| {
            let steps = steps_east().take_while(|step| *step <= steps);
            steps.map(move |step| [longitude(step), lat].to_vec())
        };
        let mut ring: Vec<Vec<f64>> = parallel(south).collect();
        let back: Vec<Vec<f64>> = parallel(north).collect();
        ring.extend(back.into_iter().rev());
        ring.extend(ring.first().cloned());
        doc! { "$geometry": { "type": "Polygon", "coordinates": [ring] } }
    }

    /// The coordinates of the point at this path lie in it.
    fn coordinates(&self, path: &str) -> Document {
        let lng = format!("{path}.coordinates.0");
        let lat = format!("{path}.coordinates.1");
        let (west, east) = (self.west, self.east);
        let between = match self.east >= self.west {
            true => doc! { &lng: { "$gte": west, "$lte": east } },
            false => doc! { "$or": [{ &lng: { "$gte": west } }, { &lng: { "$lte": east } }] },
        };
        doc! { "$and": [between, { lat: { "$gte": self.south, "$lte": self.north } }] }
    }
}
