//! The enabled steps, the effect of each step, and the properties that must hold.

use stateright::{Model, Property};

use super::{Action, At, PERSONS, Person, Prune, Role, Send, State, Sweep, Task, Token, TwoWay};
use crate::run::{DONE, FLAGGED, Protocol, SETTLED};

impl TwoWay {
    fn rest(&self, program: usize) -> At {
        if self.0.roles[program] == Role::Resume {
            At::Start
        } else {
            At::Over
        }
    }

    fn resting(&self, program: usize, at: At) -> bool {
        at == At::Over || (at == At::Start && !matches!(self.0.roles[program], Role::Reassign(_)))
    }

    /// W2 with what the task holds.
    fn send(&self, state: &State) -> At {
        let Task { owner, r, old, .. } = state.task;
        let touched = (0..self.0.persons)
            .filter(|id| *id == owner || old[*id] != 0)
            .fold(0, |all, id| all | 1 << id);
        let token = if self.0.token == Token::Revision {
            r
        } else {
            state.fresh()
        };
        At::Send(Send {
            r,
            token,
            owner,
            touched,
            open: touched,
        })
    }
}

impl State {
    /// A token that no document has: the smallest one, so that runs that differ in names only are the same.
    fn fresh(&self) -> u8 {
        let held = |token: u8| {
            self.persons.iter().any(|person| person.mark == Some(token))
                || self.programs.iter().any(|at| match *at {
                    At::Send(send) | At::Clear(send) | At::Prune(send) => send.token == token,
                    At::Unmark(mark, _) => mark == token,
                    At::Read(sweep)
                    | At::Fix(sweep, _)
                    | At::ReadAgain(sweep, _)
                    | At::Swept(sweep) => sweep.found == token || sweep.new == token,
                    At::Start | At::Over => false,
                })
        };
        (0..).find(|token| !held(*token)).unwrap_or(u8::MAX)
    }

    fn exact(&self, id: usize) -> bool {
        self.persons[id].has == (self.task.owner == id)
    }
}

impl Protocol for TwoWay {
    fn settled(&self, state: &State) -> bool {
        let idle = state
            .programs
            .iter()
            .enumerate()
            .all(|(i, at)| self.resting(i, *at));
        idle && !state.task.pending && state.persons.iter().all(|person| person.mark.is_none())
    }
}

impl Model for TwoWay {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let task = Task {
            owner: 0,
            r: 1,
            pending: false,
            old: [0; PERSONS],
        };
        let persons = (0..self.0.persons)
            .map(|id| Person {
                has: id == 0,
                mark: None,
            })
            .collect();
        vec![State {
            task,
            persons,
            programs: vec![At::Start; self.0.roles.len()],
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        let bits = |open: u8| (0..PERSONS).filter(move |id| open & 1 << id != 0);
        for (i, at) in state.programs.iter().enumerate() {
            match *at {
                At::Start => match self.0.roles[i] {
                    Role::Reassign(_) => actions.push(Action::W1(i)),
                    Role::Echo => {
                        let sends = |other: &usize| matches!(state.programs[*other], At::Send(_));
                        actions.extend(
                            (0..self.0.roles.len())
                                .filter(sends)
                                .map(|other| Action::Resend(i, other)),
                        );
                    }
                    Role::Resume => {
                        if state.task.pending {
                            actions.push(Action::TakeTask(i));
                        }
                        let marked =
                            (0..self.0.persons).filter(|id| state.persons[*id].mark.is_some());
                        actions.extend(marked.map(|id| Action::TakeMark(i, id)));
                    }
                },
                At::Send(send) => actions.extend(bits(send.open).map(|id| Action::W2(i, id))),
                At::Clear(_) => actions.push(Action::W3(i)),
                At::Prune(_) => actions.push(Action::W3b(i)),
                At::Unmark(_, open) => actions.extend(bits(open).map(|id| Action::W4(i, id))),
                At::Read(_) => actions.push(Action::Read(i)),
                At::Fix(..) => actions.push(Action::Fix(i)),
                At::ReadAgain(..) => actions.push(Action::ReadAgain(i)),
                At::Swept(_) => actions.push(Action::Sweep(i)),
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
            Action::W1(i) => {
                let Role::Reassign(to) = self.0.roles[i] else {
                    return None;
                };
                let task = &mut state.task;
                task.r += 1;
                task.pending = true;
                task.old[task.owner] = task.r;
                task.old[to] = 0;
                task.owner = to;
                (i, self.send(&state))
            }
            Action::W2(i, id) => {
                let At::Send(mut send) = last.programs[i] else {
                    return None;
                };
                let person = &mut state.persons[id];
                let want = send.owner == id;
                if person.has != want {
                    *person = Person {
                        has: want,
                        mark: self.0.marks.then_some(send.token),
                    };
                }
                send.open &= !(1 << id);
                let end = if self.0.roles[i] == Role::Echo {
                    At::Over
                } else {
                    At::Clear(send)
                };
                (i, if send.open == 0 { end } else { At::Send(send) })
            }
            Action::W3(i) => {
                let At::Clear(send) = last.programs[i] else {
                    return None;
                };
                let won = state.task.r == send.r;
                if won {
                    state.task.pending = false;
                    state.task.old = [0; PERSONS];
                }
                let lost = if self.0.prune == Prune::No {
                    self.rest(i)
                } else {
                    At::Prune(send)
                };
                (
                    i,
                    if won {
                        At::Unmark(send.token, send.touched)
                    } else {
                        lost
                    },
                )
            }
            Action::W3b(i) => {
                let At::Prune(send) = last.programs[i] else {
                    return None;
                };
                for (id, old) in state.task.old.iter_mut().enumerate() {
                    let done = match self.0.prune {
                        Prune::ByPerson => send.touched & 1 << id != 0,
                        _ => *old <= send.r,
                    };
                    *old = if done { 0 } else { *old };
                }
                (i, self.rest(i))
            }
            Action::W4(i, id) => {
                let At::Unmark(token, open) = last.programs[i] else {
                    return None;
                };
                let person = &mut state.persons[id];
                person.mark = person.mark.filter(|mark| *mark != token);
                let open = open & !(1 << id);
                (
                    i,
                    if open == 0 {
                        self.rest(i)
                    } else {
                        At::Unmark(token, open)
                    },
                )
            }
            Action::TakeTask(i) => (i, self.send(&state)),
            Action::TakeMark(i, person) => {
                let found = state.persons[person].mark?;
                (
                    i,
                    At::Read(Sweep {
                        person,
                        found,
                        new: found,
                    }),
                )
            }
            Action::Read(i) => {
                let At::Read(sweep) = last.programs[i] else {
                    return None;
                };
                (i, At::Fix(sweep, state.task.owner == sweep.person))
            }
            Action::Fix(i) => {
                let At::Fix(sweep, want) = last.programs[i] else {
                    return None;
                };
                let new = state.fresh();
                let person = &mut state.persons[sweep.person];
                let fixes = person.has != want && person.mark == Some(sweep.new);
                let sweep = if fixes {
                    Sweep {
                        found: sweep.new,
                        new,
                        ..sweep
                    }
                } else {
                    sweep
                };
                if fixes {
                    *person = Person {
                        has: want,
                        mark: Some(new),
                    };
                }
                (
                    i,
                    if fixes && self.0.read_again {
                        At::ReadAgain(sweep, want)
                    } else {
                        At::Swept(sweep)
                    },
                )
            }
            Action::ReadAgain(i) => {
                let At::ReadAgain(sweep, had) = last.programs[i] else {
                    return None;
                };
                let want = state.task.owner == sweep.person;
                (
                    i,
                    if want == had {
                        At::Swept(sweep)
                    } else {
                        At::Fix(sweep, want)
                    },
                )
            }
            Action::Sweep(i) => {
                let At::Swept(sweep) = last.programs[i] else {
                    return None;
                };
                let person = &mut state.persons[sweep.person];
                person.mark = person
                    .mark
                    .filter(|mark| *mark != sweep.found && *mark != sweep.new);
                (i, self.rest(i))
            }
            Action::Resend(i, other) => {
                let At::Send(send) = last.programs[other] else {
                    return None;
                };
                let token = if self.0.token == Token::Fresh {
                    state.fresh()
                } else {
                    send.token
                };
                state.programs[other] = At::Send(Send {
                    token,
                    open: send.touched,
                    ..send
                });
                (i, At::Send(send))
            }
            Action::Crash(i) => (i, self.rest(i)),
        };
        state.programs[i] = next;
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(FLAGGED, |model: &Self, state: &State| {
                let flagged = |id: usize| state.task.pending || state.persons[id].mark.is_some();
                (0..model.0.persons).all(|id| flagged(id) || state.exact(id))
            }),
            Property::always(SETTLED, |model: &Self, state: &State| {
                !model.settled(state) || (0..model.0.persons).all(|id| state.exact(id))
            }),
            Property::sometimes(DONE, |model: &Self, state: &State| {
                let writes = model
                    .0
                    .roles
                    .iter()
                    .filter(|role| matches!(role, Role::Reassign(_)));
                model.settled(state) && usize::from(state.task.r) == 1 + writes.count()
            }),
        ]
    }
}
