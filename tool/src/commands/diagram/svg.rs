//! The diagram as a picture.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::graph::{Edge, EdgeKind, Field, Graph, Mark, Node};
use super::layout::{Rect, layout};
use super::ranks::Room;
use super::route::{Line, PORT, Point, route};

/// The height of a line of text, and the width of a character.
const LINE: f64 = 16.0;
const CHARACTER: f64 = 6.63;
const TITLE_CHARACTER: f64 = 7.4;
const LABEL_CHARACTER: f64 = 6.1;
const HEADER: f64 = 38.0;
const PADDING: f64 = 10.0;
const BORDER: f64 = 24.0;
const LEGEND: f64 = 40.0;
const INDENT: f64 = 12.0;

const STYLE: &str = "
  text { font: 11px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #1f2933; }
  .model { font: 600 13px system-ui, 'Segoe UI', Helvetica, 'DejaVu Sans', sans-serif; fill: #102a43; }
  .faint { fill: #7b8794; }
  .small { font-size: 10px; }
  .box { fill: #ffffff; stroke: #9fb3c8; }
  .head { fill: #e8eef5; }
  .rule { stroke: #d9e2ec; }
  .reference { stroke: #2f6fb2; fill: none; stroke-width: 1.4; }
  .copy { stroke: #9446b0; fill: none; stroke-width: 1.2; stroke-dasharray: 5 3; }
  .derived { stroke: #2b8a5b; fill: none; stroke-width: 1.2; stroke-dasharray: 1.5 3; }
  .end { font-size: 10px; fill: #2f6fb2; paint-order: stroke; stroke: #f7f9fb; stroke-width: 3px; }
  .label { font-size: 10px; fill: #52606d; paint-order: stroke; stroke: #f7f9fb; stroke-width: 3px; }
";

/// An SVG document.
pub(super) fn draw(graph: &Graph) -> String {
    let lines: Vec<Line> = graph.edges.iter().map(|edge| line(graph, edge)).collect();
    let mut links: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for edge in &graph.edges {
        *links.entry(link(edge)).or_default() += 1;
    }
    let layout = layout(&rooms(graph, &lines), &links);
    let routes = route(&layout, &lines, HEADER);
    let far = routes
        .iter()
        .flatten()
        .map(|(x, _)| *x)
        .fold(layout.width, f64::max);
    let (width, height) = (
        (far + 2.0 * BORDER).max(820.0),
        layout.height + 2.0 * BORDER + LEGEND,
    );
    let mut out = String::new();
    let _ = writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0}" height="{height:.0}" viewBox="0 0 {width:.0} {height:.0}">
<style>{STYLE}</style>
<defs>{}{}{}</defs>
<rect width="100%" height="100%" fill="{PAPER}"/>
<g transform="translate({BORDER} {BORDER})">"#,
        arrowhead("reference", "#2f6fb2"),
        arrowhead("copy", "#9446b0"),
        arrowhead("derived", "#2b8a5b"),
    );
    for (edge, points) in graph.edges.iter().zip(&routes) {
        draw_edge(&mut out, edge, points);
    }
    for (node, rect) in graph.nodes.iter().zip(&layout.boxes) {
        draw_node(&mut out, node, *rect);
    }
    for ((edge, points), line) in graph.edges.iter().zip(&routes).zip(&lines) {
        draw_ends(&mut out, edge, points, line);
    }
    out.push_str("</g>\n");
    legend(&mut out, height - LEGEND);
    out.push_str("</svg>\n");
    out
}

const PAPER: &str = "#f7f9fb";

/// The distance of a text on an arrow from the box at which the arrow begins.
const AWAY: f64 = 16.0;

/// The room of each box, with the texts on arrows that begin at it.
fn rooms(graph: &Graph, lines: &[Line]) -> Vec<Room> {
    let mut rooms: Vec<Room> = graph.nodes.iter().map(room).collect();
    let mut ports = vec![0; rooms.len()];
    for (edge, line) in graph.edges.iter().zip(lines) {
        let free = [(line.from, line.from_y), (line.to, line.to_y)];
        for (node, _) in free.iter().filter(|(_, y)| y.is_none()) {
            ports[*node] += 1;
        }
        if let Some(text) = text(edge, line) {
            let room = &mut rooms[edge.from];
            let side = match edge.kind {
                EdgeKind::Reference if edge.from != edge.to => &mut room.left,
                _ => &mut room.right,
            };
            *side = side.max(length(text) * LABEL_CHARACTER);
        }
    }
    for (room, ports) in rooms.iter_mut().zip(ports) {
        room.height = room.height.max(HEADER / 2.0 + PORT * float(ports));
    }
    rooms
}

/// The text on an arrow: none where the line of its field says the same.
fn text<'a>(edge: &'a Edge, line: &Line) -> Option<&'a str> {
    (line.from_y.is_none() && line.to_y.is_none()).then_some(edge.label.as_str())
}

fn length(text: &str) -> f64 {
    float(text.chars().count())
}

/// The box that refers and the box referred to, whatever the direction of the arrow.
fn link(edge: &Edge) -> (usize, usize) {
    match edge.kind {
        EdgeKind::Copy => (edge.to, edge.from),
        EdgeKind::Reference | EdgeKind::Derived => (edge.from, edge.to),
    }
}

/// Copies end at the field that holds them, references begin there.
fn line(graph: &Graph, edge: &Edge) -> Line {
    let (from_y, to_y) = match edge.kind {
        EdgeKind::Reference => (field_y(&graph.nodes[edge.from], &edge.path), None),
        EdgeKind::Copy | EdgeKind::Derived => (None, field_y(&graph.nodes[edge.to], &edge.path)),
    };
    Line {
        from: edge.from,
        to: edge.to,
        from_y,
        to_y,
    }
}

/// The height of a field's line in its box; that of the document around it where it is not shown.
fn field_y(node: &Node, path: &str) -> Option<f64> {
    let mut path = path;
    loop {
        if let Some(n) = node.fields.iter().position(|field| field.path == path) {
            return Some(HEADER + LINE * float(n) + LINE / 2.0 + 4.0);
        }
        path = path.rsplit_once('.')?.0;
    }
}

#[expect(clippy::cast_precision_loss, reason = "a few lines")]
fn float(n: usize) -> f64 {
    n as f64
}

fn room(node: &Node) -> Room {
    let title = length(&node.model) * TITLE_CHARACTER;
    let collection = length(&node.collection) * CHARACTER;
    let fields = node.fields.iter().map(|field| {
        (length(&field.name) + length(&field.kind) + 3.0) * CHARACTER
            + float(field.depth) * INDENT
            + 10.0
    });
    let indexes = node
        .indexes
        .iter()
        .map(|index| (length(&index.keys) + length(&index.options) + 1.0) * LABEL_CHARACTER);
    let widest = fields.chain(indexes).fold(title.max(collection), f64::max);
    let mut height = HEADER;
    if !node.fields.is_empty() {
        height += LINE * float(node.fields.len()) + 8.0;
    }
    if !node.indexes.is_empty() {
        height += 14.0 * float(node.indexes.len()) + 8.0;
    }
    Room {
        width: (widest + 2.0 * PADDING).max(120.0),
        height,
        ..Room::default()
    }
}

fn draw_node(out: &mut String, node: &Node, Rect { x, y, w, h }: Rect) {
    let _ = writeln!(out, r#"<g transform="translate({x:.1} {y:.1})">"#);
    let _ = writeln!(
        out,
        r#"<rect class="box" width="{w:.1}" height="{h:.1}" rx="5"/>"#
    );
    let head = HEADER - 2.0;
    let _ = writeln!(
        out,
        r#"<path class="head" d="M1 {head} V6 a5 5 0 0 1 5 -5 H{:.1} a5 5 0 0 1 5 5 V{head} Z"/>"#,
        w - 6.0
    );
    let _ = writeln!(
        out,
        r#"<text class="model" x="{PADDING}" y="17">{}</text>"#,
        escaped(&node.model)
    );
    let _ = writeln!(
        out,
        r#"<text class="faint small" x="{PADDING}" y="30">{}</text>"#,
        escaped(&node.collection)
    );
    let mut line = HEADER + 4.0;
    for field in &node.fields {
        draw_field(out, field, line + 11.5, w);
        line += LINE;
    }
    if !node.indexes.is_empty() {
        let rule = line + if node.fields.is_empty() { -2.0 } else { 4.0 };
        let _ = writeln!(out, r#"<path class="rule" d="M0 {rule:.1} H{w:.1}"/>"#);
        line = rule + 2.0;
    }
    for index in &node.indexes {
        line += 14.0;
        let keys = escaped(&index.keys);
        let options = escaped(&index.options);
        let _ = writeln!(
            out,
            r#"<text class="small" x="{PADDING}" y="{:.1}">{keys} <tspan class="faint">{options}</tspan></text>"#,
            line - 3.0
        );
    }
    out.push_str("</g>\n");
}

fn draw_field(out: &mut String, field: &Field, y: f64, w: f64) {
    let x = PADDING + float(field.depth) * INDENT;
    let colour = match field.mark {
        Mark::Plain => None,
        Mark::Key => Some("#d59f0f"),
        Mark::Reference => Some("#2f6fb2"),
        Mark::Copy => Some("#9446b0"),
        Mark::Derived => Some("#2b8a5b"),
    };
    if let Some(colour) = colour {
        let _ = writeln!(
            out,
            r#"<circle cx="{:.1}" cy="{:.1}" r="2.6" fill="{colour}"/>"#,
            x + 2.0,
            y - 3.7
        );
    }
    let class = if field.path.is_empty() {
        r#" class="faint""#
    } else {
        ""
    };
    let _ = writeln!(
        out,
        r#"<text{class} x="{:.1}" y="{y:.1}">{}</text>"#,
        x + 9.0,
        escaped(&field.name)
    );
    let _ = writeln!(
        out,
        r#"<text class="faint" x="{:.1}" y="{y:.1}" text-anchor="end">{}</text>"#,
        w - PADDING,
        escaped(&field.kind)
    );
}

fn class(edge: &Edge) -> &'static str {
    match edge.kind {
        EdgeKind::Reference => "reference",
        EdgeKind::Copy => "copy",
        EdgeKind::Derived => "derived",
    }
}

fn draw_edge(out: &mut String, edge: &Edge, points: &[Point]) {
    let class = class(edge);
    let title = escaped(&edge.label);
    let _ = writeln!(
        out,
        r#"<path class="{class}" marker-end="url(#{class})" d="{}"><title>{title}</title></path>"#,
        rounded(points)
    );
}

/// The cardinalities, and the name of a field whose line is not shown.
fn draw_ends(out: &mut String, edge: &Edge, points: &[Point], line: &Line) {
    let ([first, next, ..], Some(last)) = (points, points.last()) else {
        return;
    };
    let towards = if next.0 < first.0 { -1.0 } else { 1.0 };
    let anchor = |direction: f64| if direction < 0.0 { "end" } else { "start" };
    let before = points[points.len() - 2];
    let back = if before.0 < last.0 { -1.0 } else { 1.0 };
    for (text, (x, y), direction, away) in [
        (edge.cardinality.0, *first, towards, 4.0),
        (edge.cardinality.1, *last, back, 10.0),
    ] {
        if !text.is_empty() {
            let _ = writeln!(
                out,
                r#"<text class="end" x="{:.1}" y="{:.1}" text-anchor="{}">{text}</text>"#,
                x + direction * away,
                y - 3.0,
                anchor(direction)
            );
        }
    }
    if let Some(text) = text(edge, line) {
        let _ = writeln!(
            out,
            r#"<text class="label" x="{:.1}" y="{:.1}" text-anchor="{}">{}</text>"#,
            first.0 + towards * AWAY,
            first.1 - 3.0,
            anchor(towards),
            escaped(text)
        );
    }
}

/// A path with round corners.
fn rounded(points: &[Point]) -> String {
    const RADIUS: f64 = 6.0;
    let mut out = String::new();
    for (n, &(x, y)) in points.iter().enumerate() {
        let around = n
            .checked_sub(1)
            .and_then(|before| Some((points.get(before)?, points.get(n + 1)?)));
        let Some((before, after)) = around else {
            let _ = write!(out, "{}{x:.1} {y:.1}", if n == 0 { "M" } else { " L" });
            continue;
        };
        let near = |(px, py): Point| {
            let (dx, dy) = (px - x, py - y);
            let length = dx.hypot(dy);
            let part = if length == 0.0 {
                0.0
            } else {
                RADIUS.min(length / 2.0) / length
            };
            (x + dx * part, y + dy * part)
        };
        let (a, b) = (near(*before), near(*after));
        let _ = write!(
            out,
            " L{:.1} {:.1} Q{x:.1} {y:.1} {:.1} {:.1}",
            a.0, a.1, b.0, b.1
        );
    }
    out
}

fn arrowhead(id: &str, colour: &str) -> String {
    format!(
        r#"<marker id="{id}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0.5 L8 4 L0 7.5 Z" fill="{colour}"/></marker>"#
    )
}

fn legend(out: &mut String, y: f64) {
    let y = y + 10.0;
    let mut x = BORDER;
    for (class, text) in [
        ("reference", "refers to"),
        ("copy", "is copied to"),
        ("derived", "is listed or counted in"),
    ] {
        let _ = writeln!(
            out,
            r#"<path class="{class}" marker-end="url(#{class})" d="M{x:.1} {y:.1} h34"/>"#
        );
        let _ = writeln!(
            out,
            r#"<text class="faint" x="{:.1}" y="{:.1}">{text}</text>"#,
            x + 42.0,
            y + 4.0
        );
        x += 62.0 + float(text.len()) * CHARACTER;
    }
    for (colour, text) in [
        ("#d59f0f", "_id"),
        ("#2f6fb2", "reference"),
        ("#9446b0", "copy"),
        ("#2b8a5b", "list or number"),
    ] {
        let _ = writeln!(
            out,
            r#"<circle cx="{x:.1}" cy="{y:.1}" r="2.6" fill="{colour}"/>"#
        );
        let _ = writeln!(
            out,
            r#"<text class="faint" x="{:.1}" y="{:.1}">{text}</text>"#,
            x + 8.0,
            y + 4.0
        );
        x += 26.0 + float(text.len()) * CHARACTER;
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod overlaps;
