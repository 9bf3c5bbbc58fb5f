//! Compares the cost of mongo-model with the same work by hand, against a server that this program starts itself.
//!
//! ```text
//! cargo run --release -p mongo-model-benches -- [--quick] [--peers] [--scale] [--followers N] [--references N] [--tasks N] [GROUP..]
//! ```
//!
//! Without a group all of them run, and what they show is written to `RESULTS.md`, `results.svg` and the
//! table of the guide (`guide/src/how/benchmarks.md`), with the rows that the README quotes. `--quick` is a smoke run of
//! seconds: its numbers mean nothing, it writes no files, and it leaves out `compile` unless that is asked for. `peers` always has to be asked for,
//! as a group or by `--peers`: it installs mongoose and beanie with npm and pip, where node and python are found. So does `scale`, as a group or
//! by `--scale`: it renames a source that `--followers` documents copy from (100,000 unless given), verifies `--references` (1,000,000) and lets
//! `--tasks` (200) read and write at once.
//!
//! With `--features tracing` the spans of calls are compiled in and nothing subscribes to them: the group `updates` then shows what they cost.

mod chart;
mod clock;
mod context;
mod groups;
mod models;
mod race;
mod report;
mod seeded;
mod stats;

use std::process::ExitCode;

use crate::chart::chart;
use crate::context::Context;
use crate::groups::GROUPS;
use crate::groups::scale::{Sizes, rename_in_this_process};
use crate::report::{Section, budgets, page};

type Error = Box<dyn std::error::Error + Send + Sync>;
type Result<T> = std::result::Result<T, Error>;

/// The options and groups that the arguments name.
#[derive(Debug, Default)]
struct Arguments {
    quick: bool,
    peers: bool,
    scale: bool,
    sizes: Sizes,
    groups: Vec<String>,
}

fn parse_arguments() -> Result<Arguments> {
    let mut parsed = Arguments::default();
    let mut given = std::env::args().skip(1);
    while let Some(argument) = given.next() {
        let mut number = || {
            let number = given.next().and_then(|number| number.parse().ok());
            number.ok_or_else(|| format!("`{argument}` needs a number"))
        };
        match argument.as_str() {
            "--quick" => parsed.quick = true,
            "--peers" => parsed.peers = true,
            "--scale" => parsed.scale = true,
            "--followers" => parsed.sizes.followers = number()?,
            "--references" => parsed.sizes.references = number()?,
            "--tasks" => parsed.sizes.tasks = number()?,
            group if GROUPS.iter().any(|known| known.name == group) => {
                parsed.groups.push(argument);
            }
            other => {
                let known: Vec<&str> = GROUPS.iter().map(|group| group.name).collect();
                let known = known.join(", ");
                return Err(format!("`{other}` is neither an option nor one of {known}").into());
            }
        }
    }
    Ok(parsed)
}

/// The guide's page with these results in place of those between its two marks.
fn with_latest(page: &str, latest: &str) -> Result<String> {
    const START: &str = "<!-- results: written by mongo-model-benches -->";
    const END: &str = "<!-- end of results -->";
    let found = page.split_once(START).and_then(|(before, rest)| {
        let (_, after) = rest.split_once(END)?;
        Some(format!("{before}{START}\n\n{latest}\n{END}{after}"))
    });
    found.ok_or_else(|| format!("the guide's page lacks `{START}` or `{END}`").into())
}

/// The README with the latest results of the few works that it quotes.
fn with_latest_rows(readme: &str, latest: &str) -> String {
    // A row is known by its work, and by what that is measured against.
    let key = |row: &str| -> Option<Vec<String>> {
        let cells = row.strip_prefix("| ")?.split(" | ").take(2);
        Some(cells.map(str::to_owned).collect())
    };
    let row = |line: &str| {
        let key_of_line = key(line)?;
        latest
            .lines()
            .find(|row| key(row).as_ref() == Some(&key_of_line))
    };
    let lines = readme.lines().map(|line| row(line).unwrap_or(line));
    lines.map(|line| format!("{line}\n")).collect()
}

async fn run() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [rename, uri, database, name] = arguments.as_slice()
        && rename == "--rename"
    {
        // The group `scale` starts this program once more, and kills it.
        return rename_in_this_process(uri, database, name).await;
    }
    let arguments = parse_arguments()?;
    let context = Context::new(arguments.quick, arguments.sizes).await?;
    let mut sections: Vec<Section> = Vec::new();
    for group in GROUPS {
        let unasked = match group.name {
            "compile" => !arguments.quick,
            "peers" => arguments.peers,
            "scale" => arguments.scale,
            _ => true,
        };
        let all = arguments.groups.is_empty() && unasked;
        if all || arguments.groups.iter().any(|name| name == group.name) {
            eprintln!("{}", group.name);
            sections.push((group.run)(&context).await?);
            // Drop the documents of this group, so that they do not disturb the next.
            context.db.drop().await?;
        }
    }
    for table in sections.iter().flat_map(|section| &section.tables) {
        println!("{table}");
    }
    for note in sections.iter().flat_map(|section| &section.notes) {
        println!("{note}\n");
    }
    println!("{}\n\n{}", context.machine, budgets(&sections));
    if arguments.groups.is_empty() && !arguments.quick {
        let folder = env!("CARGO_MANIFEST_DIR");
        std::fs::write(
            format!("{folder}/RESULTS.md"),
            page(&context.machine, &sections),
        )?;
        std::fs::write(format!("{folder}/results.svg"), chart(&sections))?;
        let latest = format!("{}\n\n{}", context.machine, budgets(&sections));
        let guide = format!("{folder}/../guide/src/how/benchmarks.md");
        let text = std::fs::read_to_string(&guide)?;
        std::fs::write(guide, with_latest(&text, &latest)?)?;
        let readme = format!("{folder}/../README.md");
        let text = std::fs::read_to_string(&readme)?;
        std::fs::write(readme, with_latest_rows(&text, &latest))?;
    }
    Ok(())
}

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::with_latest_rows;

    #[test]
    fn quoted_rows_are_those_of_the_last_run() {
        let readme = "# Title\n| work | measured against | x |\n|---|---|---|\n| a join | by hand | 1 |\n| other | by hand | 1 |\n";
        let latest = "| work | measured against | x |\n|---|---|---|\n| a join | $lookup | 7 |\n| a join | by hand | 2 |";
        let expected = readme.replace("| a join | by hand | 1 |", "| a join | by hand | 2 |");
        assert_eq!(with_latest_rows(readme, latest), expected);
    }
}
