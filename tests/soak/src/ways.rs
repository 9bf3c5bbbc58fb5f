//! Which of all the stops of a write a test makes.

use std::collections::BTreeMap;

use mongo_model_dev_server::Topology;

/// At which passing of a point, and how, writes are stopped: in every way, or in turn in one of them.
#[derive(Debug)]
pub struct Ways {
    /// The next turn of each point, and of one that was not asked for; `None` where every way is taken.
    turns: Option<(BTreeMap<&'static str, usize>, usize)>,
}

impl Ways {
    /// Every way at every passing.
    #[must_use]
    pub fn all() -> Self {
        Ways { turns: None }
    }

    /// One way at one passing for each write that passes a point, the next one for the next write: all of them come at a point
    /// that enough writes pass. On a standalone server it begins with another one than in a replica set.
    #[must_use]
    pub fn in_turn(topology: Topology) -> Self {
        let first = match topology {
            Topology::Any | Topology::Standalone => 0,
            Topology::ReplicaSet(_) => 1,
        };
        Ways {
            turns: Some((BTreeMap::new(), first)),
        }
    }

    /// The stops of one write at a point that it passes this many times: after how many passings, and how.
    pub fn of<T: Copy>(
        &mut self,
        point: &'static str,
        times: usize,
        ways: &[T],
    ) -> Vec<(usize, T)> {
        let Some((turns, first)) = &mut self.turns else {
            let each = |nth| ways.iter().map(move |way| (nth, *way));
            return (0..times).flat_map(each).collect();
        };
        let turn = turns.entry(point).or_insert(*first);
        let way = ways.get(*turn % ways.len().max(1)).copied();
        let nth = *turn / ways.len().max(1) % times.max(1);
        *turn += 1;
        let way = way.filter(|_| times > 0);
        way.into_iter().map(|way| (nth, way)).collect()
    }
}

#[cfg(test)]
mod tests {
    use mongo_model_dev_server::Topology;

    use super::Ways;

    #[test]
    fn in_turn_comes_to_all_of_them() {
        let all = Ways::all().of("a", 2, &['x', 'y']);
        assert_eq!(all, [(0, 'x'), (0, 'y'), (1, 'x'), (1, 'y')]);
        let mut turns = Ways::in_turn(Topology::Standalone);
        let taken: Vec<_> = (0..4).flat_map(|_| turns.of("a", 2, &['x', 'y'])).collect();
        assert_eq!(taken, all);
        assert_eq!(turns.of("a", 2, &['x', 'y']), [(0, 'x')]);
        assert_eq!(turns.of("b", 1, &['x', 'y']), [(0, 'x')]);
        assert_eq!(turns.of("b", 0, &['x', 'y']), []);
        assert_eq!(turns.of::<char>("c", 1, &[]), []);
        let mut in_set = Ways::in_turn(Topology::ReplicaSet(1));
        assert_eq!(in_set.of("a", 2, &['x', 'y']), [(0, 'y')]);
    }
}
