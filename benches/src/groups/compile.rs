//! The compile time that the derives cost: `cargo check` of a program of models after a touch.

mod scratch;

use std::fs;
use std::time::SystemTime;

use self::scratch::{Kind, Scratch};
use crate::Result;
use crate::context::Context;
use crate::race::Measure;
use crate::report::{Limit, Row, Section};

pub(crate) async fn run(context: &Context) -> Result<Section> {
    let models = context.size(50, 2);
    let scratch = Scratch::new(models)?;
    let title = format!("cargo check of {models} models x 10 fields after a touch");
    let mut section = Section {
        name: "compile",
        ..Section::default()
    };
    let mut race = context.race(&title, 11);
    let mut peers = Vec::new();
    for kind in Kind::ALL {
        // Everything below it is compiled once here, which takes minutes the first time.
        eprintln!("   compiling what `{}` needs", kind.name());
        match scratch.check(kind) {
            Err(error) if kind.version().is_some() => {
                let note = format!("`{}` is left out: {error}", kind.name());
                section.notes.push(note);
                continue;
            }
            checked => checked?,
        }
        if let Some(version) = kind.version() {
            let name = kind.name();
            section
                .notes
                .push(format!("Compared with {name} {version}."));
            peers.push(kind);
        }
        let scratch = &scratch;
        race = race.computes(kind.name(), move || {
            // A check that was fine a moment ago fails only if the disk is full.
            touched(scratch, kind).expect("checked")
        });
    }
    let race = race.run().await?;
    let row = |theirs: Kind, limit| {
        let ratio = race.ratio(Kind::Ours.name(), theirs.name(), Measure::Wall);
        Row::of(&title, theirs.name(), ratio, limit)
    };
    section.rows.push(row(Kind::Serde, Limit::AtMost(2.0)));
    if peers.contains(&Kind::Oximod) {
        section.rows.push(row(Kind::Oximod, Limit::AtMost(0.6)));
    }
    section.tables.push(race.table("check", Measure::Children));
    section.notes.push(scratch.expansions(Kind::Ours, models)?);
    Ok(section)
}

fn touched(scratch: &Scratch, kind: Kind) -> Result<usize> {
    let source = fs::File::options()
        .append(true)
        .open(scratch.source(kind))?;
    source.set_modified(SystemTime::now())?;
    scratch.check(kind)?;
    Ok(1)
}
