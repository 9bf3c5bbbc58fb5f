//! References, copies, lists and numbers, as `verify` compares them: counted per edge and kind, in steps that can be stopped.

use std::collections::BTreeMap;

use mongo_model::denorm::{
    Defect, InvalidDocuments, ReferenceReport, Remedy, Undecodable, Verified,
};
use mongo_model::model::CheckRule;

use crate::findings::{Example, Finding, shown_or_nothing};
use crate::models::Models;
use crate::output::count;

/// The number of findings of an edge that a step keeps, so that every kind has its examples.
pub(crate) const SAMPLES: usize = 10_000;

/// The kinds, in the order in which they are shown.
const KINDS: [Defect; 11] = [
    Defect::Stale,
    Defect::WrongType,
    Defect::Ahead,
    Defect::Orphan,
    Defect::OtherTenant,
    Defect::AmbiguousKey,
    Defect::Missing,
    Defect::Extra,
    Defect::OverBound,
    Defect::Ring,
    Defect::Kept,
];

/// The findings along all edges.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    edges: BTreeMap<(String, &'static str), Edge>,
    /// Documents that their model cannot read, by model and path.
    undecodable: BTreeMap<(&'static str, String), Undecodable>,
    /// Documents that break a `#[check(..)]`, by model, path and rule.
    invalid: BTreeMap<(&'static str, String, String), InvalidDocuments>,
    /// Documents with flags of their own, by collection.
    pending: BTreeMap<&'static str, u64>,
    /// Documents that changed during every look.
    pub(crate) unsettled: u64,
    examples: usize,
}

/// The findings along one edge.
#[derive(Debug, Default)]
struct Edge {
    references: u64,
    copies: u64,
    kinds: Vec<(Defect, u64, Vec<Example>)>,
    flagged: u64,
}

impl Totals {
    /// Totals without findings; `examples` of each kind are kept.
    pub(crate) fn new(examples: usize) -> Self {
        Totals {
            examples,
            ..Totals::default()
        }
    }

    /// Adds the report of a step of a walk over a collection.
    pub(crate) fn add(&mut self, collection: &'static str, report: &Verified) {
        self.unsettled += report.unsettled;
        if report.flagged > 0 {
            *self.pending.entry(collection).or_default() += report.flagged;
        }
        for one in &report.undecodable {
            let key = (one.model, one.path.clone());
            match self.undecodable.get_mut(&key) {
                Some(found) => found.documents += one.documents,
                None => {
                    self.undecodable.insert(key, one.clone());
                }
            }
        }
        for one in &report.invalid {
            let key = (one.model, one.path.clone(), one.rule.to_string());
            match self.invalid.get_mut(&key) {
                Some(found) => found.documents += one.documents,
                None => {
                    self.invalid.insert(key, one.clone());
                }
            }
        }
        for edge in &report.references {
            self.add_edge(edge);
        }
    }

    fn add_edge(&mut self, report: &ReferenceReport) {
        let edge = self
            .edges
            .entry((report.name.clone(), report.source))
            .or_default();
        edge.references += report.references;
        edge.copies += report.copies;
        for kind in KINDS {
            edge.flagged += report.flagged(kind);
            let more = report.count(kind);
            if more == 0 {
                continue;
            }
            let at = edge.kinds.iter().position(|(other, ..)| *other == kind);
            let at = at.unwrap_or_else(|| {
                edge.kinds.push((kind, 0, Vec::new()));
                edge.kinds.len() - 1
            });
            let (_, total, examples) = &mut edge.kinds[at];
            *total += more;
            let found = report
                .findings
                .iter()
                .filter(|finding| finding.kind == kind);
            for finding in found.take(self.examples.saturating_sub(examples.len())) {
                examples.push(Example {
                    id: finding.id.clone(),
                    text: text(finding),
                });
            }
        }
    }

    /// Leaves out the rules that the server knows as well, where the documents that break them are reported already, by model and path.
    pub(crate) fn drop_reported(&mut self, is_reported: impl Fn(&str, &str) -> bool) {
        self.invalid.retain(|_, one| match one.rule {
            CheckRule::With(_) | CheckRule::OtherDocument => true,
            _ => !is_reported(one.model, &one.path),
        });
    }

    /// The numbers of references and copies that were compared.
    pub(crate) fn compared(&self) -> (u64, u64) {
        let edges = self.edges.values();
        edges.fold((0, 0), |(references, copies), edge| {
            (references + edge.references, copies + edge.copies)
        })
    }

    /// The findings, each with its collection.
    pub(crate) fn into_findings(self, models: &Models) -> Vec<(&'static str, Finding)> {
        let mut out = Vec::new();
        let collection_of = |name: &str| {
            let model = models.all().iter().find(|model| model.name == name);
            model.map_or("", |model| model.collection)
        };
        for (_, one) in self.undecodable {
            out.push((collection_of(one.model), unreadable(&one, self.examples)));
        }
        for (_, one) in self.invalid {
            out.push((collection_of(one.model), rule_breaking(&one, self.examples)));
        }
        for (collection, documents) in self.pending {
            let message = format!(
                "{} flagged: what follows from a write or a delete is still to be done",
                match documents {
                    1 => "1 document is".to_owned(),
                    some => format!("{} are", count(some, "document")),
                }
            );
            let note = Finding::note("pending", collection, message).fixed_by(RECOVER);
            out.push((
                collection,
                Finding {
                    count: documents,
                    ..note
                },
            ));
        }
        for ((name, source), edge) in self.edges {
            let collection = models.collection_of(&name);
            for kind in KINDS {
                let found = edge.kinds.iter().find(|(other, ..)| *other == kind);
                if let Some((_, total, examples)) = found {
                    out.push((
                        collection,
                        finding(kind, &name, source, *total, examples.clone()),
                    ));
                }
            }
            if edge.flagged > 0 {
                let (verb, it) = if edge.flagged == 1 {
                    ("is", "it")
                } else {
                    ("are", "them")
                };
                let message = format!(
                    "{} along `{name}` {verb} flagged: a program is about to finish {it}",
                    count(edge.flagged, "difference")
                );
                let note = Finding::note("flagged", &name, message);
                let note = note.fixed_by(RECOVER);
                out.push((
                    collection,
                    Finding {
                        count: edge.flagged,
                        ..note
                    },
                ));
            }
        }
        out
    }
}

/// Documents that their model cannot read.
fn unreadable(one: &Undecodable, examples: usize) -> Finding {
    let message = format!(
        "{} cannot be read as {}: {}",
        count(one.documents, "document"),
        one.model,
        one.reason
    );
    let finding = Finding::problem("undecodable", &one.path, message);
    let ids = one.ids.iter().take(examples);
    let examples = ids.map(|id| Example {
        id: id.clone(),
        text: format!("at `{}`", one.path),
    });
    let finding = Finding {
        count: one.documents,
        examples: examples.collect(),
        ..finding
    };
    match one.remedy {
        Some(Remedy::Backfill) => finding.fixed_by(
            "`mongo-model backfill` fills copies, lists and numbers that are not there yet",
        ),
        Some(Remedy::Migrate) => {
            finding.fixed_by("`mongo-model migrate` brings documents to the present schema version")
        }
        Some(Remedy::Default) => {
            finding.fixed_by("`#[serde(default)]` on a field reads documents without it")
        }
        _ => finding,
    }
}

/// Documents that break a rule about a value.
fn rule_breaking(one: &InvalidDocuments, examples: usize) -> Finding {
    let breaks = match one.documents {
        1 => "breaks",
        _ => "break",
    };
    let message = format!(
        "{} {breaks} a rule of {}: `{}` {}",
        count(one.documents, "document"),
        one.model,
        one.path,
        one.rule
    );
    let ids = one.ids.iter().take(examples);
    let examples = ids.map(|id| Example {
        id: id.clone(),
        text: format!("at `{}`", one.path),
    });
    Finding {
        count: one.documents,
        examples: examples.collect(),
        ..Finding::problem("check", &one.path, message)
    }
}

const RECOVER: &str = "`mongo-model recover` finishes what interrupted programs left flagged";

fn finding(kind: Defect, edge: &str, source: &str, total: u64, examples: Vec<Example>) -> Finding {
    const REPAIR: &str = "`mongo-model repair` corrects copies, lists and numbers";
    let (is, s) = if total == 1 { ("is", "s") } else { ("are", "") };
    let copies = count(total, "copy");
    let references = count(total, "reference");
    let (name, message) = match kind {
        Defect::Stale => (
            "stale",
            format!("{copies} along `{edge}` {is} stale: not what {source} says"),
        ),
        Defect::WrongType => (
            "wrong_type",
            format!(
                "{} along `{edge}` {is} of another type than in {source}",
                count(total, "value")
            ),
        ),
        Defect::Ahead => (
            "ahead",
            format!(
                "{copies} along `{edge}` {is} ahead of {source}: it was restored, or lost a write"
            ),
        ),
        Defect::Orphan => (
            "orphan",
            format!("{references} along `{edge}` lead{s} to no {source}"),
        ),
        Defect::OtherTenant => (
            "other_tenant",
            format!("{references} along `{edge}` lead{s} to a {source} of another tenant"),
        ),
        Defect::AmbiguousKey => (
            "ambiguous_key",
            format!("{references} along `{edge}` lead{s} to several {source} documents"),
        ),
        Defect::Missing => (
            "missing_in_list",
            format!("{} missing in lists of `{edge}`", count(total, "entry")),
        ),
        Defect::Extra => (
            "extra_in_list",
            format!("{} too many in lists of `{edge}`", count(total, "entry")),
        ),
        Defect::OverBound => (
            "over_bound",
            format!("{} of `{edge}` over the bound", count(total, "parent")),
        ),
        Defect::Ring => (
            "ring",
            format!(
                "{} above themselves along `{edge}`",
                count(total, "document")
            ),
        ),
        _ => {
            let message = format!(
                "{references} along `{edge}` lead{s} to no {source}, and the model keeps {}",
                if total == 1 { "it" } else { "them" }
            );
            let note = Finding::note("allowed_orphan", edge, message);
            return Finding {
                count: total,
                examples,
                ..note
            };
        }
    };
    let fix = match kind {
        Defect::Orphan => {
            "`mongo-model repair` follows the `on_delete` of dangling references: `deny` leaves them, `cascade` deletes their documents"
        }
        Defect::OtherTenant => {
            "give documents that refer to each other one tenant, or remove the reference: no repair decides which of the two is wrong"
        }
        Defect::AmbiguousKey => {
            "a key that references hold is unique: `mongo-model apply` builds its index once the duplicates are gone"
        }
        Defect::Ring => "give one of the documents another parent, or none",
        Defect::OverBound => "give some of the children another parent, or raise the bound",
        _ => REPAIR,
    };
    Finding {
        count: total,
        examples,
        ..Finding::problem(name, edge, message).fixed_by(fix)
    }
}

/// The description of the defect in one document.
fn text(finding: &mongo_model::denorm::Difference) -> String {
    let path = &finding.path;
    let (have, want) = (
        shown_or_nothing(finding.have.as_ref()),
        shown_or_nothing(finding.want.as_ref()),
    );
    match finding.kind {
        Defect::Stale => format!("{path} is {have}, its source says {want}"),
        Defect::WrongType => format!("{path} is {have}, its source has {want}"),
        Defect::Ahead => format!("{path} is {have}, its source is at {want}"),
        Defect::Orphan | Defect::Kept => format!("{path} is {have}"),
        Defect::OtherTenant => format!("{path} is {have}, of the tenant {want}"),
        Defect::AmbiguousKey => format!("{path} is {have}"),
        Defect::Missing => format!("{path} lacks {want}"),
        Defect::Extra => format!("{path} has {have}"),
        Defect::Ring => format!("{path} is {have}, which is below it"),
        Defect::OverBound => format!("{path} has {have} children, its bound is {want}"),
        _ => finding.to_string(),
    }
}
