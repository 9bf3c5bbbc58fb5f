//! Before a bulk update of one parent, drops children that cannot make its last-N list.

use bson::Bson;

use super::CHILDREN;
use super::change::Change;
use crate::bson_util::path::at;
use crate::graph::links::Recent;
use crate::graph::source::Source;

/// The largest number of children in a change from which children are dropped.
const OTHERS: usize = 20_000;

/// A value whose place in the server's order is known here without a collation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Number(i64),
    Moment(i64),
    Id([u8; 12]),
}

impl Rank {
    fn of(value: Option<&Bson>) -> Option<Rank> {
        match value? {
            Bson::Int32(n) => Some(Rank::Number(i64::from(*n))),
            Bson::Int64(n) => Some(Rank::Number(*n)),
            Bson::DateTime(time) => Some(Rank::Moment(time.timestamp_millis())),
            Bson::ObjectId(id) => Some(Rank::Id(id.bytes())),
            _ => None,
        }
    }

    /// The rank in the opposite order.
    fn reversed(self) -> Rank {
        match self {
            Rank::Number(n) => Rank::Number(!n),
            Rank::Moment(at) => Rank::Moment(!at),
            Rank::Id(bytes) => Rank::Id(bytes.map(|byte| !byte)),
        }
    }
}

/// Reduces a change to as many entries as the list may have: a child cannot make the list if it sorts after that many others of the same
/// change. `None` if there are not so many children, or if their order is not known here.
///
/// The children are stored, and the change succeeds or fails as one. Its mark says that the list may lack children: if one of the entries
/// turns out to differ from the children that were read, the dropped children are looked up again.
pub(crate) fn drop_never_listed(
    list: &Recent,
    parent: &Bson,
    told: &[(usize, bool)],
    children: &[&Source],
) -> Option<Change> {
    let max = usize::try_from(list.max).ok()?;
    let mut ranks = Vec::new();
    for (n, _) in told.iter().filter(|(_, put)| *put) {
        let child = children[*n];
        let (by, id) = (
            Rank::of(at(&child.fields, list.by.0))?,
            Rank::of(Some(&child.id)),
        );
        ranks.push(match list.least {
            true => (by.reversed(), id.map(Rank::reversed)),
            false => (by, id),
        });
    }
    if max == 0 || ranks.len() <= max || told.len() > OTHERS {
        return None;
    }
    let kind = |rank: &Rank| std::mem::discriminant(rank);
    let first = ranks.first().copied()?;
    let one_kind = |(by, id): &(Rank, Option<Rank>)| {
        kind(by) == kind(&first.0) && id.as_ref().map(kind) == first.1.as_ref().map(kind)
    };
    if !ranks.iter().all(one_kind) {
        return None;
    }
    let worst = ranks.len() - max;
    // Ids of a kind that has no rank are all equal here: all children that share the last place are included.
    let last = *ranks.clone().select_nth_unstable(worst).1;
    if ranks.iter().filter(|rank| **rank >= last).count() > CHILDREN {
        return None;
    }
    let mut ranks = ranks.into_iter();
    let mut change = Change::new(parent.clone());
    change.thinned = true;
    for (n, put) in told {
        let child = children[*n];
        let enters = *put && ranks.next().is_some_and(|rank| rank >= last);
        if enters || !put || !Change::is_new(&child.r) {
            change.add_child(list, *n, child, enters);
        } else {
            change.children.push(*n);
        }
    }
    Some(change)
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    fn list(max: u64) -> Recent {
        Recent {
            max,
            by: ("time", "time"),
            newest_first: false,
            least: false,
            extreme: None,
            shown: vec![("time", "time")],
            only: Vec::new(),
        }
    }

    fn child(id: Bson, time: Bson, r: i64) -> Source {
        let dn = if r == 2 {
            doc! { "r": 2_i32 }
        } else {
            doc! { "r": r }
        };
        Source::read(doc! { "_id": id, "time": time, "_dn": dn })
    }

    fn ids(change: &Change) -> (Vec<Bson>, Vec<Bson>) {
        let id = |one: &bson::Document| one.get("id").cloned().expect("an id");
        (
            change.puts.iter().map(id).collect(),
            change.gone.iter().map(id).collect(),
        )
    }

    fn thin(max: u64, children: &[Source], left: &[usize]) -> Option<Change> {
        let children: Vec<&Source> = children.iter().collect();
        let told: Vec<(usize, bool)> = (0..children.len())
            .map(|n| (n, !left.contains(&n)))
            .collect();
        drop_never_listed(&list(max), &Bson::Int32(1), &told, &children)
    }

    // Equal values are in the order of the ids, as in the list. A child that is not new also removes its older entry.
    #[test]
    fn the_last_ones_enter() {
        let rows = [
            (1, 5, 2),
            (4, 7, 2),
            (3, 7, 9),
            (2, 7, 2),
            (5, 1, 9),
            (6, 9, 2),
        ];
        let rows = rows.map(|(id, time, r)| child(Bson::Int32(id), Bson::Int64(time), r));
        let change = thin(2, &rows, &[]).expect("thinned");
        let (puts, gone) = ids(&change);
        assert_eq!(puts, [Bson::Int32(4), Bson::Int32(6)]);
        assert_eq!(gone, [Bson::Int32(3), Bson::Int32(5)]);
        // The change clears the flags of all children, or of none.
        assert_eq!(change.children, [0, 1, 2, 3, 4, 5]);
        // A child that has left the list is always included, and takes no place of another.
        let change = thin(2, &rows, &[5]).expect("thinned");
        let (puts, gone) = ids(&change);
        assert_eq!(puts, [Bson::Int32(4), Bson::Int32(3)]);
        assert_eq!(gone, [Bson::Int32(5), Bson::Int32(6)]);
    }

    // Strings have the order of a collation that is not known here: all children that share the last place are included.
    #[test]
    fn unknown_orders() {
        let rows = [("a", 7), ("c", 7), ("b", 1), ("d", 7)];
        let rows = rows.map(|(id, time)| child(Bson::from(id), Bson::Int64(time), 2));
        let change = thin(2, &rows, &[]).expect("thinned");
        assert_eq!(change.puts.len(), 3);
        let rows = [1, 2, 3].map(|n| child(Bson::Int32(n), Bson::from(n.to_string()), 2));
        assert!(thin(2, &rows, &[]).is_none());
        let mut rows = [1, 2, 3].map(|n| child(Bson::Int32(n), Bson::Int32(n), 2));
        assert!(thin(3, &rows, &[]).is_none());
        rows[0]
            .fields
            .insert("time", bson::DateTime::from_millis(1));
        assert!(thin(2, &rows, &[]).is_none());
    }
}
