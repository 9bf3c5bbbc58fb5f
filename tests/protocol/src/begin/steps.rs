//! The enabled steps, the effect of each step, and the properties that must hold.

use stateright::{Model, Property};

use super::{Action, At, Begins, Born, Child, Epoch, FLAGS, Host, Op, Role, Side, State};
use crate::run::{DONE, FLAGGED, Protocol, SETTLED};

impl Op {
    pub(super) fn bit(self) -> u16 {
        1 << self.token
    }

    pub(super) fn delta(self) -> i8 {
        i8::from(self.to) - i8::from(self.from)
    }
}

impl Child {
    fn flags(&self) -> impl Iterator<Item = Op> + use<> {
        self.flags.into_iter().flatten()
    }

    /// Those that concern the host.
    pub(super) fn here(&self) -> impl Iterator<Item = Op> + use<> {
        self.flags().filter(|op| op.delta() != 0)
    }

    pub(super) fn counts(&self) -> bool {
        !self.del && self.side == Side::Here
    }

    fn with(mut self, flags: impl Iterator<Item = Op>) -> Self {
        self.flags = [None; FLAGS];
        for (flag, op) in self.flags.iter_mut().zip(flags) {
            *flag = Some(op);
        }
        self
    }
}

impl At {
    fn epoch(&mut self) -> Option<&mut Epoch> {
        match self {
            At::Change(epoch)
            | At::Take(Some(epoch))
            | At::Count(_, epoch)
            | At::LookAtChild(_, epoch)
            | At::Late(_, epoch)
            | At::Fast(epoch, _) => Some(epoch),
            At::Recount(recount) => Some(&mut recount.epoch),
            _ => None,
        }
    }

    fn settles(&self) -> bool {
        matches!(
            self,
            At::Fast(..) | At::Flags | At::Wait(_) | At::ReadHost | At::Recount(_) | At::Unmark
        )
    }
}

impl Begins {
    pub(super) fn rest(&self, program: usize) -> At {
        match self.0.roles[program] {
            Role::Resume => At::Start,
            _ => At::Over,
        }
    }

    fn resting(at: At) -> bool {
        matches!(at, At::Start | At::Change(_) | At::Take(_) | At::Over)
    }

    /// The epoch that a host begins with.
    fn first(&self) -> Epoch {
        if self.0.fresh_epoch {
            Epoch::First
        } else {
            Epoch::Zero
        }
    }

    /// The effect of C1 on the child: `None` if there is no room for its flag, or no child to change.
    fn change(&self, program: usize, state: &State) -> Option<(Op, Child)> {
        let (id, to) = match self.0.roles[program] {
            Role::Insert(child) => (child, Some(Side::Here)),
            Role::Move(child, side) => (child, Some(side)),
            Role::Delete(child) => (child, None),
            _ => return None,
        };
        let insert = matches!(self.0.roles[program], Role::Insert(_));
        let old = state.children[id];
        let full = |old: Child| old.flags().count() >= FLAGS;
        if insert != old.is_none() || old.is_some_and(|old| old.del || full(old)) {
            return None;
        }
        let from = old.map(|old| old.side);
        if from == to {
            return None;
        }
        let op = Op {
            token: program as u8,
            child: id as u8,
            from: from == Some(Side::Here),
            to: to == Some(Side::Here),
        };
        let mut flags: Vec<Op> = old.iter().flat_map(Child::flags).chain([op]).collect();
        flags.sort_unstable_by_key(|op| op.token);
        let child = Child {
            side: to.or(from)?,
            del: to.is_none(),
            flags: [None; FLAGS],
        };
        Some((op, child.with(flags.into_iter())))
    }
}

impl State {
    /// Makes every epoch that a program has read stale: none is the host's any more.
    fn outdate(&mut self) {
        for epoch in self.programs.iter_mut().filter_map(At::epoch) {
            if *epoch != Epoch::Zero {
                *epoch = Epoch::Stale;
            }
        }
    }

    pub(super) fn renew(&mut self) {
        self.outdate();
        if let Some(host) = &mut self.host {
            host.epoch = Epoch::Later;
        }
    }

    fn forget(&mut self, token: u8) {
        if let Some(host) = &mut self.host
            && host.tokens & 1 << token != 0
        {
            host.tokens &= !(1 << token);
            self.renew();
        }
    }

    /// C2. True if it counted.
    fn count(&mut self, op: Op, epoch: Epoch) -> bool {
        match &mut self.host {
            Some(host) if host.epoch == epoch && host.tokens & op.bit() == 0 => {
                host.n += op.delta();
                host.tokens |= op.bit();
                true
            }
            _ => false,
        }
    }

    fn clear(&mut self, op: Op) {
        let slot = &mut self.children[usize::from(op.child)];
        *slot = slot
            .map(|child| child.with(child.flags().filter(|flag| flag.token != op.token)))
            .filter(|child| !child.del || child.flags().next().is_some());
    }

    fn pending(&self, token: u8) -> bool {
        let mut flags = self.children.iter().flatten().flat_map(Child::flags);
        flags.any(|op| op.token == token)
    }

    /// The flags that concern the host.
    pub(super) fn flagged(&self) -> u16 {
        let flags = self.children.iter().flatten().flat_map(Child::here);
        flags.fold(0, |all, op| all | op.bit())
    }

    fn exact(&self) -> bool {
        let here = self
            .children
            .iter()
            .flatten()
            .filter(|child| child.counts());
        self.host
            .is_none_or(|host| usize::try_from(host.n) == Ok(here.count()))
    }
}

impl Protocol for Begins {
    fn settled(&self, state: &State) -> bool {
        let mut flags = state.children.iter().flatten().flat_map(Child::flags);
        state.programs.iter().all(|at| Self::resting(*at))
            && flags.next().is_none()
            && state.host.is_none_or(|host| !host.mark && host.tokens == 0)
    }
}

impl Model for Begins {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let config = &self.0;
        let child = |(id, born): (usize, &Born)| {
            let op = Op {
                token: (config.roles.len() + id) as u8,
                child: id as u8,
                from: false,
                to: born.side == Side::Here,
            };
            let child = Child {
                side: born.side,
                del: false,
                flags: [None; FLAGS],
            };
            Some(child.with(born.flag.then_some(op).into_iter()))
        };
        let mut children: Vec<_> = config.children.iter().enumerate().map(child).collect();
        for role in &config.roles {
            if let Role::Insert(id) = *role {
                children.resize(children.len().max(id + 1), None);
            }
        }
        let counted = config.children.iter();
        let counted = counted.filter(|born| born.side == Side::Here && !born.flag);
        let host = Host {
            n: counted.count() as i8,
            epoch: self.first(),
            tokens: 0,
            mark: false,
        };
        vec![State {
            host: config.stored.then_some(host),
            children,
            programs: vec![At::Start; config.roles.len()],
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for (i, at) in state.programs.iter().enumerate() {
            let role = self.0.roles[i];
            match *at {
                At::Start => match role {
                    Role::Insert(_) | Role::Move(..) | Role::Delete(_) => {
                        if state.host.is_some() {
                            actions.push(Action::C0(i));
                        }
                        if self.change(i, state).is_some() {
                            actions.push(Action::C1(i));
                        }
                    }
                    Role::Begin if state.host.is_none() => actions.push(Action::Insert(i)),
                    Role::Remove if state.host.is_some() => actions.push(Action::Delete(i)),
                    Role::Begin | Role::Remove => {}
                    Role::Echo => {
                        let sends = |other: &usize| matches!(state.programs[*other], At::Count(..));
                        let others = (0..self.0.roles.len()).filter(sends);
                        actions.extend(others.map(|other| Action::Resend(i, other)));
                    }
                    Role::Resume => {
                        actions.push(Action::C0(i));
                        if let Some(host) = state.host {
                            if host.mark {
                                actions.push(Action::TakeHost(i, false));
                            }
                            if host.mark && host.epoch == self.first() {
                                actions.push(Action::TakeHost(i, true));
                            }
                            let tokens = (0..16).filter(|token| host.tokens & 1 << token != 0);
                            actions.extend(tokens.map(|token| Action::TakeToken(i, token)));
                        }
                    }
                },
                At::Change(_) if self.change(i, state).is_some() => actions.push(Action::C1(i)),
                At::Change(_) | At::Over => {}
                At::Take(_) => {
                    for (id, child) in state.children.iter().enumerate() {
                        let flags = child.iter().flat_map(Child::flags);
                        actions.extend(flags.map(|op| Action::TakeChild(i, id, op.token)));
                    }
                }
                At::Count(..) | At::Late(..) => actions.push(Action::C2(i)),
                At::Look(_) => actions.push(Action::ReadHost(i)),
                At::LookAtChild(..) => actions.push(Action::ReadChild(i)),
                At::Clear(_) => actions.push(Action::C3(i)),
                At::Forget(_) => actions.push(Action::C4(i)),
                At::Probe(_) => actions.push(Action::Probe(i)),
                At::Remove(_) => actions.push(Action::Remove(i)),
                At::Wait(flags) if state.flagged() & flags != 0 => {}
                At::Fast(..)
                | At::Flags
                | At::Wait(_)
                | At::ReadHost
                | At::Recount(_)
                | At::Unmark => actions.push(Action::Settle(i)),
            }
            let anew = role == Role::Resume && *at != At::Start;
            if anew || (self.0.crashes && !Self::resting(*at)) {
                actions.push(Action::Crash(i));
            }
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        let (i, next) = match action {
            Action::C0(i) => {
                let epoch = state.host.map(|host| host.epoch);
                let at = match self.0.roles[i] {
                    Role::Resume => At::Take(epoch),
                    _ => At::Change(epoch?),
                };
                (i, at)
            }
            Action::C1(i) => {
                let (op, child) = self.change(i, last)?;
                state.children[usize::from(op.child)] = Some(child);
                let at = match last.programs[i] {
                    _ if op.delta() == 0 => At::Clear(op),
                    At::Change(epoch) => At::Count(op, epoch),
                    _ => At::Look(op),
                };
                (i, at)
            }
            Action::TakeChild(i, id, token) => {
                let At::Take(epoch) = last.programs[i] else {
                    return None;
                };
                let op = state.children[id]?.flags().find(|op| op.token == token)?;
                let at = match epoch {
                    _ if op.delta() == 0 => At::Clear(op),
                    Some(epoch) => At::Count(op, epoch),
                    None if self.0.absent_again => At::Look(op),
                    None => At::Clear(op),
                };
                (i, at)
            }
            Action::C2(i) => match last.programs[i] {
                At::Late(op, epoch) => {
                    state.count(op, epoch);
                    (i, At::Over)
                }
                At::Count(op, epoch) if state.count(op, epoch) => (i, At::Clear(op)),
                At::Count(op, _) => (i, At::Look(op)),
                _ => return None,
            },
            Action::ReadHost(i) => {
                let At::Look(op) = last.programs[i] else {
                    return None;
                };
                let at = match state.host {
                    Some(host) if host.tokens & op.bit() == 0 => At::LookAtChild(op, host.epoch),
                    _ => At::Clear(op),
                };
                (i, at)
            }
            Action::ReadChild(i) => match last.programs[i] {
                At::LookAtChild(op, epoch) if state.pending(op.token) => (i, At::Count(op, epoch)),
                _ => (i, self.rest(i)),
            },
            Action::C3(i) => {
                let At::Clear(op) = last.programs[i] else {
                    return None;
                };
                state.clear(op);
                (i, At::Forget(op))
            }
            Action::C4(i) => {
                let At::Forget(op) = last.programs[i] else {
                    return None;
                };
                state.forget(op.token);
                (i, self.rest(i))
            }
            Action::Insert(i) => {
                state.outdate();
                state.host = Some(Host {
                    n: 0,
                    epoch: self.first(),
                    tokens: 0,
                    mark: self.0.mark,
                });
                (i, At::Fast(self.first(), 0))
            }
            Action::Delete(i) => {
                state.outdate();
                state.host = None;
                (i, At::Over)
            }
            Action::TakeHost(i, true) => (i, At::Fast(state.host?.epoch, 0)),
            Action::TakeHost(i, false) => (i, At::Flags),
            Action::Settle(i) => (i, self.settle(&mut state, i)?),
            Action::TakeToken(i, token) => (i, At::Probe(token)),
            Action::Probe(i) => match last.programs[i] {
                At::Probe(token) if !state.pending(token) => (i, At::Remove(token)),
                _ => (i, self.rest(i)),
            },
            Action::Remove(i) => {
                let At::Remove(token) = last.programs[i] else {
                    return None;
                };
                state.forget(token);
                (i, self.rest(i))
            }
            Action::Resend(i, other) => {
                let At::Count(op, epoch) = last.programs[other] else {
                    return None;
                };
                (i, At::Late(op, epoch))
            }
            Action::Crash(i) => (i, self.rest(i)),
        };
        state.programs[i] = next;
        // A program that corrects a host whose mark is gone can only miss: its writes need that mark.
        if self.0.named && state.host.is_none_or(|host| !host.mark) {
            for (i, at) in state.programs.iter_mut().enumerate() {
                if at.settles() {
                    *at = self.rest(i);
                }
            }
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(FLAGGED, |_, state: &State| {
                let marked = state.host.is_some_and(|host| host.mark);
                marked || state.flagged() != 0 || state.exact()
            }),
            Property::always(SETTLED, |model: &Self, state: &State| {
                !model.settled(state) || state.exact()
            }),
            Property::sometimes(DONE, |model: &Self, state: &State| {
                let programs = model.0.roles.iter().zip(&state.programs);
                let mut writers =
                    programs.filter(|(role, _)| !matches!(role, Role::Resume | Role::Echo));
                model.settled(state)
                    && state.host.is_some()
                    && writers.all(|(_, at)| *at == At::Over)
            }),
        ]
    }
}
