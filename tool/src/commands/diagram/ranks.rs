//! Groups connected boxes, and assigns each box a column.

use std::collections::{BTreeMap, BTreeSet};

/// The distance between boxes of a column.
pub(super) const GAP: f64 = 26.0;
/// The approximate ratio of the drawing's width to its height.
pub(super) const ASPECT: f64 = 1.5;

/// The room that a box needs: its size, and the widths of the texts on arrows at its left and at its right side.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Room {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) left: f64,
    pub(super) right: f64,
}

/// The boxes that arrows connect, each part in order.
pub(super) fn parts(boxes: usize, links: &BTreeMap<(usize, usize), usize>) -> Vec<Vec<usize>> {
    let mut part: Vec<usize> = (0..boxes).collect();
    for (from, to) in links.keys() {
        let (old, new) = (part[*from], part[*to]);
        part.iter_mut()
            .filter(|one| **one == old)
            .for_each(|one| *one = new);
    }
    let mut out: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (n, part) in part.into_iter().enumerate() {
        out.entry(part).or_default().push(n);
    }
    out.into_values().collect()
}

/// Links of a part, some turned round where they run in a circle.
pub(super) fn without_circles(
    nodes: &[usize],
    links: &BTreeMap<(usize, usize), usize>,
) -> Vec<((usize, usize), usize)> {
    let mut out: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let mine = links
        .iter()
        .filter(|((from, to), _)| from != to && nodes.contains(from));
    for ((from, to), arrows) in mine {
        let reaches = {
            let (mut seen, mut todo) = (BTreeSet::new(), vec![*to]);
            while let Some(node) = todo.pop() {
                if seen.insert(node) {
                    todo.extend(out.keys().filter(|(a, _)| *a == node).map(|(_, b)| *b));
                }
            }
            seen.contains(from)
        };
        let link = if reaches { (*to, *from) } else { (*from, *to) };
        *out.entry(link).or_default() += arrows;
    }
    out.into_iter().collect()
}

/// The column of each box: to the right of everything that it refers to, and no column much higher than the drawing is wide.
pub(super) fn columns(
    nodes: &[usize],
    rooms: &[Room],
    links: &[((usize, usize), usize)],
) -> BTreeMap<usize, usize> {
    let mut rank: BTreeMap<usize, usize> = nodes.iter().map(|node| (*node, 0)).collect();
    for _ in nodes {
        for ((from, to), _) in links {
            let least = rank[to] + 1;
            let entry = rank.entry(*from).or_default();
            *entry = (*entry).max(least);
        }
    }
    // Move a node that only distant nodes refer to next to the nearest of them.
    for _ in nodes {
        for &node in nodes {
            let users = links
                .iter()
                .filter(|((_, to), _)| *to == node)
                .map(|((from, _), _)| rank[from]);
            let nearest = users.min().unwrap_or(rank[&node] + 1) - 1;
            rank.insert(node, nearest.max(rank[&node]));
        }
    }
    let area: f64 = nodes
        .iter()
        .map(|node| (rooms[*node].width + 90.0) * (rooms[*node].height + GAP))
        .sum();
    let highest = nodes
        .iter()
        .map(|node| rooms[*node].height)
        .fold(0.0, f64::max);
    let limit = ((area / ASPECT).sqrt() * 1.1).max(highest);
    let mut by_rank: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    rank.into_iter()
        .for_each(|(node, rank)| by_rank.entry(rank).or_default().push(node));
    let mut out = BTreeMap::new();
    let mut column = 0;
    for mut nodes in by_rank.into_values() {
        // Boxes with many arrows stand nearest to their targets.
        let degree = |node: &usize| {
            links
                .iter()
                .filter(|((a, b), _)| a == node || b == node)
                .count()
        };
        nodes.sort_by_key(|node| (std::cmp::Reverse(degree(node)), *node));
        let total: f64 = nodes.iter().map(|node| rooms[*node].height + GAP).sum();
        let share = total / (total / limit).ceil().max(1.0);
        let mut height = 0.0;
        for node in nodes {
            if height > 0.0 && height + rooms[node].height / 2.0 > share {
                (column, height) = (column + 1, 0.0);
            }
            out.insert(node, column);
            height += rooms[node].height + GAP;
        }
        column += 1;
    }
    out
}
