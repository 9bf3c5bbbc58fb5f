//! Several ways to do the same work, side by side: every variant once per round, in an order that each round shuffles, so that
//! whatever else the machine does falls on all of them. Only what one round measured is divided by each other.

use std::fmt;

use futures::FutureExt;
use futures::future::BoxFuture;

use crate::clock::{Spent, Watch};
use crate::report::{Line, Table};
use crate::seeded::Seeded;
use crate::{Result, stats};

/// The work of a variant; it returns how much it has handled, which must be the same for all.
type Work<'a> = Box<dyn FnMut() -> Doing<'a> + 'a>;

/// Work that blocks is done when this is made.
enum Doing<'a> {
    Done(usize),
    Sent(BoxFuture<'a, Result<usize>>),
}

struct Variant<'a> {
    name: &'static str,
    before: Option<Work<'a>>,
    work: Work<'a>,
    /// True if another process does the work: its CPU time is not measured.
    elsewhere: bool,
}

/// Variants that are about to be measured.
pub(crate) struct Race<'a> {
    title: String,
    watch: Watch,
    rounds: usize,
    variants: Vec<Variant<'a>>,
}

impl fmt::Debug for Race<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Race")
            .field("title", &self.title)
            .finish_non_exhaustive()
    }
}

/// The measure to compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measure {
    Wall,
    /// The CPU time of this program.
    Client,
    /// The CPU time of the programs that it started.
    Children,
    Server,
}

impl Measure {
    fn of(self, spent: &Spent) -> f64 {
        match self {
            Measure::Wall => spent.wall,
            Measure::Client => spent.client,
            Measure::Children => spent.children,
            Measure::Server => spent.server,
        }
        .as_secs_f64()
    }
}

/// One variant's time in parts of another's.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ratio {
    /// The median of the rounds' ratios.
    pub(crate) median: f64,
    /// The ratio of the 10th percentiles: what the quiet rounds say.
    pub(crate) p10: f64,
}

impl<'a> Race<'a> {
    pub(crate) fn new(title: impl Into<String>, watch: Watch, rounds: usize) -> Self {
        Race {
            title: title.into(),
            watch,
            rounds,
            variants: Vec::new(),
        }
    }

    /// A way that computes only.
    pub(crate) fn computes(
        mut self,
        name: &'static str,
        mut work: impl FnMut() -> usize + 'a,
    ) -> Self {
        self.variants.push(Variant {
            name,
            before: None,
            work: Box::new(move || Doing::Done(work())),
            elsewhere: false,
        });
        self
    }

    /// A way of another process that runs already, which this waits for.
    pub(crate) fn elsewhere(
        self,
        name: &'static str,
        mut work: impl FnMut() -> Result<usize> + 'a,
    ) -> Self {
        let done = move || futures::future::ready(work()).boxed();
        let mut race = self.sends(name, done);
        if let Some(last) = race.variants.last_mut() {
            last.elsewhere = true;
        }
        race
    }

    /// A way that talks to a server.
    pub(crate) fn sends(
        mut self,
        name: &'static str,
        mut work: impl FnMut() -> BoxFuture<'a, Result<usize>> + 'a,
    ) -> Self {
        self.variants.push(Variant {
            name,
            before: None,
            work: Box::new(move || Doing::Sent(work())),
            elsewhere: false,
        });
        self
    }

    /// Adds work that precedes each turn of the variant that was added last, and is not measured.
    pub(crate) fn after(
        mut self,
        mut prepared: impl FnMut() -> BoxFuture<'a, Result<usize>> + 'a,
    ) -> Self {
        if let Some(last) = self.variants.last_mut() {
            last.before = Some(Box::new(move || Doing::Sent(prepared())));
        }
        self
    }

    /// Runs the rounds, after one that is not counted.
    pub(crate) async fn run(mut self) -> Result<Finished> {
        eprintln!("   {}", self.title);
        let mut random = Seeded::new(self.rounds as u64);
        let mut order: Vec<usize> = (0..self.variants.len()).collect();
        let mut spent = vec![Vec::with_capacity(self.rounds); order.len()];
        let mut handled = None;
        for round in 0..=self.rounds {
            random.shuffle(&mut order);
            for at in order.iter().copied() {
                let variant = &mut self.variants[at];
                if let Some(before) = &mut variant.before {
                    finish(before()).await?;
                }
                let start = self.watch.start();
                let did = finish((variant.work)()).await?;
                let end = self.watch.end();
                if *handled.get_or_insert(did) != did {
                    let name = variant.name;
                    let title = &self.title;
                    return Err(format!("{title}: `{name}` handled {did}, not {handled:?}").into());
                }
                if round > 0 {
                    spent[at].push(end - start);
                }
            }
        }
        Ok(Finished {
            title: self.title,
            handled: handled.unwrap_or_default(),
            names: self.variants.iter().map(|variant| variant.name).collect(),
            elsewhere: (self.variants.iter())
                .map(|variant| variant.elsewhere)
                .collect(),
            spent,
        })
    }
}

async fn finish(doing: Doing<'_>) -> Result<usize> {
    match doing {
        Doing::Done(did) => Ok(did),
        Doing::Sent(sent) => sent.await,
    }
}

/// The results of the rounds.
#[derive(Debug)]
pub(crate) struct Finished {
    title: String,
    handled: usize,
    names: Vec<&'static str>,
    elsewhere: Vec<bool>,
    spent: Vec<Vec<Spent>>,
}

impl Finished {
    fn samples(&self, name: &str, measure: Measure) -> Vec<f64> {
        let at = self.names.iter().position(|known| *known == name);
        let at = at.unwrap_or_else(|| panic!("no variant `{name}` in {:?}", self.names));
        self.spent[at]
            .iter()
            .map(|spent| measure.of(spent))
            .collect()
    }

    pub(crate) fn title(&self) -> &str {
        &self.title
    }

    /// The variants in the order in which they were added.
    pub(crate) fn names(&self) -> &[&'static str] {
        &self.names
    }

    /// How the variant `ours` compares with `theirs`.
    pub(crate) fn ratio(&self, ours: &str, theirs: &str, measure: Measure) -> Ratio {
        let (ours, theirs) = (self.samples(ours, measure), self.samples(theirs, measure));
        let paired = ours.iter().zip(&theirs).map(|(ours, theirs)| ours / theirs);
        Ratio {
            median: stats::median(paired.collect()),
            p10: stats::p10(ours) / stats::p10(theirs),
        }
    }

    /// The median time of a variant, in nanoseconds per unit that it handled.
    pub(crate) fn each(&self, name: &str, measure: Measure) -> f64 {
        stats::median(self.samples(name, measure)) * 1e9 / self.handled.max(1) as f64
    }

    /// Every variant beside the first; `unit` is what was handled, for the times per one of it.
    pub(crate) fn table(&self, unit: &'static str, computed: Measure) -> Table {
        let first = self.names[0];
        let line = |(name, elsewhere): (&&'static str, &bool)| {
            let mean = |measure| {
                let samples = self.samples(name, measure);
                samples.iter().sum::<f64>() * 1e3 / samples.len() as f64
            };
            Line {
                name,
                wall: stats::median(self.samples(name, Measure::Wall)) * 1e3,
                ratio: self.ratio(name, first, Measure::Wall),
                cpu: (!elsewhere).then(|| stats::median(self.samples(name, computed)) * 1e3),
                server: mean(Measure::Server),
                each: self.each(name, Measure::Wall),
            }
        };
        Table {
            title: self.title.clone(),
            rounds: self.spent[0].len(),
            unit,
            lines: self.names.iter().zip(&self.elsewhere).map(line).collect(),
        }
    }
}
