//! Documents of a tree that move, and documents that are inserted below them meanwhile (PROTOCOL 4.19).
//!
//! A tree has one document that says which node is being moved, and the revision of the latest move. Every write of ancestors carries the
//! revision of the move that it belongs to, and changes only documents that have seen none as late. A new document has the mark that a
//! checked reference has; before it goes, the ancestors are compared with those of the parent.
//!
//! Here are four documents, and the programs of a configuration. A walk of an index is one read per document: what appears behind it is
//! missed. A program that finishes the move of another does the same steps, so that a late command is a step of a slow program.

mod steps;

use stateright::{Model, Property};

use crate::run::{DONE, FLAGGED, Protocol, SETTLED};

/// Name of the property that the parents make no ring.
pub const RING: &str = "no document is above itself";

/// The number of documents.
pub const NODES: usize = 4;

type Node = usize;

/// The task of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Gives a document another parent, or none.
    Move(Node, Option<Node>),
    /// Inserts a document.
    Insert(Node, Node),
    /// Finishes what others have left, for ever.
    Finish,
}

/// The programs that run, and the MUSTs that they obey.
#[derive(Clone, Debug)]
pub struct Config {
    /// The parent of each document that is there from the beginning.
    pub stored: [Option<Option<Node>>; NODES],
    /// The programs.
    pub roles: Vec<Role>,
    /// Programs may die between any two steps.
    pub crashes: bool,
    /// The server may refuse the write of the new parent.
    pub refuses: bool,
    /// A move begins when no other is under way.
    pub one_move: bool,
    /// The documents above the new parent are read after the move has begun.
    pub look_after: bool,
    /// They are found by the parents, not in the stored ancestors.
    pub by_parents: bool,
    /// The decision is stored once, for all that finish the move.
    pub decide_once: bool,
    /// Ancestors are written only to documents that have those of an earlier move.
    pub guarded: bool,
    /// Before a new document is compared, a move that is under way is finished.
    pub finish_first: bool,
    /// Its own revision is read before that.
    pub own_first: bool,
    /// The ancestors of a new document are compared with those of its parent.
    pub compare: bool,
    /// They are compared again after a correction.
    pub compare_again: bool,
    /// A correction goes on to the documents below.
    pub below: bool,
    /// A move that is refused is made impossible for all others before it ends.
    pub fence: bool,
    /// The document gets the ancestors of its present place with that.
    pub fence_place: bool,
}

impl Config {
    /// A configuration that obeys every MUST.
    #[must_use]
    pub fn sound(stored: [Option<Option<Node>>; NODES], roles: &[Role]) -> Self {
        Self {
            stored,
            roles: roles.to_vec(),
            crashes: true,
            refuses: false,
            one_move: true,
            look_after: true,
            by_parents: true,
            decide_once: true,
            guarded: true,
            finish_first: true,
            own_first: true,
            compare: true,
            compare_again: true,
            below: true,
            fence: true,
            fence_place: true,
        }
    }
}

/// A stored document: `{above, path, _dn: {y, u}}`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Doc {
    above: Option<Node>,
    path: Vec<Node>,
    y: u8,
    marked: bool,
}

/// A move that is under way: `moving` in the document of the tree, with its revision.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Moving {
    revision: u8,
    node: Node,
    to: Option<Node>,
    /// The new ancestors, once that is decided.
    path: Option<Vec<Node>>,
}

/// A walk of the documents below one, with the ancestors that this one has.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Walk {
    node: Node,
    path: Vec<Node>,
    revision: u8,
    /// The next document to read.
    at: usize,
    /// The documents that were found, a bit each.
    found: u8,
}

impl Walk {
    fn new(node: Node, path: Vec<Node>, revision: u8) -> Self {
        Walk {
            node,
            path,
            revision,
            at: 0,
            found: 0,
        }
    }
}

/// Where a program is. Names state the next step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// T of its own move; with the chain that it read before, if the look is before.
    Take(Option<Vec<Node>>),
    /// It reads the documents above the new parent, one after the other.
    Look(Moving, Option<Node>, Vec<Node>),
    /// It stores the decision.
    Decide(Moving, Option<Vec<Node>>),
    /// R1.
    Place(Moving),
    /// R1 was refused.
    Fence(Moving),
    /// It rewrites the documents below; of a move, or of the document that it compares.
    Below(Option<Moving>, Node, bool, Walk),
    /// It ends the move.
    End(Moving),
    /// I0.
    Read,
    /// I1.
    Store(Vec<Node>, u8),
    /// It reads a marked document; true after the first time.
    Own(Node, bool),
    /// It asks if a move is under way; with the revision that it has read.
    Ask(Node, bool, u8),
    /// It reads the parent of the document.
    Compare(Node, bool, u8),
    /// It corrects the marked document, if the revision of that is older.
    Correct(Node, bool, u8, Vec<Node>, u8),
    /// It removes the mark.
    Clear(Node),
    /// Between two tasks, done or dead.
    Over,
}

/// All documents and all programs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    nodes: [Option<Doc>; NODES],
    revision: u8,
    moving: Option<Moving>,
    programs: Vec<At>,
    /// Moves that have ended with the new place.
    moved: u8,
}

/// An atomic step of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Its next one.
    Step(usize),
    /// A finisher takes the move that is under way.
    Resume(usize),
    /// A finisher takes that marked document.
    Take(usize, Node),
    /// The server refuses its R1.
    Refuse(usize),
    /// The program dies.
    Crash(usize),
}

/// [`Config`] as a model.
#[derive(Clone, Debug)]
pub struct Tree(pub Config);

/// The documents above one by their parents; `None` in a ring.
fn chain(nodes: &[Option<Doc>; NODES], node: Node) -> Option<Vec<Node>> {
    let mut path = Vec::new();
    let mut next = nodes[node].as_ref()?.above;
    while let Some(above) = next {
        if path.len() == NODES {
            return None;
        }
        path.insert(0, above);
        next = nodes[above].as_ref()?.above;
    }
    Some(path)
}

impl State {
    fn doc(&self, node: Node) -> &Doc {
        self.nodes[node].as_ref().expect("no document is deleted")
    }

    fn has_ring(&self) -> bool {
        (0..NODES).any(|node| self.nodes[node].is_some() && chain(&self.nodes, node).is_none())
    }

    fn is_wrong(&self, node: Node) -> bool {
        let doc = self.nodes[node].as_ref();
        doc.is_some_and(|doc| chain(&self.nodes, node).as_ref() != Some(&doc.path))
    }

    /// True if the document, or one above it, is marked.
    fn is_marked(&self, node: Node) -> bool {
        let above = chain(&self.nodes, node).unwrap_or_default();
        let mut all = above.into_iter().chain([node]);
        all.any(|one| self.doc(one).marked)
    }
}

impl Protocol for Tree {
    fn settled(&self, state: &State) -> bool {
        let marked = state.nodes.iter().flatten().any(|doc| doc.marked);
        state.moving.is_none() && !marked && state.programs.iter().all(|at| *at == At::Over)
    }
}

impl Model for Tree {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let above = |node: Node| Doc {
            above: self.0.stored[node].flatten(),
            path: Vec::new(),
            y: 0,
            marked: false,
        };
        let mut nodes: [Option<Doc>; NODES] =
            std::array::from_fn(|node| self.0.stored[node].map(|_| above(node)));
        for node in 0..NODES {
            let path = chain(&nodes, node);
            if let (Some(doc), Some(path)) = (&mut nodes[node], path) {
                doc.path = path;
            }
        }
        vec![State {
            nodes,
            revision: 0,
            moving: None,
            programs: (0..self.0.roles.len()).map(|i| self.first(i)).collect(),
            moved: 0,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for (i, at) in state.programs.iter().enumerate() {
            match at {
                At::Over => {}
                at => {
                    actions.push(Action::Step(i));
                    if self.0.refuses && matches!(at, At::Place(_)) {
                        actions.push(Action::Refuse(i));
                    }
                    if self.0.crashes && self.0.roles[i] != Role::Finish {
                        actions.push(Action::Crash(i));
                    }
                    continue;
                }
            }
            if self.0.roles[i] == Role::Finish {
                if state.moving.is_some() {
                    actions.push(Action::Resume(i));
                }
                let marked = (0..NODES).filter(|node| {
                    let doc = state.nodes[*node].as_ref();
                    doc.is_some_and(|doc| doc.marked)
                });
                actions.extend(marked.map(|node| Action::Take(i, node)));
            }
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        match action {
            Action::Step(i) => state.programs[i] = self.step(&mut state, i),
            Action::Resume(i) => state.programs[i] = Self::look(last.moving.clone()?),
            Action::Take(i, node) => {
                state.programs[i] = self.marked(node);
            }
            Action::Refuse(i) => {
                let At::Place(moving) = &last.programs[i] else {
                    return None;
                };
                state.programs[i] = match self.0.fence {
                    true => At::Fence(moving.clone()),
                    false => At::End(moving.clone()),
                };
            }
            Action::Crash(i) => state.programs[i] = At::Over,
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(RING, |_: &Self, state: &State| !state.has_ring()),
            Property::always(FLAGGED, |_: &Self, state: &State| {
                let pointed = |node| state.moving.is_some() || state.is_marked(node);
                (0..NODES).all(|node| !state.is_wrong(node) || pointed(node))
            }),
            Property::always(SETTLED, |model: &Self, state: &State| {
                !model.settled(state) || !(0..NODES).any(|node| state.is_wrong(node))
            }),
            Property::sometimes(DONE, |model: &Self, state: &State| {
                let stored = state.nodes.iter().flatten().count();
                model.settled(state) && state.moved > 0 && stored == NODES
            }),
        ]
    }
}
