//! The two ways to correct the number of a marked host.

use super::{At, Begins, Child, Epoch, Recount, Role, State};

impl Begins {
    /// The fast way's next read, or its write. `None`: it is not the way.
    fn fast(&self, state: &mut State, i: usize, epoch: Epoch, reads: u8) -> Option<At> {
        let children = state.children.len();
        let done = usize::from(reads);
        let first = done < children;
        if done < 2 * children {
            let child = state.children[done % children];
            let bad = if first == self.0.children_first {
                child.is_some_and(|child| child.counts())
            } else {
                self.0.look_at_flags && child.is_some_and(|child| child.here().next().is_some())
            };
            return (!bad).then_some(At::Fast(epoch, reads + 1));
        }
        let host = state.host.as_mut()?;
        if self.0.guard && (host.epoch != epoch || host.tokens != 0) {
            return None;
        }
        host.mark = false;
        if self.0.new_epoch {
            state.renew();
        }
        Some(self.rest(i))
    }

    fn recount(&self, state: &mut State, mut now: Recount) -> At {
        let children = state.children.len();
        let done = usize::from(now.reads);
        if done < 3 * children {
            let child = state.children[done % children];
            let waiting = child.iter().flat_map(Child::here);
            let waiting = waiting.filter(|op| now.tokens & op.bit() == 0);
            match done / children {
                0 => waiting.for_each(|op| {
                    now.waiting |= op.bit();
                    now.n -= op.delta();
                }),
                1 => now.n += i8::from(child.is_some_and(|child| child.counts())),
                _ => {
                    let of = self.tokens_of(done % children);
                    let again = waiting.fold(0, |all, op| all | op.bit());
                    if self.0.flags_again && again != now.waiting & of {
                        return At::ReadHost;
                    }
                }
            }
            now.reads += 1;
            return At::Recount(now);
        }
        match &mut state.host {
            Some(host) if host.epoch == now.epoch && host.tokens == now.tokens => {
                host.n = now.n;
                state.renew();
                At::Unmark
            }
            _ => At::ReadHost,
        }
    }

    /// The tokens that the flags of this child can have.
    fn tokens_of(&self, child: usize) -> u16 {
        let roles = self.0.roles.iter().enumerate();
        let of = roles.filter(|(_, role)| match role {
            Role::Insert(id) | Role::Move(id, _) | Role::Delete(id) => *id == child,
            _ => false,
        });
        of.fold(1 << (self.0.roles.len() + child), |all, (i, _)| {
            all | 1 << i
        })
    }

    /// The next step of a program that corrects the host.
    pub(super) fn settle(&self, state: &mut State, i: usize) -> Option<At> {
        Some(match state.programs[i] {
            At::Fast(epoch, reads) => self.fast(state, i, epoch, reads).unwrap_or(At::Flags),
            At::Flags if self.0.wait_for_flags => At::Wait(state.flagged()),
            At::Flags => At::ReadHost,
            At::Wait(flags) if state.flagged() & flags == 0 => At::ReadHost,
            At::ReadHost => match state.host {
                Some(host) if host.mark => At::Recount(Recount {
                    epoch: host.epoch,
                    tokens: host.tokens,
                    reads: 0,
                    waiting: 0,
                    n: 0,
                }),
                _ => self.rest(i),
            },
            At::Recount(now) => self.recount(state, now),
            At::Unmark => {
                if let Some(host) = &mut state.host {
                    host.mark = false;
                }
                self.rest(i)
            }
            _ => return None,
        })
    }
}
