//! The ways of the arrows: from the line of a field, through a lane of its own before each column, to the side of another box.

use std::collections::BTreeMap;

use super::layout::{LANE, Layout, PASS, Rect};

/// The distance between two arrows that end at one side of a box.
pub(super) const PORT: f64 = 12.0;

/// An arrow, as far as its way is concerned.
#[derive(Debug, Clone)]
pub(super) struct Line {
    /// The box that it begins at.
    pub(super) from: usize,
    /// The box that it ends at.
    pub(super) to: usize,
    /// The height of a field's line in the first box, if it begins there.
    pub(super) from_y: Option<f64>,
    /// The height of a field's line in the last box, if it ends there.
    pub(super) to_y: Option<f64>,
}

/// A point.
pub(super) type Point = (f64, f64);

/// A side of a box: the number of the box, and true for the right side.
type Side = (usize, bool);

/// A turn before a column: the number of its line, and the heights between which the line runs.
struct Turn {
    line: usize,
    right: f64,
    left: f64,
}

/// The corners of each line, from its beginning to its end.
pub(super) fn route(layout: &Layout, lines: &[Line], header: f64) -> Vec<Vec<Point>> {
    let ends = ends(layout, lines, header);
    let passes = passes(layout, lines);
    let mut turns: BTreeMap<usize, Vec<Turn>> = BTreeMap::new();
    for (n, line) in lines.iter().enumerate() {
        let Some((right, left)) = sides(layout, line) else {
            continue;
        };
        let mut y = ends[n].of(right, line);
        let mut column = layout.columns[right];
        for (passed, height) in &passes[n] {
            turns.entry(column).or_default().push(Turn {
                line: n,
                right: y,
                left: *height,
            });
            (y, column) = (*height, *passed);
        }
        turns.entry(column).or_default().push(Turn {
            line: n,
            right: y,
            left: ends[n].of(left, line),
        });
    }
    let mut corners: Vec<Vec<Point>> = vec![Vec::new(); lines.len()];
    // From the right to the left, as the lines were taken apart.
    for (column, mut turns) in turns.into_iter().rev() {
        let (begin, end) = layout.spaces[column];
        let width = end - begin;
        #[expect(clippy::cast_precision_loss, reason = "a few arrows")]
        let step = LANE.min(width.max(1.0) / turns.len() as f64);
        order_turns(&mut turns);
        let mut x = end;
        for turn in turns {
            corners[turn.line].extend([(x, turn.right), (x, turn.left)]);
            x -= step;
        }
    }
    let finish = |(n, mut corners): (usize, Vec<Point>)| {
        let line = &lines[n];
        let (from, to) = (layout.boxes[line.from], layout.boxes[line.to]);
        let Some((right, _)) = sides(layout, line) else {
            return beside(from, to, &ends[n]);
        };
        let at_left = |rect: Rect, y| (rect.x, y);
        let at_right = |rect: Rect, y| (rect.right(), y);
        let begins_right = right == line.from;
        if !begins_right {
            corners.reverse();
        }
        let (first, last) = match begins_right {
            true => (at_left(from, ends[n].from), at_right(to, ends[n].to)),
            false => (at_right(from, ends[n].from), at_left(to, ends[n].to)),
        };
        let mut all = vec![first];
        all.append(&mut corners);
        all.push(last);
        all
    };
    corners.into_iter().enumerate().map(finish).collect()
}

/// Sorts turns from the right to the left.
fn order_turns(turns: &mut Vec<Turn>) {
    // Lines that run up: the upper one turns further to the right. Those that run down: the lower one.
    turns.sort_by(|a, b| {
        let key = |turn: &Turn| {
            if turn.left < turn.right {
                turn.right
            } else {
                -turn.right
            }
        };
        key(a).total_cmp(&key(b))
    });
    // A line that comes in where another goes out turns before that, or both would run on top of each other. In a cycle of such
    // lines, some do overlap.
    let covers = |incoming: &Turn, outgoing: &Turn| (incoming.right - outgoing.left).abs() < 5.0;
    for _ in 0..turns.len() {
        let pairs = (0..turns.len())
            .flat_map(|early| (early + 1..turns.len()).map(move |late| (early, late)));
        let wrong = pairs
            .filter(|(early, late)| covers(&turns[*late], &turns[*early]))
            .find(|(early, late)| !covers(&turns[*early], &turns[*late]));
        let Some((early, late)) = wrong else { return };
        let turn = turns.remove(late);
        turns.insert(early, turn);
    }
}

/// The heights at which a line begins and ends.
struct Ends {
    from: f64,
    to: f64,
}

impl Ends {
    fn of(&self, node: usize, line: &Line) -> f64 {
        if node == line.from {
            self.from
        } else {
            self.to
        }
    }
}

/// The box at the right and the box at the left end of a line; none where both stand in one column.
fn sides(layout: &Layout, line: &Line) -> Option<(usize, usize)> {
    let (from, to) = (layout.columns[line.from], layout.columns[line.to]);
    match from.cmp(&to) {
        std::cmp::Ordering::Greater => Some((line.from, line.to)),
        std::cmp::Ordering::Less => Some((line.to, line.from)),
        std::cmp::Ordering::Equal => None,
    }
}

/// Ends at fields are at their lines; the others share the side of their box, in the order of where the lines come from.
fn ends(layout: &Layout, lines: &[Line], header: f64) -> Vec<Ends> {
    let mut out: Vec<Ends> = lines
        .iter()
        .map(|line| Ends {
            from: layout.boxes[line.from].y + line.from_y.unwrap_or(header / 2.0),
            to: layout.boxes[line.to].y + line.to_y.unwrap_or(header / 2.0),
        })
        .collect();
    let mut free: BTreeMap<Side, Vec<(usize, bool)>> = BTreeMap::new();
    for (n, line) in lines.iter().enumerate() {
        let ends = match sides(layout, line) {
            Some((right, left)) => [
                (right, false, right == line.from),
                (left, true, left == line.from),
            ],
            // The line runs round the right side of a column.
            None => [(line.from, true, true), (line.to, true, false)],
        };
        for (node, is_right_side, is_from) in ends {
            if (if is_from { line.from_y } else { line.to_y }).is_none() {
                free.entry((node, is_right_side))
                    .or_default()
                    .push((n, is_from));
            }
        }
    }
    for ((node, _), mut ports) in free {
        let rect = layout.boxes[node];
        let other = |(n, is_from): &(usize, bool)| if *is_from { out[*n].to } else { out[*n].from };
        ports.sort_by(|a, b| other(a).total_cmp(&other(b)));
        #[expect(clippy::cast_precision_loss, reason = "a few arrows")]
        let count = ports.len() as f64;
        let step = PORT.min((rect.h - 12.0) / count);
        let mut y = rect.y + (header / 2.0).min(rect.h / 2.0);
        // A single arrow ends at the middle of the title; more begin a little higher, and go down along the side.
        if count > 1.0 {
            y = rect.y + 8.0;
        }
        for (n, is_from) in ports {
            if is_from {
                out[n].from = y;
            } else {
                out[n].to = y;
            }
            y += step;
        }
    }
    out
}

/// The heights at which each line passes columns; lines between the same boxes pass beside each other.
fn passes(layout: &Layout, lines: &[Line]) -> Vec<Vec<(usize, f64)>> {
    let mut used: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    let each = lines.iter().map(|line| {
        let Some(key) = sides(layout, line) else {
            return Vec::new();
        };
        let offset = used.entry(key).or_insert(0.0);
        let passes = layout
            .passes
            .get(&key)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let mine = passes
            .iter()
            .map(|(column, y)| (*column, y + *offset + PASS / 2.0))
            .collect();
        *offset += PASS;
        mine
    });
    each.collect()
}

/// A line from a box to itself, or to one of its own column: round the right side.
fn beside(from: Rect, to: Rect, ends: &Ends) -> Vec<Point> {
    let out = from.right().max(to.right()) + 16.0;
    vec![
        (from.right(), ends.from),
        (out, ends.from),
        (out, ends.to),
        (to.right(), ends.to),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_comes_in_where_another_goes_out_turns_before_it() {
        let turn = |line, right, left| Turn { line, right, left };
        let mut turns = vec![
            turn(0, 179.0, 20.0),
            turn(1, 163.0, 180.0),
            turn(2, 300.0, 90.0),
        ];
        order_turns(&mut turns);
        let place = |line| turns.iter().position(|turn| turn.line == line);
        assert!(place(0) < place(1), "line 0 comes in where line 1 goes out");
    }
}
