//! The steps of the programs.

use super::{At, Event, Follow, Known, Role, Source, State, Then};

impl Follow {
    /// The next step of a program: changes the documents, and says where the program is then.
    pub(super) fn step(&self, state: &mut State, i: usize) -> Option<At> {
        let token = 1 << i;
        Some(match state.programs[i] {
            At::Start => self.begin(state, i)?,
            At::Read(read) => {
                let Role::ReadAndReplace(value) = self.0.roles[i] else {
                    return None;
                };
                state.put_back |= read.r < state.source.r;
                state.source = Source { value, ..read };
                state.disturb(Event::Replaced(read.r > 0));
                At::Over
            }
            At::Stream(next) => self.take(state, next)?,
            At::Lost => self.record(state, i)?,
            At::RecordGap => {
                state.gaps |= 1 << state.recorded;
                state.recorded += 1;
                At::Stream(state.position)
            }
            At::Raise(whole, then) => {
                state.overtaken |= self.0.roles[i] == Role::RepairAll;
                if self.0.raise {
                    let far = whole || self.has_lost(&state.source);
                    state.raise_to(match self.0.raise_far && far {
                        true => state.top + 1,
                        false => state.source.r + 1,
                    });
                }
                if self.0.flag {
                    state.source.pending = true;
                    At::ReadSource(then)
                } else {
                    At::Flag(then)
                }
            }
            At::Flag(then) => {
                state.source.pending = true;
                At::ReadSource(then)
            }
            // Its flag was cleared by another writer, or is gone with a replacement.
            At::ReadSource(then) if !state.source.pending => self.go_on(state, i, then),
            At::ReadSource(then) => self.fan(state, then),
            At::Fence(r, then) => {
                if state.source.r == r {
                    state.raise_to(state.top + 1);
                    state.source.pending = true;
                }
                At::ReadFenced(then)
            }
            // It has lost its revision once more, or its flag: another writer goes on.
            At::ReadFenced(then) if self.has_lost(&state.source) || !state.source.pending => {
                self.go_on(state, i, then)
            }
            At::ReadFenced(then) => At::Fan(state.source.known(), then),
            At::Fan(known, then) => {
                if state.copy.r < known.r {
                    state.copy.r = known.r;
                    state.copy.value = known.value;
                }
                At::Clear(known.r, then)
            }
            At::Clear(r, then) => {
                if state.source.r == r {
                    state.source.pending = false;
                    state.source.raises = 0;
                }
                self.go_on(state, i, then)
            }
            At::Mark(then) => {
                state.copy.marks |= token;
                state.copy.r = 0;
                At::ReadMarked(then)
            }
            At::ReadMarked(then) => At::Fix(state.source.known(), then),
            At::Fix(known, then) => {
                if state.copy.marks & token != 0 && (state.copy.r == 0 || state.copy.r < known.r) {
                    state.copy.r = known.r;
                    state.copy.value = known.value;
                }
                At::Unmark(then)
            }
            At::Unmark(then) => {
                state.copy.marks &= !token;
                self.go_on(state, i, then)
            }
            At::TakeFlag(gap) => match state.source.pending && self.0.take_over_flags {
                true => At::Raise(self.0.raise_far, Then::Marks(gap)),
                false => At::TakeMarks(gap),
            },
            At::TakeMarks(gap) => match state.copy.marks != 0 && self.0.take_over_flags {
                true => At::Mark(Then::Taken(gap)),
                false => At::Look(gap),
            },
            At::Look(gap) => At::Compare(gap, state.source),
            At::Compare(gap, read) => {
                let flagged = read.pending || state.copy.marks != 0;
                let then = Then::Gap(gap);
                let alone = self.0.roles[i] == Role::RepairAll;
                match state.copy.value == read.value || flagged && !alone {
                    true => self.go_on(state, i, then),
                    // Above the revision of the copy as well, which may be ahead.
                    false if self.0.repair_raises && (!alone || state.copy.r > read.r) => {
                        At::Raise(true, then)
                    }
                    false if self.0.repair_raises => At::RaiseWrong(then),
                    false => At::Mark(then),
                }
            }
            At::RaiseWrong(then) => {
                state.overtaken = true;
                state.raise_to(match self.0.raise_far {
                    true => state.top + 1,
                    false => state.source.r + 1,
                });
                // The writer that set a flag has to do its work again.
                match state.source.pending {
                    true => At::ReadSource(then),
                    false => At::Mark(then),
                }
            }
            At::ClearGap(_) if self.0.roles[i] == Role::RepairAll => {
                state.repaired = state.undisturbed && (state.overtaken || !state.put_back);
                At::Over
            }
            At::ClearGap(gap) => {
                state.gaps &= match self.0.clear_one {
                    true => !(1 << gap),
                    false => 0,
                };
                At::Start
            }
            At::Over => return None,
        })
    }

    /// The first step of a program.
    fn begin(&self, state: &mut State, i: usize) -> Option<At> {
        Some(match self.0.roles[i] {
            Role::Own(value) | Role::Set(value) => {
                let piped = matches!(self.0.roles[i], Role::Set(_));
                // A pipeline counts only what has no revision.
                if self.0.counts_raises && (!piped || self.has_lost(&state.source)) {
                    state.source.raises += 1;
                }
                state.raise_to(state.source.r + 1);
                state.source.pending = true;
                state.source.value = value;
                state.foreign = false;
                self.fan(state, Then::End)
            }
            Role::Rename(value) => {
                state.source.value = value;
                state.disturb(Event::Source);
                At::Over
            }
            Role::Replace(value) => {
                state.source = Source {
                    r: 0,
                    raises: 0,
                    pending: false,
                    value,
                };
                state.disturb(Event::Replaced(false));
                At::Over
            }
            Role::ReadAndReplace(_) => At::Read(state.source),
            Role::Spoil(value) => {
                state.copy.value = value;
                state.disturb(Event::Copy);
                At::Over
            }
            Role::Follow => {
                state.holder = Some(i);
                match state.position < state.lost {
                    true => At::Lost,
                    false => At::Stream(state.position),
                }
            }
            Role::Repair => {
                let gap = (0..8).find(|gap| state.gaps & 1 << gap != 0)?;
                if !self.0.clear_after {
                    state.gaps &= !(1 << gap);
                }
                At::TakeFlag(gap)
            }
            Role::RepairAll => {
                state.undisturbed = true;
                state.overtaken = false;
                At::TakeFlag(0)
            }
            Role::Resume => return None,
        })
    }

    /// A follower takes the next event.
    fn take(&self, state: &mut State, next: u8) -> Option<At> {
        if next < state.lost {
            return Some(At::Lost);
        }
        let event = *state.log.get(usize::from(next))?;
        if !self.0.store_after {
            state.position = next + 1;
        }
        let then = Then::Event(next + 1);
        Some(match event {
            Event::Source => At::Raise(false, then),
            Event::Replaced(true) if !self.0.replace_is_foreign => At::Stream(next + 1),
            Event::Replaced(_) => At::Raise(true, then),
            Event::Copy => At::Mark(then),
        })
    }

    /// A follower has lost its place.
    fn record(&self, state: &mut State, i: usize) -> Option<At> {
        if self.is_overtaken(state, i) {
            return Some(At::Over);
        }
        if !self.0.stream_first {
            // The repair runs now, in one step, and the stream begins after it.
            return Some(At::Look(state.recorded));
        }
        state.position = state.log.len() as u8;
        if !self.0.gap_with_position {
            return Some(At::RecordGap);
        }
        state.gaps |= 1 << state.recorded;
        state.recorded += 1;
        Some(At::Stream(state.position))
    }

    /// The next place of a program whose work on source or copy is done.
    fn go_on(&self, state: &mut State, i: usize, then: Then) -> At {
        match then {
            Then::Event(next) => At::Stream(next),
            Then::Marks(gap) => At::TakeMarks(gap),
            Then::Taken(gap) => At::Look(gap),
            Then::Gap(_) if self.0.roles[i] == Role::Follow => {
                state.position = state.log.len() as u8;
                At::Stream(state.position)
            }
            Then::Gap(gap) => At::ClearGap(gap),
            Then::End => match self.0.roles[i] {
                Role::Resume => At::Start,
                _ => At::Over,
            },
        }
    }

    /// W2 of the source as it was read or written now, or A3 before it.
    fn fan(&self, state: &State, then: Then) -> At {
        match self.has_lost(&state.source) {
            true => At::Fence(state.source.r, then),
            false => At::Fan(state.source.known(), then),
        }
    }

    /// True if the source has lost its revision to another program, and no writer has given it a far one since.
    fn has_lost(&self, source: &Source) -> bool {
        source.r <= 1 || source.r == source.raises
    }
}

impl Source {
    fn known(&self) -> Known {
        Known {
            r: self.r,
            value: self.value,
        }
    }
}

impl State {
    fn raise_to(&mut self, r: u8) {
        self.source.r = r;
        self.top = self.top.max(r);
    }
}
