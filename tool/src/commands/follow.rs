//! `follow`: makes right what other programs change, for as long as it runs.

use std::time::Duration;

use mongo_model::follower::{Role, Status};
use mongo_model::{Error, Follower};
use serde::Serialize;

use super::Verdict;
use crate::cli;
use crate::connection::Connection;
use crate::failure::{Failure, Result};
use crate::interrupt::{is_requested, or_stop};
use crate::output::{FORMAT, Output, count, number};

/// The time between two lines.
const LINE: Duration = Duration::from_secs(1);

/// The width of the bar of the oplog window, in characters, and the time that fills it.
const BAR: (usize, Duration) = (20, Duration::from_secs(24 * 3_600));

/// The JSON document: one line per second.
#[derive(Serialize)]
struct Line<'a> {
    format: u32,
    command: &'static str,
    database: &'a str,
    role: &'static str,
    lag_seconds: Option<u64>,
    window_seconds: Option<u64>,
    events: u64,
    foreign: u64,
    rate: f64,
    gaps: Vec<String>,
    repaired: u64,
    sources: u64,
    targets: u64,
    parents: u64,
    ruled: u64,
    problem: Option<&'a str>,
}

impl<'a> Line<'a> {
    fn of(connection: &'a Connection, status: &'a Status) -> Self {
        Line {
            format: FORMAT,
            command: "follow",
            database: connection.db.name(),
            role: role(status.role),
            lag_seconds: status.lag.map(|lag| lag.as_secs()),
            window_seconds: status.window_left.map(|left| left.as_secs()),
            events: status.events,
            foreign: status.foreign,
            rate: status.rate,
            gaps: status.gaps.iter().map(|gap| gap.reason.clone()).collect(),
            repaired: status.repaired,
            sources: status.sources,
            targets: status.targets,
            parents: status.parents,
            ruled: status.ruled,
            problem: status.problems.back().map(String::as_str),
        }
    }
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Leading => "leading",
        Role::Standby => "standby",
        Role::Polling => "polling",
        _ => "starting",
    }
}

/// The content of one line.
fn shown(status: &Status) -> String {
    let mut parts = vec![role(status.role).to_owned()];
    if let Some(lag) = status.lag {
        parts.push(format!("{} behind", count(lag.as_secs(), "second")));
    }
    if let Some(left) = status.window_left {
        let share = left.as_secs_f64() / BAR.1.as_secs_f64();
        let filled = ((share * BAR.0 as f64).ceil() as usize).min(BAR.0);
        let bar = format!("{}{}", "#".repeat(filled), ".".repeat(BAR.0 - filled));
        parts.push(format!(
            "oplog [{bar}] {:.1} h",
            left.as_secs_f64() / 3_600.0
        ));
    }
    parts.push(format!("{:.0} events/s", status.rate));
    parts.push(format!("{} by other programs", number(status.foreign)));
    if !status.gaps.is_empty() {
        parts.push(count(status.gaps.len() as u64, "gap"));
    }
    parts.join("  ")
}

/// Runs `follow`, until Ctrl-C.
pub(crate) async fn follow(
    connection: &Connection,
    args: &cli::Follow,
    out: Output,
) -> Result<Verdict> {
    let question = format!(
        "Follow other programs, and correct what depends on their writes in {}?",
        connection.place()
    );
    out.confirm(&args.confirm, &question)?;
    let follower = Follower::new(&connection.db)
        .name(args.name.as_str())
        .lease(Duration::from_secs(args.lease));
    let bar = out.spinner("following");
    let work = async {
        match args.poll {
            Some(every) => follower.poll(Duration::from_secs(every)).await,
            None => follower.run().await,
        }
    };
    let show = async {
        let mut known = None;
        loop {
            let status = follower.status();
            bar.set_message(shown(&status));
            out.json_line(&Line::of(connection, &status));
            let last = status.problems.back().cloned();
            if last != known {
                if let Some(problem) = &last {
                    bar.suspend(|| out.remark(problem));
                }
                known = last;
            }
            tokio::time::sleep(LINE).await;
        }
    };
    let both = async {
        tokio::select! {
            ended = work => ended,
            never = show => never,
        }
    };
    let ended = or_stop(both, "follow").await;
    bar.finish_and_clear();
    if is_requested() {
        out.text(format!("{}\n", follower.status()));
        return Ok(Verdict::Fine);
    }
    match ended? {
        Err(Error::Unsupported { .. }) => Err(Failure::new(
            "a standalone server has no change streams".to_owned(),
        )
        .help("`--poll SECONDS` compares the documents again and again instead")),
        Err(error) => Err(error.into()),
        Ok(never) => match never {},
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_has_a_bar_of_the_time_that_the_oplog_leaves() {
        let mut status = Status::default();
        status.role = Role::Leading;
        status.lag = Some(Duration::from_secs(3));
        status.window_left = Some(Duration::from_secs(6 * 3_600));
        status.rate = 12.4;
        status.foreign = 1_234;
        let line = shown(&status);
        let expected = "leading  3 seconds behind  oplog [#####...............] 6.0 h  12 events/s  1,234 by other programs";
        assert_eq!(line, expected);
        // A rest of a minute is still seen, and more than a day fills the bar.
        status.window_left = Some(Duration::from_secs(60));
        assert!(shown(&status).contains("[#...................] 0.0 h"));
        status.window_left = Some(Duration::from_secs(500 * 3_600));
        assert!(shown(&status).contains("[####################] 500.0 h"));
    }
}
