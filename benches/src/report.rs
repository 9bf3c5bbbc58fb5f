//! The results of the runs, as tables in Markdown.

use std::fmt::{self, Write as _};

use crate::race::{Finished, Measure, Ratio};

/// The limit of a ratio.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Limit {
    /// At most so much of the other's time.
    AtMost(f64),
    /// At least so many times as fast.
    Faster(f64),
}

impl Limit {
    /// The most that our time may be, in parts of the other's.
    pub(crate) fn most(self) -> f64 {
        match self {
            Limit::AtMost(most) => most,
            Limit::Faster(times) => 1.0 / times,
        }
    }

    /// A ratio of times in the words of this limit.
    fn shown(self, ratio: f64) -> String {
        match self {
            Limit::AtMost(_) => format!("{ratio:.2}x"),
            Limit::Faster(_) => format!("{:.1}x faster", 1.0 / ratio),
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::AtMost(most) => write!(f, "≤ {most:.2}x"),
            Limit::Faster(times) => write!(f, "≥ {times:.0}x faster"),
        }
    }
}

/// A budget, and the measured value.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) work: String,
    pub(crate) against: String,
    budget: String,
    median: String,
    p10: String,
    cpu: String,
    pub(crate) met: bool,
    /// Our time in parts of the other's and the most that it may be, for the chart.
    pub(crate) bar: Option<(f64, f64)>,
}

impl Row {
    /// Wall time.
    pub(crate) fn wall(
        work: impl Into<String>,
        race: &Finished,
        ours: &str,
        theirs: &str,
        limit: Limit,
    ) -> Self {
        let wall = race.ratio(ours, theirs, Measure::Wall);
        let cpu = race.ratio(ours, theirs, Measure::Client).median;
        Row {
            cpu: shown_cpu(cpu),
            ..Row::of(work, theirs, wall, limit)
        }
    }

    /// The same, with a budget for the client's CPU time too.
    pub(crate) fn wall_and_cpu(
        work: impl Into<String>,
        race: &Finished,
        (ours, theirs): (&str, &str),
        limit: Limit,
        cpu_limit: Limit,
    ) -> Self {
        let row = Row::wall(work, race, ours, theirs, limit);
        let cpu = race.ratio(ours, theirs, Measure::Client).median;
        Row {
            budget: format!("{limit}, CPU {cpu_limit}"),
            met: row.met && cpu <= cpu_limit.most(),
            ..row
        }
    }

    /// A ratio of any measure.
    pub(crate) fn of(
        work: impl Into<String>,
        against: impl Into<String>,
        ratio: Ratio,
        limit: Limit,
    ) -> Self {
        Row {
            work: work.into(),
            against: against.into(),
            budget: limit.to_string(),
            median: limit.shown(ratio.median),
            p10: limit.shown(ratio.p10),
            cpu: String::new(),
            met: ratio.median <= limit.most(),
            bar: Some((ratio.median, limit.most())),
        }
    }

    /// Leaves the row out of the chart: it has no competitor.
    pub(crate) fn without_bar(self) -> Self {
        Row { bar: None, ..self }
    }

    /// A number of its own.
    pub(crate) fn number(
        work: impl Into<String>,
        against: impl Into<String>,
        value: f64,
        most: f64,
        unit: &str,
    ) -> Self {
        let digits = usize::from(most.fract() != 0.0) * 2;
        Row {
            work: work.into(),
            against: against.into(),
            budget: format!("≤ {most:.digits$} {unit}"),
            median: format!("{value:.digits$} {unit}"),
            p10: String::new(),
            cpu: String::new(),
            met: value <= most,
            bar: None,
        }
    }
}

fn shown_cpu(ratio: f64) -> String {
    if ratio.is_finite() {
        format!("{ratio:.2}x")
    } else {
        String::new()
    }
}

/// One variant of a race.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) name: &'static str,
    /// Milliseconds, the median.
    pub(crate) wall: f64,
    /// Beside the race's first variant.
    pub(crate) ratio: Ratio,
    /// Milliseconds, the median; none where another process computes.
    pub(crate) cpu: Option<f64>,
    /// Milliseconds, the mean: it is measured in steps of 10.
    pub(crate) server: f64,
    /// Nanoseconds per unit, the median.
    pub(crate) each: f64,
}

/// A race.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) title: String,
    pub(crate) rounds: usize,
    pub(crate) unit: &'static str,
    pub(crate) lines: Vec<Line>,
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "**{}** ({} rounds)\n", self.title, self.rounds)?;
        let unit = self.unit;
        writeln!(
            f,
            "| variant | ms | ratio | p10 | CPU ms | server CPU ms | ns/{unit} |"
        )?;
        writeln!(f, "|---|---|---|---|---|---|---|")?;
        for line in &self.lines {
            let Line {
                name,
                wall,
                ratio: Ratio { median, p10 },
                cpu,
                server,
                each,
            } = line;
            let cpu = cpu.map_or_else(String::new, |cpu| format!("{cpu:.3}"));
            let server = if *server > 0.0 {
                format!("{server:.1}")
            } else {
                String::new()
            };
            writeln!(
                f,
                "| {name} | {wall:.3} | {median:.2} | {p10:.2} | {cpu} | {server} | {each:.0} |"
            )?;
        }
        Ok(())
    }
}

/// The results of a group of races.
#[derive(Debug, Default)]
pub(crate) struct Section {
    pub(crate) name: &'static str,
    pub(crate) rows: Vec<Row>,
    pub(crate) tables: Vec<Table>,
    /// Facts that the tables do not show.
    pub(crate) notes: Vec<String>,
}

/// The table of budgets.
pub(crate) fn budgets(sections: &[Section]) -> String {
    let mut out = String::from(
        "| work | measured against | budget | median | p10 | CPU | |\n|---|---|---|---|---|---|---|\n",
    );
    for row in sections.iter().flat_map(|section| &section.rows) {
        let Row {
            work,
            against,
            budget,
            median,
            p10,
            cpu,
            met,
            ..
        } = row;
        let met = if *met { "met" } else { "**missed**" };
        let _ = writeln!(
            out,
            "| {work} | {against} | {budget} | {median} | {p10} | {cpu} | {met} |"
        );
    }
    out
}

/// Everything, as a page.
pub(crate) fn page(machine: &str, sections: &[Section]) -> String {
    let mut out = format!(
        "# Results of the benchmarks\n\n{machine}\n\nAll variants of a race run once per round, in an order that each round shuffles. `median` is the median of \
         the rounds' ratios, `p10` the ratio of the 10th percentiles, `CPU` that of the client's processor time. Ratios are our time divided by the other's, \
         unless they say \"faster\".\n\n![our time divided by the other's](results.svg)\n\n{}",
        budgets(sections)
    );
    for section in sections {
        let _ = write!(out, "\n## {}\n", section.name);
        for table in &section.tables {
            let _ = write!(out, "\n{table}");
        }
        for note in &section.notes {
            let _ = write!(out, "\n{note}\n");
        }
    }
    out
}
