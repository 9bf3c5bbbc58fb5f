//! The order of migrations: each comes after those that it names, and by its name among those that may come next.

use std::collections::BTreeMap;

use super::needs::NeededIndex;
use super::step::Step;
use crate::error::order::OrderError;

/// Sorts the migrations.
pub(super) fn sorted(steps: Vec<&Step>) -> Result<Vec<&Step>, OrderError> {
    let mut left: BTreeMap<&str, &Step> = BTreeMap::new();
    for step in steps {
        if left.insert(step.name, step).is_some() {
            let name = step.name.to_owned();
            return Err(OrderError::Twice { name });
        }
    }
    for step in left.values() {
        if let Some(after) = step.after.iter().find(|after| !left.contains_key(**after)) {
            let (name, after) = (step.name.to_owned(), (*after).to_owned());
            return Err(OrderError::Unknown { name, after });
        }
    }
    for step in left.values() {
        let is_unknown = |index: &&NeededIndex| index.definitions().is_empty();
        if let Some(index) = step.needs.iter().find(is_unknown) {
            return Err(OrderError::NoIndex {
                name: step.name.to_owned(),
                model: (index.model)().name,
                fields: (index.fields)(),
            });
        }
    }
    let mut sorted = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let is_next = |step: &&&Step| !step.after.iter().any(|after| left.contains_key(after));
        let Some(next) = left.values().find(is_next).map(|step| step.name) else {
            return Err(ring(&left));
        };
        sorted.extend(left.remove(next));
    }
    Ok(sorted)
}

/// A ring of these migrations, each of which comes after another one of them.
fn ring(left: &BTreeMap<&str, &Step>) -> OrderError {
    let mut walked: Vec<&str> = Vec::new();
    let mut step = left.values().next().copied();
    while let Some(this) = step {
        if let Some(start) = walked.iter().position(|name| *name == this.name) {
            walked.drain(..start);
            walked.push(this.name);
            break;
        }
        walked.push(this.name);
        let after = this.after.iter().find(|after| left.contains_key(**after));
        step = after.and_then(|after| left.get(after)).copied();
    }
    let steps = walked.into_iter().map(str::to_owned).collect();
    OrderError::Ring { steps }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::lookup::no_model;

    fn step(name: &'static str, after: &'static [&'static str]) -> Step {
        Step {
            name,
            after,
            needs: &[],
            package: (None, None),
            run: |_| Box::pin(async { Ok(()) }),
            undo: None,
        }
    }

    fn order(steps: &[Step]) -> Result<Vec<&'static str>, String> {
        let sorted = sorted(steps.iter().collect());
        let sorted = sorted.map_err(|error| error.to_string())?;
        Ok(sorted.iter().map(|step| step.name).collect())
    }

    #[test]
    fn each_comes_after_those_that_it_names() {
        let all = [
            step("a", &["z", "m"]),
            step("m", &["z"]),
            step("b", &[]),
            step("z", &[]),
        ];
        assert_eq!(order(&all), Ok(vec!["b", "z", "m", "a"]));
        assert_eq!(order(&[]), Ok(vec![]));
    }

    #[test]
    fn a_ring_a_double_and_an_unknown_name_are_errors() {
        let says = |all: &[Step]| order(all).expect_err("no order");
        let ring = [step("a", &["b"]), step("b", &["c"]), step("c", &["b"])];
        assert_eq!(
            says(&ring),
            "migrations come after each other in a ring: b after c after b"
        );
        assert_eq!(
            says(&[step("a", &[]), step("a", &[])]),
            "two migrations have the name `a`"
        );
        assert_eq!(
            says(&[step("a", &["b"])]),
            "the migration `a` comes after `b`, which is no migration of this program"
        );
        let mut needs = step("a", &[]);
        needs.needs = &[NeededIndex {
            model: no_model,
            fields: || vec!["email".to_owned()],
        }];
        assert_eq!(
            says(&[needs]),
            "the migration `a` needs an index of `` on `email`, which the model does not declare"
        );
    }
}
