//! The enabled steps, the effect of each step, and the properties that must hold.

use stateright::{Model, Property};

use super::{Action, At, Copies, Fan, Flag, MISSING, Role, Source, State, Target, Verify};
use crate::run::{DONE, FLAGGED, Protocol, SETTLED};

impl Copies {
    fn fan(&self, state: &State, only: Option<usize>) -> Fan {
        let Source { r, fields, .. } = state.source;
        Fan {
            r,
            fields,
            only: only.filter(|_| !self.0.whole),
            passed: 0,
        }
    }

    fn after(&self, program: usize) -> At {
        if self.0.roles[program] == Role::Resume {
            At::Start
        } else {
            At::Over
        }
    }

    fn mark(&self, verify: Verify, token: usize) -> u8 {
        if verify == Verify::Mark {
            1 << token
        } else {
            0
        }
    }

    fn apply(&self, copy: &mut Target, fan: Fan) {
        let equal = (0..2)
            .filter(|at| fan.only.is_none_or(|only| only == *at))
            .all(|at| copy.fields[at] == fan.fields[at]);
        if (self.0.guarded && copy.r >= Some(fan.r)) || (!self.0.touch_equal && equal) {
            return;
        }
        for at in (0..2).filter(|at| fan.only.is_none_or(|only| only == *at)) {
            if fan.fields[at] != MISSING || self.0.unset_missing {
                copy.fields[at] = fan.fields[at];
            }
        }
        copy.r = Some(fan.r);
    }

    fn starts(&self, state: &State, i: usize, actions: &mut Vec<Action>) {
        match self.0.roles[i] {
            Role::Update(..) if self.0.flag == Flag::Before => actions.push(Action::FlagAlone(i)),
            Role::Update(..) => actions.push(Action::W1(i)),
            Role::Insert(_) => actions.push(Action::I0(i)),
            Role::Save(target) if state.targets[target].is_some() => actions.push(Action::Load(i)),
            Role::Save(_) => {}
            Role::Resume => {
                if state.source.pending {
                    actions.push(Action::TakeSource(i));
                }
                for (at, target) in state.targets.iter().enumerate() {
                    let marks = target.map_or(0, |target| target.marks);
                    actions.extend(
                        (0..8)
                            .filter(|token| marks & 1 << token != 0)
                            .map(|token| Action::TakeMark(i, at, token)),
                    );
                }
            }
            Role::Echo => {
                let sends = |other: usize| match state.programs[other] {
                    At::Fan(_) => true,
                    At::Write { .. } => matches!(self.0.roles[other], Role::Save(_)),
                    _ => false,
                };
                actions.extend(
                    (0..self.0.roles.len())
                        .filter(|other| sends(*other))
                        .map(|other| Action::Resend(i, other)),
                );
            }
        }
    }
}

impl Protocol for Copies {
    fn settled(&self, state: &State) -> bool {
        let idle = |(role, at): (&Role, &At)| match role {
            Role::Resume | Role::Echo => matches!(at, At::Start | At::Over),
            _ => *at == At::Over,
        };
        let running = !self.0.roles.iter().zip(&state.programs).all(idle);
        !running
            && !state.source.pending
            && state
                .targets
                .iter()
                .flatten()
                .all(|target| target.marks == 0)
    }
}

fn stale(state: &State, target: &Target) -> bool {
    target.fields != state.source.fields
}

impl Model for Copies {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let copy = Target {
            r: Some(1),
            fields: [0, 0],
            marks: 0,
        };
        let mut targets = vec![Some(copy); self.0.copies];
        targets.resize(self.0.copies + self.0.empty, None);
        let source = Source {
            r: 1,
            pending: false,
            fields: [0, 0],
        };
        vec![State {
            source,
            targets,
            programs: vec![At::Start; self.0.roles.len()],
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for (i, at) in state.programs.iter().enumerate() {
            match *at {
                At::Start => self.starts(state, i, actions),
                At::Change => actions.push(Action::W1(i)),
                At::FlagNext(_) => actions.push(Action::FlagAlone(i)),
                At::Fan(fan) => {
                    actions.extend(
                        (0..state.targets.len())
                            .filter(|to| fan.passed & 1 << to == 0)
                            .map(|to| Action::W2(i, to)),
                    );
                }
                At::Clear(_) => actions.push(Action::W3(i)),
                At::Write { .. } if matches!(self.0.roles[i], Role::Insert(_)) => {
                    actions.push(Action::I1(i))
                }
                At::Write { .. } => actions.push(Action::Save(i)),
                At::Read { .. } => actions.push(Action::I2(i)),
                At::Fix { .. } => actions.push(Action::I3Fix(i)),
                At::Unmark { .. } => actions.push(Action::I3Clear(i)),
                At::Over => continue,
            }
            let resting = *at == At::Start && matches!(self.0.roles[i], Role::Resume | Role::Echo);
            if self.0.crashes && !resting {
                actions.push(Action::Crash(i));
            }
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        let (i, next) = match action {
            Action::FlagAlone(i) => {
                state.source.pending = true;
                let next = if let At::FlagNext(fan) = last.programs[i] {
                    At::Fan(fan)
                } else {
                    At::Change
                };
                (i, next)
            }
            Action::W1(i) => {
                let Role::Update(field, value) = self.0.roles[i] else {
                    return None;
                };
                state.source.r += 1;
                state.source.fields[field] = value;
                state.source.pending |= self.0.flag == Flag::Together;
                let fan = self.fan(&state, Some(field));
                (
                    i,
                    if self.0.flag == Flag::After {
                        At::FlagNext(fan)
                    } else {
                        At::Fan(fan)
                    },
                )
            }
            Action::W2(i, to) => {
                let At::Fan(mut fan) = last.programs[i] else {
                    return None;
                };
                if let Some(copy) = &mut state.targets[to] {
                    self.apply(copy, fan);
                }
                fan.passed |= 1 << to;
                let all = fan.passed.count_ones() as usize == state.targets.len();
                let end = if self.0.roles[i] == Role::Echo {
                    At::Over
                } else {
                    At::Clear(fan.r)
                };
                (i, if all { end } else { At::Fan(fan) })
            }
            Action::W3(i) => {
                let At::Clear(r) = last.programs[i] else {
                    return None;
                };
                if !self.0.clear_by_revision || state.source.r == r {
                    state.source.pending = false;
                }
                (i, self.after(i))
            }
            Action::I0(i) => {
                let Role::Insert(target) = self.0.roles[i] else {
                    return None;
                };
                let Source { r, fields, .. } = state.source;
                (
                    i,
                    At::Write {
                        target,
                        token: i,
                        fields,
                        r,
                    },
                )
            }
            Action::I1(i) => {
                let At::Write {
                    target,
                    token,
                    fields,
                    r,
                } = last.programs[i]
                else {
                    return None;
                };
                state.targets[target] = Some(Target {
                    r: None,
                    fields,
                    marks: self.mark(self.0.on_insert, token),
                });
                let read = At::Read {
                    target,
                    token,
                    known: Some(r),
                };
                (
                    i,
                    if self.0.on_insert == Verify::No {
                        At::Over
                    } else {
                        read
                    },
                )
            }
            Action::Load(i) => {
                let Role::Save(target) = self.0.roles[i] else {
                    return None;
                };
                (
                    i,
                    At::Write {
                        target,
                        token: i,
                        fields: state.targets[target]?.fields,
                        r: 0,
                    },
                )
            }
            Action::Save(i) => {
                let At::Write {
                    target,
                    token,
                    fields,
                    ..
                } = last.programs[i]
                else {
                    return None;
                };
                let marks = state.targets[target]?.marks | self.mark(self.0.on_save, token);
                state.targets[target] = Some(Target {
                    r: None,
                    fields,
                    marks,
                });
                let over = self.0.on_save == Verify::No || self.0.roles[i] == Role::Echo;
                (
                    i,
                    if over {
                        At::Over
                    } else {
                        At::Read {
                            target,
                            token,
                            known: None,
                        }
                    },
                )
            }
            Action::I2(i) => {
                let At::Read {
                    target,
                    token,
                    known,
                } = last.programs[i]
                else {
                    return None;
                };
                let Source { r, fields, .. } = state.source;
                (
                    i,
                    At::Fix {
                        target,
                        token,
                        fields,
                        r,
                        known,
                    },
                )
            }
            Action::I3Fix(i) => {
                let At::Fix {
                    target,
                    token,
                    fields,
                    r,
                    known,
                } = last.programs[i]
                else {
                    return None;
                };
                if let Some(copy) = &mut state.targets[target] {
                    let marked =
                        copy.marks & 1 << token != 0 || self.0.on_insert == Verify::Recheck;
                    if marked && (self.0.fix_unmoved || known != Some(r)) {
                        self.apply(
                            copy,
                            Fan {
                                r,
                                fields,
                                only: None,
                                passed: 0,
                            },
                        );
                    }
                }
                (i, At::Unmark { target, token })
            }
            Action::I3Clear(i) => {
                let At::Unmark { target, token } = last.programs[i] else {
                    return None;
                };
                if let Some(copy) = &mut state.targets[target] {
                    copy.marks &= !(1 << token);
                }
                (i, self.after(i))
            }
            Action::TakeSource(i) => (i, At::Fan(self.fan(&state, None))),
            Action::TakeMark(i, target, token) => (
                i,
                At::Read {
                    target,
                    token,
                    known: None,
                },
            ),
            Action::Resend(i, other) => {
                let again = match last.programs[other] {
                    At::Fan(fan) => At::Fan(Fan { passed: 0, ..fan }),
                    At::Write {
                        target,
                        token,
                        fields,
                        r,
                    } => {
                        let token = if self.0.fresh_token { i } else { token };
                        At::Write {
                            target,
                            token,
                            fields,
                            r,
                        }
                    }
                    _ => return None,
                };
                (i, again)
            }
            Action::Crash(i) => (i, self.after(i)),
        };
        state.programs[i] = next;
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(FLAGGED, |_, state: &State| {
                state.targets.iter().flatten().all(|target| {
                    state.source.pending || target.marks != 0 || !stale(state, target)
                })
            }),
            Property::always(SETTLED, |model: &Self, state: &State| {
                !model.settled(state)
                    || !state
                        .targets
                        .iter()
                        .flatten()
                        .any(|target| stale(state, target))
            }),
            Property::sometimes(DONE, |model: &Self, state: &State| {
                model.settled(state)
                    && state.source.r > 1
                    && state.targets.iter().all(Option::is_some)
            }),
        ]
    }
}
