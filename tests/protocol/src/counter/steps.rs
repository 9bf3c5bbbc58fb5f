//! The enabled steps, the effect of each step, and the properties that must hold.

use stateright::{Model, Property};

use super::{
    ABSENT, Action, At, Child, Count, Counter, FLAGS, Guard, HOSTS, Host, Missing, Op, Role, State,
};
use crate::run::{DONE, FLAGGED, Protocol, SETTLED};

impl Op {
    fn hosts(self) -> u8 {
        [self.from, self.to]
            .into_iter()
            .flatten()
            .fold(0, |all, host| all | 1 << host)
    }

    fn delta(self, host: usize) -> i8 {
        let gain = self.gain * i8::from(self.to == Some(host));
        gain - self.loss * i8::from(self.from == Some(host))
    }
}

impl Counter {
    fn rest(&self, program: usize) -> At {
        match self.0.roles[program] {
            Role::Resume => At::Epoch(0, [0; HOSTS]),
            _ => At::Over,
        }
    }

    fn resting(&self, program: usize, at: At) -> bool {
        let between =
            self.0.roles[program] == Role::Resume && matches!(at, At::Epoch(..) | At::Change(_));
        between || matches!(at, At::Over | At::Idle)
    }

    /// The host C2 goes to next.
    fn next(&self, count: Count) -> usize {
        let old = count
            .op
            .from
            .filter(|from| !self.0.ascending && count.left & 1 << from != 0);
        old.unwrap_or(count.left.trailing_zeros() as usize)
    }

    /// C2. True if it counted.
    fn count(&self, host: &mut Host, op: Op, epoch: u8, delta: i8) -> bool {
        if !host.there {
            if self.0.missing != Missing::Upsert || epoch != ABSENT {
                return false;
            }
            (host.there, host.epoch) = (true, ABSENT);
        }
        let counts = match self.0.guard {
            Guard::Epoch => {
                host.epoch == epoch
                    && !host.tokens.contains(&op.token)
                    && host.tokens.len() < self.0.room
            }
            Guard::Token => !host.tokens.contains(&op.token) && host.tokens.len() < self.0.room,
            Guard::Last(_) => !host.tokens.contains(&op.token),
            Guard::Nothing => true,
        };
        if counts {
            host.n += delta;
            match self.0.guard {
                Guard::Nothing => {}
                Guard::Last(some) => {
                    host.tokens.push(op.token);
                    host.tokens.drain(..host.tokens.len().saturating_sub(some));
                }
                Guard::Epoch | Guard::Token => {
                    host.tokens.push(op.token);
                    host.tokens.sort_unstable();
                }
            }
        }
        counts
    }

    /// True if C2 removes tokens.
    fn forgets(&self) -> bool {
        matches!(self.0.guard, Guard::Epoch | Guard::Token)
    }

    fn counted(&self, program: usize, mut count: Count, host: usize) -> At {
        count.left &= !(1 << host);
        match (count.left, self.0.flag) {
            (0, true) => At::Clear(count.op),
            (0, false) => self.rest(program),
            _ => At::Count(count),
        }
    }

    /// The effect of C1 on the child: `None` if there is no room for its flag, or no child to change.
    fn change(&self, program: usize, state: &State) -> Option<(Op, Option<Child>)> {
        let (id, to) = match self.0.roles[program] {
            Role::Insert(child, host) => (child, Some(host)),
            Role::Move(child, host) => (child, Some(host)),
            Role::Delete(child) => (child, None),
            Role::Amount(child, _) => (child, state.children[child].map(|old| old.host)),
            Role::Echo | Role::Resume | Role::Prune => return None,
        };
        let insert = matches!(self.0.roles[program], Role::Insert(..));
        let old = state.children[id];
        let taken = |old: Child| old.pending.iter().flatten().count() >= self.0.flags;
        if insert != old.is_none() || old.is_some_and(|old| old.del || taken(old)) {
            return None;
        }
        let before = old.map_or(1, |old| old.amount);
        let amount = match self.0.roles[program] {
            Role::Amount(_, amount) => amount,
            _ => before,
        };
        let op = Op {
            token: program,
            child: id,
            from: old.map(|old| old.host),
            to,
            loss: if self.0.replaced { before } else { 1 },
            gain: amount,
        };
        let host = to.or(op.from)?;
        let gone = to.is_none() && !self.0.flag;
        let mut pending = old.map_or([None; FLAGS], |old| old.pending);
        if self.0.flag {
            *pending.iter_mut().find(|flag| flag.is_none())? = Some(op);
            pending.sort_unstable_by_key(|flag| flag.map_or(usize::MAX, |op| op.token));
        }
        Some((
            op,
            (!gone).then_some(Child {
                host,
                amount,
                del: to.is_none(),
                pending,
            }),
        ))
    }
}

impl Child {
    fn flags(&self) -> impl Iterator<Item = Op> + use<> {
        self.pending.into_iter().flatten()
    }
}

impl State {
    /// An epoch that no program has read: the smallest one, so that runs that differ in names only are the same.
    fn fresh(&self) -> u8 {
        let held = |epoch: u8| {
            self.hosts.iter().any(|host| host.epoch == epoch)
                || self.programs.iter().any(|at| match *at {
                    At::Epoch(_, epochs) | At::Change(epochs) => epochs.contains(&epoch),
                    At::Count(count) | At::Look(count) | At::LookAtChild(count) => {
                        count.epochs.contains(&epoch)
                    }
                    At::Late(_, known, _) => known == epoch,
                    _ => false,
                })
        };
        (1..).find(|epoch| !held(*epoch)).unwrap_or(u8::MAX)
    }

    fn forget(&mut self, host: usize, token: usize) {
        if !self.hosts[host].there {
            return;
        }
        self.hosts[host].epoch = self.fresh();
        self.hosts[host].tokens.retain(|held| *held != token);
    }

    fn pending(&self, token: usize) -> bool {
        self.children
            .iter()
            .flatten()
            .any(|child| child.flags().any(|op| op.token == token))
    }

    fn exact(&self, host: usize) -> bool {
        let here = self
            .children
            .iter()
            .flatten()
            .filter(|child| !child.del && child.host == host);
        self.hosts[host].n == here.map(|child| child.amount).sum::<i8>()
    }

    fn flagged(&self, host: usize) -> bool {
        self.children
            .iter()
            .flatten()
            .any(|child| child.flags().any(|op| op.hosts() & 1 << host != 0))
    }
}

impl Protocol for Counter {
    fn settled(&self, state: &State) -> bool {
        let idle = state
            .programs
            .iter()
            .enumerate()
            .all(|(i, at)| self.resting(i, *at));
        let tokens = self.forgets() && state.hosts.iter().any(|host| !host.tokens.is_empty());
        idle && !tokens
            && !state
                .children
                .iter()
                .flatten()
                .any(|child| child.flags().next().is_some())
    }
}

impl Model for Counter {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let config = &self.0;
        let host = |id: usize| {
            let n = config.children.iter().filter(|host| **host == id).count() as i8;
            Host {
                there: config.stored,
                n,
                epoch: if config.stored { 0 } else { ABSENT },
                tokens: Vec::new(),
            }
        };
        let child = |host: &usize| {
            Some(Child {
                host: *host,
                amount: 1,
                del: false,
                pending: [None; FLAGS],
            })
        };
        let mut children: Vec<_> = config.children.iter().map(child).collect();
        for role in &config.roles {
            if let Role::Insert(id, _) = *role {
                children.resize(children.len().max(id + 1), None);
            }
        }
        let begin = |role: &Role| {
            if matches!(role, Role::Echo | Role::Prune) {
                At::Idle
            } else {
                At::Epoch(0, [0; HOSTS])
            }
        };
        let programs = config.roles.iter().map(begin).collect();
        vec![State {
            hosts: std::array::from_fn(host),
            children,
            programs,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for (i, at) in state.programs.iter().enumerate() {
            let resume = self.0.roles[i] == Role::Resume;
            match *at {
                At::Epoch(..) => actions.push(Action::C0(i)),
                At::Change(_) if resume => {
                    for (id, child) in state.children.iter().enumerate() {
                        let flags = child.iter().flat_map(Child::flags);
                        actions.extend(flags.map(|op| Action::TakeChild(i, id, op.token)));
                    }
                }
                At::Change(_) if self.change(i, state).is_some() => actions.push(Action::C1(i)),
                At::Change(_) => {}
                At::Count(_) => actions.push(Action::C2(i)),
                At::Look(_) => actions.push(Action::ReadHost(i)),
                At::LookAtChild(_) => actions.push(Action::ReadChild(i)),
                At::Clear(_) => actions.push(Action::C3(i)),
                At::Forget(..) => actions.push(Action::C4(i)),
                At::Probe(..) => actions.push(Action::Probe(i)),
                At::Remove(..) => actions.push(Action::Remove(i)),
                At::Late(..) => actions.push(Action::C2(i)),
                At::Idle if self.0.roles[i] == Role::Prune => {
                    let is_empty =
                        |host: &Host| host.there && host.n == 0 && host.tokens.is_empty();
                    let empty = (0..HOSTS).filter(|host| is_empty(&state.hosts[*host]));
                    actions.extend(empty.map(|host| Action::Delete(i, host)));
                }
                At::Idle => {
                    let sends = |other: &usize| matches!(state.programs[*other], At::Count(_));
                    actions.extend(
                        (0..self.0.roles.len())
                            .filter(sends)
                            .map(|other| Action::Resend(i, other)),
                    );
                }
                At::Over => {}
            }
            if resume && *at == self.rest(i) && self.forgets() {
                for (id, host) in state.hosts.iter().enumerate() {
                    actions.extend(
                        host.tokens
                            .iter()
                            .map(|token| Action::TakeToken(i, id, *token)),
                    );
                }
            }
            // A resumer that has read an epoch may start anew; nothing is lost.
            let anew = resume && *at != self.rest(i);
            if anew || (self.0.crashes && !self.resting(i, *at)) {
                actions.push(Action::Crash(i));
            }
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        let (i, next) = match action {
            Action::C0(i) => {
                let At::Epoch(host, mut epochs) = last.programs[i] else {
                    return None;
                };
                epochs[host] = state.hosts[host].epoch;
                (
                    i,
                    if host + 1 < HOSTS {
                        At::Epoch(host + 1, epochs)
                    } else {
                        At::Change(epochs)
                    },
                )
            }
            Action::C1(i) => {
                let At::Change(epochs) = last.programs[i] else {
                    return None;
                };
                let (op, child) = self.change(i, last)?;
                state.children[op.child] = child;
                let left = op.hosts();
                let done = op.from == op.to && op.loss == op.gain;
                (
                    i,
                    if done {
                        At::Clear(op)
                    } else {
                        At::Count(Count { op, epochs, left })
                    },
                )
            }
            Action::TakeChild(i, id, token) => {
                let At::Change(epochs) = last.programs[i] else {
                    return None;
                };
                let op = state.children[id]?.flags().find(|op| op.token == token)?;
                (
                    i,
                    At::Count(Count {
                        op,
                        epochs,
                        left: op.hosts(),
                    }),
                )
            }
            Action::C2(i) => match last.programs[i] {
                At::Late(op, epoch, host) => {
                    self.count(&mut state.hosts[host], op, epoch, op.delta(host));
                    (i, At::Over)
                }
                At::Count(count) => {
                    let host = self.next(count);
                    let delta = count.op.delta(host);
                    let counts =
                        self.count(&mut state.hosts[host], count.op, count.epochs[host], delta);
                    (
                        i,
                        if counts {
                            self.counted(i, count, host)
                        } else {
                            At::Look(count)
                        },
                    )
                }
                _ => return None,
            },
            Action::ReadHost(i) => {
                let At::Look(mut count) = last.programs[i] else {
                    return None;
                };
                let id = self.next(count);
                if !state.hosts[id].there && self.0.missing == Missing::Store {
                    let epoch = state.fresh();
                    let host = &mut state.hosts[id];
                    (host.there, host.epoch) = (true, epoch);
                    return Some(state);
                }
                let host = &state.hosts[id];
                count.epochs[id] = host.epoch;
                let again = if self.0.child_after_epoch {
                    At::LookAtChild(count)
                } else {
                    At::Count(count)
                };
                let skips = !host.there && self.0.missing == Missing::Skip;
                let there = skips || host.tokens.contains(&count.op.token);
                (
                    i,
                    if there {
                        self.counted(i, count, id)
                    } else {
                        again
                    },
                )
            }
            Action::ReadChild(i) => {
                let At::LookAtChild(count) = last.programs[i] else {
                    return None;
                };
                (
                    i,
                    if state.pending(count.op.token) {
                        At::Count(count)
                    } else {
                        self.rest(i)
                    },
                )
            }
            Action::C3(i) => {
                let At::Clear(op) = last.programs[i] else {
                    return None;
                };
                let slot = &mut state.children[op.child];
                if let Some(child) = slot {
                    let left = child.flags().filter(|now| now.token != op.token);
                    let mut pending = [None; FLAGS];
                    pending
                        .iter_mut()
                        .zip(left)
                        .for_each(|(flag, op)| *flag = Some(op));
                    child.pending = pending;
                    *slot = slot.filter(|child| !child.del || child.flags().next().is_some());
                }
                (
                    i,
                    if self.forgets() {
                        At::Forget(op, op.hosts())
                    } else {
                        self.rest(i)
                    },
                )
            }
            Action::C4(i) => {
                let At::Forget(op, left) = last.programs[i] else {
                    return None;
                };
                let host = left.trailing_zeros() as usize;
                state.forget(host, op.token);
                let left = left & !(1 << host);
                (
                    i,
                    if left == 0 {
                        self.rest(i)
                    } else {
                        At::Forget(op, left)
                    },
                )
            }
            Action::TakeToken(i, host, token) => (i, At::Probe(host, token)),
            Action::Probe(i) => {
                let At::Probe(host, token) = last.programs[i] else {
                    return None;
                };
                (
                    i,
                    if state.pending(token) {
                        self.rest(i)
                    } else {
                        At::Remove(host, token)
                    },
                )
            }
            Action::Remove(i) => {
                let At::Remove(host, token) = last.programs[i] else {
                    return None;
                };
                state.forget(host, token);
                (i, self.rest(i))
            }
            Action::Resend(i, other) => {
                let At::Count(count) = last.programs[other] else {
                    return None;
                };
                let host = self.next(count);
                (i, At::Late(count.op, count.epochs[host], host))
            }
            Action::Delete(i, host) => {
                let host = &mut state.hosts[host];
                (host.there, host.epoch) = (false, ABSENT);
                (i, At::Over)
            }
            Action::Crash(i) => (i, self.rest(i)),
        };
        state.programs[i] = next;
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(FLAGGED, |_, state: &State| {
                (0..HOSTS).all(|host| state.exact(host) || state.flagged(host))
            }),
            Property::always(SETTLED, |model: &Self, state: &State| {
                !model.settled(state) || (0..HOSTS).all(|host| state.exact(host))
            }),
            Property::sometimes(DONE, |model: &Self, state: &State| {
                let first = &model.init_states()[0];
                let moved = |host: usize| state.hosts[host].n != first.hosts[host].n;
                model.settled(state) && (0..HOSTS).any(moved)
            }),
        ]
    }
}
