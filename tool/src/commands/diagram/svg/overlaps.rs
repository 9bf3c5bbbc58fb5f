//! The texts of a drawing stand on nothing else.

use super::*;

/// A rectangle: left, top, right, bottom.
type Area = (f64, f64, f64, f64);

fn value(tag: &str, name: &str) -> f64 {
    let text = tag.split_once(&format!(" {name}=\"")).expect(tag).1;
    text.split('"').next().unwrap().parse().expect(tag)
}

/// The areas of the texts on arrows, and the texts.
fn texts(svg: &str) -> Vec<(Area, String)> {
    let drawn = svg.lines().filter(|line| {
        line.starts_with(r#"<text class="end""#) || line.starts_with(r#"<text class="label""#)
    });
    drawn
        .map(|line| {
            let text = line.split(['<', '>']).nth(2).unwrap().to_owned();
            let (x, y, width) = (
                value(line, "x"),
                value(line, "y"),
                length(&text) * LABEL_CHARACTER,
            );
            let left = if line.contains(r#"anchor="end""#) {
                x - width
            } else {
                x
            };
            ((left, y - 7.0, left + width, y), text)
        })
        .collect()
}

fn overlap(a: Area, b: Area) -> bool {
    a.0 < b.2 && b.0 < a.2 && a.1 < b.3 && b.1 < a.3
}

/// Orders refer to a product in several ways, a shop to the product, too, and nothing shows its fields: as `--compact` draws.
#[test]
fn no_text_stands_on_a_box_or_on_an_arrow() {
    let node = |model: &str| Node {
        model: model.to_owned(),
        collection: model.to_lowercase(),
        fields: Vec::new(),
        indexes: Vec::new(),
    };
    let edge = |from, to, label: &str, kind| Edge {
        from,
        to,
        path: label.to_owned(),
        label: label.to_owned(),
        kind,
        cardinality: match kind {
            EdgeKind::Reference => ("n", "0..1"),
            EdgeKind::Copy | EdgeKind::Derived => ("", ""),
        },
    };
    let graph = Graph {
        nodes: ["Product", "Order", "Shop"].map(node).into(),
        edges: vec![
            edge(1, 0, "query.student_id", EdgeKind::Reference),
            edge(1, 0, "replacement_of_the_product_id", EdgeKind::Reference),
            edge(1, 0, "third_id", EdgeKind::Reference),
            edge(2, 0, "best_product_id", EdgeKind::Reference),
            edge(2, 1, "last_order_id", EdgeKind::Reference),
            edge(0, 1, "name, price (frozen), weight", EdgeKind::Copy),
            edge(1, 0, "orders", EdgeKind::Derived),
        ],
    };
    let lines: Vec<Line> = graph.edges.iter().map(|edge| line(&graph, edge)).collect();
    let mut links = BTreeMap::new();
    for edge in &graph.edges {
        *links.entry(link(edge)).or_default() += 1;
    }
    let layout = layout(&rooms(&graph, &lines), &links);
    let routes = route(&layout, &lines, HEADER);
    let mut taken: Vec<(Area, String)> = layout
        .boxes
        .iter()
        .map(|rect| {
            (
                (rect.x, rect.y, rect.right(), rect.y + rect.h),
                "a box".to_owned(),
            )
        })
        .collect();
    for pair in routes.iter().flat_map(|points| points.windows(2)) {
        let [(ax, ay), (bx, by)] = pair else { continue };
        let area = (
            ax.min(*bx) - 0.5,
            ay.min(*by) - 0.5,
            ax.max(*bx) + 0.5,
            ay.max(*by) + 0.5,
        );
        taken.push((area, "an arrow".to_owned()));
    }
    let texts = texts(&draw(&graph));
    assert_eq!(texts.len(), 5 * 2 + 7);
    for (n, (area, text)) in texts.iter().enumerate() {
        for (other, what) in taken.iter().chain(&texts[..n]) {
            assert!(
                !overlap(*area, *other),
                "{text} at {area:?} stands on {what} at {other:?}"
            );
        }
    }
}
