//! Indexes of vectors as data. They are no indexes of the server itself but of its search process, which other commands list and build.

use std::fmt;

use bson::{Bson, Document, doc};

use crate::bson_util::number::integer;
use crate::schema::index_row::Similarity;

/// An index of vectors that a collection should have. Made from `#[index(vector(1536, cosine))]`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct VectorDefinition {
    /// The name, by which the server finds the index.
    pub name: String,
    /// The stored name of the field.
    pub path: String,
    /// The number of values of each vector.
    pub dimensions: u64,
    /// The measure.
    pub similarity: Similarity,
    /// The stored names of the fields by which a search may select documents, with those of the tenant and of soft deletes.
    pub filter: Vec<String>,
}

impl VectorDefinition {
    pub(crate) fn new(
        path: &str,
        (dimensions, similarity): (u64, Similarity),
        filter: Vec<String>,
    ) -> Self {
        VectorDefinition {
            name: format!("{path}_vector"),
            path: path.to_owned(),
            dimensions,
            similarity,
            filter,
        }
    }

    /// The `definition` of `createSearchIndexes` and `updateSearchIndex`.
    #[must_use]
    pub fn spec(&self) -> Document {
        let vector = doc! {
            "type": "vector",
            "path": &self.path,
            "numDimensions": i32::try_from(self.dimensions).unwrap_or(i32::MAX),
            "similarity": self.similarity.name(),
        };
        let filter = self.filter.iter();
        let filter = filter.map(|path| doc! { "type": "filter", "path": path });
        let fields: Vec<Document> = std::iter::once(vector).chain(filter).collect();
        doc! { "fields": fields }
    }

    /// The difference of the index as the server lists it, in words.
    pub(crate) fn difference(&self, listed: &Document) -> Option<String> {
        let fields = listed.get_document("latestDefinition").ok();
        let fields = fields.and_then(|definition| definition.get_array("fields").ok());
        let fields = || fields.into_iter().flatten().filter_map(Bson::as_document);
        let is = |kind: &'static str| {
            fields().filter(move |field| field.get_str("type").is_ok_and(|is| is == kind))
        };
        let path = |field: &Document| field.get_str("path").unwrap_or_default().to_owned();
        let vector = is("vector").find(|field| path(field) == self.path);
        let Some(vector) = vector else {
            return Some(format!("it has no vectors of `{}`", self.path));
        };
        let dimensions = integer(vector.get("numDimensions")).unwrap_or(0);
        if u64::try_from(dimensions) != Ok(self.dimensions) {
            return Some(format!("it has {dimensions} dimensions"));
        }
        let similarity = vector.get_str("similarity").unwrap_or_default();
        if similarity != self.similarity.name() {
            return Some(format!("its similarity is {similarity}"));
        }
        let mut filter: Vec<String> = is("filter").map(path).collect();
        let mut declared = self.filter.clone();
        filter.sort();
        declared.sort();
        (filter != declared).then(|| format!("it filters by {}", names(&filter)))
    }
}

fn names(paths: &[String]) -> String {
    match paths {
        [] => "nothing".to_owned(),
        paths => paths.join(", "),
    }
}

/// Name, field and options: `` `embedding_vector` { embedding: vector } 1536 cosine, filters by shop ``.
impl fmt::Display for VectorDefinition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (dimensions, similarity) = (self.dimensions, self.similarity.name());
        write!(f, "`{}` {{ {}: vector }} ", self.name, self.path)?;
        write!(
            f,
            "{dimensions} {similarity}, filters by {}",
            names(&self.filter)
        )
    }
}

/// An index of vectors that is not as declared.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum VectorChange {
    /// The index does not exist.
    Create(VectorDefinition),
    /// An index of this name exists with other options. It serves searches until the new one is built.
    Replace {
        /// The index as it should be.
        declared: VectorDefinition,
        /// The difference, in words.
        reason: String,
    },
    /// The index does not exist, and the server cannot build it: it has no vector search.
    Unavailable(VectorDefinition),
}

impl VectorChange {
    /// The verb in a plan or a report, whose words for a new and for a replaced index these are.
    pub(super) fn verb<'v>(&self, created: &'v str, replaced: &'v str) -> &'v str {
        match self {
            VectorChange::Create(_) => created,
            VectorChange::Replace { .. } => replaced,
            VectorChange::Unavailable(_) => "missing",
        }
    }

    /// True of a change in the report if the server began to build the index.
    pub(crate) fn is_done(&self) -> bool {
        !matches!(self, VectorChange::Unavailable(_))
    }
}

impl fmt::Display for VectorChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VectorChange::Create(index) => index.fmt(f),
            VectorChange::Replace { declared, reason } => write!(f, "{declared}: {reason}"),
            VectorChange::Unavailable(index) => {
                write!(f, "{index}: the server has no vector search")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::{Similarity, VectorDefinition};

    #[test]
    fn the_definition_is_that_of_the_server_and_differences_are_named() {
        let filter = vec!["shop".to_owned(), "deleted_at".to_owned()];
        let index = VectorDefinition::new("v", (1536, Similarity::DotProduct), filter);
        let vector = |numbers: i32, similarity: &str| {
            doc! {
                "type": "vector", "path": "v", "numDimensions": numbers, "similarity": similarity,
            }
        };
        let by = |path: &str| doc! { "type": "filter", "path": path };
        let spec = doc! { "fields": [vector(1536, "dotProduct"), by("shop"), by("deleted_at")] };
        assert_eq!(index.spec(), spec);
        for (fields, reason) in [
            (
                vec![by("deleted_at"), vector(1536, "dotProduct"), by("shop")],
                None,
            ),
            (
                vec![vector(768, "dotProduct")],
                Some("it has 768 dimensions"),
            ),
            (
                vec![vector(1536, "cosine")],
                Some("its similarity is cosine"),
            ),
            (
                vec![vector(1536, "dotProduct")],
                Some("it filters by nothing"),
            ),
            (vec![by("v")], Some("it has no vectors of `v`")),
        ] {
            let listed = doc! { "name": "v_vector", "latestDefinition": { "fields": fields } };
            assert_eq!(index.difference(&listed).as_deref(), reason);
        }
    }
}
