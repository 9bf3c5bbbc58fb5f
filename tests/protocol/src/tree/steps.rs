//! The steps of the programs.

use super::{At, Doc, Moving, NODES, Node, Role, State, Tree, Walk, chain};

impl Tree {
    pub(super) fn first(&self, program: usize) -> At {
        match self.0.roles[program] {
            Role::Move(node, to) if !self.0.look_after => Self::look(Moving {
                revision: 0,
                node,
                to,
                path: None,
            }),
            Role::Move(..) => At::Take(None),
            Role::Insert(..) => At::Read,
            Role::Finish => At::Over,
        }
    }

    pub(super) fn look(moving: Moving) -> At {
        match moving.path {
            Some(_) => At::Place(moving),
            None => {
                let to = moving.to;
                At::Look(moving, to, Vec::new())
            }
        }
    }

    /// True if this is the document that moves, in its new place.
    pub(super) fn is_placed(state: &State, node: Node, moving: &Moving) -> bool {
        let doc = state.doc(node);
        moving.node == node && doc.above == moving.to && moving.path.as_ref() == Some(&doc.path)
    }

    /// The step that follows for a marked document.
    pub(super) fn marked(&self, node: Node) -> At {
        match self.0.compare {
            true => At::Own(node, false),
            false => At::Clear(node),
        }
    }

    /// What follows when a program has finished a move: its own one, if it was that of another.
    fn after(&self, i: usize, moving: &Moving) -> At {
        match self.0.roles[i] {
            Role::Move(node, to) if (node, to) != (moving.node, moving.to) => self.first(i),
            Role::Insert(node, _) => At::Own(node, false),
            _ => At::Over,
        }
    }

    /// True if ancestors of this revision are written to the document.
    fn takes(&self, doc: &Doc, revision: u8) -> bool {
        !self.0.guarded || doc.y < revision
    }

    fn walk(&self, state: &mut State, mut walk: Walk) -> Option<Walk> {
        let is_below = |doc: &Doc| doc.path.contains(&walk.node) && self.takes(doc, walk.revision);
        if walk.at < NODES {
            // The newest document first, so that a parent is read after its children.
            let node = NODES - 1 - walk.at;
            let found = state.nodes[node].as_ref().is_some_and(is_below);
            walk.found |= u8::from(found) << node;
            walk.at += 1;
        } else if walk.found != 0 {
            let node = walk.found.trailing_zeros() as usize;
            walk.found &= walk.found - 1;
            if let Some(doc) = state.nodes[node].as_mut().filter(|doc| is_below(doc)) {
                let from = doc
                    .path
                    .iter()
                    .position(|one| *one == walk.node)
                    .unwrap_or(0);
                let rest = doc.path.split_off(from);
                doc.path.clone_from(&walk.path);
                doc.path.extend(rest);
                doc.y = walk.revision;
            }
        } else {
            return None;
        }
        Some(walk)
    }

    /// The steps of a move.
    fn step_move(&self, state: &mut State, i: usize, at: At) -> At {
        match at {
            At::Take(path) => {
                if let Some(moving) = state.moving.clone().filter(|_| self.0.one_move) {
                    return Self::look(moving);
                }
                let Role::Move(node, to) = self.0.roles[i] else {
                    return At::Over;
                };
                state.revision += 1;
                let moving = Moving {
                    revision: state.revision,
                    node,
                    to,
                    path,
                };
                state.moving = Some(moving.clone());
                Self::look(moving)
            }
            At::Look(moving, ..) if state.nodes[moving.node].is_none() => At::Decide(moving, None),
            At::Look(moving, Some(next), mut path) => {
                path.insert(0, next);
                let Some(doc) = &state.nodes[next] else {
                    return At::Decide(moving, None);
                };
                if !self.0.by_parents {
                    let mut all = doc.path.clone();
                    all.push(next);
                    return At::Decide(moving, Some(all));
                }
                match doc.above {
                    _ if next == moving.node => At::Decide(moving, None),
                    Some(above) => At::Look(moving, Some(above), path),
                    None => At::Decide(moving, Some(path)),
                }
            }
            At::Look(moving, None, _) => At::Decide(moving, Some(Vec::new())),
            At::Decide(mut moving, path) => {
                let path = path.filter(|path| !path.contains(&moving.node));
                if moving.revision == 0 {
                    return path.map_or(At::Over, |path| At::Take(Some(path)));
                }
                let is_open =
                    |now: &&mut Moving| now.revision == moving.revision && now.path.is_none();
                match (state.moving.as_mut().filter(is_open), &path) {
                    (Some(now), Some(_)) => now.path.clone_from(&path),
                    (Some(_), None) => state.moving = None,
                    // Another program has decided.
                    (None, _) if self.0.decide_once => {
                        let now = state.moving.clone();
                        let now = now.filter(|now| now.revision == moving.revision);
                        return now.map_or_else(|| self.after(i, &moving), At::Place);
                    }
                    (None, _) => {}
                }
                match path {
                    Some(_) => {
                        moving.path = path;
                        At::Place(moving)
                    }
                    None => self.after(i, &moving),
                }
            }
            At::Place(moving) => {
                let path = moving.path.clone().unwrap_or_default();
                let doc = state.nodes[moving.node].as_mut().expect("it is stored");
                if doc.y < moving.revision || !self.0.guarded {
                    doc.above = moving.to;
                    doc.path.clone_from(&path);
                    doc.y = moving.revision;
                    state.moved += 1;
                }
                if self.0.fence && doc.path != path {
                    return At::End(moving);
                }
                let walk = Walk::new(moving.node, path, moving.revision);
                At::Below(Some(moving), 0, false, walk)
            }
            At::Fence(moving) => {
                let own = chain(&state.nodes, moving.node);
                let doc = state.nodes[moving.node].as_mut().expect("it is stored");
                if doc.y < moving.revision {
                    doc.y = moving.revision;
                    if self.0.fence_place {
                        doc.path = own.unwrap_or_default();
                    }
                    return At::End(moving);
                }
                let path = moving.path.clone().unwrap_or_default();
                match doc.path == path {
                    true => At::Below(
                        Some(moving.clone()),
                        0,
                        false,
                        Walk::new(moving.node, path, moving.revision),
                    ),
                    false => At::End(moving),
                }
            }
            At::End(moving) => {
                let is_it = |now: &Moving| now.revision == moving.revision;
                if state.moving.as_ref().is_some_and(is_it) {
                    state.moving = None;
                }
                self.after(i, &moving)
            }
            other => other,
        }
    }

    /// The steps of an insert, and of the comparison that follows it.
    fn step_insert(&self, state: &mut State, i: usize, at: At) -> At {
        match (at, self.0.roles[i]) {
            (At::Read, Role::Insert(_, above)) => match &state.nodes[above] {
                Some(doc) => {
                    let mut path = doc.path.clone();
                    path.push(above);
                    At::Store(path, 0)
                }
                None => At::Over,
            },
            (At::Store(path, y), Role::Insert(node, above)) => {
                state.nodes[node] = Some(Doc {
                    above: Some(above),
                    path,
                    y,
                    marked: true,
                });
                self.marked(node)
            }
            (At::Own(node, again), _) => At::Ask(node, again, state.doc(node).y),
            (At::Ask(node, again, own), _) => match state.moving.clone() {
                Some(moving) if Self::is_placed(state, node, &moving) => At::Clear(node),
                Some(moving) if self.0.finish_first => Self::look(moving),
                // No document was ever moved: later moves find this one.
                _ if state.revision == 0 => At::Clear(node),
                _ => At::Compare(node, again, own),
            },
            (At::Compare(node, again, own), _) => {
                let Some(above) = state.doc(node).above else {
                    return At::Clear(node);
                };
                let parent = state.doc(above);
                if parent.y == 0 {
                    return At::Clear(node);
                }
                let mut path = parent.path.clone();
                path.push(above);
                let own = match self.0.own_first {
                    true => own,
                    false => state.doc(node).y,
                };
                At::Correct(node, again, own, path, parent.y)
            }
            (At::Correct(node, again, own, path, y), _) => {
                let doc = state.nodes[node].as_mut().expect("it is stored");
                let is_child = doc.above == path.last().copied();
                if is_child && self.takes(doc, y) {
                    doc.path.clone_from(&path);
                    doc.y = y;
                }
                let corrects = own < y;
                match corrects || !again {
                    true if self.0.below => {
                        At::Below(None, node, corrects, Walk::new(node, path, y))
                    }
                    _ if corrects && self.0.compare_again => At::Own(node, true),
                    _ => At::Clear(node),
                }
            }
            (At::Clear(node), _) => {
                if let Some(doc) = &mut state.nodes[node] {
                    doc.marked = false;
                }
                At::Over
            }
            (other, _) => other,
        }
    }

    pub(super) fn step(&self, state: &mut State, i: usize) -> At {
        match state.programs[i].clone() {
            At::Below(moving, node, corrects, walk) => match self.walk(state, walk) {
                Some(walk) => At::Below(moving, node, corrects, walk),
                None => match moving {
                    Some(moving) => At::End(moving),
                    None if corrects && self.0.compare_again => At::Own(node, true),
                    None => At::Clear(node),
                },
            },
            at @ (At::Take(_)
            | At::Look(..)
            | At::Decide(..)
            | At::Place(_)
            | At::Fence(_)
            | At::End(_)) => self.step_move(state, i, at),
            at => self.step_insert(state, i, at),
        }
    }
}
