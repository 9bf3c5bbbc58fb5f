//! The enabled steps, the effect of each step, and the properties that must hold.

use stateright::{Model, Property};

use super::{Action, At, Copied, Delete, KEPT, Known, Policy, Role, Source, State, Target, Way};
use crate::run::{DONE, FLAGGED, Protocol, SETTLED};

impl Delete {
    fn rest(&self, program: usize) -> At {
        if self.0.roles[program] == Role::Resume {
            At::Start
        } else {
            At::Over
        }
    }

    fn resting(&self, program: usize, at: At) -> bool {
        at == At::Over
            || at == self.rest(program)
            || matches!((self.0.roles[program], at), (Role::Recreate(_), At::Start))
    }

    fn waits(&self, state: &State) -> bool {
        let frozen = state.source.is_some_and(|source| source.del);
        frozen && self.0.policy == Policy::Deny && self.0.wait_at_tombstone
    }

    /// The step that follows D1, whichever program did it.
    fn frozen(&self, known: Known) -> At {
        match (self.0.policy, self.0.recheck) {
            (Policy::Pull, _) => At::Fan(known, 0),
            (Policy::Deny, true) => At::LookAgain(known, 0),
            (Policy::Deny, false) => At::Clear(known),
        }
    }

    fn starts(&self, state: &State, i: usize, actions: &mut Vec<Action>) {
        match self.0.roles[i] {
            Role::Delete => actions.push(Action::D1(i)),
            Role::Update(_) => actions.push(Action::W1(i)),
            Role::Insert(_) => actions.push(Action::I0(i)),
            Role::Save(_) => actions.push(Action::Load(i)),
            Role::Recreate(_) if state.source.is_none() => actions.push(Action::Create(i)),
            Role::Recreate(_) => {}
            Role::Resume => {
                if state.source.is_some_and(|source| source.pending) {
                    actions.push(Action::TakeSource(i));
                }
                for (at, target) in state.targets.iter().enumerate() {
                    let tokens =
                        (0..self.0.roles.len()).filter(|token| target.marks & 1 << token != 0);
                    actions.extend(tokens.map(|token| Action::TakeMark(i, at, token)));
                }
            }
        }
    }

    /// A pass over all targets, of W2, D2 or a look; `at` is where the program is when it has passed all.
    fn pass(&self, passed: u8, to: usize, more: fn(Known, u8) -> At, known: Known, at: At) -> At {
        let passed = passed | 1 << to;
        let all = passed.count_ones() as usize == self.0.copies + self.0.empty;
        if all { at } else { more(known, passed) }
    }
}

impl State {
    fn known(&self) -> Known {
        match self.source {
            Some(Source { r, value, del, .. }) => Known {
                r,
                value,
                gone: del,
            },
            None => Known {
                r: 0,
                value: 0,
                gone: true,
            },
        }
    }

    fn exact(&self) -> bool {
        let value = self
            .source
            .filter(|source| !source.del)
            .map(|source| source.value);
        self.targets
            .iter()
            .filter_map(|target| target.copy)
            .all(|copy| Some(copy.value) == value)
    }

    fn flagged(&self) -> bool {
        let pending = self.source.is_some_and(|source| source.pending);
        let value = self
            .source
            .filter(|source| !source.del)
            .map(|source| source.value);
        let exact = |target: &Target| target.copy.is_none_or(|copy| Some(copy.value) == value);
        self.targets
            .iter()
            .all(|target| pending || target.marks != 0 || exact(target))
    }
}

impl Target {
    fn fan(&mut self, known: Known) {
        if let Some(copy) = self
            .copy
            .as_mut()
            .filter(|copy| copy.r.is_none_or(|r| r < known.r))
        {
            *copy = Copied {
                r: Some(known.r),
                value: known.value,
            };
        }
    }
}

impl Protocol for Delete {
    fn settled(&self, state: &State) -> bool {
        let idle = state
            .programs
            .iter()
            .enumerate()
            .all(|(i, at)| self.resting(i, *at));
        idle && !state.source.is_some_and(|source| source.pending)
            && state.targets.iter().all(|target| target.marks == 0)
    }
}

impl Model for Delete {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let copy = Target {
            copy: Some(Copied {
                r: Some(1),
                value: 0,
            }),
            marks: 0,
        };
        let mut targets = vec![copy; self.0.copies];
        targets.resize(
            self.0.copies + self.0.empty,
            Target {
                copy: None,
                marks: 0,
            },
        );
        let source = Some(Source {
            r: 1,
            value: 0,
            pending: false,
            del: false,
        });
        let begin = |role: &Role| match role {
            Role::Delete if self.0.policy == Policy::Deny && !self.0.recheck => At::Look(0),
            Role::Delete if self.0.way == Way::CopiesFirst => At::Fan(
                Known {
                    r: u8::MAX,
                    value: 0,
                    gone: true,
                },
                0,
            ),
            Role::Delete => At::Freeze,
            _ => At::Start,
        };
        let kept = (1 << self.0.copies) - 1;
        vec![State {
            source,
            newest: 1,
            kept,
            targets,
            programs: self.0.roles.iter().map(begin).collect(),
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        let open = |passed: u8| (0..state.targets.len()).filter(move |to| passed & 1 << to == 0);
        for (i, at) in state.programs.iter().enumerate() {
            match *at {
                At::Start => self.starts(state, i, actions),
                At::Look(passed) | At::LookAgain(_, passed) => {
                    actions.extend(open(passed).map(|to| Action::Look(i, to)))
                }
                At::Freeze => actions.push(Action::D1(i)),
                At::Undo(_) => actions.push(Action::Undo(i)),
                At::Fan(known, passed) if known.gone => {
                    actions.extend(open(passed).map(|to| Action::D2(i, to)))
                }
                At::Fan(_, passed) => actions.extend(open(passed).map(|to| Action::W2(i, to))),
                At::Clear(known) => actions.push(if known.gone {
                    Action::D3(i)
                } else {
                    Action::W3(i)
                }),
                At::Write(_) if matches!(self.0.roles[i], Role::Insert(_)) => {
                    actions.push(Action::I1(i))
                }
                At::Write(_) => actions.push(Action::Save(i)),
                At::Read(..) if self.waits(state) => {}
                At::Read(..) => actions.push(Action::I2(i)),
                At::Fix(..) => actions.push(Action::I3Fix(i)),
                At::Unmark(..) => actions.push(Action::I3Clear(i)),
                At::Over => {}
            }
            if self.0.crashes && !self.resting(i, *at) {
                actions.push(Action::Crash(i));
            }
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        let known = state.known();
        let marked = |i: usize| if self.0.mark { 1 << i } else { 0 };
        let (i, next) = match action {
            Action::W1(i) => {
                let Role::Update(value) = self.0.roles[i] else {
                    return None;
                };
                match state
                    .source
                    .as_mut()
                    .filter(|source| !source.del || !self.0.w1_tests_del)
                {
                    Some(source) => {
                        *source = Source {
                            r: source.r + 1,
                            value,
                            pending: true,
                            del: source.del,
                        };
                        (
                            i,
                            At::Fan(
                                Known {
                                    r: source.r,
                                    value,
                                    gone: false,
                                },
                                0,
                            ),
                        )
                    }
                    None => (i, At::Over),
                }
            }
            Action::W2(i, to) => {
                let At::Fan(known, passed) = last.programs[i] else {
                    return None;
                };
                state.targets[to].fan(known);
                (i, self.pass(passed, to, At::Fan, known, At::Clear(known)))
            }
            Action::W3(i) => {
                let At::Clear(known) = last.programs[i] else {
                    return None;
                };
                if let Some(source) = state.source.as_mut().filter(|source| source.r == known.r) {
                    source.pending = false;
                }
                (i, self.rest(i))
            }
            Action::Look(i, to) => {
                let found = state.targets[to].copy.is_some();
                let next = match last.programs[i] {
                    At::Look(_) if found => At::Over,
                    At::Look(passed) => {
                        self.pass(passed, to, |_, passed| At::Look(passed), known, At::Freeze)
                    }
                    At::LookAgain(known, _) if found => At::Undo(known),
                    At::LookAgain(known, passed) => {
                        self.pass(passed, to, At::LookAgain, known, At::Clear(known))
                    }
                    _ => return None,
                };
                (i, next)
            }
            Action::D1(i) => match state.source.as_mut().filter(|source| !source.del) {
                Some(_) if self.0.way == Way::SourceFirst => {
                    state.source = None;
                    (
                        i,
                        At::Fan(
                            Known {
                                gone: true,
                                ..known
                            },
                            0,
                        ),
                    )
                }
                Some(source) => {
                    source.r += 1;
                    source.del = true;
                    source.pending = true;
                    (
                        i,
                        self.frozen(Known {
                            r: source.r,
                            value: source.value,
                            gone: true,
                        }),
                    )
                }
                None => (i, At::Over),
            },
            Action::Undo(i) => {
                let At::Undo(known) = last.programs[i] else {
                    return None;
                };
                match state
                    .source
                    .as_mut()
                    .filter(|source| source.del && source.r == known.r)
                {
                    Some(source) => {
                        source.r += 1;
                        source.del = false;
                        (
                            i,
                            At::Fan(
                                Known {
                                    r: source.r,
                                    value: source.value,
                                    gone: false,
                                },
                                0,
                            ),
                        )
                    }
                    None => (i, self.rest(i)),
                }
            }
            Action::D2(i, to) => {
                let At::Fan(known, passed) = last.programs[i] else {
                    return None;
                };
                let target = &mut state.targets[to];
                let newer = |copy: &Copied| self.0.d2_by_revision && copy.r > Some(known.r);
                target.copy = target.copy.filter(newer);
                let end = if self.0.way == Way::SourceFirst {
                    At::Over
                } else {
                    At::Clear(known)
                };
                (i, self.pass(passed, to, At::Fan, known, end))
            }
            Action::D3(i) => {
                let At::Clear(known) = last.programs[i] else {
                    return None;
                };
                let bare = self.0.way == Way::CopiesFirst;
                let same = |source: &Source| source.r == known.r || !self.0.d3_by_revision;
                if state
                    .source
                    .is_some_and(|source| bare || (source.del && same(&source)))
                {
                    state.source = None;
                }
                (i, self.rest(i))
            }
            Action::I0(i) => (
                i,
                if known.gone {
                    At::Over
                } else {
                    At::Write(Some(known.value))
                },
            ),
            Action::I1(i) => {
                let (Role::Insert(to), At::Write(Some(value))) =
                    (self.0.roles[i], last.programs[i])
                else {
                    return None;
                };
                let target = &mut state.targets[to];
                let absent = target.copy.is_none();
                if absent {
                    *target = Target {
                        copy: Some(Copied { r: None, value }),
                        marks: target.marks | marked(i),
                    };
                }
                (i, if absent { At::Read(to, i) } else { At::Over })
            }
            Action::I2(i) => {
                let At::Read(to, token) = last.programs[i] else {
                    return None;
                };
                let gone = state.source.is_none() || (known.gone && self.0.i2_tests_del);
                (i, At::Fix(to, token, Known { gone, ..known }))
            }
            Action::I3Fix(i) => {
                let At::Fix(to, token, known) = last.programs[i] else {
                    return None;
                };
                let target = &mut state.targets[to];
                if target.marks & 1 << token != 0 || !self.0.mark {
                    if known.gone {
                        target.copy = None;
                    } else {
                        target.fan(known);
                    }
                }
                (i, At::Unmark(to, token))
            }
            Action::I3Clear(i) => {
                let At::Unmark(to, token) = last.programs[i] else {
                    return None;
                };
                let target = &mut state.targets[to];
                target.marks &= !(1 << token);
                let verified = target.marks == 0 && target.copy.is_some();
                state.kept |= u8::from(verified) << to;
                (i, self.rest(i))
            }
            Action::Load(i) => {
                let Role::Save(to) = self.0.roles[i] else {
                    return None;
                };
                let copy = state.targets[to].copy;
                (i, copy.map_or(At::Over, |copy| At::Write(Some(copy.value))))
            }
            Action::Save(i) => {
                let (Role::Save(to), At::Write(value)) = (self.0.roles[i], last.programs[i]) else {
                    return None;
                };
                let target = &mut state.targets[to];
                let copy = value.map(|value| Copied { r: None, value });
                *target = Target {
                    copy,
                    marks: target.marks | marked(i),
                };
                (i, At::Read(to, i))
            }
            Action::Create(i) => {
                let Role::Recreate(value) = self.0.roles[i] else {
                    return None;
                };
                let r = if self.0.fresh_revision {
                    state.newest + 1
                } else {
                    1
                };
                state.source = Some(Source {
                    r,
                    value,
                    pending: false,
                    del: false,
                });
                (i, At::Over)
            }
            Action::TakeSource(i) => {
                let undo = known.gone && self.0.policy == Policy::Deny;
                (
                    i,
                    if undo {
                        At::Undo(known)
                    } else {
                        At::Fan(known, 0)
                    },
                )
            }
            Action::TakeMark(i, to, token) => (i, At::Read(to, token)),
            Action::Crash(i) => (i, self.rest(i)),
        };
        if state.source.is_none() {
            state.kept = 0;
        }
        state.newest = state.newest.max(state.known().r);
        state.programs[i] = next;
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(FLAGGED, |_, state: &State| state.flagged()),
            Property::always(SETTLED, |model: &Self, state: &State| {
                !model.settled(state)
                    || (state.exact() && !state.source.is_some_and(|source| source.del))
            }),
            Property::always(KEPT, |_, state: &State| {
                let lost = |(to, target): (usize, &Target)| {
                    state.kept & 1 << to != 0 && target.copy.is_none()
                };
                state.known().gone || !state.targets.iter().enumerate().any(lost)
            }),
            Property::sometimes(DONE, |model: &Self, state: &State| {
                let undone = |source: Source| model.0.policy == Policy::Deny && source.r > 2;
                model.settled(state) && state.source.is_none_or(undone)
            }),
        ]
    }
}
