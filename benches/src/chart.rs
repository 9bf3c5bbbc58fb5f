//! The bars of `results.svg`: our time divided by the other's.

use std::fmt::Write as _;

use crate::report::{Row, Section};

const LEFT: f64 = 470.0;
/// The width of a bar of 1: our time equals the competitor's.
const ONE: f64 = 200.0;
const LINE: f64 = 22.0;
const TOP: f64 = 44.0;
/// Longer bars are cut.
const MOST: f64 = 2.2;

/// Legible on a light page and on a dark one.
const STYLE: &str = "text{font:12px system-ui,sans-serif;fill:#24292f}.quiet{fill:#57606a}.met{fill:#2da44e}.missed{fill:#cf222e}\
    .one{stroke:#57606a}.budget{stroke:#24292f;stroke-width:2}\
    @media(prefers-color-scheme:dark){text{fill:#e6edf3}.quiet{fill:#9198a1}.met{fill:#3fb950}.missed{fill:#f85149}\
    .one{stroke:#9198a1}.budget{stroke:#e6edf3}}";

/// A bar for each row that has a competitor.
pub(crate) fn chart(sections: &[Section]) -> String {
    let rows: Vec<(&Row, f64, f64)> = sections
        .iter()
        .flat_map(|section| &section.rows)
        .filter_map(|row| row.bar.map(|(ratio, most)| (row, ratio, most)))
        .collect();
    let width = LEFT + MOST * ONE + 70.0;
    let height = TOP + rows.len() as f64 * LINE + 10.0;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\"><title>time of mongo-model relative to what it was measured against</title><style>{STYLE}</style>\n\
         <text class=\"quiet\" x=\"{LEFT}\" y=\"16\">our time divided by the other's: shorter is better; the tick is the budget</text>\n"
    );
    let one = LEFT + ONE;
    let _ = writeln!(
        out,
        "<line class=\"one\" x1=\"{one}\" x2=\"{one}\" y1=\"{}\" y2=\"{}\" stroke-dasharray=\"2 3\"/><text class=\"quiet\" \
         x=\"{one}\" y=\"36\" text-anchor=\"middle\">1</text>",
        TOP - 4.0,
        height - 10.0
    );
    for (n, (row, ratio, most)) in rows.into_iter().enumerate() {
        let top = TOP + n as f64 * LINE;
        let (base, middle) = (top + 14.0, top + 4.0);
        let wide = ratio.clamp(0.0, MOST) * ONE;
        let class = if row.met { "met" } else { "missed" };
        let tick = LEFT + most.min(MOST) * ONE;
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{base}\" text-anchor=\"end\">{}<tspan class=\"quiet\"> / {}</tspan></text>\
             <rect class=\"{class}\" x=\"{LEFT}\" y=\"{middle}\" width=\"{wide:.1}\" height=\"13\" rx=\"2\"/>\
             <line class=\"budget\" x1=\"{tick:.1}\" x2=\"{tick:.1}\" y1=\"{}\" y2=\"{}\"/>\
             <text x=\"{:.1}\" y=\"{base}\">{ratio:.2}</text>",
            LEFT - 8.0,
            escaped(&row.work),
            escaped(&row.against),
            top + 2.0,
            top + 19.0,
            LEFT + wide.max(tick - LEFT) + 6.0,
        );
    }
    out.push_str("</svg>\n");
    out
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
