//! Every rule that the derives and the runtime check, with its level. The table in guide/src/reference/rules.md is compared with this one.

/// How a broken rule is treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    /// An error that nothing turns off: the server refuses it, or data is lost silently.
    Hard,
    /// An error that `allow(rule, reason = "..")` turns off.
    Err,
    /// Advice: kept as data for the schema report, no compiler output.
    Advice,
}

/// One rule of the catalogue.
#[derive(Debug)]
pub(crate) struct Rule {
    /// The code in the message; its lower-case form is the name in `allow(..)`.
    pub(crate) code: &'static str,
    pub(crate) level: Level,
    /// The statement of the rule, in one line of the guide's table.
    pub(crate) says: &'static str,
}

impl Rule {
    /// The name of the rule in `allow(..)`.
    pub(crate) fn name(&self) -> String {
        self.code.to_ascii_lowercase()
    }
}

macro_rules! rules {
    ($($code:ident $level:ident $says:literal)*) => {
        $(pub(crate) static $code: Rule = Rule { code: stringify!($code), level: Level::$level, says: $says };)*

        /// All rules, in the order of the catalogue.
        pub(crate) static RULES: &[&Rule] = &[$(&$code),*];
    };
}

rules! {
    EMBED_UNBOUNDED Err "an array of documents states a bound"
    ARRAY_UNBOUNDED Err "an array of scalars states a bound"
    EMBED_TOO_MANY Err "at most 200 documents are embedded"
    EMBED_OVER_ATLAS Hard "no array is bounded above 10,000"
    EMBED_STANDALONE Err "a model that owns a collection is not embedded"
    EMBED_NESTED_PRODUCT Err "bounds of nested arrays multiply to at most 10,000"
    EMBED_TOO_BIG Hard "the bounds fit a document of 16 MiB"
    EMBED_RECURSIVE Hard "a type does not embed itself"
    EMBED_DEPTH Hard "documents nest at most 100 levels"
    EMBED_MAP Err "a map states a bound"
    MAP_KEY_TYPE Hard "map keys are stored as strings"
    EMBED_OPTION_VEC Err "an array is empty, not null"
    VEC_NO_DEFAULT Advice "an array field has `#[serde(default)]`"
    REFS_LARGE Advice "an array of references holds at most 2,000"
    REFS_TOO_MANY Err "an array of references is bounded at 5,000"
    REFS_IMPOSSIBLE Hard "the references fit a document of 16 MiB"
    REFS_TARGET Hard "a reference points to a model"
    REFS_ID_TYPE Hard "a reference has the type of the target's `_id`"
    REFS_KEY_TYPE Hard "a reference by key has the type of the key"
    REFS_KEY_UNIQUE Hard "a key that references hold is unique"
    REFS_FIELD_TYPE Hard "`refs` goes on an array, set or map of ids"
    REFS_MAP Hard "a map holds its references in its keys or in its values, without copies"
    REFS_TWO_WAY_MISMATCH Hard "each side of a two-way reference names the other"
    REFS_MEMBERS Hard "the entries of a two-way array refer to its other side by one field"
    REFS_TWO_WAY Advice "models that refer to each other say so"
    REFS_EMBED_BOTH Hard "a field is embedded or referenced, not both"
    PARENT_TARGET Hard "a parent is a model"
    PARENT_ID_TYPE Hard "a parent has the type of the target's `_id`"
    PARENT_FIELD_TYPE Hard "`parent` goes on one id"
    PARENT_SORT_FIELD Hard "a parent is sorted by a field of the model"
    PARENT_SORT_FIXED Advice "a field that sorts children is immutable, unless it changes"
    PARENT_PULL Hard "`pull` on one reference has something to remove"
    PARENT_OPTION_NULL Advice "an absent parent is not stored as null"
    CHILD_PARENT Hard "children refer to their parent by one field, which holds its `_id`"
    RECENT_FIELD_TYPE Hard "a list of the last children is an array of the entry that it generates"
    RECENT_SORT_FIELD Hard "a list of the last children is sorted by a field of the child"
    RECENT_LARGE Advice "a list of the last children holds at most 1,000"
    RECENT_TOO_MANY Err "a list of the last children is bounded at 5,000"
    COUNT_TYPE Hard "a count of children is an `i64`"
    COUNT_NO_DEFAULT Advice "a count of children has `#[serde(default)]`"
    COUNT_TTL Err "children that are counted do not expire"
    COUNT_MAX Hard "a number of children is bounded by a number, or by an integer field of the model"
    SUM_FIELD Hard "a sum adds up an integer field of the children that the program writes; extremes and `only` compare such fields"
    DENORM_SOURCE Hard "a copy comes from a model"
    DENORM_FIELD Hard "a copied field exists in its source"
    DENORM_TYPE Hard "a copy has the type of its source field, in an `Option` beside an optional reference"
    DENORM_LEN Hard "a copy can hold everything that its source can"
    DENORM_NO_KEY Hard "a copy is beside the reference that it belongs to"
    DENORM_AMBIGUOUS Hard "a copy says which of two references it belongs to"
    DENORM_HOT Err "a field that changes often is not copied"
    DENORM_CYCLE Hard "copies form no cycle"
    DENORM_ID Hard "an `_id` is referenced, not copied"
    DENORM_ENTRIES Hard "an array that holds copies is not copied itself"
    DENORM_DERIVED Hard "derived data is not copied"
    DENORM_PATH_NESTED Hard "copies are at most two arrays deep"
    DENORM_SAME_PATH Hard "a stored field is filled by one copy"
    DENORM_ALL Advice "a source keeps a field that is not copied"
    DENORM_TWICE Advice "a field is copied once"
    DENORM_ENTRY Hard "a generated entry is named by one plain identifier"
    IDX_TOO_MANY Hard "a collection has at most 64 indexes"
    IDX_MANY Err "a model declares at most 30 indexes"
    IDX_FIELDS Hard "an index has at most 32 keys"
    IDX_PARALLEL Hard "an index crosses one array"
    IDX_UNKNOWN_FIELD Hard "index keys are fields"
    IDX_SKIPPED_FIELD Hard "index keys are stored"
    IDX_DUPLICATE Hard "an index is declared once"
    IDX_NAME_CONFLICT Hard "index names are unique"
    IDX_SAME_KEY Hard "two indexes differ in more than their expiry"
    IDX_REDUNDANT Advice "an index is not a prefix of another"
    IDX_ID Hard "`_id` has its own index"
    IDX_KEY_VALUE Hard "a field appears once in an index"
    IDX_NAME Hard "an index name is not empty, not `*`, and contains no NUL"
    IDX_TTL_COMPOUND Hard "an expiring index has one field"
    IDX_TTL_ID Hard "`_id` does not expire"
    IDX_TTL_RANGE Hard "an expiry is 0 to 2,147,483,647 seconds"
    IDX_TTL_TYPE Hard "an expiring field is stored as a date"
    IDX_TTL_SPECIAL Hard "hashed, text, geo and wildcard indexes do not expire"
    IDX_TTL_ARRAY Advice "the earliest date of an array decides its expiry"
    IDX_TTL_OPTION Advice "documents without the date never expire"
    IDX_TEXT_MANY Hard "a collection has one text index"
    IDX_TEXT_SHAPE Hard "text keys are adjacent, without collation or geo keys"
    IDX_TEXT_LANGUAGE Err "a field `language` beside a text index is its language"
    IDX_HASHED Hard "a hashed key is not unique, not an array, and occurs once"
    IDX_WILDCARD Hard "a wildcard index is plain"
    IDX_PARTIAL Hard "a partial index has conditions the server accepts, and is not sparse"
    IDX_UNIQUE_NULL Err "a unique field is not stored as null"
    IDX_UNIQUE_ARRAY Err "a unique index does not run over an array"
    IDX_UNIQUE_ENTRY Hard "a unique index names the reference in a generated entry, not the entry with its copies"
    IDX_LOW_CARD Advice "an index on a bool filters out too little"
    IDX_WHOLE_DOC Advice "an index names fields of an embedded document"
    IDX_GEO Hard "a geo index is on a GeoJSON value or a pair"
    IDX_MULTIKEY_FAN Advice "an index runs over at most 1,000 elements"
    IDX_ACCESS Err "a declared access pattern is served by an index"
    IDX_ESR Err "the index of an access pattern has its equality keys first, then its sort, then its range"
    IDX_SORT_DIR Err "the index of an access pattern runs in the order of its sort, or in the opposite one"
    IDX_PARTIAL_QUERY Err "the index of an access pattern leaves out nothing that it asks for"
    IDX_UNUSED Advice "an index is used, and serves an access pattern where a model declares its patterns"
    IDX_FILTER Hard "a filter is served by a declared index"
    FILTER_CHILD Hard "a filter asks about its own collection"
    QUEUE_FIELD Hard "a queue is ordered by fields of the model that hold one value"
    BUCKET_MAX Hard "a bucket says how many items it takes"
    BUCKET_LARGE Advice "a bucket takes at most 1,000 items"
    BUCKET_UNIQUE Hard "the `_id` of a bucket is its parent and a number"
    BUCKET_COUNT Hard "a bucket counts its items in an `i64`"
    BUCKET_PARENT Hard "a bucket refers to its parent by one plain id"
    BUCKET_ITEMS Hard "the items of a bucket are embedded documents with an `id`, and hold no copies"
    BUCKET_FIELD Hard "the other fields of a bucket have a default"
    BUCKET_RANDOM Advice "items of a bucket are not looked up one by one"
    OUTLIER_FLAG Hard "an array overflows into buckets of its model, and a `has_extras` beside it says so"
    CAS_VERSION Hard "a model has one version, an `i64` or `i32`, and it is not copied"
    STAMP_DATE Hard "`#[created]` and `#[updated]` are each one BSON date, and `#[updated]` is not copied"
    SOFT_DELETE_FIELD Hard "a model with `soft_delete` has one `#[deleted]` field, an optional BSON date"
    DENY_PURGE Hard "a reference that refuses a purge leads to a model with `soft_delete`"
    SOFT_DELETE_WITH Hard "a model with `soft_delete` has a collection of its own, and no reference has to follow a mark"
    TENANT_FIELD Hard "the tenant of a model is one plain field, an id that no write changes"
    TENANT_WITH Hard "a model with a tenant has nothing that its wall does not confine"
    TENANT_TARGET Hard "what a tenant sees is referred to, listed and counted inside of its wall alone"
    ID_MISSING Hard "a model has a field stored as `_id`"
    ID_OPTION Hard "`_id` is not optional"
    ID_TYPE Hard "`_id` is not an array"
    DATE_AS_STRING Err "dates are stored as BSON dates"
    UUID_GENERIC Err "uuids are stored as BSON uuids"
    DECIMAL_AS_STRING Err "decimal numbers are stored as BSON decimals"
    BYTES_AS_ARRAY Err "bytes are stored as BSON binary"
    STRING_UNBOUNDED Advice "a strict model bounds its strings"
    BINARY_UNBOUNDED Advice "binary states a length"
    CHECK_TYPE Hard "a check fits the type of its field"
    CHECK_EMPTY Hard "a check leaves values that meet it"
    CHECK_PATTERN Hard "a pattern means the same to Rust and to the server"
    CHECK_FIELD Hard "a checked field is written by the program, in a form that the derive knows"
    INT_RANGE Hard "integers fit 64 bits"
    INT_UNSIGNED Advice "an unsigned integer of 64 bits fits an `i64`"
    MONEY_FLOAT Advice "money is not a float"
    FIELD_NAME Hard "a stored name is not empty and contains no `.`, `$` or NUL"
    FIELD_DUP Hard "no two fields have the same stored name"
    FLATTEN Advice "keys of a flattened map are unknown"
    FLATTEN_RULE Hard "a flattened field carries no reference, copy or index"
    RENAME_ASYM Hard "a field is written and read by one name"
    SERDE_SKIP_RULE Hard "a field with a rule is stored"
    SERDE_UNSUPPORTED Hard "a serde attribute is honoured or refused"
    COLLECTION_NAME Hard "a collection name is one the server accepts"
    NS_TOO_LONG Hard "a collection name fits a namespace of 255 bytes"
    SHAPE Hard "a model is a non-generic struct with named fields, or an enum of such structs"
    ENUM_UNTAGGED Err "an enum with data has a tag"
    POLY_FIELD Hard "a name that several variants of a model have means one field"
    POLY_COMMON Hard "every variant has the common fields"
    SCHEMA_VERSION Advice "a strict model says the version of its schema"
    NULL_VS_MISSING Advice "an absent value is not stored as null"
    RESERVED_FIELD Hard "`_dn`, `_r` and the version of a schema belong to the library"
    PROJECTION_SHAPE Hard "a projection is a struct with named fields, generic over a lifetime at most"
    PROJECTION_OF Hard "a projection is of a model or an embedded document"
    PROJECTION_FIELD Hard "a projected field has a path of its own"
    PROJECTION_TYPE Hard "a projected field has the type of the model's field"
    PROJECTION_NAME Hard "a projected field has the stored name of the model's field"
    PROJECTION_NESTED Hard "a nested field is a projection of the embedded document"
    PROJECTION_FALLBACK Hard "a view's field is copied, or may be absent"
    VALUE_TYPE Hard "a field's type is one that a document can hold"
    ATTR_UNKNOWN Hard "an option is known"
    ATTR_DUPLICATE Hard "an option is given once"
    ATTR_MISSING Hard "a required option is given"
    ATTR_VALUE Hard "an option has a value it can take"
    ATTR_SHAPE Hard "an attribute has its proper form"
    ATTR_PLACE Hard "an attribute is where it has a meaning"
    ATTR_CONFLICT Hard "options do not contradict each other"
    ATTR_REASON Hard "an override has a reason"
    ALLOW_HARD Hard "a hard rule cannot be allowed"
    UNUSED_ALLOW Hard "an override suppresses something"
    NOT_YET Hard "an option that is not implemented yet is refused"
}
