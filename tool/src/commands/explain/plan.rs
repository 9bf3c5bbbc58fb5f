//! The server's plan of one query, as far as it is compared.

use bson::{Bson, Document};
use serde::{Deserialize, Serialize};

/// The server's execution of a query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Plan {
    /// The method.
    pub(crate) pattern: String,
    /// The stages, the outermost first: `LIMIT, FETCH, IXSCAN`.
    pub(crate) stages: Vec<String>,
    /// The indexes.
    pub(crate) indexes: Vec<String>,
    /// Index keys examined.
    pub(crate) keys: u64,
    /// Documents examined.
    pub(crate) documents: u64,
    /// Documents returned.
    pub(crate) returned: u64,
}

impl Plan {
    pub(super) fn keys_per_result(&self) -> f64 {
        ratio(self.keys, self.returned)
    }

    pub(super) fn documents_per_result(&self) -> f64 {
        ratio(self.documents, self.returned)
    }

    /// True if the server had to look at more than it returned. The end of a range costs a key, and an array may have one document
    /// at several of them.
    pub(super) fn is_wasteful(&self) -> bool {
        let allowed = self.returned + 1;
        self.documents > allowed || self.keys > self.returned.saturating_mul(2) + 2
    }

    pub(super) fn scans(&self) -> bool {
        self.stages.iter().any(|stage| stage == "COLLSCAN")
    }

    pub(super) fn sorts(&self) -> bool {
        self.stages
            .iter()
            .any(|stage| stage.starts_with("SORT") && stage != "SORT_MERGE")
    }
}

#[expect(clippy::cast_precision_loss, reason = "a ratio for people")]
fn ratio(examined: u64, returned: u64) -> f64 {
    examined as f64 / returned.max(1) as f64
}

/// The plan in the reply of `explain`.
pub(super) fn plan_of(pattern: &str, reply: &Document) -> Plan {
    let mut plan = Plan {
        pattern: pattern.to_owned(),
        stages: Vec::new(),
        indexes: Vec::new(),
        keys: 0,
        documents: 0,
        returned: 0,
    };
    if let Ok(planner) = reply.get_document("queryPlanner") {
        let winning = planner.get_document("winningPlan").ok();
        // A server that compiles its plans shows the tree of stages one level below.
        let winning = winning.map(|winning| winning.get_document("queryPlan").unwrap_or(winning));
        winning
            .into_iter()
            .for_each(|winning| stages(winning, &mut plan));
    }
    if let Ok(stats) = reply.get_document("executionStats") {
        let number = |key| match stats.get(key) {
            Some(Bson::Int32(n)) => u64::try_from(*n).unwrap_or(0),
            Some(Bson::Int64(n)) => u64::try_from(*n).unwrap_or(0),
            _ => 0,
        };
        plan.keys = number("totalKeysExamined");
        plan.documents = number("totalDocsExamined");
        plan.returned = number("nReturned");
    }
    plan
}

/// The stages of a tree, of all its branches and shards.
fn stages(tree: &Document, plan: &mut Plan) {
    if let Ok(stage) = tree.get_str("stage") {
        plan.stages.push(stage.to_owned());
    }
    if let Ok(index) = tree.get_str("indexName")
        && !plan.indexes.iter().any(|known| known == index)
    {
        plan.indexes.push(index.to_owned());
    }
    for key in ["inputStage", "winningPlan", "queryPlan"] {
        if let Ok(inner) = tree.get_document(key) {
            stages(inner, plan);
        }
    }
    for key in ["inputStages", "shards"] {
        for inner in tree
            .get_array(key)
            .into_iter()
            .flatten()
            .filter_map(Bson::as_document)
        {
            stages(inner, plan);
        }
    }
}
