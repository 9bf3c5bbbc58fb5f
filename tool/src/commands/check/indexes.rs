//! Indexes and validators that are not as the models declare.

use bson::Document;
use mongo_model::index::{CollectionPlan, CollectionShardKey, Definition, VectorChange};
use mongo_model::stored::is_own_field;
use mongo_model::validator::ValidatorChange;

use crate::findings::Finding;

const APPLY: &str = "`mongo-model plan` shows what is to be done to indexes and validators, `mongo-model apply` does it";
const REPLACE: &str =
    "`mongo-model apply --replace-conflicts` drops and rebuilds conflicting indexes";

/// The findings about indexes that are not as declared.
pub(super) fn index_findings(plan: &CollectionPlan) -> Vec<Finding> {
    let mut out = Vec::new();
    for index in &plan.create {
        let keys = keys_of(index);
        let message = match index.keys.iter().any(|(path, _)| is_own_field(path)) {
            true => {
                format!("index {index}, by which the library finds unfinished work, is missing")
            }
            false => format!("index {index} is missing"),
        };
        out.push(Finding::problem("missing_index", keys, message).fixed_by(APPLY));
    }
    for change in &plan.change {
        let message = format!("index {change}: differs");
        out.push(Finding::problem("different_index", &change.live.name, message).fixed_by(APPLY));
    }
    for conflict in &plan.conflicts {
        let about: Vec<String> = conflict.declared.iter().map(keys_of).collect();
        let message = format!("index {conflict}");
        out.push(
            Finding::problem("conflicting_index", about.join(", "), message).fixed_by(REPLACE),
        );
    }
    for change in &plan.vectors {
        let message = format!("index {change}");
        out.push(match change {
            VectorChange::Create(index) => {
                let message = format!("index {index} is missing");
                Finding::problem("missing_index", &index.name, message).fixed_by(APPLY)
            }
            VectorChange::Replace { declared, .. } => {
                Finding::problem("conflicting_index", &declared.name, message).fixed_by(REPLACE)
            }
            // Nothing can be done about it on this server.
            VectorChange::Unavailable(index) => {
                Finding::note("missing_index", &index.name, message)
            }
            _ => Finding::problem("different_index", plan.collection.as_str(), message),
        });
    }
    if let Some(differ) = &plan.copies_differ {
        out.push(Finding::problem(
            "copies_differ",
            &differ.live.name,
            differ.to_string(),
        ));
    }
    for index in &plan.unknown {
        let message = format!("index {index} is declared by no model");
        out.push(Finding::note("unknown_index", &index.name, message));
    }
    out
}

/// The finding about a collection that a sharded cluster does not distribute as its model says.
pub(super) fn shard_key_finding(differing: &CollectionShardKey) -> Finding {
    let finding = Finding::problem(
        "shard_key",
        differing.collection.as_str(),
        differing.to_string(),
    );
    match (&differing.declared, &differing.stored) {
        (Some(_), None) => finding.fixed_by("`mongo-model apply --shard` shards it"),
        _ => finding,
    }
}

/// The finding about a validator that is not as it should be; a collection without a validator has none on purpose.
pub(super) fn validator_finding(change: &ValidatorChange) -> Option<Finding> {
    change.live.as_ref()?;
    let about = &change.collection;
    let finding = if change.is_foreign() {
        Finding::note(
            "foreign_validator",
            about,
            "the validator was not written by mongo-model",
        )
    } else {
        let message = "the validator is not what the models say";
        Finding::problem("different_validator", about, message).fixed_by(
            "`mongo-model apply --validators keep` brings validators to what the models say",
        )
    };
    Some(finding)
}

/// `{ host: 1, time: -1 }`
pub(crate) fn keys_of(index: &Definition) -> String {
    let spec = index.spec();
    spec.get_document("key").map(shown_keys).unwrap_or_default()
}

/// `{ host: 1, time: -1 }`
pub(crate) fn shown_keys(keys: &Document) -> String {
    let keys: Vec<String> = keys
        .iter()
        .map(|(path, kind)| match kind.as_str() {
            Some(kind) => format!("{path}: {kind}"),
            None => format!("{path}: {kind}"),
        })
        .collect();
    format!("{{ {} }}", keys.join(", "))
}
