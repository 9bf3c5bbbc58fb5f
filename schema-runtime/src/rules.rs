// Written by `cargo run -p mongo-model-rule-pages`, as the pages of docs/rules are. Do not edit.

//! The rules that the derives check, a module for each.
//!
//! The derives of mongo-model check a schema against these rules. A message ends with the code of its rule in brackets, `[EMBED_UNBOUNDED]`, and
//! each code has a page here: what the rule checks, why, an example that breaks it with the compiler's message, and an example that does not.
//!
//! | level | what it means |
//! |---|---|
//! | error | the server would refuse the schema or the documents, data would be lost, or a query would silently find nothing; nothing turns it off |
//! | error, can be allowed | a design that is nearly always wrong; `#[model(allow(rule_name, reason = ".."))]` on the field or the model turns it off |
//! | advice | no compiler output; `mongo_model::report()` lists it, and in a `#[model(strict)]` model it is an error |
//!
//! The rules come from "6 Rules of Thumb for MongoDB Schema Design" (MongoDB blog), from the slides "Schema Design with MongoDB", from the
//! MongoDB manual, and from limits that were tried out on MongoDB 6.0. Times on the pages were measured with MongoDB 6.0.5 on a machine with
//! two cores. The pages quote the rules of thumb by their numbers:
//!
//! 1. Favour embedding unless there is a compelling reason not to.
//! 2. Needing to access an object on its own is a compelling reason not to embed it.
//! 3. Arrays should not grow without bound: with more than a couple of hundred documents do not embed them, with more than a few thousand do
//!    not hold an array of their ids.
//! 4. Do not be afraid of joins in the application: with the right indexes and projections they cost hardly more than joins in the server.
//! 5. Consider the ratio of reads to writes before you copy a field: copy what is mostly read and seldom updated.
//! 6. Structure the data for the ways in which the application queries and updates it.
//!
//! Messages are shown as the compiler prints them, without its notes about the
//! library's internal traits; their line numbers are those of the example. The examples leave out their imports, `use mongo_model::..` and
//! `use serde::..`.
//!
//! Some words on the pages:
//!
//! | word | what it is |
//! |---|---|
//! | model | a struct with `#[derive(MongoModel)]`: each value is a document of a collection |
//! | embedded document | a value with `#[derive(MongoEmbed)]` inside another document |
//! | `Id<Part>` | the `_id` of a `Part`: an ObjectId with a type |
//! | reference | an id of another document: `#[refs(Part)]` on an array of ids, `#[parent(Host)]` on one id |
//! | parent, child | the document that a `#[parent(..)]` field refers to, and the one with that field |
//! | copy | `#[denorm(from = Part, field = name)]`: a field of the referenced document, stored beside the reference; the library keeps it up to date |
//! | entry | the struct that a derive generates for a reference with copies: the id and the copied fields |
//! | two-way reference | two references that are the same relation, `inverse = ..`; a change of one side changes the other |
//! | bucket | `#[model(bucket(items))]`: a document that holds up to N items of one parent |
//! | access pattern | `#[model(access(name(host, sort = -time)))]`: a query that the program makes, as a method and as a promise about indexes |
//! | projection | a struct with `#[derive(MongoProjection)]`: some of the fields of a model |
//! | strict | `#[model(strict)]`: in this model, advice is an error |

macro_rules! pages {
    ($($name:ident $code:literal $says:literal,)*) => {$(
        #[doc = $says]
        #[doc = "\n"]
        #[cfg_attr(doc, doc = include_str!(concat!("../rules/", $code, ".md")))]
        pub mod $name {}
    )*};
}

pages! {
    embed_unbounded "EMBED_UNBOUNDED" "an array of documents states a bound",
    array_unbounded "ARRAY_UNBOUNDED" "an array of scalars states a bound",
    embed_too_many "EMBED_TOO_MANY" "at most 200 documents are embedded",
    embed_over_atlas "EMBED_OVER_ATLAS" "no array is bounded above 10,000",
    embed_standalone "EMBED_STANDALONE" "a model that owns a collection is not embedded",
    embed_nested_product "EMBED_NESTED_PRODUCT" "bounds of nested arrays multiply to at most 10,000",
    embed_too_big "EMBED_TOO_BIG" "the bounds fit a document of 16 MiB",
    embed_recursive "EMBED_RECURSIVE" "a type does not embed itself",
    embed_depth "EMBED_DEPTH" "documents nest at most 100 levels",
    embed_map "EMBED_MAP" "a map states a bound",
    map_key_type "MAP_KEY_TYPE" "map keys are stored as strings",
    embed_option_vec "EMBED_OPTION_VEC" "an array is empty, not null",
    vec_no_default "VEC_NO_DEFAULT" "an array field has `#[serde(default)]`",
    refs_large "REFS_LARGE" "an array of references holds at most 2,000",
    refs_too_many "REFS_TOO_MANY" "an array of references is bounded at 5,000",
    refs_impossible "REFS_IMPOSSIBLE" "the references fit a document of 16 MiB",
    refs_target "REFS_TARGET" "a reference points to a model",
    refs_id_type "REFS_ID_TYPE" "a reference has the type of the target's `_id`",
    refs_key_type "REFS_KEY_TYPE" "a reference by key has the type of the key",
    refs_key_unique "REFS_KEY_UNIQUE" "a key that references hold is unique",
    refs_field_type "REFS_FIELD_TYPE" "`refs` goes on an array, set or map of ids",
    refs_map "REFS_MAP" "a map holds its references in its keys or in its values, without copies",
    refs_two_way_mismatch "REFS_TWO_WAY_MISMATCH" "each side of a two-way reference names the other",
    refs_members "REFS_MEMBERS" "the entries of a two-way array refer to its other side by one field",
    refs_two_way "REFS_TWO_WAY" "models that refer to each other say so",
    refs_embed_both "REFS_EMBED_BOTH" "a field is embedded or referenced, not both",
    parent_target "PARENT_TARGET" "a parent is a model",
    parent_id_type "PARENT_ID_TYPE" "a parent has the type of the target's `_id`",
    parent_field_type "PARENT_FIELD_TYPE" "`parent` goes on one id",
    parent_sort_field "PARENT_SORT_FIELD" "a parent is sorted by a field of the model",
    parent_sort_fixed "PARENT_SORT_FIXED" "a field that sorts children is immutable, unless it changes",
    parent_pull "PARENT_PULL" "`pull` on one reference has something to remove",
    parent_option_null "PARENT_OPTION_NULL" "an absent parent is not stored as null",
    child_parent "CHILD_PARENT" "children refer to their parent by one field, which holds its `_id`",
    recent_field_type "RECENT_FIELD_TYPE" "a list of the last children is an array of the entry that it generates",
    recent_sort_field "RECENT_SORT_FIELD" "a list of the last children is sorted by a field of the child",
    recent_large "RECENT_LARGE" "a list of the last children holds at most 1,000",
    recent_too_many "RECENT_TOO_MANY" "a list of the last children is bounded at 5,000",
    count_type "COUNT_TYPE" "a count of children is an `i64`",
    count_no_default "COUNT_NO_DEFAULT" "a count of children has `#[serde(default)]`",
    count_ttl "COUNT_TTL" "children that are counted do not expire",
    count_max "COUNT_MAX" "a number of children is bounded by a number, or by an integer field of the model",
    sum_field "SUM_FIELD" "a sum adds up an integer or decimal field of the children that the program writes; extremes and `only` compare such fields, and `at` is a date",
    period_zone "PERIOD_ZONE" "the time zone of a period is one of the IANA database",
    period_field "PERIOD_FIELD" "a document of a period has the `_id` of the period, and numbers and extremes of the children whose date is in it",
    tree "TREE" "a tree is one optional reference of a model to itself, with a depth, and one array of the ancestors beside it",
    denorm_source "DENORM_SOURCE" "a copy comes from a model",
    denorm_field "DENORM_FIELD" "a copied field exists in its source",
    denorm_type "DENORM_TYPE" "a copy has the type of its source field, in an `Option` beside an optional reference",
    denorm_len "DENORM_LEN" "a copy can hold everything that its source can",
    denorm_no_key "DENORM_NO_KEY" "a copy is beside the reference that it belongs to",
    denorm_ambiguous "DENORM_AMBIGUOUS" "a copy says which of two references it belongs to",
    denorm_hot "DENORM_HOT" "a field that changes often is not copied",
    denorm_cycle "DENORM_CYCLE" "copies form no cycle",
    denorm_id "DENORM_ID" "an `_id` is referenced, not copied",
    denorm_entries "DENORM_ENTRIES" "an array that holds copies is not copied itself",
    denorm_derived "DENORM_DERIVED" "derived data is not copied",
    denorm_path_nested "DENORM_PATH_NESTED" "copies are at most two arrays deep",
    denorm_same_path "DENORM_SAME_PATH" "a stored field is filled by one copy",
    denorm_all "DENORM_ALL" "a source keeps a field that is not copied",
    denorm_twice "DENORM_TWICE" "a field is copied once",
    denorm_entry "DENORM_ENTRY" "a generated entry is named by one plain identifier",
    idx_too_many "IDX_TOO_MANY" "a collection has at most 64 indexes",
    idx_many "IDX_MANY" "a model declares at most 30 indexes",
    idx_fields "IDX_FIELDS" "an index has at most 32 keys",
    idx_parallel "IDX_PARALLEL" "an index crosses one array",
    idx_unknown_field "IDX_UNKNOWN_FIELD" "index keys are fields",
    idx_skipped_field "IDX_SKIPPED_FIELD" "index keys are stored",
    idx_duplicate "IDX_DUPLICATE" "an index is declared once",
    idx_name_conflict "IDX_NAME_CONFLICT" "index names are unique",
    idx_same_key "IDX_SAME_KEY" "two indexes differ in more than their expiry",
    idx_redundant "IDX_REDUNDANT" "an index is not a prefix of another",
    idx_id "IDX_ID" "`_id` has its own index",
    idx_key_value "IDX_KEY_VALUE" "a field appears once in an index",
    idx_name "IDX_NAME" "an index name is not empty, not `*`, and contains no NUL",
    idx_ttl_compound "IDX_TTL_COMPOUND" "an expiring index has one field",
    idx_ttl_id "IDX_TTL_ID" "`_id` does not expire",
    idx_ttl_range "IDX_TTL_RANGE" "an expiry is 0 to 2,147,483,647 seconds",
    idx_ttl_type "IDX_TTL_TYPE" "an expiring field is stored as a date",
    idx_ttl_special "IDX_TTL_SPECIAL" "hashed, text, geo and wildcard indexes do not expire",
    idx_ttl_array "IDX_TTL_ARRAY" "the earliest date of an array decides its expiry",
    idx_ttl_option "IDX_TTL_OPTION" "documents without the date never expire",
    idx_text_many "IDX_TEXT_MANY" "a collection has one text index",
    idx_text_shape "IDX_TEXT_SHAPE" "text keys are adjacent, without collation or geo keys",
    idx_text_language "IDX_TEXT_LANGUAGE" "a field `language` beside a text index is its language",
    idx_hashed "IDX_HASHED" "a hashed key is not unique, not an array, and occurs once",
    idx_wildcard "IDX_WILDCARD" "a wildcard index is plain",
    idx_partial "IDX_PARTIAL" "a partial index has conditions the server accepts, and is not sparse",
    idx_unique_null "IDX_UNIQUE_NULL" "a unique field is not stored as null",
    idx_unique_array "IDX_UNIQUE_ARRAY" "a unique index does not run over an array",
    idx_unique_entry "IDX_UNIQUE_ENTRY" "a unique index names the reference in a generated entry, not the entry with its copies",
    idx_contains "IDX_CONTAINS" "an index of the parts of a text is on a text that the program sets and that has a bound",
    idx_vector "IDX_VECTOR" "an index of vectors is on a `Vector` at the top of a model, and has as many dimensions",
    idx_low_card "IDX_LOW_CARD" "an index on a bool filters out too little",
    idx_whole_doc "IDX_WHOLE_DOC" "an index names fields of an embedded document",
    idx_geo "IDX_GEO" "a geo index is on a GeoJSON value or a pair",
    idx_multikey_fan "IDX_MULTIKEY_FAN" "an index runs over at most 1,000 elements",
    idx_access "IDX_ACCESS" "a declared access pattern is served by an index",
    idx_esr "IDX_ESR" "the index of an access pattern has its equality keys first, then its sort, then its range",
    idx_sort_dir "IDX_SORT_DIR" "the index of an access pattern runs in the order of its sort, or in the opposite one",
    idx_partial_query "IDX_PARTIAL_QUERY" "the index of an access pattern leaves out nothing that it asks for",
    idx_unused "IDX_UNUSED" "an index is used, and serves an access pattern where a model declares its patterns",
    idx_filter "IDX_FILTER" "a filter is served by a declared index",
    filter_child "FILTER_CHILD" "a filter asks about its own collection",
    queue_field "QUEUE_FIELD" "a queue is ordered by fields of the model that hold one value",
    bucket_max "BUCKET_MAX" "a bucket says how many items it takes",
    bucket_large "BUCKET_LARGE" "a bucket takes at most 1,000 items",
    bucket_unique "BUCKET_UNIQUE" "the `_id` of a bucket is its parent and a number",
    bucket_count "BUCKET_COUNT" "a bucket counts its items in an `i64`",
    bucket_parent "BUCKET_PARENT" "a bucket refers to its parent by one plain id",
    bucket_items "BUCKET_ITEMS" "the items of a bucket are embedded documents with an `id`, and hold no copies",
    bucket_field "BUCKET_FIELD" "the other fields of a bucket have a default",
    bucket_random "BUCKET_RANDOM" "items of a bucket are not looked up one by one",
    outlier_flag "OUTLIER_FLAG" "an array overflows into buckets of its model, and a `has_extras` beside it says so",
    cas_version "CAS_VERSION" "a model has one version, an `i64` or `i32`, and it is not copied",
    stamp_date "STAMP_DATE" "`#[created]` and `#[updated]` are each one BSON date, and `#[updated]` is not copied",
    soft_delete_field "SOFT_DELETE_FIELD" "a model with `soft_delete` has one `#[deleted]` field, an optional BSON date",
    deny_purge "DENY_PURGE" "a reference that refuses a purge leads to a model with `soft_delete`",
    soft_delete_with "SOFT_DELETE_WITH" "a model with `soft_delete` has a collection of its own, and no reference has to follow a mark",
    tenant_field "TENANT_FIELD" "the tenant of a model is one plain field, an id that no write changes",
    shard_key "SHARD_KEY" "a shard key is the `_id`, with the tenant before it",
    shard_unique "SHARD_UNIQUE" "a model with a shard key has no unique index",
    shard_with "SHARD_WITH" "a model with a shard key finds its documents by `_id`",
    shard_growing "SHARD_GROWING" "an `_id` that grows is hashed in a shard key",
    tenant_with "TENANT_WITH" "a model with a tenant has nothing that its wall does not confine",
    tenant_unique "TENANT_UNIQUE" "an index across tenants is a unique one of a model with a tenant, for a reason",
    tenant_target "TENANT_TARGET" "what a tenant sees is referred to, listed and counted inside of its wall alone",
    personal_field "PERSONAL_FIELD" "a personal field is one that updates reach, of its document's person or of one that a reference beside it leads to, and has a value when it is erased",
    personal_copy "PERSONAL_COPY" "a copy of a personal field follows it, or is kept for a reason",
    history_with "HISTORY_WITH" "a model with `history` is a struct with a collection of its own, and no bucket or queue",
    history_personal "HISTORY_PERSONAL" "a history leaves out personal fields",
    id_missing "ID_MISSING" "a model has a field stored as `_id`",
    id_option "ID_OPTION" "`_id` is not optional",
    id_type "ID_TYPE" "`_id` is not an array",
    date_as_string "DATE_AS_STRING" "dates are stored as BSON dates",
    uuid_generic "UUID_GENERIC" "uuids are stored as BSON uuids",
    decimal_as_string "DECIMAL_AS_STRING" "decimal numbers are stored as BSON decimals",
    bytes_as_array "BYTES_AS_ARRAY" "bytes are stored as BSON binary",
    string_unbounded "STRING_UNBOUNDED" "a strict model bounds its strings",
    binary_unbounded "BINARY_UNBOUNDED" "binary states a length",
    check_type "CHECK_TYPE" "a check fits the type of its field",
    check_empty "CHECK_EMPTY" "a check leaves values that meet it",
    check_pattern "CHECK_PATTERN" "a pattern means the same to Rust and to the server",
    check_field "CHECK_FIELD" "a checked field is written by the program, in a form that the derive knows",
    int_range "INT_RANGE" "integers fit 64 bits",
    int_unsigned "INT_UNSIGNED" "an unsigned integer of 64 bits fits an `i64`",
    inc_narrow "INC_NARROW" "a counter is an `i64`, or has a range",
    money_float "MONEY_FLOAT" "money is not a float",
    field_name "FIELD_NAME" "a stored name is not empty and contains no `.`, `$` or NUL",
    field_dup "FIELD_DUP" "no two fields have the same stored name",
    flatten "FLATTEN" "keys of a flattened map are unknown",
    flatten_rule "FLATTEN_RULE" "a flattened field carries no reference, copy or index",
    rename_asym "RENAME_ASYM" "a field is written and read by one name",
    serde_skip_rule "SERDE_SKIP_RULE" "a field with a rule is stored",
    serde_unsupported "SERDE_UNSUPPORTED" "a serde attribute is honoured or refused",
    collection_name "COLLECTION_NAME" "a collection name is one the server accepts",
    ns_too_long "NS_TOO_LONG" "a collection name fits a namespace of 255 bytes",
    shape "SHAPE" "a model is a non-generic struct with named fields, or an enum of such structs",
    enum_untagged "ENUM_UNTAGGED" "an enum with data has a tag",
    poly_field "POLY_FIELD" "a name that several variants of a model have means one field",
    poly_common "POLY_COMMON" "every variant has the common fields",
    schema_version "SCHEMA_VERSION" "a strict model says the version of its schema",
    migration_function "MIGRATION_FUNCTION" "a migration is an `async fn` of one `&Migration`",
    migration_after "MIGRATION_AFTER" "a migration comes after others, and names each of them once",
    null_vs_missing "NULL_VS_MISSING" "an absent value is not stored as null",
    reserved_field "RESERVED_FIELD" "`_dn`, `_r` and the version of a schema belong to the library",
    projection_shape "PROJECTION_SHAPE" "a projection is a struct with named fields, generic over a lifetime at most",
    projection_of "PROJECTION_OF" "a projection is of a model or an embedded document",
    projection_field "PROJECTION_FIELD" "a projected field has a path of its own",
    projection_type "PROJECTION_TYPE" "a projected field has the type of the model's field",
    projection_name "PROJECTION_NAME" "a projected field has the stored name of the model's field",
    projection_nested "PROJECTION_NESTED" "a nested field is a projection of the embedded document",
    projection_fallback "PROJECTION_FALLBACK" "a view's field is copied, or may be absent",
    value_type "VALUE_TYPE" "a field's type is one that a document can hold",
    attr_unknown "ATTR_UNKNOWN" "an option is known",
    attr_duplicate "ATTR_DUPLICATE" "an option is given once",
    attr_missing "ATTR_MISSING" "a required option is given",
    attr_value "ATTR_VALUE" "an option has a value it can take",
    attr_shape "ATTR_SHAPE" "an attribute has its proper form",
    attr_place "ATTR_PLACE" "an attribute is where it has a meaning",
    attr_conflict "ATTR_CONFLICT" "options do not contradict each other",
    attr_reason "ATTR_REASON" "an override has a reason",
    allow_hard "ALLOW_HARD" "a hard rule cannot be allowed",
    unused_allow "UNUSED_ALLOW" "an override suppresses something",
    not_yet "NOT_YET" "an option that is not implemented yet is refused",
}
