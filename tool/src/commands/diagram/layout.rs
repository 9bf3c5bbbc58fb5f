//! The positions of the boxes: in columns, so that a document stands to the right of the documents that it refers to.
//!
//! The steps are those of a layered layout: ranks, lanes for long arrows, an order that crosses few arrows, heights near the neighbours.

use std::collections::{BTreeMap, BTreeSet};

use super::ranks::{ASPECT, GAP, Room, columns, parts, without_circles};

/// The distance between a column and the first lane, where the numbers at the ends of arrows stand, and between lanes.
const MARGIN: f64 = 38.0;
pub(super) const LANE: f64 = 9.0;
/// The height of one arrow that passes a column.
pub(super) const PASS: f64 = 10.0;
/// The distance between parts that no arrow connects.
const PART: f64 = 48.0;
const SWEEPS: usize = 16;

/// A rectangle.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Rect {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) w: f64,
    pub(super) h: f64,
}

impl Rect {
    pub(super) fn right(self) -> f64 {
        self.x + self.w
    }

    #[cfg(test)]
    fn bottom(self) -> f64 {
        self.y + self.h
    }

    fn middle(self) -> f64 {
        self.y + self.h / 2.0
    }
}

/// The columns of everything that arrows connect, and the boxes of all.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// The rectangle of each box.
    pub(super) boxes: Vec<Rect>,
    /// The column of each box, counted through all parts.
    pub(super) columns: Vec<usize>,
    /// The lanes before each column, in which arrows turn: where the first and the last of them may run.
    pub(super) spaces: Vec<(f64, f64)>,
    /// For an arrow between two boxes, the heights at which it passes the columns between, from the right one to the left one.
    pub(super) passes: BTreeMap<(usize, usize), Vec<(usize, f64)>>,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Places the boxes; a link leads from the box that refers to the box referred to, with the number of its arrows.
pub(super) fn layout(rooms: &[Room], links: &BTreeMap<(usize, usize), usize>) -> Layout {
    let mut out = Layout {
        boxes: rooms
            .iter()
            .map(|room| Rect {
                w: room.width,
                h: room.height,
                ..Rect::default()
            })
            .collect(),
        columns: vec![0; rooms.len()],
        ..Layout::default()
    };
    let mut parts = parts(rooms.len(), links);
    // The parts with arrows first, the largest at the top.
    parts.sort_by_key(|part| (part.len() == 1, std::cmp::Reverse(part.len()), part[0]));
    let (single, connected): (Vec<_>, Vec<_>) = parts.into_iter().partition(|part| part.len() == 1);
    let area: f64 = rooms
        .iter()
        .map(|room| (room.width + room.left + room.right + 160.0) * (room.height + PART))
        .sum();
    let width = (area * ASPECT).sqrt().max(600.0);
    let (mut x, mut y, mut shelf) = (0.0, 0.0, 0.0_f64);
    for part in connected {
        let (w, h) = Part::new(&part, rooms, links).place(&mut out);
        if x > 0.0 && x + w > width {
            (x, y, shelf) = (0.0, y + shelf + PART, 0.0);
        }
        out.shift(&part, x, y);
        out.width = out.width.max(x + w);
        x += w + PART;
        shelf = shelf.max(h);
    }
    if !single.is_empty() {
        let top = if x > 0.0 { y + shelf + PART } else { 0.0 };
        let boxes: Vec<usize> = single.into_iter().flatten().collect();
        shelf = shelves(&mut out, boxes, top, width);
        y = top;
    }
    out.height = y + shelf;
    out
}

/// Boxes without arrows, in rows; gives the height.
fn shelves(out: &mut Layout, mut boxes: Vec<usize>, top: f64, width: f64) -> f64 {
    boxes.sort_by(|a, b| out.boxes[*b].h.total_cmp(&out.boxes[*a].h).then(a.cmp(b)));
    let (mut x, mut y, mut row) = (0.0, top, 0.0_f64);
    for n in boxes {
        let Rect { w, h, .. } = out.boxes[n];
        if x > 0.0 && x + w > width {
            (x, y, row) = (0.0, y + row + GAP, 0.0);
        }
        (out.boxes[n].x, out.boxes[n].y) = (x, y);
        out.width = out.width.max(x + w);
        x += w + GAP;
        row = row.max(h);
    }
    y + row - top
}

impl Layout {
    /// Moves a part that was placed at the origin.
    fn shift(&mut self, part: &[usize], x: f64, y: f64) {
        for &n in part {
            self.boxes[n].x += x;
            self.boxes[n].y += y;
        }
        let columns: BTreeSet<usize> = part.iter().map(|n| self.columns[*n]).collect();
        let (Some(first), Some(last)) = (columns.first(), columns.last()) else {
            return;
        };
        for space in &mut self.spaces[*first..=*last] {
            *space = (space.0 + x, space.1 + x);
        }
        let of_part = self
            .passes
            .iter_mut()
            .filter(|((from, _), _)| part.contains(from));
        of_part.for_each(|(_, passes)| passes.iter_mut().for_each(|(_, height)| *height += y));
    }
}

/// An entry of a column: a box, or the lane of an arrow that passes it.
#[derive(Debug, Clone)]
struct Item {
    /// The box; `None` for a lane.
    node: Option<usize>,
    column: usize,
    height: f64,
    y: f64,
    /// Items of neighbouring columns that an arrow connects it with.
    left: Vec<usize>,
    right: Vec<usize>,
}

/// Boxes that arrows connect.
struct Part<'a> {
    rooms: &'a [Room],
    /// Links without circles: from the right to the left.
    links: Vec<((usize, usize), usize)>,
    items: Vec<Item>,
    columns: Vec<Vec<usize>>,
    lanes: BTreeMap<(usize, usize), Vec<usize>>,
}

impl<'a> Part<'a> {
    fn new(nodes: &[usize], rooms: &'a [Room], links: &BTreeMap<(usize, usize), usize>) -> Self {
        let links = without_circles(nodes, links);
        let columns = columns(nodes, rooms, &links);
        let mut part = Part {
            rooms,
            links,
            items: Vec::new(),
            columns: Vec::new(),
            lanes: BTreeMap::new(),
        };
        let mut item_of = BTreeMap::new();
        for &node in nodes {
            let item = part.add(Some(node), columns[&node], part.rooms[node].height);
            item_of.insert(node, item);
        }
        for ((from, to), arrows) in part.links.clone() {
            let mut right = item_of[&from];
            let mut lanes = Vec::new();
            #[expect(clippy::cast_precision_loss, reason = "a few arrows")]
            let height = PASS * arrows as f64;
            for column in (columns[&to] + 1..columns[&from]).rev() {
                let lane = part.add(None, column, height);
                part.connect(right, lane);
                lanes.push(lane);
                right = lane;
            }
            part.connect(right, item_of[&to]);
            part.lanes.insert((from, to), lanes);
        }
        part
    }

    fn add(&mut self, node: Option<usize>, column: usize, height: f64) -> usize {
        let n = self.items.len();
        self.items.push(Item {
            node,
            column,
            height,
            y: 0.0,
            left: Vec::new(),
            right: Vec::new(),
        });
        if self.columns.len() <= column {
            self.columns.resize(column + 1, Vec::new());
        }
        self.columns[column].push(n);
        n
    }

    fn connect(&mut self, right: usize, left: usize) {
        self.items[right].left.push(left);
        self.items[left].right.push(right);
    }

    /// Writes the part into the layout, at the origin; gives its size.
    fn place(mut self, out: &mut Layout) -> (f64, f64) {
        self.order();
        self.heights();
        let first = out.spaces.len();
        let (mut x, mut bottom) = (0.0_f64, 0.0_f64);
        for (n, column) in self.columns.iter().enumerate() {
            // Every arrow that turns before the column has a lane of its own.
            let turning = column
                .iter()
                .map(|item| self.items[*item].left.len())
                .sum::<usize>();
            let arrows: usize = self
                .links
                .iter()
                .map(|(_, arrows)| *arrows)
                .max()
                .unwrap_or(1);
            #[expect(clippy::cast_precision_loss, reason = "a few arrows")]
            let lanes = LANE * (turning * arrows.min(2)) as f64;
            if n > 0 {
                x += self.margin(n - 1, |room| room.right);
                out.spaces.push((x, x + lanes));
                x += lanes + self.margin(n, |room| room.left);
            } else {
                out.spaces.push((x, x));
            }
            let mut width = 0.0_f64;
            for item in column {
                let Item {
                    node, y, height, ..
                } = self.items[*item];
                bottom = bottom.max(y + height);
                if let Some(node) = node {
                    (out.boxes[node].x, out.boxes[node].y) = (x, y);
                    out.columns[node] = first + n;
                    width = width.max(self.rooms[node].width);
                }
            }
            x += width;
        }
        for (link, lanes) in &self.lanes {
            let passes = lanes
                .iter()
                .map(|lane| (first + self.items[*lane].column, self.items[*lane].y));
            out.passes.insert(*link, passes.collect());
        }
        (x, bottom)
    }

    /// The distance between a column and the lanes beside it: the texts on arrows at its boxes stand there.
    fn margin(&self, column: usize, text: impl Fn(&Room) -> f64) -> f64 {
        let boxes = self.columns[column]
            .iter()
            .filter_map(|item| self.items[*item].node);
        boxes
            .map(|node| text(&self.rooms[node]))
            .fold(0.0, f64::max)
            + MARGIN
    }

    /// An order of each column that crosses few arrows.
    fn order(&mut self) {
        let mut best = (self.crossings(), self.columns.clone());
        for sweep in 0..SWEEPS {
            let to_left = sweep % 2 == 0;
            let all: Vec<usize> = match to_left {
                true => (1..self.columns.len()).collect(),
                false => (0..self.columns.len().saturating_sub(1)).rev().collect(),
            };
            for n in all {
                let place = self.positions();
                let centre = |item: &usize| {
                    let one = &self.items[*item];
                    let near = if to_left { &one.left } else { &one.right };
                    match near.is_empty() {
                        true => place[*item],
                        false => mean(near.iter().map(|other| place[*other])),
                    }
                };
                let mut column: Vec<(f64, usize)> = self.columns[n]
                    .iter()
                    .map(|item| (centre(item), *item))
                    .collect();
                column.sort_by(|a, b| a.0.total_cmp(&b.0));
                self.columns[n] = column.into_iter().map(|(_, item)| item).collect();
            }
            let crossings = self.crossings();
            if crossings < best.0 {
                best = (crossings, self.columns.clone());
            }
        }
        self.columns = best.1;
    }

    /// The place of each item in its column, from 0 to 1.
    fn positions(&self) -> Vec<f64> {
        let mut out = vec![0.0; self.items.len()];
        for column in &self.columns {
            let total: f64 = column
                .iter()
                .map(|item| self.items[*item].height + GAP)
                .sum();
            let mut y = 0.0;
            for item in column {
                let height = self.items[*item].height + GAP;
                out[*item] = (y + height / 2.0) / total;
                y += height;
            }
        }
        out
    }

    fn crossings(&self) -> usize {
        let place = self.positions();
        let mut out = 0;
        for column in &self.columns {
            let lines: Vec<(f64, f64)> = column
                .iter()
                .flat_map(|item| {
                    self.items[*item]
                        .left
                        .iter()
                        .map(|left| (place[*item], place[*left]))
                })
                .collect();
            for (n, a) in lines.iter().enumerate() {
                out += lines[n + 1..]
                    .iter()
                    .filter(|b| (a.0 - b.0) * (a.1 - b.1) < 0.0)
                    .count();
            }
        }
        out
    }

    /// Heights near those of the neighbours, without overlaps.
    fn heights(&mut self) {
        for column in &self.columns {
            let mut y = 0.0;
            for item in column {
                self.items[*item].y = y;
                y += self.items[*item].height + GAP;
            }
        }
        for _ in 0..SWEEPS {
            for n in 0..self.columns.len() {
                self.align(n);
            }
            for n in (0..self.columns.len()).rev() {
                self.align(n);
            }
        }
        let top = self
            .items
            .iter()
            .map(|item| item.y)
            .fold(f64::INFINITY, f64::min);
        self.items.iter_mut().for_each(|item| item.y -= top);
    }

    fn align(&mut self, n: usize) {
        let middle = |item: &Item| {
            Rect {
                y: item.y,
                h: item.height,
                ..Rect::default()
            }
            .middle()
        };
        let column = self.columns[n].clone();
        let wanted: Vec<f64> = column
            .iter()
            .map(|item| {
                let one = &self.items[*item];
                let near = one.left.iter().chain(&one.right);
                match one.left.len() + one.right.len() {
                    0 => one.y,
                    _ => mean(near.map(|other| middle(&self.items[*other]))) - one.height / 2.0,
                }
            })
            .collect();
        // The items are pushed down from the top, and up from the bottom; the mean of both is free of overlaps as well.
        let gap = |item: usize| {
            self.items[item].height
                + if self.items[item].node.is_some() {
                    GAP
                } else {
                    4.0
                }
        };
        let mut down = wanted.clone();
        for n in 1..column.len() {
            down[n] = down[n].max(down[n - 1] + gap(column[n - 1]));
        }
        let mut up = wanted;
        for n in (0..column.len().saturating_sub(1)).rev() {
            up[n] = up[n].min(up[n + 1] - gap(column[n]));
        }
        for (n, item) in column.iter().enumerate() {
            self.items[*item].y = f64::midpoint(down[n], up[n]);
        }
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut n) = (0.0, 0.0);
    for value in values {
        sum += value;
        n += 1.0;
    }
    sum / f64::max(n, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_do_not_overlap() {
        let rooms: Vec<Room> = (0..30_u32)
            .map(|n| Room {
                width: 180.0,
                height: 60.0 + f64::from(n % 7) * 30.0,
                ..Room::default()
            })
            .collect();
        // A star, a chain, a circle, and boxes that stand by themselves.
        let mut links: BTreeMap<(usize, usize), usize> = (1..14).map(|n| ((n, 0), 2)).collect();
        links.extend((14..20).map(|n| ((n + 1, n), 1)));
        links.extend([((21, 22), 1), ((22, 23), 1), ((23, 21), 1), ((9, 17), 1)]);
        let layout = layout(&rooms, &links);
        for (n, a) in layout.boxes.iter().enumerate() {
            for (m, b) in layout.boxes.iter().enumerate().skip(n + 1) {
                let apart =
                    a.right() <= b.x || b.right() <= a.x || a.bottom() <= b.y || b.bottom() <= a.y;
                assert!(apart, "{n} {a:?} and {m} {b:?}");
            }
            assert!(
                a.right() <= layout.width + 0.5 && a.bottom() <= layout.height + 0.5,
                "{n} is in the drawing"
            );
        }
        let right = |from: usize, to: usize| layout.boxes[from].x > layout.boxes[to].x;
        assert!((1..14).all(|n| right(n, 0)));
    }
}
