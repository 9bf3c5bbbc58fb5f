//! Places of the crate `geo-types`, with the longitude as `x` and the latitude as `y`.

use geo_types::{Coord, LineString};

use super::{InvalidShape, Point, Polygon};

impl TryFrom<geo_types::Point<f64>> for Point {
    type Error = InvalidShape;

    /// # Errors
    /// The longitude or the latitude is beyond its range.
    fn try_from(point: geo_types::Point<f64>) -> Result<Self, InvalidShape> {
        from_coord(point.0)
    }
}

impl From<Point> for geo_types::Point<f64> {
    fn from(Point { lng, lat }: Point) -> Self {
        geo_types::Point::new(lng, lat)
    }
}

fn from_coord(Coord { x: lng, y: lat }: Coord<f64>) -> Result<Point, InvalidShape> {
    let point = Point { lng, lat };
    point.position().map(|_| point)
}

fn from_ring(ring: &LineString<f64>) -> Result<Vec<Point>, InvalidShape> {
    ring.0.iter().copied().map(from_coord).collect()
}

impl<const MAX: usize> TryFrom<&geo_types::Polygon<f64>> for Polygon<MAX> {
    type Error = InvalidShape;

    /// # Errors
    /// There are fewer than 3 corners or more than `MAX`, or one of them is no place on the map.
    fn try_from(polygon: &geo_types::Polygon<f64>) -> Result<Self, InvalidShape> {
        let outer = Polygon::new(from_ring(polygon.exterior())?)?;
        let mut holes = polygon.interiors().iter();
        holes.try_fold(outer, |area, hole| area.with_hole(from_ring(hole)?))
    }
}

impl<const MAX: usize> From<&Polygon<MAX>> for geo_types::Polygon<f64> {
    fn from(polygon: &Polygon<MAX>) -> Self {
        let ring = |ring: &Vec<Point>| -> LineString<f64> {
            ring.iter().map(|point| (point.lng, point.lat)).collect()
        };
        let mut rings = polygon.rings().iter().map(ring);
        let outer = rings.next().unwrap_or_else(|| LineString::new(Vec::new()));
        geo_types::Polygon::new(outer, rings.collect())
    }
}
