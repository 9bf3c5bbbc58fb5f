//! The enabled steps, the effect of each step, and the properties that must hold.

use stateright::{Model, Property};

use super::{Action, At, Check, Checked, Child, KEPT, Marked, Phase, Role, Rule, State, Target};
use crate::run::{DONE, FLAGGED, Protocol, SETTLED};

impl Checked {
    fn rest(&self, program: usize) -> At {
        match self.0.roles[program] {
            Role::Resume | Role::Compare => At::Start,
            _ => At::Over,
        }
    }

    fn resting(&self, program: usize, at: At) -> bool {
        let waits = matches!((self.0.roles[program], at), (Role::Store(_), At::Start));
        at == At::Over || at == self.rest(program) || waits
    }

    /// True if a reference may refuse a delete.
    fn denied(&self) -> bool {
        self.0.children.iter().any(|(rule, _)| *rule == Rule::Deny)
    }

    /// The step that follows D1.
    fn entombed(&self, target: usize, token: usize) -> At {
        match self.0.check {
            Check::Between if self.denied() => At::Check(0),
            _ => At::Follow(target, token, 0),
        }
    }

    /// The step that follows D2.
    fn followed(&self, i: usize, target: usize, token: usize) -> At {
        let own = matches!(self.0.roles[i], Role::Delete(_));
        match self.0.check {
            Check::After if own && self.denied() => At::Check(0),
            _ if self.0.tombstone => At::Bury(target, token),
            _ => self.rest(i),
        }
    }

    /// The step that follows a check that nothing refused.
    fn checked(&self) -> At {
        match self.0.check {
            Check::Before => At::Start,
            Check::Between | Check::After => At::Commit,
        }
    }

    /// Which of the children are left of a pass over all.
    fn open(&self, passed: u8) -> impl Iterator<Item = usize> {
        (0..self.0.children.len()).filter(move |child| passed & 1 << child == 0)
    }

    /// A pass over all children; `more` is where the program is before the last, `at` after it.
    fn pass(&self, passed: u8, child: usize, more: impl Fn(u8) -> At, at: At) -> At {
        let passed = passed | 1 << child;
        let all = self.open(passed).next().is_none();
        if all { at } else { more(passed) }
    }

    fn marked(&self, i: usize) -> u8 {
        if self.0.mark { 1 << i } else { 0 }
    }

    fn starts(&self, state: &State, i: usize, actions: &mut Vec<Action>) {
        match self.0.roles[i] {
            Role::Insert(..) | Role::Repoint(..) if !self.0.look_after => {
                actions.push(Action::Look(i));
            }
            Role::Insert(..) => actions.push(Action::I1(i)),
            Role::Repoint(..) => actions.push(Action::R1(i)),
            // A delete waits for another one of the same target.
            Role::Delete(target) => {
                if state.targets[target].is_none_or(|target| target.del.is_none()) {
                    actions.push(Action::D1(i));
                }
            }
            Role::Store(target) => {
                if state.targets[target].is_none() {
                    actions.push(Action::Store(i));
                }
            }
            role @ (Role::Resume | Role::Compare) => {
                for (at, target) in state.targets.iter().enumerate() {
                    let entombed = target.is_some_and(|target| target.del.is_some());
                    if entombed && role == Role::Resume {
                        actions.push(Action::TakeTomb(i, at));
                    }
                }
                for (at, child) in state.children.iter().enumerate() {
                    if child.is_some_and(|child| child.marks != 0) {
                        actions.push(Action::TakeMark(i, at));
                    }
                }
            }
        }
    }

    /// The step of a writer that has stored its reference.
    fn stored(&self, i: usize, child: usize, target: usize) -> At {
        let tokens = 1 << i;
        let target = Some(target);
        let marked = Marked {
            child,
            target,
            tokens,
        };
        if self.0.look_after {
            At::Read(marked)
        } else {
            At::Unmark(marked, false)
        }
    }

    /// True if a child still is as the program that compares it read it.
    fn is_as_read(&self, state: &State, read: Marked) -> bool {
        state.children[read.child].is_some_and(|child| {
            let same = child.target == read.target;
            same && (child.marks & read.tokens != 0 || !self.0.mark || !self.0.rule_by_mark)
        })
    }

    /// I3 at a target that is gone. `None` for the program that gives a deletion up: the reference stays, with its mark.
    fn apply(&self, state: &mut State, i: usize, read: Marked) -> At {
        if let Role::Insert(..) = self.0.roles[i] {
            let its = state.children[read.child].is_some_and(|child| {
                let marked = child.marks & read.tokens != 0 || !self.0.mark;
                marked && (child.target == read.target || !self.0.withdraw_by_reference)
            });
            if its {
                state.children[read.child] = None;
            }
            return At::Over;
        }
        let (rule, _) = self.0.children[read.child];
        if rule == Rule::Deny {
            return self.rest(i);
        }
        if self.is_as_read(state, read) {
            rule.apply(&mut state.children[read.child]);
        }
        At::Unmark(read, true)
    }

    /// The last statement of I3.
    fn clear(&self, state: &mut State, read: Marked, followed: bool) {
        let Some(child) = &mut state.children[read.child] else {
            return;
        };
        // A reference that was stored again after it followed its rule is compared again.
        if child.marks & read.tokens == 0 && self.0.mark || followed && child.target == read.target
        {
            return;
        }
        child.marks &= if self.0.clear_exactly {
            !read.tokens
        } else {
            0
        };
        if child.target == read.target {
            state.kept[read.child] = child.target;
        }
    }
}

impl Rule {
    fn apply(self, child: &mut Option<Child>) {
        match self {
            Rule::Deny => {}
            Rule::Unset => {
                if let Some(child) = child {
                    child.target = None;
                }
            }
            Rule::Cascade => *child = None,
        }
    }
}

impl State {
    /// The tombstone with this token in this phase.
    fn tomb(&mut self, target: usize, token: usize, phases: &[Phase]) -> Option<&mut Target> {
        let target = self.targets[target].as_mut()?;
        let (of, phase) = target.del?;
        (of == token && phases.contains(&phase)).then_some(target)
    }

    fn refers(&self, child: usize, to: usize) -> bool {
        self.children[child].is_some_and(|child| child.target == Some(to))
    }

    /// Children whose target is missing.
    fn dangling(&self) -> impl Iterator<Item = (usize, Child)> {
        let children = self.children.iter().enumerate();
        let children = children.filter_map(|(at, child)| Some((at, (*child)?)));
        children.filter(|(_, child)| child.target.is_some_and(|to| self.targets[to].is_none()))
    }

    /// Nothing is confirmed of a target that certainly goes.
    fn forget(&mut self) {
        let goes = |target: Option<Target>| {
            target.is_none_or(|target| matches!(target.del, Some((_, Phase::Commit))))
        };
        let targets = &self.targets;
        for kept in &mut self.kept {
            *kept = kept.filter(|to| !goes(targets[*to]));
        }
    }
}

impl Protocol for Checked {
    /// A reference whose target is missing and whose rule refuses stays marked: every look counts it.
    fn settled(&self, state: &State) -> bool {
        let idle = state
            .programs
            .iter()
            .enumerate()
            .all(|(i, at)| self.resting(i, *at));
        let live = state
            .targets
            .iter()
            .flatten()
            .all(|target| target.del.is_none());
        let unmarked = (0..state.children.len()).all(|at| {
            let stays = |(of, _): (usize, Child)| of == at && self.0.children[at].0 == Rule::Deny;
            state.children[at].is_none_or(|child| child.marks == 0) || state.dangling().any(stays)
        });
        idle && live && unmarked
    }
}

impl Model for Checked {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let children = self.0.children.iter();
        let begin = |role: &Role| match role {
            Role::Delete(_) if self.0.check == Check::Before => At::Check(0),
            _ => At::Start,
        };
        vec![State {
            targets: vec![Some(Target { del: None }); self.0.targets],
            children: children
                .clone()
                .map(|(_, target)| {
                    target.map(|to| Child {
                        target: Some(to),
                        marks: 0,
                    })
                })
                .collect(),
            kept: children.map(|(_, target)| *target).collect(),
            refused: false,
            programs: self.0.roles.iter().map(begin).collect(),
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for (i, at) in state.programs.iter().enumerate() {
            let waits = |marked: Marked| {
                let target = marked.target.and_then(|to| state.targets[to]);
                let entombed = target.is_some_and(|target| target.del.is_some());
                entombed && self.0.i2_tests_del && self.0.wait_at_tombstone
            };
            match *at {
                At::Start => self.starts(state, i, actions),
                At::Write if matches!(self.0.roles[i], Role::Insert(..)) => {
                    actions.push(Action::I1(i));
                }
                At::Write => actions.push(Action::R1(i)),
                At::Read(marked) if waits(marked) => actions.push(Action::GiveUp(i)),
                At::Read(_) => actions.push(Action::I2(i)),
                At::Apply(_) => actions.push(Action::I3Apply(i)),
                At::Unmark(..) => actions.push(Action::I3Clear(i)),
                At::Check(passed) => {
                    actions.extend(self.open(passed).map(|child| Action::Check(i, child)));
                }
                At::Commit => actions.push(Action::Commit(i)),
                At::Undo(..) => actions.push(Action::Undo(i)),
                At::Exhume(..) => actions.push(Action::Exhume(i)),
                At::Follow(_, _, passed) => {
                    actions.extend(self.open(passed).map(|child| Action::D2(i, child)));
                }
                At::Bury(..) => actions.push(Action::D3(i)),
                At::Over => {}
            }
            if self.0.crashes && !self.resting(i, *at) {
                actions.push(Action::Crash(i));
            }
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        let (i, next) = match action {
            Action::Look(i) | Action::I1(i) | Action::R1(i) => {
                (i, self.store(&mut state, i, action)?)
            }
            Action::I2(i) | Action::GiveUp(i) | Action::I3Apply(i) | Action::I3Clear(i) => {
                (i, self.compare(&mut state, i, action)?)
            }
            Action::TakeMark(i, child) => {
                let Child { target, marks } = state.children[child]?;
                let marked = Marked {
                    child,
                    target,
                    tokens: marks,
                };
                (i, At::Read(marked))
            }
            Action::TakeTomb(i, target) => {
                let (token, phase) = state.targets[target]?.del?;
                let next = match phase {
                    Phase::Freeze => At::Undo(target, token),
                    Phase::Undo => At::Exhume(target, token),
                    Phase::Commit => At::Follow(target, token, 0),
                };
                (i, next)
            }
            Action::Store(i) => {
                let Role::Store(target) = self.0.roles[i] else {
                    return None;
                };
                state.targets[target] = Some(Target { del: None });
                (i, At::Over)
            }
            Action::Crash(i) => (i, self.rest(i)),
            Action::D1(i)
            | Action::Check(i, _)
            | Action::Commit(i)
            | Action::Undo(i)
            | Action::Exhume(i)
            | Action::D2(i, _)
            | Action::D3(i) => (i, self.delete(&mut state, i, action)?),
        };
        state.programs[i] = next;
        state.forget();
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(FLAGGED, |_, state: &State| {
                state.dangling().all(|(_, child)| child.marks != 0)
            }),
            Property::always(SETTLED, |model: &Self, state: &State| {
                !model.settled(state) || state.dangling().all(|(_, child)| child.marks != 0)
            }),
            Property::always(KEPT, |_, state: &State| {
                let mut kept = state.kept.iter().enumerate();
                kept.all(|(child, to)| to.is_none_or(|to| state.refers(child, to)))
            }),
            Property::sometimes(DONE, |model: &Self, state: &State| {
                let gone = state.targets.iter().any(Option::is_none);
                model.settled(state) && (gone || state.refused)
            }),
        ]
    }
}

impl Checked {
    /// I1 and R1, and the look before them.
    fn store(&self, state: &mut State, i: usize, action: Action) -> Option<At> {
        let (Role::Insert(child, target) | Role::Repoint(child, target)) = self.0.roles[i] else {
            return None;
        };
        match action {
            Action::Look(_) => {
                let live = state.targets[target].is_some_and(|target| target.del.is_none());
                return Some(if live { At::Write } else { At::Over });
            }
            Action::I1(_) if state.children[child].is_some() => return Some(At::Over),
            Action::I1(_) => {
                state.children[child] = Some(Child {
                    target: None,
                    marks: 0,
                })
            }
            _ if state.children[child].is_none() => return Some(At::Over),
            _ => {}
        }
        if state.kept[child] != Some(target) {
            state.kept[child] = None;
        }
        let stored = state.children[child].as_mut()?;
        stored.target = Some(target);
        stored.marks |= self.marked(i);
        Some(self.stored(i, child, target))
    }

    /// I2 and I3.
    fn compare(&self, state: &mut State, i: usize, action: Action) -> Option<At> {
        match (action, state.programs[i]) {
            (Action::I2(_), At::Read(marked)) => {
                let Some(target) = marked.target else {
                    return Some(At::Unmark(marked, false));
                };
                let live = state.targets[target]
                    .is_some_and(|target| target.del.is_none() || !self.0.i2_tests_del);
                Some(if live {
                    At::Unmark(marked, false)
                } else {
                    At::Apply(marked)
                })
            }
            // An insert is taken back; any other reference stays marked.
            (Action::GiveUp(_), At::Read(marked)) => Some(match self.0.roles[i] {
                Role::Insert(..) => self.apply(state, i, marked),
                _ => self.rest(i),
            }),
            (Action::I3Apply(_), At::Apply(marked)) => Some(self.apply(state, i, marked)),
            (Action::I3Clear(_), At::Unmark(marked, followed)) => {
                self.clear(state, marked, followed);
                Some(self.rest(i))
            }
            _ => None,
        }
    }

    /// The checks, D1, D2 and D3, and their undoing.
    fn delete(&self, state: &mut State, i: usize, action: Action) -> Option<At> {
        match (action, state.programs[i]) {
            (Action::D1(_), _) => {
                let Role::Delete(target) = self.0.roles[i] else {
                    return None;
                };
                let Some(found) = &mut state.targets[target] else {
                    return Some(At::Over);
                };
                if !self.0.tombstone {
                    state.targets[target] = None;
                    return Some(At::Follow(target, i, 0));
                }
                let refusable = self.denied() && self.0.check != Check::Before;
                let phase = if refusable {
                    Phase::Freeze
                } else {
                    Phase::Commit
                };
                found.del = Some((i, phase));
                Some(self.entombed(target, i))
            }
            (Action::Check(_, child), At::Check(passed)) => {
                let Role::Delete(target) = self.0.roles[i] else {
                    return None;
                };
                let denies = self.0.children[child].0 == Rule::Deny && state.refers(child, target);
                if denies {
                    let before = self.0.check == Check::Before;
                    return Some(if before {
                        At::Over
                    } else {
                        At::Undo(target, i)
                    });
                }
                Some(self.pass(passed, child, At::Check, self.checked()))
            }
            (Action::Commit(_), At::Commit) => {
                let Role::Delete(target) = self.0.roles[i] else {
                    return None;
                };
                let (after, guarded) = (self.0.check == Check::After, self.0.commit_guarded);
                let next = if after {
                    At::Bury(target, i)
                } else {
                    At::Follow(target, i, 0)
                };
                let phases = [Phase::Freeze, Phase::Commit];
                let Some(tomb) = state.tomb(target, i, &phases) else {
                    return Some(if guarded { At::Over } else { next });
                };
                tomb.del = Some((i, Phase::Commit));
                Some(next)
            }
            (Action::Undo(_), At::Undo(target, token)) => {
                let phases = [Phase::Freeze, Phase::Undo];
                let Some(tomb) = state.tomb(target, token, &phases) else {
                    return Some(self.rest(i));
                };
                tomb.del = Some((token, Phase::Undo));
                Some(At::Exhume(target, token))
            }
            (Action::Exhume(_), At::Exhume(target, token)) => {
                if let Some(tomb) = state.tomb(target, token, &[Phase::Undo]) {
                    tomb.del = None;
                    state.refused = true;
                }
                Some(self.rest(i))
            }
            (Action::D2(_, child), At::Follow(target, token, passed)) => {
                if state.refers(child, target) {
                    self.0.children[child].0.apply(&mut state.children[child]);
                }
                let more = |passed| At::Follow(target, token, passed);
                Some(self.pass(passed, child, more, self.followed(i, target, token)))
            }
            (Action::D3(_), At::Bury(target, token)) => {
                let all = [Phase::Freeze, Phase::Commit, Phase::Undo];
                if state.tomb(target, token, &all).is_some() {
                    state.targets[target] = None;
                }
                Some(self.rest(i))
            }
            _ => None,
        }
    }
}
