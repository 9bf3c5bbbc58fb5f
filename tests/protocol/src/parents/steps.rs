//! The steps of the programs.

use super::{At, Child, Event, Flag, NONE, PARENTS, Parents, Role, State, Work};

/// A parent as a bit; none for no parent.
fn bit(parent: u8) -> u8 {
    match parent {
        NONE => 0,
        parent => 1 << parent,
    }
}

impl Child {
    pub(super) fn at(parent: u8) -> Child {
        Child {
            at: parent,
            marked: false,
            leaving: false,
            flags: Vec::new(),
        }
    }

    /// True if D3 deletes it: the flags of other writers are finished first.
    pub(super) fn can_go(&self) -> bool {
        self.leaving && self.flags.is_empty()
    }
}

impl Parents {
    /// The next step of a program: changes the documents, and says where the program is then.
    pub(super) fn step(&self, state: &mut State, i: usize) -> Option<At> {
        Some(match state.programs[i] {
            At::Start => self.begin(state, i)?,
            At::From(work) => {
                state.count(work.flag.from, -1, work.flag.token, work.epochs[0]);
                At::To(work)
            }
            At::To(work) => {
                state.count(work.flag.to, 1, work.flag.token, work.epochs[1]);
                At::Clear(work)
            }
            At::Clear(work) => {
                if let Some(child) = &mut state.child {
                    child.flags.retain(|flag| flag.token != work.flag.token);
                }
                match work.delete {
                    true => At::Delete,
                    false => self.end(i),
                }
            }
            At::Delete => {
                let child = state.child.as_ref();
                if child.is_some_and(|child| child.leaving && !child.can_go()) {
                    return None;
                }
                if child.is_some_and(Child::can_go) {
                    state.child = None;
                    state.log.push(Event::OwnDelete);
                }
                self.end(i)
            }
            At::Look(next, parents, gap) => {
                let live = state.child.as_ref().filter(|child| !child.leaving);
                let live = live.filter(|child| !child.marked);
                let now = live.map_or(NONE, |child| child.at);
                let referred = state.child.as_ref().map_or(NONE, |child| child.at);
                // Lists that hold the child are found by its id.
                for id in 0..PARENTS {
                    state.parents[usize::from(id)].lists = id == now;
                }
                At::Count(next, parents | bit(referred), gap)
            }
            At::Count(next, 0, true) => At::RecordGap(next),
            At::Count(next, 0, false) => At::Stream(next),
            At::Count(next, parents, gap) => {
                let id = parents.trailing_zeros() as u8;
                state.recount(id);
                At::Count(next, parents & !(1 << id), gap)
            }
            At::RecordGap(next) => {
                state.gaps |= 1 << state.recorded;
                state.recorded += 1;
                At::Stream(next)
            }
            At::Compare(gap, NONE) => {
                state.gaps &= !(1 << gap);
                At::Start
            }
            At::Compare(gap, id) => {
                let there = state.children(id);
                let expected = match self.0.compare_with_flags {
                    true => there - state.waiting(id),
                    false => there,
                };
                if state.parents[usize::from(id)].number != expected {
                    state.recount(id);
                }
                state.parents[usize::from(id)].lists = there > 0;
                At::Compare(gap, id + 1)
            }
            At::Stream(_) | At::Over => return None,
        })
    }

    /// The first step of a program.
    fn begin(&self, state: &mut State, i: usize) -> Option<At> {
        let images = self.0.images;
        Some(match self.0.roles[i] {
            Role::Move(to) => {
                let Some(child) = state.child.clone().filter(|child| !child.leaving) else {
                    return Some(At::Over);
                };
                let flag = Flag {
                    token: i as u8,
                    from: child.at,
                    to,
                };
                let work = state.work(flag, false);
                let child = state.child.as_mut()?;
                child.at = to;
                // A marked child moves nowhere.
                if child.marked || flag.from == to {
                    return Some(At::Over);
                }
                child.flags.push(flag);
                At::From(work)
            }
            Role::Delete => {
                let Some(child) = state.child.clone().filter(|child| !child.leaving) else {
                    return Some(At::Over);
                };
                let flag = Flag {
                    token: i as u8,
                    from: if child.marked { NONE } else { child.at },
                    to: NONE,
                };
                let work = state.work(flag, true);
                let child = state.child.as_mut()?;
                child.leaving = true;
                child.flags.push(flag);
                At::From(work)
            }
            Role::Insert(put) => {
                if state.child.is_none() {
                    state.child = Some(Child::at(put));
                    state.log.push(Event::Stored { put: bit(put) });
                }
                At::Over
            }
            Role::Shift(_) | Role::Replace(_) | Role::Remove | Role::Mark => {
                if let Some(child) = state.child.take() {
                    state.change(self.0.roles[i], child, images);
                }
                At::Over
            }
            Role::Follow => At::Stream(state.position),
            Role::Repair => {
                let gap = (0..8).find(|gap| state.gaps & 1 << gap != 0)?;
                At::Compare(gap, 0)
            }
            Role::Resume => return None,
        })
    }

    /// A follower has read these events, up to this number.
    pub(super) fn take(&self, events: &[Event], next: u8) -> At {
        let own = events.last() == Some(&Event::OwnDelete);
        let foreign = events.iter().any(|event| *event != Event::OwnDelete);
        if !foreign || own && !self.0.ignore_own_deletes {
            return At::Stream(next);
        }
        let (mut parents, mut gap) = (0, false);
        for event in events {
            match *event {
                Event::OwnDelete => {}
                Event::Stored { put } if self.0.count_where_put => parents |= put,
                Event::Stored { .. } => {}
                Event::Changed {
                    put,
                    before,
                    flagged,
                    mark,
                } => {
                    parents |= before;
                    if self.0.count_where_put {
                        parents |= put;
                    }
                    if self.0.count_lost_flags {
                        parents |= flagged;
                    }
                    gap |= !self.0.images && (!mark || self.0.marks_are_gaps);
                }
            }
        }
        At::Look(next, parents, gap)
    }

    fn end(&self, i: usize) -> At {
        match self.0.roles[i] {
            Role::Resume => At::Start,
            _ => At::Over,
        }
    }
}

impl State {
    /// The work of a flag, with the epochs of now.
    pub(super) fn work(&self, flag: Flag, delete: bool) -> Work {
        let epoch = |id: u8| self.parents.get(usize::from(id)).map_or(0, |p| p.epoch);
        Work {
            flag,
            epochs: [epoch(flag.from), epoch(flag.to)],
            delete,
        }
    }

    /// Another program changes the child.
    fn change(&mut self, role: Role, child: Child, images: bool) {
        let flags = child.flags.iter();
        let flagged = flags.fold(0, |all, flag| all | bit(flag.from) | bit(flag.to));
        let before = bit(child.at);
        let put = match role {
            Role::Shift(to) | Role::Replace(to) => to,
            _ => NONE,
        };
        self.child = match role {
            Role::Shift(to) => Some(Child { at: to, ..child }),
            Role::Replace(to) => Some(Child::at(to)),
            Role::Mark => Some(Child {
                marked: true,
                ..child
            }),
            _ => None,
        };
        self.log.push(Event::Changed {
            put: bit(put),
            before: if images { before } else { 0 },
            flagged: if images { flagged } else { 0 },
            mark: role == Role::Mark,
        });
    }

    /// C2 at a parent, if it is in the epoch that was read before the flag; otherwise only if the flag is still there. The list follows.
    fn count(&mut self, id: u8, n: i8, token: u8, epoch: u8) {
        if id == NONE {
            return;
        }
        let flags = self.child.iter().flat_map(|child| &child.flags);
        let flagged = flags.into_iter().any(|flag| flag.token == token);
        let lists = self.children(id) > 0;
        let parent = &mut self.parents[usize::from(id)];
        if parent.tokens & 1 << token == 0 && (parent.epoch == epoch || flagged) {
            parent.number += n;
            parent.tokens |= 1 << token;
        }
        parent.lists = lists;
    }

    /// A recount: the children, less what flags will still add, in a new epoch.
    fn recount(&mut self, id: u8) {
        let number = self.children(id) - self.waiting(id);
        let parent = &mut self.parents[usize::from(id)];
        parent.number = number;
        parent.epoch += 1;
    }
}
