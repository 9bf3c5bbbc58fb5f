//! An erase of a person: a flag, one write for each place with personal values, and the removal of the flag (4.21).
//!
//! Copies of the values follow each write as in [`copies`](crate::copies), which is taken for granted here.

use stateright::{Model, Property};

use crate::run::{DONE, FLAGGED, Protocol, SETTLED};

/// The number of places: the person, and two collections that refer to it.
pub const PLACES: usize = 3;

/// The task of a program, done once (resumers: for ever).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Erases the person.
    Erase,
    /// Stores a new personal value at a place.
    Store(usize),
    /// Takes a flag and finishes its erase.
    Resume,
}

/// The programs that run, and the MUSTs that they obey.
#[derive(Clone, Debug)]
pub struct Config {
    /// The programs.
    pub roles: Vec<Role>,
    /// The flag is set before the first place is written.
    pub flag_first: bool,
    /// The flag is removed after the last place is written.
    pub clear_last: bool,
    /// The flag is removed only with the token that was set or read.
    pub clear_by_token: bool,
}

impl Config {
    /// A configuration that obeys every MUST.
    #[must_use]
    pub fn sound(roles: &[Role]) -> Self {
        Self {
            roles: roles.to_vec(),
            flag_first: true,
            clear_last: true,
            clear_by_token: true,
        }
    }
}

/// A step of an erase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// X0: the flag is set.
    Flag,
    /// X1, X2: the values of a place are erased.
    Place(usize),
    /// X3: the flag is removed.
    Clear,
}

/// The state of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// Not started; a resumer between two jobs.
    Start,
    /// Before the step of this number, of the erase with this token.
    Before(usize, usize),
    /// Done or dead.
    Over,
}

/// All documents and all programs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The token in the person: the number of the program that set it.
    flag: Option<usize>,
    /// True for a place that holds a personal value.
    personal: [bool; PLACES],
    /// True for a place whose value an erase has to remove: it was stored before an erase began.
    owed: [bool; PLACES],
    programs: Vec<At>,
}

/// One atomic step; the first number is the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The next step of an erase.
    Erase(usize, Step),
    /// A new value.
    Store(usize),
    /// A resumer reads the flag.
    Take(usize),
    /// The program dies.
    Crash(usize),
}

/// [`Config`] as a model.
#[derive(Clone, Debug)]
pub struct Erase(pub Config);

impl Erase {
    /// The steps of an erase, in order.
    fn steps(&self) -> Vec<Step> {
        let mut steps: Vec<Step> = (0..PLACES).map(Step::Place).collect();
        steps.insert(usize::from(!self.0.flag_first), Step::Flag);
        let end = steps.len() - usize::from(!self.0.clear_last);
        steps.insert(end, Step::Clear);
        steps
    }

    fn rest(&self, program: usize) -> At {
        match self.0.roles[program] {
            Role::Resume => At::Start,
            Role::Erase | Role::Store(_) => At::Over,
        }
    }

    fn step(&self, state: &mut State, program: usize, step: Step) {
        let (token, number) = match state.programs[program] {
            At::Before(number, token) => (token, number),
            At::Start | At::Over => (program, 0),
        };
        if number == 0 && self.0.roles[program] == Role::Erase {
            state.owed = [true; PLACES];
        }
        match step {
            // A resumer found the flag.
            Step::Flag if self.0.roles[program] == Role::Resume => {}
            Step::Flag => state.flag = Some(token),
            Step::Place(place) => state.personal[place] = false,
            Step::Clear if self.0.clear_by_token && state.flag != Some(token) => {}
            Step::Clear => state.flag = None,
        }
        state.programs[program] = match number + 1 < self.steps().len() {
            true => At::Before(number + 1, token),
            false => self.rest(program),
        };
    }
}

impl State {
    fn exact(&self) -> bool {
        let mut places = self.owed.iter().zip(&self.personal);
        !places.any(|(owed, personal)| *owed && *personal)
    }
}

impl Protocol for Erase {
    fn settled(&self, state: &State) -> bool {
        let mut programs = state.programs.iter().enumerate();
        let idle = programs.all(|(n, at)| *at == At::Over || *at == self.rest(n));
        idle && state.flag.is_none()
    }
}

impl Model for Erase {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            flag: None,
            personal: [true; PLACES],
            owed: [false; PLACES],
            programs: vec![At::Start; self.0.roles.len()],
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for (n, at) in state.programs.iter().enumerate() {
            match (*at, self.0.roles[n]) {
                (At::Over, _) => continue,
                (At::Start, Role::Store(_)) => actions.push(Action::Store(n)),
                (At::Start, Role::Resume) => {
                    actions.extend(state.flag.map(|_| Action::Take(n)));
                    continue;
                }
                (At::Start, Role::Erase) => actions.push(Action::Erase(n, self.steps()[0])),
                (At::Before(number, _), _) => {
                    actions.push(Action::Erase(n, self.steps()[number]));
                }
            }
            actions.push(Action::Crash(n));
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        match action {
            Action::Erase(n, step) => self.step(&mut state, n, step),
            Action::Store(n) => {
                if let Role::Store(place) = self.0.roles[n] {
                    state.personal[place] = true;
                    state.owed[place] = false;
                }
                state.programs[n] = At::Over;
            }
            Action::Take(n) => state.programs[n] = At::Before(0, state.flag?),
            Action::Crash(n) => state.programs[n] = self.rest(n),
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(FLAGGED, |_, state: &State| {
                state.exact() || state.flag.is_some()
            }),
            Property::always(SETTLED, |model: &Self, state: &State| {
                state.exact() || !model.settled(state)
            }),
            Property::sometimes(DONE, |model: &Self, state: &State| {
                model.settled(state) && state.owed.contains(&true)
            }),
        ]
    }
}
