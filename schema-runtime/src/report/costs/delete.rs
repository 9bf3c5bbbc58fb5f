//! The commands of a delete.

use super::steps::Steps;
use super::{LAST_ENTRY, WriteCosts, Writes};
use crate::graph::edges::Edges;
use crate::graph::links::Link;
use crate::graph::relations::Relation;
use crate::propagation::delete::indexes::probes;
use crate::propagation::delete::plan::{Plan, Way};
use crate::schema::outbox::Outbox;
use crate::schema::relation::OnDelete;

impl Writes {
    pub(super) fn delete(&self) -> Option<WriteCosts> {
        let plan = Plan::plan_delete(self.collection);
        let mut steps = Steps::default();
        match plan.way {
            Way::Plain => steps.at_once(1),
            Way::Checked => {
                steps.in_turn(read_first(&plan) + refusing(&plan));
                steps.at_once(1);
                steps.in_turn(refusing(&plan));
            }
            Way::Entombed if plan.is_deep() || self.is_refilled(&plan) => return None,
            Way::Entombed => self.entombed(&plan, &mut steps),
        }
        Some(steps.costs(self.all_indexes()))
    }

    /// True if lists and counts of parents follow in the separate steps: how many there are depends on the lists.
    fn is_refilled(&self, plan: &Plan) -> bool {
        let two_way = self.links.iter().filter(|link| link.is_two_way()).count();
        let by_one_command = plan.only_leaves() && two_way == 0;
        !by_one_command && two_way < self.links.len()
    }

    /// D1 to D3 of one document.
    fn entombed(&self, plan: &Plan, steps: &mut Steps) {
        steps.at_once(probes(plan));
        if plan.denied {
            steps.in_turn(read_first(plan) + refusing(plan));
        }
        steps.at_once(1);
        let links: Vec<&Link> = Edges::get().links_of(self.collection).collect();
        let two_way = links.iter().any(|link| link.is_two_way());
        if plan.only_leaves() && !two_way {
            let hosts = self.hosts(|_| true);
            steps.at_once(hosts.len());
            steps.at_once(1);
            let counts = |host: &&&str| {
                let mut links = links.iter();
                links.any(|link| link.counts() && link.host.collection == **host)
            };
            steps.later(hosts.keys().filter(counts).count());
            return;
        }
        if plan.denied {
            steps.in_turn(refusing(plan) + 1);
        }
        for relation in plan.relations.to(plan.root) {
            steps.in_turn(follow(plan, relation));
        }
        // The delete looks for entries that the document holds, and stores the end of its history.
        for outbox in Outbox::find_all(self.collection) {
            steps.in_turn(1);
            if outbox == Outbox::History {
                steps.in_turn(LAST_ENTRY);
                // D1 is an update that may have stored an entry: its delivery looks for that.
                steps.later(1);
            }
        }
        self.count_lost_child(&links, steps);
        self.deliver_other_sides(steps);
        steps.at_once(1);
        let again = plan.relations.to(plan.root);
        for relation in again.filter(|relation| relation.acts() && !relation.edge.marks()) {
            steps.in_turn(1 + follow(plan, relation));
        }
    }

    /// The parents lose the document in separate steps.
    fn count_lost_child(&self, links: &[&Link], steps: &mut Steps) {
        if links.is_empty() {
            return;
        }
        steps.in_turn(1);
        let named = links.iter().filter(|link| !link.counts()).count();
        steps.in_turn(named);
        // The mark of the array that loses the id: a find, a durable read of the document, two updates.
        let two_way = links.iter().filter(|link| link.is_two_way()).count();
        steps.in_turn(4 * two_way);
    }
}

/// D2 along one reference that no document holds.
fn follow(plan: &Plan, relation: &Relation) -> usize {
    let links: Vec<&Link> = Edges::get().links_of(relation.child()).collect();
    match relation.rule {
        OnDelete::Deny | OnDelete::Keep => 0,
        OnDelete::Cascade => {
            1 + usize::from(!links.is_empty()) + usize::from(plan.compares_revisions(relation))
        }
        OnDelete::Unset | OnDelete::Pull => {
            let path = relation.edge.place.path();
            let counted = |link: &&Link| link.reference == path && link.counts();
            let onward = !relation.onward().is_empty();
            1 + usize::from(onward) + usize::from(links.iter().any(counted))
        }
    }
}

/// The references that refuse a delete: a find each.
fn refusing(plan: &Plan) -> usize {
    let relations = plan.relations.to(plan.root);
    relations
        .filter(|relation| relation.denies(plan.marks))
        .count()
}

/// A find of the document, where references hold something else than its `_id`.
fn read_first(plan: &Plan) -> usize {
    usize::from(plan.fields(plan.root).len() > 1)
}
