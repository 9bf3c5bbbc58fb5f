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
//!
//! ## Embedding, arrays and maps
//!
//! | rule | level | what it says |
//! |---|---|---|
//! | [`EMBED_UNBOUNDED`](embed_unbounded) | error, can be allowed | an array of documents states a bound |
//! | [`ARRAY_UNBOUNDED`](array_unbounded) | error, can be allowed | an array of scalars states a bound |
//! | [`EMBED_TOO_MANY`](embed_too_many) | error, can be allowed | at most 200 documents are embedded |
//! | [`EMBED_OVER_ATLAS`](embed_over_atlas) | error | no array is bounded above 10,000 |
//! | [`EMBED_STANDALONE`](embed_standalone) | error, can be allowed | a model that owns a collection is not embedded |
//! | [`EMBED_NESTED_PRODUCT`](embed_nested_product) | error, can be allowed | bounds of nested arrays multiply to at most 10,000 |
//! | [`EMBED_TOO_BIG`](embed_too_big) | error | the bounds fit a document of 16 MiB |
//! | [`EMBED_RECURSIVE`](embed_recursive) | error | a type does not embed itself |
//! | [`EMBED_DEPTH`](embed_depth) | error | documents nest at most 100 levels |
//! | [`EMBED_MAP`](embed_map) | error, can be allowed | a map states a bound |
//! | [`MAP_KEY_TYPE`](map_key_type) | error | map keys are stored as strings |
//! | [`EMBED_OPTION_VEC`](embed_option_vec) | error, can be allowed | an array is empty, not null |
//! | [`VEC_NO_DEFAULT`](vec_no_default) | advice | an array field has `#[serde(default)]` |
//!
//! ## References and parents
//!
//! | rule | level | what it says |
//! |---|---|---|
//! | [`REFS_LARGE`](refs_large) | advice | an array of references holds at most 2,000 |
//! | [`REFS_TOO_MANY`](refs_too_many) | error, can be allowed | an array of references is bounded at 5,000 |
//! | [`REFS_IMPOSSIBLE`](refs_impossible) | error | the references fit a document of 16 MiB |
//! | [`REFS_TARGET`](refs_target) | error | a reference points to a model |
//! | [`REFS_ID_TYPE`](refs_id_type) | error | a reference has the type of the target's `_id` |
//! | [`REFS_KEY_TYPE`](refs_key_type) | error | a reference by key has the type of the key |
//! | [`REFS_KEY_UNIQUE`](refs_key_unique) | error | a key that references hold is unique |
//! | [`REFS_FIELD_TYPE`](refs_field_type) | error | `refs` goes on an array, set or map of ids |
//! | [`REFS_MAP`](refs_map) | error | a map holds its references in its keys or in its values, without copies |
//! | [`REFS_TWO_WAY_MISMATCH`](refs_two_way_mismatch) | error | each side of a two-way reference names the other |
//! | [`REFS_MEMBERS`](refs_members) | error | the entries of a two-way array refer to its other side by one field |
//! | [`REFS_TWO_WAY`](refs_two_way) | advice | models that refer to each other say so |
//! | [`REFS_EMBED_BOTH`](refs_embed_both) | error | a field is embedded or referenced, not both |
//! | [`PARENT_TARGET`](parent_target) | error | a parent is a model |
//! | [`PARENT_ID_TYPE`](parent_id_type) | error | a parent has the type of the target's `_id` |
//! | [`PARENT_FIELD_TYPE`](parent_field_type) | error | `parent` goes on one id |
//! | [`PARENT_SORT_FIELD`](parent_sort_field) | error | a parent is sorted by a field of the model |
//! | [`PARENT_SORT_FIXED`](parent_sort_fixed) | advice | a field that sorts children is immutable, unless it changes |
//! | [`PARENT_PULL`](parent_pull) | error | `pull` on one reference has something to remove |
//! | [`PARENT_OPTION_NULL`](parent_option_null) | advice | an absent parent is not stored as null |
//!
//! ## Lists and counts of children
//!
//! | rule | level | what it says |
//! |---|---|---|
//! | [`CHILD_PARENT`](child_parent) | error | children refer to their parent by one field, which holds its `_id` |
//! | [`RECENT_FIELD_TYPE`](recent_field_type) | error | a list of the last children is an array of the entry that it generates |
//! | [`RECENT_SORT_FIELD`](recent_sort_field) | error | a list of the last children is sorted by a field of the child |
//! | [`RECENT_LARGE`](recent_large) | advice | a list of the last children holds at most 1,000 |
//! | [`RECENT_TOO_MANY`](recent_too_many) | error, can be allowed | a list of the last children is bounded at 5,000 |
//! | [`COUNT_TYPE`](count_type) | error | a count of children is an `i64` |
//! | [`COUNT_NO_DEFAULT`](count_no_default) | advice | a count of children has `#[serde(default)]` |
//! | [`COUNT_TTL`](count_ttl) | error, can be allowed | children that are counted do not expire |
//!
//! ## Copies
//!
//! | rule | level | what it says |
//! |---|---|---|
//! | [`DENORM_SOURCE`](denorm_source) | error | a copy comes from a model |
//! | [`DENORM_FIELD`](denorm_field) | error | a copied field exists in its source |
//! | [`DENORM_TYPE`](denorm_type) | error | a copy has the type of its source field, in an `Option` beside an optional reference |
//! | [`DENORM_LEN`](denorm_len) | error | a copy can hold everything that its source can |
//! | [`DENORM_NO_KEY`](denorm_no_key) | error | a copy is beside the reference that it belongs to |
//! | [`DENORM_AMBIGUOUS`](denorm_ambiguous) | error | a copy says which of two references it belongs to |
//! | [`DENORM_HOT`](denorm_hot) | error, can be allowed | a field that changes often is not copied |
//! | [`DENORM_CYCLE`](denorm_cycle) | error | copies form no cycle |
//! | [`DENORM_ID`](denorm_id) | error | an `_id` is referenced, not copied |
//! | [`DENORM_ENTRIES`](denorm_entries) | error | an array that holds copies is not copied itself |
//! | [`DENORM_DERIVED`](denorm_derived) | error | derived data is not copied |
//! | [`DENORM_PATH_NESTED`](denorm_path_nested) | error | copies are at most two arrays deep |
//! | [`DENORM_SAME_PATH`](denorm_same_path) | error | a stored field is filled by one copy |
//! | [`DENORM_ALL`](denorm_all) | advice | a source keeps a field that is not copied |
//! | [`DENORM_TWICE`](denorm_twice) | advice | a field is copied once |
//! | [`DENORM_ENTRY`](denorm_entry) | error | a generated entry is named by one plain identifier |
//!
//! ## Indexes that expire
//!
//! | rule | level | what it says |
//! |---|---|---|
//! | [`IDX_TTL_COMPOUND`](idx_ttl_compound) | error | an expiring index has one field |
//! | [`IDX_TTL_ID`](idx_ttl_id) | error | `_id` does not expire |
//! | [`IDX_TTL_RANGE`](idx_ttl_range) | error | an expiry is 0 to 2,147,483,647 seconds |
//! | [`IDX_TTL_TYPE`](idx_ttl_type) | error | an expiring field is stored as a date |
//! | [`IDX_TTL_SPECIAL`](idx_ttl_special) | error | hashed, text, geo and wildcard indexes do not expire |
//! | [`IDX_TTL_ARRAY`](idx_ttl_array) | advice | the earliest date of an array decides its expiry |
//! | [`IDX_TTL_OPTION`](idx_ttl_option) | advice | documents without the date never expire |
//!
//! ## Text indexes
//!
//! | rule | level | what it says |
//! |---|---|---|
//! | [`IDX_TEXT_MANY`](idx_text_many) | error | a collection has one text index |
//! | [`IDX_TEXT_SHAPE`](idx_text_shape) | error | text keys are adjacent, without collation or geo keys |
//! | [`IDX_TEXT_LANGUAGE`](idx_text_language) | error, can be allowed | a field `language` beside a text index is its language |
//!
//! ## Access patterns and filters
//!
//! | rule | level | what it says |
//! |---|---|---|
//! | [`IDX_ACCESS`](idx_access) | error, can be allowed | a declared access pattern is served by an index |
//! | [`IDX_ESR`](idx_esr) | error, can be allowed | the index of an access pattern has its equality keys first, then its sort, then its range |
//! | [`IDX_SORT_DIR`](idx_sort_dir) | error, can be allowed | the index of an access pattern runs in the order of its sort, or in the opposite one |
//! | [`IDX_PARTIAL_QUERY`](idx_partial_query) | error, can be allowed | the index of an access pattern leaves out nothing that it asks for |
//! | [`IDX_UNUSED`](idx_unused) | advice | an index is used, and serves an access pattern where a model declares its patterns |
//! | [`IDX_FILTER`](idx_filter) | error | a filter is served by a declared index |
//! | [`FILTER_CHILD`](filter_child) | error | a filter asks about its own collection |
//!
//! ## Indexes
//!
//! | rule | level | what it says |
//! |---|---|---|
//! | [`IDX_TOO_MANY`](idx_too_many) | error | a collection has at most 64 indexes |
//! | [`IDX_MANY`](idx_many) | error, can be allowed | a model declares at most 30 indexes |
//! | [`IDX_FIELDS`](idx_fields) | error | an index has at most 32 keys |
//! | [`IDX_PARALLEL`](idx_parallel) | error | an index crosses one array |
//! | [`IDX_UNKNOWN_FIELD`](idx_unknown_field) | error | index keys are fields |
//! | [`IDX_SKIPPED_FIELD`](idx_skipped_field) | error | index keys are stored |
//! | [`IDX_DUPLICATE`](idx_duplicate) | error | an index is declared once |
//! | [`IDX_NAME_CONFLICT`](idx_name_conflict) | error | index names are unique |
//! | [`IDX_SAME_KEY`](idx_same_key) | error | two indexes differ in more than their expiry |
//! | [`IDX_REDUNDANT`](idx_redundant) | advice | an index is not a prefix of another |
//! | [`IDX_ID`](idx_id) | error | `_id` has its own index |
//! | [`IDX_KEY_VALUE`](idx_key_value) | error | a field appears once in an index |
//! | [`IDX_NAME`](idx_name) | error | an index name is not empty, not `*`, and contains no NUL |
//! | [`IDX_HASHED`](idx_hashed) | error | a hashed key is not unique, not an array, and occurs once |
//! | [`IDX_WILDCARD`](idx_wildcard) | error | a wildcard index is plain |
//! | [`IDX_PARTIAL`](idx_partial) | error | a partial index has conditions the server accepts, and is not sparse |
//! | [`IDX_UNIQUE_NULL`](idx_unique_null) | error, can be allowed | a unique field is not stored as null |
//! | [`IDX_UNIQUE_ARRAY`](idx_unique_array) | error, can be allowed | a unique index does not run over an array |
//! | [`IDX_LOW_CARD`](idx_low_card) | advice | an index on a bool filters out too little |
//! | [`IDX_WHOLE_DOC`](idx_whole_doc) | advice | an index names fields of an embedded document |
//! | [`IDX_GEO`](idx_geo) | error | a geo index is on a GeoJSON value or a pair |
//! | [`IDX_MULTIKEY_FAN`](idx_multikey_fan) | advice | an index runs over at most 1,000 elements |
//!
//! ## Queues, buckets and versions
//!
//! | rule | level | what it says |
//! |---|---|---|
//! | [`QUEUE_FIELD`](queue_field) | error | a queue is ordered by fields of the model that hold one value |
//! | [`BUCKET_MAX`](bucket_max) | error | a bucket says how many items it takes |
//! | [`BUCKET_LARGE`](bucket_large) | advice | a bucket takes at most 1,000 items |
//! | [`BUCKET_UNIQUE`](bucket_unique) | error | the `_id` of a bucket is its parent and a number |
//! | [`BUCKET_COUNT`](bucket_count) | error | a bucket counts its items in an `i64` |
//! | [`BUCKET_PARENT`](bucket_parent) | error | a bucket refers to its parent by one plain id |
//! | [`BUCKET_ITEMS`](bucket_items) | error | the items of a bucket are embedded documents with an `id`, and hold no copies |
//! | [`BUCKET_FIELD`](bucket_field) | error | the other fields of a bucket have a default |
//! | [`BUCKET_RANDOM`](bucket_random) | advice | items of a bucket are not looked up one by one |
//! | [`OUTLIER_FLAG`](outlier_flag) | error | an array overflows into buckets of its model, and a `has_extras` beside it says so |
//! | [`CAS_VERSION`](cas_version) | error | a model has one version, an `i64` or `i32`, and it is not copied |
//! | [`SCHEMA_VERSION`](schema_version) | advice | a strict model says the version of its schema |
//!
//! ## Enums of several kinds
//!
//! | rule | level | what it says |
//! |---|---|---|
//! | [`ENUM_UNTAGGED`](enum_untagged) | error, can be allowed | an enum with data has a tag |
//! | [`POLY_FIELD`](poly_field) | error | a name that several variants of a model have means one field |
//! | [`POLY_COMMON`](poly_common) | error | every variant has the common fields |
//!
//! ## Projections
//!
//! | rule | level | what it says |
//! |---|---|---|
//! | [`PROJECTION_SHAPE`](projection_shape) | error | a projection is a struct with named fields, generic over a lifetime at most |
//! | [`PROJECTION_OF`](projection_of) | error | a projection is of a model or an embedded document |
//! | [`PROJECTION_FIELD`](projection_field) | error | a projected field has a path of its own |
//! | [`PROJECTION_TYPE`](projection_type) | error | a projected field has the type of the model's field |
//! | [`PROJECTION_NAME`](projection_name) | error | a projected field has the stored name of the model's field |
//! | [`PROJECTION_NESTED`](projection_nested) | error | a nested field is a projection of the embedded document |
//! | [`PROJECTION_FALLBACK`](projection_fallback) | error | a view's field is copied, or may be absent |
//!
//! ## How attributes are written
//!
//! | rule | level | what it says |
//! |---|---|---|
//! | [`ATTR_UNKNOWN`](attr_unknown) | error | an option is known |
//! | [`ATTR_DUPLICATE`](attr_duplicate) | error | an option is given once |
//! | [`ATTR_MISSING`](attr_missing) | error | a required option is given |
//! | [`ATTR_VALUE`](attr_value) | error | an option has a value it can take |
//! | [`ATTR_SHAPE`](attr_shape) | error | an attribute has its proper form |
//! | [`ATTR_PLACE`](attr_place) | error | an attribute is where it has a meaning |
//! | [`ATTR_CONFLICT`](attr_conflict) | error | options do not contradict each other |
//! | [`ATTR_REASON`](attr_reason) | error | an override has a reason |
//! | [`ALLOW_HARD`](allow_hard) | error | a hard rule cannot be allowed |
//! | [`UNUSED_ALLOW`](unused_allow) | error | an override suppresses something |
//! | [`NOT_YET`](not_yet) | error | an option that is not implemented yet is refused |
//!
//! ## Fields, types and names
//!
//! | rule | level | what it says |
//! |---|---|---|
//! | [`STAMP_DATE`](stamp_date) | error | `#[created]` and `#[updated]` are each one BSON date, and `#[updated]` is not copied |
//! | [`SOFT_DELETE_FIELD`](soft_delete_field) | error | a model with `soft_delete` has one `#[deleted]` field, an optional BSON date |
//! | [`SOFT_DELETE_WITH`](soft_delete_with) | error | a model with `soft_delete` has a collection of its own, and no reference has to follow a mark |
//! | [`ID_MISSING`](id_missing) | error | a model has a field stored as `_id` |
//! | [`ID_OPTION`](id_option) | error | `_id` is not optional |
//! | [`ID_TYPE`](id_type) | error | `_id` is not an array |
//! | [`DATE_AS_STRING`](date_as_string) | error, can be allowed | dates are stored as BSON dates |
//! | [`UUID_GENERIC`](uuid_generic) | error, can be allowed | uuids are stored as BSON uuids |
//! | [`BYTES_AS_ARRAY`](bytes_as_array) | error, can be allowed | bytes are stored as BSON binary |
//! | [`STRING_UNBOUNDED`](string_unbounded) | advice | a strict model bounds its strings |
//! | [`BINARY_UNBOUNDED`](binary_unbounded) | advice | binary states a length |
//! | [`INT_RANGE`](int_range) | error | integers fit 64 bits |
//! | [`INT_UNSIGNED`](int_unsigned) | advice | an unsigned integer of 64 bits fits an `i64` |
//! | [`MONEY_FLOAT`](money_float) | advice | money is not a float |
//! | [`FIELD_NAME`](field_name) | error | a stored name is not empty and contains no `.`, `$` or NUL |
//! | [`FIELD_DUP`](field_dup) | error | no two fields have the same stored name |
//! | [`FLATTEN`](flatten) | advice | keys of a flattened map are unknown |
//! | [`FLATTEN_RULE`](flatten_rule) | error | a flattened field carries no reference, copy or index |
//! | [`RENAME_ASYM`](rename_asym) | error | a field is written and read by one name |
//! | [`SERDE_SKIP_RULE`](serde_skip_rule) | error | a field with a rule is stored |
//! | [`SERDE_UNSUPPORTED`](serde_unsupported) | error | a serde attribute is honoured or refused |
//! | [`COLLECTION_NAME`](collection_name) | error | a collection name is one the server accepts |
//! | [`NS_TOO_LONG`](ns_too_long) | error | a collection name fits a namespace of 255 bytes |
//! | [`SHAPE`](shape) | error | a model is a non-generic struct with named fields, or an enum of such structs |
//! | [`NULL_VS_MISSING`](null_vs_missing) | advice | an absent value is not stored as null |
//! | [`RESERVED_FIELD`](reserved_field) | error | `_dn`, `_r` and the version of a schema belong to the library |
//! | [`VALUE_TYPE`](value_type) | error | a field's type is one that a document can hold |

/// **Error**: an array of documents states a bound.
///
/// ## What it checks
///
/// A field that holds an array, set or queue of embedded documents must say how many there can be: `#[embed(max = 20)]`.
///
/// ## Why
///
/// Arrays must not grow without bound (rule of thumb 3). MongoDB rewrites the whole document on every push and limits it to 16 MiB. One push took
/// 2.4 ms at 200 elements, 40 ms at 20,000 and 74 ms at 100,000, where the document had 4.1 MiB.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "posts")]
/// struct Post {
///     #[serde(rename = "_id")]
///     id: Id<Post>,
///     comments: Vec<Comment>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// struct Comment {
///     text: String,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0080]: evaluation panicked: `Post::comments` embeds `Comment` documents without an upper bound [EMBED_UNBOUNDED]
///               help: if there are only a few, state the bound: `#[embed(max = 20)]`
///               help: if there may be thousands, give `Comment` a collection and reference it: `#[refs(Comment)]`
///               help: if there may be squillions, point the other way: `#[parent(..)]` in `Comment`
///               note: arrays must not grow without bound (rule of thumb 3): a push costs 2.4 ms at 200 elements, 40 ms at 20 000, and a document holds 16 MiB
///  --> src/model.rs:6:15
///   |
/// 6 |     comments: Vec<Comment>,
///   |               ^^^^^^^^^^^^ evaluation of `_::_` failed here
/// ```
///
/// ## What to do
///
/// State the bound if there are only a few. If there may be thousands, give the elements a collection and hold their ids with `#[refs(..)]`. If there
/// is no limit at all, put `#[parent(..)]` into the elements, so that each of them points to its owner.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Line {
///     pub text: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "parts")]
/// pub struct Part {
///     #[serde(rename = "_id")]
///     pub id: Id<Part>,
///     #[parent(Product)]
///     pub product: Id<Product>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     #[embed(max = 20)]
///     pub lines: Vec<Line>,
///     #[refs(Part)]
///     pub parts: Vec<Id<Part>>,
/// }
/// ```
///
/// ## When to allow it
///
/// When something outside the schema bounds the array, such as the seven days of a week, and stating the number would mislead a reader.
///
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(embed_unbounded, reason = ".."))]
/// ```
pub mod embed_unbounded {}

/// **Error**: an array of scalars states a bound.
///
/// ## What it checks
///
/// A field that holds an array, set or queue of plain values (strings, numbers, ids) must say how many there can be: `#[embed(max = 50)]`.
///
/// ## Why
///
/// Arrays must not grow without bound (rule of thumb 3): every push rewrites the whole document, and an index on the field has one entry per
/// element. MongoDB Compass reports arrays of 250 and more entries, Atlas those of more than 10,000.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "posts")]
/// pub struct Post {
///     #[serde(rename = "_id")]
///     pub id: Id<Post>,
///     pub tags: Vec<String>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0080]: evaluation panicked: `Post::tags` is an array without an upper bound [ARRAY_UNBOUNDED]
///               help: state the bound: `#[embed(max = 50)]`
///               help: ids of another model: `#[refs(Model)]`
///               note: arrays must not grow without bound (rule of thumb 3); Compass reports 250 entries, Atlas 10 000
///  --> src/model.rs:6:15
///   |
/// 6 |     pub tags: Vec<String>,
///   |               ^^^^^^^^^^^ evaluation of `_::_` failed here
/// ```
///
/// ## What to do
///
/// State the bound. Use an array of fixed size (`[f64; 2]`) if the number never changes, and `#[refs(Model)]` if the values are ids of another model.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "posts")]
/// pub struct Post {
///     #[serde(rename = "_id")]
///     pub id: Id<Post>,
///     #[embed(max = 250)]
///     pub tags: Vec<String>,
///     pub position: [f64; 2],
///     #[embed(max = 20)]
///     pub line: Vec<[f64; 2]>,
///     #[model(allow(array_unbounded, reason = "one per weekday"))]
///     pub opening_hours: Vec<i32>,
/// }
/// ```
///
/// ## When to allow it
///
/// When something outside the schema bounds the array, for example one entry per weekday.
///
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(array_unbounded, reason = ".."))]
/// ```
pub mod array_unbounded {}

/// **Error**: at most 200 documents are embedded.
///
/// ## What it checks
///
/// An array of embedded documents may hold at most 200 of them. Arrays of plain values may be larger.
///
/// ## Why
///
/// With more than "a couple of hundred" documents on the many side, do not embed them (rule of thumb 3). At 200 elements a push still costs what it
/// costs on an empty array (2.4 ms); at 5,000 it took 5.6 ms, and 51 ms if it also sorted and trimmed the array. Every read of the document carries
/// all elements.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Line {
///     pub text: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "posts")]
/// pub struct Post {
///     #[serde(rename = "_id")]
///     pub id: Id<Post>,
///     #[embed(max = 201)]
///     pub lines: Vec<Line>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Post::lines` embeds up to 201 documents, over the limit of 200 [EMBED_TOO_MANY]
///        help: lower it to `#[embed(max = 200)]`, or give `Line` a collection and reference it: `#[refs(Line, max = 201)]`
///        help: to keep it: `#[embed(max = 201, allow_large = "why this is bounded and always read together")]`
///        note: with more than a couple of hundred documents on the many side, do not embed them (rule of thumb 3)
///   --> src/model.rs:11:19
///    |
/// 11 |     #[embed(max = 201)]
///    |                   ^^^
/// ```
///
/// ## What to do
///
/// Lower the bound, or give the elements a collection of their own and reference them: `#[refs(Line, max = 500)]`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Line {
///     pub text: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "posts")]
/// pub struct Post {
///     #[serde(rename = "_id")]
///     pub id: Id<Post>,
///     #[embed(max = 200)]
///     pub lines: Vec<Line>,
///     #[embed(max = 201, allow_large = "one per country")]
///     pub countries: Vec<Line>,
///     #[embed(max = 1000)]
///     pub readings: Vec<f64>,
/// }
/// ```
///
/// ## When to allow it
///
/// When all elements are always read together and their number has a natural limit, for example one per country.
///
/// To allow it, give the reason, in the attribute:
///
/// ```rust,ignore
/// #[embed(max = 500, allow_large = "..")]
/// ```
pub mod embed_too_many {}

/// **Error**: no array is bounded above 10,000.
///
/// ## What it checks
///
/// No array in a document may have a bound above 10,000, whatever its elements are.
///
/// ## Why
///
/// MongoDB Atlas reports arrays with more than 10,000 entries as unbounded. Every push rewrites the whole document: 2.4 ms at 200 elements, 40 ms at
/// 20,000, 74 ms at 100,000; and a read by `_id` took 147 ms at 100,000 elements instead of 1.3 ms.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Line {
///     pub text: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "posts")]
/// pub struct Post {
///     #[serde(rename = "_id")]
///     pub id: Id<Post>,
///     #[embed(max = 10001)]
///     pub lines: Vec<Line>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Post::lines` embeds up to 10 001 elements, over the 10 000 that Atlas reports as an unbounded array [EMBED_OVER_ATLAS]
///        help: put `#[parent(..)]` on the other side, so that each element is a document of its own
///        note: every push rewrites the whole document: 2.4 ms at 200 elements, 40 ms at 20 000, 74 ms at 100 000 (rule of thumb 3)
///   --> src/model.rs:11:19
///    |
/// 11 |     #[embed(max = 10001)]
///    |                   ^^^^^
/// ```
///
/// ## What to do
///
/// Reverse the relation: make each element a document with `#[parent(..)]`, or collect the elements in buckets
/// (`#[model(bucket(items))]`), which are documents of limited size.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "series")]
/// pub struct Series {
///     #[serde(rename = "_id")]
///     pub id: Id<Series>,
///     #[embed(max = 10000)]
///     pub readings: Vec<f64>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod embed_over_atlas {}

/// **Error**: a model that owns a collection is not embedded.
///
/// ## What it checks
///
/// A type with `#[derive(MongoModel)]`, which has a collection of its own, is not embedded in another document.
///
/// ## Why
///
/// Needing to access an object on its own is a compelling reason not to embed it (rule of thumb 2). A document that is stored in its own collection
/// and inside another one exists twice, and nothing keeps the embedded one up to date.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "parts")]
/// pub struct Part {
///     #[serde(rename = "_id")]
///     pub id: Id<Part>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     pub part: Part,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0080]: evaluation panicked: `Product::part` embeds `Part`, which is a model with a collection of its own [EMBED_STANDALONE]
///               help: reference it: `#[parent(Part)]` on an `Id<Part>`, or `#[refs(Part)]` on a `Vec<Id<Part>>`
///               help: to show some of its fields here, copy them: `#[denorm(from = Part, field = ..)]`
///               note: needing to access an object on its own is a compelling reason not to embed it (rule of thumb 2)
///   --> src/model.rs:13:15
///    |
/// 13 |     pub part: Part,
///    |               ^^^^ evaluation of `_::_` failed here
/// ```
///
/// ## What to do
///
/// Hold a reference (`#[parent(Part)]` on an `Id<Part>`, or `#[refs(Part)]` on a `Vec<Id<Part>>`), and copy the fields that you show:
/// `#[denorm(from = Part, field = name)]`. The library keeps such copies up to date.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct PartRef {
///     #[parent(Part)]
///     pub id: Id<Part>,
///     #[denorm(from = Part, field = name)]
///     pub name: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "parts")]
/// pub struct Part {
///     #[serde(rename = "_id")]
///     pub id: Id<Part>,
///     pub name: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     #[parent(Part)]
///     pub main: Id<Part>,
///     pub shown: PartRef,
/// }
/// ```
///
/// ## When to allow it
///
/// When the embedded document is meant to stay as it was, such as the product in an order that has been shipped.
///
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(embed_standalone, reason = ".."))]
/// ```
pub mod embed_standalone {}

/// **Error**: bounds of nested arrays multiply to at most 10,000.
///
/// ## What it checks
///
/// Where embedded documents hold arrays themselves, the bounds multiply. A document may hold at most 10,000 nested elements.
///
/// ## Why
///
/// Two harmless bounds make one large document: 100 sections with 101 lines each are 10,100 elements that every push rewrites (rule of thumb 3). The
/// limit is the number of entries above which Atlas reports an array as unbounded.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Line {
///     pub text: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Section {
///     #[embed(max = 101)]
///     pub lines: Vec<Line>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "docs")]
/// pub struct Doc {
///     #[serde(rename = "_id")]
///     pub id: Id<Doc>,
///     #[embed(max = 100)]
///     pub sections: Vec<Section>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0080]: evaluation panicked: `Doc::sections` may hold 10 100 nested elements (100 x 101), over the limit of 10 000 [EMBED_NESTED_PRODUCT]
///               help: lower one of the bounds, or move the inner array into a collection of its own with `#[parent(..)]`
///               note: bounds of nested arrays multiply (rule of thumb 3)
///   --> src/model.rs:18:19
///    |
/// 18 |     pub sections: Vec<Section>,
///    |                   ^^^^^^^^^^^^ evaluation of `_::_` failed here
/// ```
///
/// ## What to do
///
/// Lower one of the bounds, or move the inner array into a collection of its own with `#[parent(..)]`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Line {
///     pub text: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Section {
///     #[embed(max = 100)]
///     pub lines: Vec<Line>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "docs")]
/// pub struct Doc {
///     #[serde(rename = "_id")]
///     pub id: Id<Doc>,
///     #[embed(max = 100)]
///     pub sections: Vec<Section>,
/// }
/// ```
///
/// ## When to allow it
///
/// When the document is written once, for example by an import, and never pushed to.
///
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(embed_nested_product, reason = ".."))]
/// ```
pub mod embed_nested_product {}

/// **Error**: the bounds fit a document of 16 MiB.
///
/// ## What it checks
///
/// The compiler adds up how large a document can become. It must fit 16 MiB with every array full: with empty strings in any case, and with full
/// strings where all of them state a `max_len`.
///
/// ## Why
///
/// MongoDB refuses documents above 16,777,216 bytes: an insert with error 2, an update with error 17419. Without this rule the first refusal comes in
/// production, when an array has grown. MongoDB's own advice on schema design is to stay under 1 MB.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Row {
///     pub a: Decimal128,
///     pub b: Decimal128,
///     pub c: Decimal128,
///     pub d: Decimal128,
///     pub e: Decimal128,
///     pub f: Decimal128,
///     pub g: Decimal128,
///     pub h: Decimal128,
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Page {
///     pub a: Row,
///     pub b: Row,
///     pub c: Row,
///     pub d: Row,
///     pub e: Row,
///     pub f: Row,
///     pub g: Row,
///     pub h: Row,
///     pub i: Row,
///     pub j: Row,
///     pub k: Row,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "tables")]
/// pub struct Table {
///     #[serde(rename = "_id")]
///     pub id: Id<Table>,
///     #[embed(max = 4000, allow_large = "a year of them")]
///     pub first: Vec<Page>,
///     #[embed(max = 4000, allow_large = "a year of them")]
///     pub second: Vec<Page>,
///     #[embed(max = 4000, allow_large = "a year of them")]
///     pub third: Vec<Page>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0080]: evaluation panicked: a full `Table` needs at least 21 248 729 bytes; a document holds at most 16 777 216 [EMBED_TOO_BIG]
///               help: lower the bounds of its arrays, or move one of them into a collection with `#[parent(Table)]`
///               note: counted with every array full and every string empty
///   --> src/model.rs:30:12
///    |
/// 30 | pub struct Table {
///    |            ^^^^^ evaluation of `_::_` failed here
/// ```
///
/// ## What to do
///
/// Lower the `max` of the arrays or the `max_len` of strings and binary fields, or move an array into its own collection with `#[parent(..)]`. Keep
/// large files in GridFS or an object store, and their address in the document.
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod embed_too_big {}

/// **Error**: a type does not embed itself.
///
/// ## What it checks
///
/// A type does not contain itself, neither directly nor in a `Box`, an `Option` or an array.
///
/// ## Why
///
/// The depth of such a document has no bound, and MongoDB documents a limit of 100 levels. Fields below the first level can hardly be indexed or
/// updated, as each level has a path of its own.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Node {
///     #[embed(max = 20)]
///     pub children: Vec<Node>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Node::children` embeds `Node` in itself, so its depth has no bound [EMBED_RECURSIVE]
///        help: a tree by reference: give `Node` a collection and write `#[parent(Node)] parent: Option<Id<Node>>`
///        note: MongoDB documents nest at most 100 levels
///  --> src/model.rs:4:19
///   |
/// 4 |     pub children: Vec<Node>,
///   |                   ^^^^^^^^^
/// ```
///
/// ## What to do
///
/// Store a tree by reference: each node is a document with `#[parent(Node)] parent: Option<Id<Node>>`. Add the ids of all ancestors if you look
/// for whole branches. A recursive value that the database never looks into can be `#[model(opaque)]`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "categories")]
/// pub struct Category {
///     #[serde(rename = "_id")]
///     pub id: Id<Category>,
///     #[parent(Category)]
///     pub parent: Option<Id<Category>>,
///     #[refs(Category, max = 20)]
///     pub ancestors: Vec<Id<Category>>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod embed_recursive {}

/// **Error**: documents nest at most 100 levels.
///
/// ## What it checks
///
/// Embedded documents and arrays nest at most 100 levels deep. In the example, `D100` stands for a type that has 100 levels itself.
///
/// ## Why
///
/// The MongoDB manual documents 100 levels of nesting. The server accepted 180 when we tried, and refused deeper documents with error 15 (Overflow);
/// other tools may stop at 100.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "docs")]
/// pub struct Doc {
///     #[serde(rename = "_id")]
///     pub id: Id<Doc>,
///     pub inner: D100,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0080]: evaluation panicked: `Doc::inner` nests 101 levels deep, over the limit of 100 [EMBED_DEPTH]
///               help: flatten it, or move a level into its own collection with `#[parent(..)]`
///               note: each document and each array adds a level; the server refuses what is deeper (error 15)
///  --> src/model.rs:6:16
///   |
/// 6 |     pub inner: D100,
///   |                ^^^^ evaluation of `_::_` failed here
/// ```
///
/// ## What to do
///
/// Flatten the nested values, or move a level into its own collection with `#[parent(..)]`.
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod embed_depth {}

/// **Error**: a map states a bound.
///
/// ## What it checks
///
/// A map field (`HashMap`, `BTreeMap`) must say how many keys it can have: `#[embed(max = 50)]`.
///
/// ## Why
///
/// Each key of a map becomes the name of a stored field. Names that are data grow without bound (rule of thumb 3), and no index can cover them: an
/// index names a field.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     pub hashed: HashMap<String, i64>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0080]: evaluation panicked: `Product::hashed` is a map without an upper bound [EMBED_MAP]
///               help: state the bound: `#[embed(max = 50)]`
///               help: or use the attribute pattern, which can be indexed: an array of `{ k, v }` documents
///               note: keys that are data grow without bound and cannot be indexed (rule of thumb 3)
///  --> src/model.rs:6:17
///   |
/// 6 |     pub hashed: HashMap<String, i64>,
///   |                 ^^^^^^^^^^^^^^^^^^^^ evaluation of `_::_` failed here
/// ```
///
/// ## What to do
///
/// State the bound. If you search by keys or values, use the attribute pattern instead: an array of `{ k, v }` documents with an index on `k` and `v`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Attr {
///     pub k: String,
///     pub v: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     #[embed(max = 50)]
///     pub attrs: HashMap<String, i64>,
///     #[embed(max = 50)]
///     pub pairs: Vec<Attr>,
/// }
/// ```
///
/// ## When to allow it
///
/// When something else bounds the keys, for example one per language of the program, and nothing searches by them.
///
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(embed_map, reason = ".."))]
/// ```
pub mod embed_map {}

/// **Error**: map keys are stored as strings.
///
/// ## What it checks
///
/// The keys of a map must be stored as strings: `String`, an enum without data, a newtype of a string, an id that is a string, or `Id<T>`, whose
/// ObjectId is written as its 24 hexadecimal digits.
///
/// ## Why
///
/// A map becomes a BSON document, whose keys are strings. The BSON encoder refuses other keys when the document is written.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     #[embed(max = 50)]
///     pub numbers: HashMap<u32, String>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0080]: evaluation panicked: the keys of `Product::numbers` are not stored as strings [MAP_KEY_TYPE]
///               help: use `String` keys, `Id<T>` for an ObjectId, or an array of documents with a field `key`
///               note: the keys of a BSON document are strings; the encoder refuses others
///  --> src/model.rs:7:18
///   |
/// 7 |     pub numbers: HashMap<u32, String>,
///   |                  ^^^^^^^^^^^^^^^^^^^^ evaluation of `_::_` failed here
/// ```
///
/// ## What to do
///
/// Use `String` keys, `Id<T>` for an ObjectId, or an array of documents with a field for the key.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// #[derive(PartialEq, Eq, PartialOrd, Ord)]
/// pub enum Size {
///     Small,
///     Large,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     #[embed(max = 50)]
///     pub strings: BTreeMap<String, i64>,
///     #[embed(max = 50)]
///     pub ids: BTreeMap<Id<Product>, i64>,
///     #[embed(max = 50)]
///     pub sizes: BTreeMap<Size, i64>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod map_key_type {}

/// **Error**: an array is empty, not null.
///
/// ## What it checks
///
/// An array field is not an `Option`: a missing array is an empty one.
///
/// ## Why
///
/// `None` is stored as null. A `$push` to a missing field creates the array, but a `$push` to null fails: "The field must be an array but is of type
/// null" (error 2). So the first push to such a document is an error.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "posts")]
/// pub struct Post {
///     #[serde(rename = "_id")]
///     pub id: Id<Post>,
///     #[embed(max = 20)]
///     pub tags: Option<Vec<String>>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Post::tags` is stored as null when it is `None`, and a push to null fails [EMBED_OPTION_VEC]
///        help: `#[serde(default)]` and the type `Vec<String>`: an absent array reads as an empty one
///        note: `$push` on null is error 2: the field must be an array but is of type null
///  --> src/model.rs:7:15
///   |
/// 7 |     pub tags: Option<Vec<String>>,
///   |               ^^^^^^^^^^^^^^^^^^^
/// ```
///
/// ## What to do
///
/// Use the array itself with `#[serde(default)]`. Documents that lack the field are then read with an empty array.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "posts")]
/// pub struct Post {
///     #[serde(rename = "_id")]
///     pub id: Id<Post>,
///     #[serde(default)]
///     #[embed(max = 20)]
///     pub tags: Vec<String>,
///     #[embed(max = 20)]
///     pub gaps: Vec<Option<String>>,
/// }
/// ```
///
/// ## When to allow it
///
/// When nothing ever pushes to the array, for example because it is imported.
///
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(embed_option_vec, reason = ".."))]
/// ```
pub mod embed_option_vec {}

/// **Advice**: an array field has `#[serde(default)]`.
///
/// ## What it checks
///
/// An array field should have `#[serde(default)]`, so that documents without it can be read.
///
/// ## Why
///
/// In MongoDB a `$push` creates the array when it is first used, so documents without the field are normal: older ones, and those that another program
/// inserted. Without a default, reading such a document is an error ("missing field").
///
/// ## Example
///
/// In a `strict` model, advice is an error:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "polls", strict, schema_version = 1)]
/// pub struct Poll {
///     #[serde(rename = "_id")]
///     pub id: Id<Poll>,
///     #[embed(max = 10)]
///     pub votes: Vec<i32>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Poll::votes`: a document stored without this array cannot be read [VEC_NO_DEFAULT]
///        help: add `#[serde(default)]`
///        help: or `#[model(allow(vec_no_default, reason = ".."))]`
///        note: `#[model(strict)]` makes errors of what is advice elsewhere
///  --> src/model.rs:7:9
///   |
/// 7 |     pub votes: Vec<i32>,
///   |         ^^^^^
/// ```
///
/// ## What to do
///
/// Add `#[serde(default)]`: a missing array is then read as an empty one.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "polls", strict, schema_version = 1)]
/// pub struct Poll {
///     #[serde(rename = "_id")]
///     pub id: Id<Poll>,
///     #[embed(max = 10)]
///     #[serde(default)]
///     pub votes: Vec<i32>,
/// }
/// ```
///
/// ## When to allow it
///
/// When a document without the array is a mistake that should be reported.
///
/// `mongo_model::report()` lists this advice. It is an error in a `strict` model, and no compiler output elsewhere.
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(vec_no_default, reason = ".."))]
/// ```
pub mod vec_no_default {}

/// **Advice**: an array of references holds at most 2,000.
///
/// ## What it checks
///
/// An array of references should hold at most 2,000 ids. Without `max`, `#[refs(..)]` means 2,000.
///
/// ## Why
///
/// The "6 Rules of Thumb" use an array of references up to several hundred, "never more than a couple thousand or so". 2,000 ObjectIds are
/// 34.9 KB in every read of the document, 5,000 are 88.9 KB.
///
/// ## Example
///
/// In a `strict` model, advice is an error:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "playlists", strict, schema_version = 1)]
/// pub struct Playlist {
///     #[serde(rename = "_id")]
///     pub id: Id<Playlist>,
///     #[refs(Song, max = 3000)]
///     #[serde(default)]
///     pub songs: Vec<Id<Song>>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "songs")]
/// pub struct Song {
///     #[serde(rename = "_id")]
///     pub id: Id<Song>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Playlist::songs`: this array may hold more than 2,000 references [REFS_LARGE]
///        help: lower `max`, or refer from the other side: `#[parent(..)]`
///        help: or `#[model(allow(refs_large, reason = ".."))]`
///        note: `#[model(strict)]` makes errors of what is advice elsewhere
///  --> src/model.rs:8:9
///   |
/// 8 |     pub songs: Vec<Id<Song>>,
///   |         ^^^^^
/// ```
///
/// ## What to do
///
/// Lower `max`, or put `#[parent(..)]` into the other model, which then refers to this one: that relation has no limit.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "playlists", strict, schema_version = 1)]
/// pub struct Playlist {
///     #[serde(rename = "_id")]
///     pub id: Id<Playlist>,
///     #[refs(Song, max = 2000)]
///     #[serde(default)]
///     pub songs: Vec<Id<Song>>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "songs")]
/// pub struct Song {
///     #[serde(rename = "_id")]
///     pub id: Id<Song>,
/// }
/// ```
///
/// ## When to allow it
///
/// When the array is bounded by nature and the ids are nearly always needed with the document.
///
/// `mongo_model::report()` lists this advice. It is an error in a `strict` model, and no compiler output elsewhere.
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(refs_large, reason = ".."))]
/// ```
pub mod refs_large {}

/// **Error**: an array of references is bounded at 5,000.
///
/// ## What it checks
///
/// An array of references may hold at most 5,000 ids, or at most 10,000 with a reason.
///
/// ## Why
///
/// With more than a few thousand documents on the many side, do not use an array of ObjectIds (rule of thumb 3). A push took 2.4 ms at 200
/// elements, 5.6 ms at 5,000 and 40 ms at 20,000, and each read of the document carries all ids: 88.9 KB at 5,000.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "parts")]
/// pub struct Part {
///     #[serde(rename = "_id")]
///     pub id: Id<Part>,
///     pub name: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     #[refs(Part, max = 5001)]
///     pub parts: Vec<Id<Part>>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Product::parts` may hold 5 001 references, over the limit of 5 000 [REFS_TOO_MANY]
///        help: point the other way: `#[parent(Product)]` in `Part`, and load with `Part::by_..`
///        help: to keep it: `#[refs(Part, max = 5001, allow_large = "why this is bounded")]`
///        note: with more than a few thousand on the many side, do not use an array of references (rule of thumb 3)
///   --> src/model.rs:14:24
///    |
/// 14 |     #[refs(Part, max = 5001)]
///    |                        ^^^^
/// ```
///
/// ## What to do
///
/// Reverse the relation: put `#[parent(Product)]` into `Part`, and load with the generated `Part::by_product(..)`, which has an index.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "parts")]
/// pub struct Part {
///     #[serde(rename = "_id")]
///     pub id: Id<Part>,
///     pub name: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     #[refs(Part, max = 5000)]
///     pub few_thousand: Vec<Id<Part>>,
///     #[refs(Part, max = 10000, allow_large = "all parts of a ship")]
///     pub large: Vec<Id<Part>>,
/// }
/// ```
///
/// ## When to allow it
///
/// When the number has a natural limit below 10,000, such as all parts of one ship, and the array is rarely changed.
///
/// To allow it, give the reason, in the attribute:
///
/// ```rust,ignore
/// #[refs(Part, max = 8000, allow_large = "..")]
/// ```
pub mod refs_too_many {}

/// **Error**: the references fit a document of 16 MiB.
///
/// ## What it checks
///
/// The bound of an array of references is not larger than what fits into one document.
///
/// ## Why
///
/// A document holds at most 16 MiB. 844,414 ObjectIds fit into one with an `_id` and a field `parts`; the insert with one more was refused (error 2).
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "parts")]
/// pub struct Part {
///     #[serde(rename = "_id")]
///     pub id: Id<Part>,
///     pub name: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     #[refs(Part, max = 844415)]
///     pub parts: Vec<Id<Part>>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Product::parts` may hold 844 415 references, but at most 844 414 ids fit in one document [REFS_IMPOSSIBLE]
///        help: point the other way: `#[parent(Product)]` in `Part`
///        note: a document holds at most 16 777 216 bytes
///   --> src/model.rs:14:24
///    |
/// 14 |     #[refs(Part, max = 844415)]
///    |                        ^^^^^^
/// ```
///
/// ## What to do
///
/// Put `#[parent(..)]` into the other model: each of its documents then holds one id.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "parts")]
/// pub struct Part {
///     #[serde(rename = "_id")]
///     pub id: Id<Part>,
///     #[parent(Product)]
///     pub product: Id<Product>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     pub name: String,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod refs_impossible {}

/// **Error**: a reference points to a model.
///
/// ## What it checks
///
/// `#[refs(Model)]` names a type with `#[derive(MongoModel)]`, that is, one with a collection.
///
/// ## Why
///
/// A reference holds the `_id` of a document in a collection. An embedded document has no collection in which it could be looked up.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Address {
///     pub city: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "people")]
/// pub struct Person {
///     #[serde(rename = "_id")]
///     pub id: Id<Person>,
///     #[refs(Address)]
///     pub addresses: Vec<Id<Address>>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0080]: evaluation panicked: `Person::addresses` refers to `Address`, which is not a model [REFS_TARGET]
///               help: add `#[derive(MongoModel)]` and `#[model(collection = "..")]` to `Address`
///               help: if it never stands alone, embed it: a field of type `Address`
///               note: a reference points to a document in a collection of its own
///   --> src/model.rs:11:12
///    |
/// 11 |     #[refs(Address)]
///    |            ^^^^^^^ evaluation of `_::_` failed here
/// ```
///
/// ## What to do
///
/// Add `#[derive(MongoModel)]` and `#[model(collection = "..")]` to the type, or embed it: a field of the type itself.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "parts")]
/// pub struct Part {
///     #[serde(rename = "_id")]
///     pub id: Id<Part>,
///     pub name: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     #[refs(Part, max = 5000)]
///     pub few_thousand: Vec<Id<Part>>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod refs_target {}

/// **Error**: a reference has the type of the target's `_id`.
///
/// ## What it checks
///
/// The elements of a `#[refs(Model)]` field have the type of that model's `_id`, for example `Id<Part>`.
///
/// ## Why
///
/// In MongoDB a string never equals an ObjectId, even if it spells the same value. A join over the wrong type is no error: it finds nothing.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "parts")]
/// pub struct Part {
///     #[serde(rename = "_id")]
///     pub id: Id<Part>,
///     pub name: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     #[refs(Part)]
///     pub strings: Vec<String>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0080]: evaluation panicked: `Product::strings` of type `Vec<String>` does not hold ids of `Part` [REFS_ID_TYPE]
///               help: use the type of the `_id` of `Part`, for example `Id<Part>`
///               note: ids of different types never compare equal, so a join would silently find nothing
///   --> src/model.rs:15:18
///    |
/// 15 |     pub strings: Vec<String>,
///    |                  ^^^^^^^^^^^ evaluation of `_::_` failed here
/// ```
///
/// ## What to do
///
/// Use the type of the `_id`. `Id<Part>` also keeps ids of different models apart at compile time.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "parts")]
/// pub struct Part {
///     #[serde(rename = "_id")]
///     pub id: Id<Part>,
///     pub name: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     #[refs(Part)]
///     pub parts: Vec<Id<Part>>,
///     #[refs(Part)]
///     pub set: HashSet<Id<Part>>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod refs_id_type {}

/// **Error**: a reference by key has the type of the key.
///
/// ## What it checks
///
/// A reference with `key = field` holds values of that field: it has the field's type, and the field holds one value that is stored as its type says.
///
/// ## Why
///
/// Values of different BSON types never compare equal, so a join over the wrong type would find nothing, without an error.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
///     #[index(unique)]
///     pub ipaddr: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "logmsg")]
/// pub struct LogMsg {
///     #[serde(rename = "_id")]
///     pub id: Id<LogMsg>,
///     #[parent(Host, key = ipaddr)]
///     pub host: Id<Host>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0277]: `Id<Host>` does not hold the key that it refers by, which is `std::string::String` [REFS_KEY_TYPE]
///   --> src/model.rs:16:15
///    |
/// 16 |     pub host: Id<Host>,
///    |               ^^^^^^^^ not the key's type
///    |
///    = note: values of different types never compare equal, so a join would silently find nothing
/// ```
///
/// ## What to do
///
/// Give the reference the type of the key, or refer by the `_id`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
///     #[index(unique)]
///     pub ipaddr: String,
///     #[index(unique)]
///     pub number: i64,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "logmsg")]
/// pub struct LogMsg {
///     #[serde(rename = "_id")]
///     pub id: Id<LogMsg>,
///     #[parent(Host, key = ipaddr)]
///     pub host: String,
///     #[refs(Host, key = number)]
///     pub hosts: Vec<i64>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod refs_key_type {}

/// **Error**: a key that references hold is unique.
///
/// ## What it checks
///
/// A field that references use as `key` has a unique index over all documents: not sparse or partial where a value may be missing, and
/// without a collation that would make different texts equal.
///
/// ## Why
///
/// A reference leads to one document. Without a unique index two documents could have the same key, and without any index each join would read the
/// whole collection (rule of thumb 4: joins are cheap if the fields are indexed).
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts", index(keys(compound, none), unique))]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
///     pub none: String,
///     pub compound: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "logmsg")]
/// pub struct LogMsg {
///     #[serde(rename = "_id")]
///     pub id: Id<LogMsg>,
///     #[parent(Host, key = none)]
///     pub none: String,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0080]: evaluation panicked: `LogMsg::none` refers to `Host` by `none`, which has no unique index over all documents [REFS_KEY_UNIQUE]
///               help: add `#[index(unique)]` to `Host::none`
///               note: without it a join scans the collection, and a key may lead to several documents
///   --> src/model.rs:15:26
///    |
/// 15 |     #[parent(Host, key = none)]
///    |                          ^^^^ evaluation of `_::_` failed here
/// ```
///
/// ## What to do
///
/// Add `#[index(unique)]` to the key in the other model, or refer by the `_id`, which is always unique and indexed.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts", index(keys(of_model), unique))]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
///     #[index(unique)]
///     pub own: String,
///     pub of_model: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "logmsg")]
/// pub struct LogMsg {
///     #[serde(rename = "_id")]
///     pub id: Id<LogMsg>,
///     #[parent(Host, key = own)]
///     pub own: String,
///     #[parent(Host, key = of_model)]
///     pub of_model: String,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod refs_key_unique {}

/// **Error**: `refs` goes on an array, set or map of ids.
///
/// ## What it checks
///
/// `#[refs(..)]` goes on an array, set or map of ids. A single id has `#[parent(..)]`.
///
/// ## Why
///
/// The two attributes generate different code: `refs` is one-to-many and generates pushes with a bound, `parent` is many-to-one and generates
/// an index with which all children of a parent are found.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "parts")]
/// pub struct Part {
///     #[serde(rename = "_id")]
///     pub id: Id<Part>,
///     pub name: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     #[refs(Part)]
///     pub id_of: Id<Part>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `#[refs(Part)]` on `Product::id_of` needs an array of ids, but its type is `Id<Part>` [REFS_FIELD_TYPE]
///        help: one reference: `#[parent(Part)]`
///        help: many: `Vec<Id<Part>>`
///        note: an array of references is for one-to-many (rule of thumb 3)
///   --> src/model.rs:15:16
///    |
/// 15 |     pub id_of: Id<Part>,
///    |                ^^^^^^^^
/// ```
///
/// ## What to do
///
/// Use `#[parent(Part)]` for one id, and `Vec<Id<Part>>` for many.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "parts")]
/// pub struct Part {
///     #[serde(rename = "_id")]
///     pub id: Id<Part>,
///     pub name: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     #[refs(Part)]
///     pub parts: Vec<Id<Part>>,
///     #[refs(Part)]
///     #[denorm(from = Part, field = name)]
///     pub entries: Vec<ProductPart>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod refs_field_type {}

/// **Error**: a map holds its references in its keys or in its values, without copies.
///
/// ## What it checks
///
/// A map of references holds its ids either in the keys (`HashMap<Id<Part>, i32>`) or in the values. It has no copies beside the ids, no `inverse`
/// and no `checked`. Embedded documents in a map have no `checked` references either.
///
/// ## Why
///
/// The keys of a map are field names. An index cannot find "the entry with this id" below names that it does not know, so an update of its copies
/// would read the whole collection each time.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "parts")]
/// pub struct Part {
///     #[serde(rename = "_id")]
///     pub id: Id<Part>,
///     #[index(unique)]
///     pub partno: String,
///     pub name: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     #[refs(Part, max = 100)]
///     #[denorm(from = Part, field = name)]
///     pub parts: HashMap<String, PartRef>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Product::parts` copies fields of `Part` into a map of references [REFS_MAP]
///        help: an array of entries: `Vec<PartRef>`
///        note: copies under a map's keys, which are data, cannot be found by id when their source changes
///   --> src/model.rs:18:16
///    |
/// 18 |     pub parts: HashMap<String, PartRef>,
///    |                ^^^^^^^^^^^^^^^^^^^^^^^^
/// ```
///
/// ## What to do
///
/// Use an array of entries where you need copies or a two-way reference: `Vec<PartRef>`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "parts_by_name")]
/// pub struct Part {
///     #[serde(rename = "_id")]
///     pub id: Id<Part, String>,
///     #[index(unique)]
///     pub partno: String,
///     pub name: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products_by_part")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     #[refs(Part, max = 100)]
///     pub stock: BTreeMap<Id<Part, String>, i32>,
///     #[refs(Part, max = 100, on_delete = keep)]
///     pub spare: HashMap<String, Option<Id<Part, String>>>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod refs_map {}

/// **Error**: each side of a two-way reference names the other.
///
/// ## What it checks
///
/// In a two-way reference (`inverse = ..`), each field names the other one, and each refers to the other's model.
///
/// ## Why
///
/// A two-way reference is one fact that is stored in two documents, so a change of it needs two updates, which are not atomic together ("6
/// Rules of Thumb", part 2, on two-way referencing). The library makes both updates and finishes them after a crash; for that it has to know both
/// fields.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "persons")]
/// pub struct Person {
///     #[serde(rename = "_id")]
///     pub id: Id<Person>,
///     #[refs(Task, inverse = owner)]
///     pub tasks: Vec<Id<Task>>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "tasks")]
/// pub struct Task {
///     #[serde(rename = "_id")]
///     pub id: Id<Task>,
///     #[parent(Person)]
///     pub owner: Id<Person>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0080]: evaluation panicked: `Person::tasks` says `inverse = owner`, but `Task::owner` does not say `inverse = tasks` [REFS_TWO_WAY_MISMATCH]
///               help: `#[parent(Person, inverse = tasks)]` on `Task::owner`
///               note: each side of a two-way reference names the other, so that a change of one is one of both
///  --> src/model.rs:6:28
///   |
/// 6 |     #[refs(Task, inverse = owner)]
///   |                            ^^^^^ evaluation of `_::_` failed here
/// ```
///
/// ## What to do
///
/// Write the pair: `#[refs(Task, inverse = owner)]` on `Person::tasks` and `#[parent(Person, inverse = tasks)]` on `Task::owner`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "persons")]
/// pub struct Person {
///     #[serde(rename = "_id")]
///     pub id: Id<Person>,
///     #[refs(Task, inverse = owner)]
///     pub tasks: Vec<Id<Task>>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "tasks")]
/// pub struct Task {
///     #[serde(rename = "_id")]
///     pub id: Id<Task>,
///     #[parent(Person, inverse = tasks)]
///     pub owner: Option<Id<Person>>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod refs_two_way_mismatch {}

/// **Error**: the entries of a two-way array refer to its other side by one field.
///
/// ## What it checks
///
/// The elements of a two-way array are ids, or entries: embedded documents that refer to the other side by one `#[parent(..)]` field, which is
/// its `_id` and no `Option`. `via = ..` names that field if there are several. The other side is an array of ids.
///
/// ## Why
///
/// An entry that names no document of the other side, or several, would be in no list there, or in lists that disagree. The entries decide: each
/// holds more than an id, so it cannot be made from the list of ids on the other side, and two arrays of entries could not both be right.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "users")]
/// pub struct User {
///     #[serde(rename = "_id")]
///     pub id: Id<User>,
///     pub name: String,
///     #[refs(Team, inverse = members)]
///     pub teams: Vec<Id<Team>>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "teams")]
/// pub struct Team {
///     #[serde(rename = "_id")]
///     pub id: Id<Team>,
///     #[refs(User, inverse = teams, max = 200)]
///     pub members: Vec<Member>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Member {
///     pub role: String,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0080]: evaluation panicked: the elements `Member` of `Team::members` do not refer to `User` [REFS_MEMBERS]
///               help: `#[parent(User)] user: Id<User>` in `Member`
///               help: for ids alone: `Vec<Id<User>>`
///               note: each entry of a two-way array names one document of the other side, and no two name the same
///   --> src/model.rs:17:18
///    |
/// 17 |     pub members: Vec<Member>,
///    |                  ^^^^^^^^^^^ evaluation of `_::_` failed here
/// ```
///
/// ## What to do
///
/// Write `#[parent(User)] user: Id<User>` in the entry, and `#[refs(Team, inverse = members)] teams: Vec<Id<Team>>` on the other side. The delete rule
/// goes on the array.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "member_users")]
/// pub struct User {
///     #[serde(rename = "_id")]
///     pub id: Id<User>,
///     #[refs(Team, inverse = members)]
///     pub teams: Vec<Id<Team>>,
///     #[refs(Team, inverse = leaders)]
///     leads: Vec<Id<Team>>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "member_teams", new = NewTeam)]
/// pub struct Team {
///     #[serde(rename = "_id")]
///     pub id: Id<Team>,
///     #[refs(User, inverse = teams, max = 200)]
///     pub members: Vec<Member>,
/// }
///
/// #[derive(Clone, Serialize, Deserialize, MongoEmbed)]
/// pub struct Member {
///     #[parent(User)]
///     pub user: Id<User>,
///     pub role: String,
/// }
///
/// pub fn new(members: Vec<Member>) -> Team {
///     Team::from(NewTeam {
///         members,
///         leaders: Vec::new(),
///     })
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod refs_members {}

/// **Advice**: models that refer to each other say so.
///
/// ## What it checks
///
/// Where two models refer to each other, each reference should name the other one if both are the same relation. Only the report finds this, because
/// it sees all models of the program.
///
/// ## Why
///
/// If the references are two sides of one relation, each change needs two updates, and a crash between them leaves the two sides different for
/// good. With `inverse` the library changes both, and repairs them after a crash.
///
/// ## Example
///
/// ```rust,ignore
/// #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
/// #[model(collection = "authors")]
/// pub struct Author {
///     #[serde(rename = "_id")]
///     pub id: i32,
///     #[refs(Book)]
///     #[serde(default)]
///     pub books: Vec<Id<Book>>,
/// }
///
/// #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
/// #[model(
///     collection = "books",
///     schema_version = 1,
///     index(keys(+title, year)),
///     index(keys(title)),
///     index(keys(year))
/// )]
/// pub struct Book {
///     #[serde(rename = "_id")]
///     pub id: Id<Book>,
///     pub title: String,
///     pub year: i32,
///     #[parent(Author)]
///     pub author: i32,
/// }
/// ```
///
/// The schema report says:
///
/// ```text
/// books: models that refer to each other say so: `inverse = author` here, `inverse = books` on `Book::author` [REFS_TWO_WAY]
/// ```
///
/// ## What to do
///
/// Name the other side in each attribute: `#[refs(Book, inverse = author)]` and `#[parent(Author, inverse = books)]`. Better still, remove one
/// side: an index finds the documents of the other direction.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "persons")]
/// pub struct Person {
///     #[serde(rename = "_id")]
///     pub id: Id<Person>,
///     #[refs(Task, inverse = owner)]
///     pub tasks: Vec<Id<Task>>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "tasks")]
/// pub struct Task {
///     #[serde(rename = "_id")]
///     pub id: Id<Task>,
///     #[parent(Person, inverse = tasks)]
///     pub owner: Option<Id<Person>>,
/// }
/// ```
///
/// ## When to allow it
///
/// When the two references mean different things, such as the members of a club and its president.
///
/// Only `mongo_model::report()` lists this advice; no compiler output depends on it.
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(refs_two_way, reason = ".."))]
/// ```
pub mod refs_two_way {}

/// **Error**: a field is embedded or referenced, not both.
///
/// ## What it checks
///
/// A field is either embedded (`#[embed]`) or a reference (`#[refs]`, `#[parent]`), not both.
///
/// ## Why
///
/// An embedded document belongs to its owner; a referenced one stands alone and is accessed on its own (rule of thumb 2). The bound of an array of
/// references is the `max` of `refs`.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "parts")]
/// pub struct Part {
///     #[serde(rename = "_id")]
///     pub id: Id<Part>,
///     pub name: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     #[refs(Part)]
///     #[embed(max = 20)]
///     pub many: Vec<Id<Part>>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Product::many` says both `refs` and `embed` [REFS_EMBED_BOTH]
///        help: remove `embed`; for copied fields beside each id write `#[refs(Part)] #[denorm(from = Part, field = name)]`
///        note: a document is either part of its owner or stands alone (rule of thumb 2)
///   --> src/model.rs:15:7
///    |
/// 15 |     #[embed(max = 20)]
///    |       ^^^^^^^^^^^^^^^
/// ```
///
/// ## What to do
///
/// Remove `embed`. If you want fields of the other document beside each id, copy them: `#[refs(Part)] #[denorm(from = Part, field = name)]`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "parts")]
/// pub struct Part {
///     #[serde(rename = "_id")]
///     pub id: Id<Part>,
///     pub name: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     #[refs(Part, max = 20)]
///     pub many: Vec<Id<Part>>,
///     #[refs(Part, max = 20)]
///     #[denorm(from = Part, field = name)]
///     pub copied: Vec<ProductPart>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod refs_embed_both {}

/// **Error**: a parent is a model.
///
/// ## What it checks
///
/// `#[parent(Model)]` names a type with `#[derive(MongoModel)]`, that is, one with a collection.
///
/// ## Why
///
/// A parent is found by its `_id` in its collection. An embedded document has no collection in which it could be looked up.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Address {
///     pub city: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "people")]
/// pub struct Person {
///     #[serde(rename = "_id")]
///     pub id: Id<Person>,
///     #[parent(Address)]
///     pub address: Id<Address>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0080]: evaluation panicked: `Person::address` refers to `Address`, which is not a model [PARENT_TARGET]
///               help: add `#[derive(MongoModel)]` and `#[model(collection = "..")]` to `Address`
///               help: if it never stands alone, embed it: a field of type `Address`
///               note: a reference points to a document in a collection of its own
///   --> src/model.rs:11:14
///    |
/// 11 |     #[parent(Address)]
///    |              ^^^^^^^ evaluation of `_::_` failed here
/// ```
///
/// ## What to do
///
/// Add `#[derive(MongoModel)]` and `#[model(collection = "..")]` to the type, or embed it: a field of the type itself.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
///     pub ipaddr: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "logmsg")]
/// pub struct LogMsg {
///     #[serde(rename = "_id")]
///     pub id: Id<LogMsg>,
///     #[parent(Host)]
///     pub host: Id<Host>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod parent_target {}

/// **Error**: a parent has the type of the target's `_id`.
///
/// ## What it checks
///
/// The type of a `#[parent(Model)]` field is the type of that model's `_id`, for example `Id<Host>`.
///
/// ## Why
///
/// In MongoDB a string never equals an ObjectId, even if it spells the same value. A join over the wrong type is no error: it finds nothing.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
///     pub ipaddr: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "logmsg")]
/// pub struct LogMsg {
///     #[serde(rename = "_id")]
///     pub id: Id<LogMsg>,
///     #[parent(Host)]
///     pub string: String,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0080]: evaluation panicked: `LogMsg::string` of type `String` is not the id of `Host` [PARENT_ID_TYPE]
///               help: use the type of the `_id` of `Host`, for example `Id<Host>`
///               note: ids of different types never compare equal, so a join would silently find nothing
///   --> src/model.rs:15:17
///    |
/// 15 |     pub string: String,
///    |                 ^^^^^^ evaluation of `_::_` failed here
/// ```
///
/// ## What to do
///
/// Use `Id<Host>`, or `Option<Id<Host>>` if there may be no parent.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
///     pub ipaddr: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "logmsg")]
/// pub struct LogMsg {
///     #[serde(rename = "_id")]
///     pub id: Id<LogMsg>,
///     #[parent(Host)]
///     pub host: Id<Host>,
///     #[parent(Host)]
///     pub second: Option<Id<Host>>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod parent_id_type {}

/// **Error**: `parent` goes on one id.
///
/// ## What it checks
///
/// `#[parent(..)]` goes on one id, which may be an `Option`. An array of ids has `#[refs(..)]`.
///
/// ## Why
///
/// A child has one parent: the generated index, the list of last children and counts all find a child by that one value.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
///     pub ipaddr: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "logmsg")]
/// pub struct LogMsg {
///     #[serde(rename = "_id")]
///     pub id: Id<LogMsg>,
///     #[parent(Host)]
///     pub hosts: Vec<Id<Host>>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `#[parent(Host)]` on `LogMsg::hosts` needs one id, but its type is `Vec<Id<Host>>` [PARENT_FIELD_TYPE]
///        help: many references: `#[refs(Host)]`
///        help: one: `Id<Host>` or `Option<Id<Host>>`
///   --> src/model.rs:15:16
///    |
/// 15 |     pub hosts: Vec<Id<Host>>,
///    |                ^^^^^^^^^^^^^
/// ```
///
/// ## What to do
///
/// Use `#[refs(Host)]` for many references.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
///     pub ipaddr: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "logmsg")]
/// pub struct LogMsg {
///     #[serde(rename = "_id")]
///     pub id: Id<LogMsg>,
///     #[parent(Host)]
///     pub host: Id<Host>,
///     #[parent(Host)]
///     pub maybe: Option<Id<Host>>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod parent_field_type {}

/// **Error**: a parent is sorted by a field of the model.
///
/// ## What it checks
///
/// `sort = -time` in `#[parent(Host, sort = -time)]` names a stored field of the same struct that holds one value.
///
/// ## Why
///
/// The derive makes an index of the parent, the sort field and `_id`, and `by_host(..)` reads along it. With an index on `host` alone, the server
/// read 10,000 documents and sorted them in memory to return 5,000; with one on `time` alone it read 29,998.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
///     pub ipaddr: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "logmsg")]
/// pub struct LogMsg {
///     #[serde(rename = "_id")]
///     pub id: Id<LogMsg>,
///     #[parent(Host, sort = -tiem)]
///     pub near: Id<Host>,
///     pub time: i64,
///     #[serde(skip)]
///     pub seen: i64,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `sort = tiem` on `LogMsg::near` names no stored field beside it [PARENT_SORT_FIELD]
///        help: did you mean `time`?
///   --> src/model.rs:14:28
///    |
/// 14 |     #[parent(Host, sort = -tiem)]
///    |                            ^^^^
/// ```
///
/// ## What to do
///
/// Correct the name, or sort by another field of this struct.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
///     pub ipaddr: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "logmsg")]
/// pub struct LogMsg {
///     #[serde(rename = "_id")]
///     pub id: Id<LogMsg>,
///     #[parent(Host, sort = -time)]
///     pub newest: Id<Host>,
///     #[parent(Host, sort = seq)]
///     pub in_order: Id<Host>,
///     pub time: bson::DateTime,
///     #[serde(rename = "n")]
///     pub seq: i64,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod parent_sort_field {}

/// **Advice**: a field that sorts children is immutable, unless it changes.
///
/// ## What it checks
///
/// A field by which `#[parent(sort = ..)]` sorts documents should be `#[immutable]` or `#[created]` if it never changes. Only the report finds
/// this, because it depends on the delete rule and the copies of the reference, and on other models of the collection.
///
/// ## Why
///
/// Copies and delete rules walk the documents of a parent along an index. A document whose place in that index moves meanwhile could be missed, so
/// they need an index in the order of the `_id` beside the one in the order of the field. Where the field cannot change, one index serves both: each
/// insert writes one index entry less, and each document takes less room.
///
/// ## Example
///
/// ```rust,ignore
/// #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
/// #[model(collection = "presses")]
/// pub struct Press {
///     #[serde(rename = "_id")]
///     pub id: i32,
///     pub name: String,
/// }
///
/// #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
/// #[model(collection = "chapters")]
/// pub struct Chapter {
///     #[serde(rename = "_id")]
///     pub id: i32,
///     pub number: i32,
///     #[parent(Press, sort = number)]
///     pub press: i32,
///     #[denorm(from = Press, field = name, via = press)]
///     pub press_name: String,
/// }
/// ```
///
/// The schema report says:
///
/// ```text
/// number: if it never changes, add `#[immutable]`: the index `press: 1, _id: 1` is then not needed, because `press: 1, number: 1, _id: 1` serves in its place [PARENT_SORT_FIXED]
/// ```
///
/// ## What to do
///
/// Add `#[immutable]` to the field. Then `sync_indexes` reports the surplus index as unknown; drop it when no program uses it any more.
///
/// ## When to allow it
///
/// When the field does change, such as a rank that users set.
///
/// Only `mongo_model::report()` lists this advice; no compiler output depends on it.
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(parent_sort_fixed, reason = ".."))]
/// ```
pub mod parent_sort_fixed {}

/// **Error**: `pull` on one reference has something to remove.
///
/// ## What it checks
///
/// `on_delete = pull` in `#[parent(User, on_delete = pull)]` stands in an embedded document, and there is something around the reference that can
/// be removed: the element of an array, the entry of a map, or an optional embedded document.
///
/// ## Why
///
/// With `pull` an element goes when the document that it refers to is deleted: a member leaves the list with his role. A required embedded
/// document cannot go, because a document without it could not be read any more, and a field of the model itself is no element of anything.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "users")]
/// pub struct User {
///     #[serde(rename = "_id")]
///     pub id: Id<User>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Member {
///     #[parent(User, on_delete = pull)]
///     pub user: Id<User>,
///     pub role: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Office {
///     pub head: Member,
///     #[embed(max = 10)]
///     pub others: Vec<Member>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "teams")]
/// pub struct Team {
///     #[serde(rename = "_id")]
///     pub id: Id<Team>,
///     pub lead: Member,
///     #[serde(skip_serializing_if = "Option::is_none")]
///     pub annex: Option<Office>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0080]: evaluation panicked: `Team::lead` is always there, but `on_delete = pull` on `Member::user` would remove it [PARENT_PULL]
///               help: make it optional: `Option<Member>`
///               help: or give `Member::user` another rule: `on_delete = deny`, `cascade` or `keep`
///               note: `pull` removes the element of an array, the entry of a map or the optional document that holds the reference
///   --> src/model.rs:27:15
///    |
/// 27 |     pub lead: Member,
///    |               ^^^^^^ evaluation of `_::_` failed here
/// ```
///
/// ## What to do
///
/// Make the embedded document an `Option`, or choose the rule that says what is meant: `cascade` deletes the whole document, `unset` removes an
/// optional reference alone, `deny` refuses the delete.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "users_pulled")]
/// pub struct User {
///     #[serde(rename = "_id")]
///     pub id: Id<User, String>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Member {
///     #[parent(User, on_delete = pull)]
///     pub user: Id<User, String>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "teams_pulled")]
/// pub struct Team {
///     #[serde(rename = "_id")]
///     pub id: Id<Team>,
///     #[embed(max = 20)]
///     pub members: Vec<Member>,
///     #[serde(skip_serializing_if = "Option::is_none")]
///     pub lead: Option<Member>,
///     #[embed(max = 20)]
///     pub by_room: BTreeMap<String, Member>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod parent_pull {}

/// **Advice**: an absent parent is not stored as null.
///
/// ## What it checks
///
/// An optional `#[parent(..)]` should have `#[serde(skip_serializing_if = "Option::is_none")]`, so that a missing parent is not stored as null.
///
/// ## Why
///
/// A `$lookup` on null matches every document whose field is null or missing (MongoDB manual, `$lookup`): one task without an owner is joined to all
/// tasks without an owner. The library never asks for null, but other programs and reports do.
///
/// ## Example
///
/// In a `strict` model, advice is an error:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "persons")]
/// pub struct Person {
///     #[serde(rename = "_id")]
///     pub id: Id<Person>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "tasks", strict, schema_version = 1)]
/// pub struct Task {
///     #[serde(rename = "_id")]
///     pub id: Id<Task>,
///     #[parent(Person)]
///     pub owner: Option<Id<Person>>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Task::owner`: a document without a parent stores null here [PARENT_OPTION_NULL]
///        help: add `#[serde(skip_serializing_if = "Option::is_none")]`
///        help: or `#[model(allow(parent_option_null, reason = ".."))]`
///        note: `#[model(strict)]` makes errors of what is advice elsewhere
///   --> src/model.rs:14:9
///    |
/// 14 |     pub owner: Option<Id<Person>>,
///    |         ^^^^^
/// ```
///
/// ## What to do
///
/// Add `#[serde(skip_serializing_if = "Option::is_none")]`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "persons")]
/// pub struct Person {
///     #[serde(rename = "_id")]
///     pub id: Id<Person>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "tasks", strict, schema_version = 1)]
/// pub struct Task {
///     #[serde(rename = "_id")]
///     pub id: Id<Task>,
///     #[parent(Person)]
///     #[serde(skip_serializing_if = "Option::is_none")]
///     pub owner: Option<Id<Person>>,
/// }
/// ```
///
/// ## When to allow it
///
/// When another program that reads the collection expects the field to be there.
///
/// `mongo_model::report()` lists this advice. It is an error in a `strict` model, and no compiler output elsewhere.
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(parent_option_null, reason = ".."))]
/// ```
pub mod parent_option_null {}

/// **Error**: children refer to their parent by one field, which holds its `_id`.
///
/// ## What it checks
///
/// `#[count(Child)]` and `#[recent(Child, ..)]` need exactly one `#[parent(..)]` field in `Child` that refers to this model by its `_id`. If
/// there are several, `via = field` says which.
///
/// ## Why
///
/// The children of a document are those that have it as their `parent`. The library finds them by an index on that field and updates the document by its `_id`,
/// which never changes.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
///     #[count(LogMsg)]
///     pub messages: i64,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "logmsgs")]
/// pub struct LogMsg {
///     #[serde(rename = "_id")]
///     pub id: Id<LogMsg>,
///     pub time: bson::DateTime,
///     pub message: String,
///     pub host: Id<Host>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0080]: evaluation panicked: `Host::messages` counts `LogMsg` documents, but no `parent` field of `LogMsg` refers to `Host` [CHILD_PARENT]
///               help: `#[parent(Host)] host: Id<Host>` in `LogMsg`
///               note: the children of a document are those whose `parent` it is; references in arrays or in embedded documents do not count
///  --> src/model.rs:6:13
///   |
/// 6 |     #[count(LogMsg)]
///   |             ^^^^^^ evaluation of `_::_` failed here
/// ```
///
/// ## What to do
///
/// Add `#[parent(Host)] host: Id<Host>` to the child, or name the field with `via`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
///     #[count(LogMsg)]
///     pub messages: i64,
///     #[recent(LogMsg, max = 1000, sort = time, fields(time, message))]
///     pub logmsgs: Vec<RecentLog>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "logmsgs")]
/// pub struct LogMsg {
///     #[serde(rename = "_id")]
///     pub id: Id<LogMsg>,
///     pub time: bson::DateTime,
///     pub message: String,
///     #[parent(Host)]
///     pub host: Id<Host>,
///     #[refs(Host)]
///     pub others: Vec<Id<Host>>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod child_parent {}

/// **Error**: a list of the last children is an array of the entry that it generates.
///
/// ## What it checks
///
/// `#[recent(Child, ..)]` goes on a `Vec<Name>`, where `Name` is a new, plain name. The derive generates a struct with that name.
///
/// ## Why
///
/// Each element of the list holds the id of a child and the fields in `fields(..)`. The derive knows their types from the child, so it writes the
/// struct; an existing type could not follow a change of the child.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
///     #[recent(LogMsg, max = 1000, sort = time, fields(time, message))]
///     pub a: RecentA,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "logmsgs")]
/// pub struct LogMsg {
///     #[serde(rename = "_id")]
///     pub id: Id<LogMsg>,
///     pub time: bson::DateTime,
///     pub message: String,
///     #[parent(Host)]
///     pub host: Id<Host>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Host::a` lists the last `LogMsg` documents, but its type `RecentA` is no array of an entry to be generated [RECENT_FIELD_TYPE]
///        help: name the entry by one identifier of its own: `Vec<RecentLogMsg>`
///        note: a `#[recent]` generates a struct with the id and the fields that are shown
///  --> src/model.rs:7:12
///   |
/// 7 |     pub a: RecentA,
///   |            ^^^^^^^
/// ```
///
/// ## What to do
///
/// Write `Vec<RecentLog>`, with a name that the program does not use for anything else.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
///     #[recent(LogMsg, max = 10, sort = time, fields(message))]
///     pub a: Vec<RecentA>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "logmsgs")]
/// pub struct LogMsg {
///     #[serde(rename = "_id")]
///     pub id: Id<LogMsg>,
///     pub time: bson::DateTime,
///     pub message: String,
///     #[parent(Host)]
///     pub host: Id<Host>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod recent_field_type {}

/// **Error**: a list of the last children is sorted by a field of the child.
///
/// ## What it checks
///
/// The `sort` of `#[recent(Child, sort = time, ..)]` is a stored field of the child that holds one value.
///
/// ## Why
///
/// The list keeps the last children in the order of this field: MongoDB sorts the array by it and trims it (`$push` with `$sort` and
/// `$slice`). An array has no single place in an order.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
///     #[recent(LogMsg, max = 10, sort = tme, fields(message))]
///     pub logmsgs: Vec<RecentLog>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "logmsgs")]
/// pub struct LogMsg {
///     #[serde(rename = "_id")]
///     pub id: Id<LogMsg>,
///     pub time: bson::DateTime,
///     pub message: String,
///     #[parent(Host)]
///     pub host: Id<Host>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0080]: evaluation panicked: `sort = tme` on `Host::logmsgs` names no field of `LogMsg` [RECENT_SORT_FIELD]
///               help: did you mean `time`?
///  --> src/model.rs:6:39
///   |
/// 6 |     #[recent(LogMsg, max = 10, sort = tme, fields(message))]
///   |                                       ^^^ evaluation of `_::_` failed here
/// ```
///
/// ## What to do
///
/// Name a field of the child that says which one is later: a date, a number or the `_id`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
///     #[recent(LogMsg, max = 10, sort = time, fields(message))]
///     pub a: Vec<RecentA>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "logmsgs")]
/// pub struct LogMsg {
///     #[serde(rename = "_id")]
///     pub id: Id<LogMsg>,
///     pub time: bson::DateTime,
///     pub message: String,
///     #[parent(Host)]
///     pub host: Id<Host>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod recent_sort_field {}

/// **Advice**: a list of the last children holds at most 1,000.
///
/// ## What it checks
///
/// A list of the last children (`#[recent(.., max = n)]`) should hold at most 1,000.
///
/// ## Why
///
/// The "6 Rules of Thumb" keep the last 1,000 messages. Each new child sorts and rewrites the list: 3.0 ms at 200 elements, 8 ms at 1,000, 51 ms at
/// 5,000.
///
/// ## Example
///
/// In a `strict` model, advice is an error:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts", strict, schema_version = 1)]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
///     #[recent(LogMsg, max = 1500, sort = time, fields(time))]
///     #[serde(default)]
///     pub logmsgs: Vec<RecentLog>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "logmsg")]
/// pub struct LogMsg {
///     #[serde(rename = "_id")]
///     pub id: Id<LogMsg>,
///     pub time: DateTime,
///     #[parent(Host)]
///     pub host: Id<Host>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Host::logmsgs`: this list may hold more than 1,000 children [RECENT_LARGE]
///        help: lower `max`; all children are read by the reference, page by page
///        help: or `#[model(allow(recent_large, reason = ".."))]`
///        note: `#[model(strict)]` makes errors of what is advice elsewhere
///  --> src/model.rs:8:9
///   |
/// 8 |     pub logmsgs: Vec<RecentLog>,
///   |         ^^^^^^^
/// ```
///
/// ## What to do
///
/// List as many as one page shows, and load older children from their collection: `LogMsg::by_host(&db, id).page(50)`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts", strict, schema_version = 1)]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
///     #[recent(LogMsg, max = 1000, sort = time, fields(time))]
///     #[serde(default)]
///     pub logmsgs: Vec<RecentLog>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "logmsg")]
/// pub struct LogMsg {
///     #[serde(rename = "_id")]
///     pub id: Id<LogMsg>,
///     pub time: DateTime,
///     #[parent(Host)]
///     pub host: Id<Host>,
/// }
/// ```
///
/// ## When to allow it
///
/// When children arrive rarely compared with reads of the whole list.
///
/// `mongo_model::report()` lists this advice. It is an error in a `strict` model, and no compiler output elsewhere.
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(recent_large, reason = ".."))]
/// ```
pub mod recent_large {}

/// **Error**: a list of the last children is bounded at 5,000.
///
/// ## What it checks
///
/// A list of the last children may hold at most 5,000, or at most 10,000 with a reason.
///
/// ## Why
///
/// Each new child sorts and rewrites the list: 8 ms at 1,000 elements, 51 ms at 5,000, 363 ms at 20,000. Such a list pays only if children arrive
/// rarely compared with reads of the list ("6 Rules of Thumb", part 2).
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
///     #[recent(LogMsg, max = 6000, sort = time, fields(message))]
///     pub logmsgs: Vec<RecentLog>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "logmsgs")]
/// pub struct LogMsg {
///     #[serde(rename = "_id")]
///     pub id: Id<LogMsg>,
///     pub time: bson::DateTime,
///     pub message: String,
///     #[parent(Host)]
///     pub host: Id<Host>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Host::logmsgs` lists the last 6 000 `LogMsg` documents, over the limit of 5 000 [RECENT_TOO_MANY]
///        help: list fewer, and load the others: `LogMsg::by_..(..).limit(6000)`
///        help: to keep it: `#[recent(.., allow_large = "why this is read together")]`
///        note: each new child sorts and rewrites the list: 8 ms at 1 000, 51 ms at 5 000
///  --> src/model.rs:6:28
///   |
/// 6 |     #[recent(LogMsg, max = 6000, sort = time, fields(message))]
///   |                            ^^^^
/// ```
///
/// ## What to do
///
/// List fewer, and load the others from their collection: `LogMsg::by_host(&db, id).limit(6000)`, which reads along an index.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
///     #[recent(LogMsg, max = 5000, sort = time, fields(message))]
///     pub a: Vec<RecentA>,
///     #[recent(LogMsg, max = 6000, sort = time, fields(message), allow_large = "the dashboard draws them all")]
///     pub b: Vec<RecentB>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "logmsgs")]
/// pub struct LogMsg {
///     #[serde(rename = "_id")]
///     pub id: Id<LogMsg>,
///     pub time: bson::DateTime,
///     pub message: String,
///     #[parent(Host)]
///     pub host: Id<Host>,
/// }
/// ```
///
/// ## When to allow it
///
/// When the whole list is read again and again, and a new child is rare.
///
/// To allow it, give the reason, in the attribute:
///
/// ```rust,ignore
/// #[recent(LogMsg, max = 8000, sort = time, fields(time), allow_large = "..")]
/// ```
pub mod recent_too_many {}

/// **Error**: a count of children is an `i64`.
///
/// ## What it checks
///
/// A `#[count(Child)]` field is an `i64`.
///
/// ## Why
///
/// The server adds to the count (`$inc`), which is a signed integer of up to 64 bits. A narrower or unsigned type could not read every value that may be
/// stored, and a count is never missing, so it is no `Option`.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
///     #[count(LogMsg)]
///     pub a: i32,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "logmsgs")]
/// pub struct LogMsg {
///     #[serde(rename = "_id")]
///     pub id: Id<LogMsg>,
///     pub time: bson::DateTime,
///     pub message: String,
///     #[parent(Host)]
///     pub host: Id<Host>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0080]: evaluation panicked: `Host::a` counts `LogMsg` documents in `i32` [COUNT_TYPE]
///               help: `i64`
///               note: children are many: their number is counted on the server, with the sign and the 64 bits that it counts in
///  --> src/model.rs:7:12
///   |
/// 7 |     pub a: i32,
///   |            ^^^ evaluation of `_::_` failed here
/// ```
///
/// ## What to do
///
/// Use `i64`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
///     #[count(LogMsg)]
///     pub a: i64,
///     #[count(LogMsg)]
///     pub b: Number,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "logmsgs")]
/// pub struct LogMsg {
///     #[serde(rename = "_id")]
///     pub id: Id<LogMsg>,
///     pub time: bson::DateTime,
///     pub message: String,
///     #[parent(Host)]
///     pub host: Id<Host>,
/// }
///
/// pub type Number = i64;
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod count_type {}

/// **Advice**: a count of children has `#[serde(default)]`.
///
/// ## What it checks
///
/// A `#[count(Child)]` field should have `#[serde(default)]`, so that documents without it can be read.
///
/// ## Why
///
/// A count that is declared over existing data is in none of the stored documents, and another program that inserts a parent does not write it. Without
/// a default, reading such a document is an error ("missing").
///
/// ## Example
///
/// In a `strict` model, advice is an error:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "threads", strict, schema_version = 1)]
/// pub struct Thread {
///     #[serde(rename = "_id")]
///     pub id: Id<Thread>,
///     #[count(Answer)]
///     pub answers: i64,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "answers")]
/// pub struct Answer {
///     #[serde(rename = "_id")]
///     pub id: Id<Answer>,
///     #[parent(Thread)]
///     pub thread: Id<Thread>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Thread::answers`: a document stored without this count cannot be read [COUNT_NO_DEFAULT]
///        help: add `#[serde(default)]`; `backfill` stores the count in documents that are older than the field
///        help: or `#[model(allow(count_no_default, reason = ".."))]`
///        note: `#[model(strict)]` makes errors of what is advice elsewhere
///  --> src/model.rs:7:9
///   |
/// 7 |     pub answers: i64,
///   |         ^^^^^^^
/// ```
///
/// ## What to do
///
/// Add `#[serde(default)]`: a missing count is then read as 0. `mongo_model::backfill(&db)` stores the number of children in documents that lack it, and
/// 0 where there are none; `verify` reports those that lack it.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "threads", strict, schema_version = 1)]
/// pub struct Thread {
///     #[serde(rename = "_id")]
///     pub id: Id<Thread>,
///     #[count(Answer)]
///     #[serde(default)]
///     pub answers: i64,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "answers")]
/// pub struct Answer {
///     #[serde(rename = "_id")]
///     pub id: Id<Answer>,
///     #[parent(Thread)]
///     pub thread: Id<Thread>,
/// }
/// ```
///
/// ## When to allow it
///
/// When every parent was stored after the count was declared, or `backfill` has run, and a document without the count is a mistake.
///
/// `mongo_model::report()` lists this advice. It is an error in a `strict` model, and no compiler output elsewhere.
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(count_no_default, reason = ".."))]
/// ```
pub mod count_no_default {}

/// **Error**: children that are counted do not expire.
///
/// ## What it checks
///
/// Children that are counted have no index with `expire_after`.
///
/// ## Why
///
/// The server deletes expired documents by itself, without any program: the parent's count is not changed and stays too high. Counting along
/// the index gives the right number at any time.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
///     #[count(LogMsg)]
///     pub messages: i64,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "logmsgs")]
/// pub struct LogMsg {
///     #[serde(rename = "_id")]
///     pub id: Id<LogMsg>,
///     #[index(expire_after = 3600)]
///     pub time: bson::DateTime,
///     #[parent(Host)]
///     pub host: Id<Host>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0080]: evaluation panicked: `Host::messages` counts `LogMsg` documents, which an index with `expire_after` deletes [COUNT_TTL]
///               help: count them when it is asked: `LogMsg::by_..(..).count()`
///               help: to keep it, for a number of all that ever were: `#[model(allow(count_ttl, reason = ".."))]`
///               note: the server deletes expired documents by itself: the number does not hear of it
///  --> src/model.rs:6:13
///   |
/// 6 |     #[count(LogMsg)]
///   |             ^^^^^^ evaluation of `_::_` failed here
/// ```
///
/// ## What to do
///
/// Remove `#[count]` and count when you need the number: `LogMsg::by_host(&db, id).count()`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
///     #[count(LogMsg)]
///     #[model(allow(count_ttl, reason = "all that ever were"))]
///     pub messages: i64,
///     #[recent(LogMsg, max = 1000, sort = time, fields(time, message))]
///     pub logmsgs: Vec<RecentLog>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "logmsgs", index(keys(time), expire_after = 3600))]
/// pub struct LogMsg {
///     #[serde(rename = "_id")]
///     pub id: Id<LogMsg>,
///     pub time: bson::DateTime,
///     pub message: String,
///     #[parent(Host)]
///     pub host: Id<Host>,
/// }
/// ```
///
/// ## When to allow it
///
/// When the count is meant to include all children that ever existed, expired ones too.
///
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(count_ttl, reason = ".."))]
/// ```
pub mod count_ttl {}

/// **Error**: a copy comes from a model.
///
/// ## What it checks
///
/// `#[denorm(from = Model, ..)]` names a type with `#[derive(MongoModel)]`.
///
/// ## Why
///
/// A copy is kept up to date through a reference to the document that it comes from, and only a document in a collection has an `_id` to refer to.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Address {
///     pub city: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "people")]
/// pub struct Person {
///     #[serde(rename = "_id")]
///     pub id: Id<Person>,
///     #[refs(Address)]
///     #[denorm(from = Address, field = city)]
///     pub addresses: Vec<AddressRef>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0080]: evaluation panicked: `Person::addresses` copies from `Address`, which is not a model [DENORM_SOURCE]
///               help: add `#[derive(MongoModel)]` and `#[model(collection = "..")]` to `Address`
///               help: if it never stands alone, embed it: a field of type `Address`
///               note: a copy is kept right through a reference to a document in a collection of its own
///   --> src/model.rs:12:21
///    |
/// 12 |     #[denorm(from = Address, field = city)]
///    |                     ^^^^^^^ evaluation of `_::_` failed here
/// ```
///
/// ## What to do
///
/// Add `#[derive(MongoModel)]` and `#[model(collection = "..")]` to the source, or embed it as a whole.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "parts")]
/// pub struct Part {
///     #[serde(rename = "_id")]
///     pub id: Id<Part>,
///     pub name: String,
///     #[volatile]
///     pub qty: i64,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     #[refs(Part)]
///     #[denorm(from = Part, field = name)]
///     pub parts: Vec<ProductPart>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod denorm_source {}

/// **Error**: a copied field exists in its source.
///
/// ## What it checks
///
/// A copied field exists in its source, by its Rust name, and is as visible as the source itself. The compiler's own error (E0609) reports a
/// misspelt name. A path (`field = profile.name`) leads through embedded structs, each of them one document: not through an array, a map, an
/// enum, or a document that custom functions store.
///
/// ## Why
///
/// A copy of a field that does not exist would always be empty. The generated struct has a field of the same type, so that type must be visible
/// where the copy is. An array has no single element that one copy could follow.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "parts")]
/// pub struct Part {
///     #[serde(rename = "_id")]
///     pub id: Id<Part>,
///     pub name: String,
///     #[volatile]
///     pub qty: i64,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     #[refs(Part)]
///     #[denorm(from = Part, field = nam)]
///     pub parts: Vec<ProductPart>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0609]: no field `nam` on type `PartFields`
///   --> src/model.rs:17:35
///    |
/// 17 |     #[denorm(from = Part, field = nam)]
///    |                                   ^^^ unknown field
///    |
/// help: a field with a similar name exists
///    |
/// 17 |     #[denorm(from = Part, field = name)]
///    |                                      +
/// ```
///
/// ## What to do
///
/// Correct the name. Copy an array or a map as a whole. If the message says that the field is less visible than its model, give it the model's visibility.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "parts")]
/// pub struct Part {
///     #[serde(rename = "_id")]
///     pub id: Id<Part>,
///     #[serde(rename = "n")]
///     pub name: String,
///     pub r#type: String,
///     pub label: Option<String>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     #[refs(Part)]
///     #[denorm(from = Part, fields(name, r#type))]
///     #[denorm(from = Part, field = label, into = caption, default)]
///     pub parts: Vec<ProductPart>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod denorm_field {}

/// **Error**: a copy has the type of its source field, in an `Option` beside an optional reference.
///
/// ## What it checks
///
/// A copy has exactly the type of its source field, and the same `#[serde(with = ..)]`. Beside an optional reference, and from
/// inside an optional document, it is an `Option` of that type; in a generated entry the option `default` replaces the `Option`.
///
/// ## Why
///
/// The update of a source writes its value into every copy as it is. If the types differ, documents with the new value could not be read. A
/// document without the reference has no copy, nor has one whose source lacks the document around the field, so the copy is optional there.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
///     pub ipaddr: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "logmsg")]
/// pub struct LogMsg {
///     #[serde(rename = "_id")]
///     pub id: Id<LogMsg>,
///     #[parent(Host)]
///     pub host: Id<Host>,
///     #[denorm(from = Host, field = ipaddr)]
///     pub number: i64,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0080]: evaluation panicked: `LogMsg::number` is `i64`, which is not the type of its source `Host::ipaddr` [DENORM_TYPE]
///               help: give it the type of `Host::ipaddr`
///               note: a copy has exactly the type of its source field, `Option` included
///   --> src/model.rs:17:17
///    |
/// 17 |     pub number: i64,
///    |                 ^^^ evaluation of `_::_` failed here
/// ```
///
/// ## What to do
///
/// Use the type that the message names.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
///     pub hostname: Option<String>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "logmsg")]
/// pub struct LogMsg {
///     #[serde(rename = "_id")]
///     pub id: Id<LogMsg>,
///     #[parent(Host)]
///     pub host: Id<Host>,
///     #[denorm(from = Host, field = hostname)]
///     pub hostname: Option<String>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod denorm_type {}

/// **Error**: a copy can hold everything that its source can.
///
/// ## What it checks
///
/// A copy is not bounded more tightly (`max_len`, `max`) than the field that it is a copy of.
///
/// ## Why
///
/// A copy follows its source, whatever the source holds. A shorter bound would refuse a change that has already been made in the source.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
///     #[model(max_len = 100)]
///     pub name: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "logmsg")]
/// pub struct LogMsg {
///     #[serde(rename = "_id")]
///     pub id: Id<LogMsg>,
///     #[parent(Host)]
///     pub host: Id<Host>,
///     #[denorm(from = Host, field = name)]
///     #[model(max_len = 40)]
///     pub host_name: String,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0080]: evaluation panicked: `LogMsg::host_name` holds at most 40, and `Host::name` up to 100 [DENORM_LEN]
///               help: remove `max_len = ..` here: a copy has that of its source
///               note: a copy follows its source, whatever that holds
///   --> src/model.rs:18:23
///    |
/// 18 |     #[model(max_len = 40)]
///    |                       ^^ evaluation of `_::_` failed here
/// ```
///
/// ## What to do
///
/// Remove the bound from the copy: it has that of its source.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
///     #[model(max_len = 100)]
///     pub name: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "logmsg")]
/// pub struct LogMsg {
///     #[serde(rename = "_id")]
///     pub id: Id<LogMsg>,
///     #[parent(Host)]
///     pub host: Id<Host>,
///     #[denorm(from = Host, field = name, via = host)]
///     #[model(max_len = 100)]
///     pub host_name: String,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod denorm_len {}

/// **Error**: a copy is beside the reference that it belongs to.
///
/// ## What it checks
///
/// A copy stands beside the reference to its source: a `#[parent(..)]` in the same struct, or the reference that carries the `#[denorm]`.
///
/// ## Why
///
/// When the source changes, the library finds the copies by the source's id. Without the id a copy could never be found again, and would stay stale
/// forever. A copy keeps the id of its source ("Schema Design with MongoDB", embedding and duplicating).
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
///     pub ipaddr: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "logmsg")]
/// pub struct LogMsg {
///     #[serde(rename = "_id")]
///     pub id: Id<LogMsg>,
///     #[denorm(from = Host, field = ipaddr)]
///     pub ipaddr: String,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `LogMsg::ipaddr` copies from `Host`, but no reference to `Host` stands beside it [DENORM_NO_KEY]
///        help: add `#[parent(Host)] host: Id<Host>`
///        note: a copy keeps the id of its source, or it could not be found when the source changes
///   --> src/model.rs:14:21
///    |
/// 14 |     #[denorm(from = Host, field = ipaddr)]
///    |                     ^^^^
/// ```
///
/// ## What to do
///
/// Add `#[parent(Host)] host: Id<Host>`. On an array of references put `#[denorm(..)]` on the array: each id then carries its own copy. A value
/// that must not change is a `snapshot`, which needs the reference as well.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
///     pub ipaddr: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "logmsg")]
/// pub struct LogMsg {
///     #[serde(rename = "_id")]
///     pub id: Id<LogMsg>,
///     #[parent(Host)]
///     pub host: Id<Host>,
///     #[denorm(from = Host, field = ipaddr)]
///     pub ipaddr: String,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod denorm_no_key {}

/// **Error**: a copy says which of two references it belongs to.
///
/// ## What it checks
///
/// Where two references to the same model stand beside a copy, the copy says with `via` which one it belongs to.
///
/// ## Why
///
/// The copy shows a field of one of the two documents. Choosing the wrong one would be a silent mistake.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
///     pub ipaddr: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "connections")]
/// pub struct Connection {
///     #[serde(rename = "_id")]
///     pub id: Id<Connection>,
///     #[parent(Host)]
///     pub from: Id<Host>,
///     #[parent(Host)]
///     pub to: Id<Host>,
///     #[denorm(from = Host, field = ipaddr)]
///     pub ipaddr: String,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Connection::ipaddr` copies from `Host`, but `from`, `to` both refer to it [DENORM_AMBIGUOUS]
///        help: say which: `via = from`
///   --> src/model.rs:18:7
///    |
/// 18 |     #[denorm(from = Host, field = ipaddr)]
///    |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
/// ```
///
/// ## What to do
///
/// Name the reference: `#[denorm(from = Host, field = ipaddr, via = from)]`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
///     pub ipaddr: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "connections")]
/// pub struct Connection {
///     #[serde(rename = "_id")]
///     pub id: Id<Connection>,
///     #[parent(Host)]
///     pub from: Id<Host>,
///     #[denorm(from = Host, field = ipaddr, via = from)]
///     pub from_ipaddr: String,
///     #[parent(Host)]
///     pub to: Id<Host>,
///     #[denorm(from = Host, field = ipaddr, via = to)]
///     pub to_ipaddr: String,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod denorm_ambiguous {}

/// **Error**: a field that changes often is not copied.
///
/// ## What it checks
///
/// A field that changes often is not copied: one that is marked `#[volatile]`, or that says `#[model(writes_per_read = ..)]` with more than 0.1.
///
/// ## Why
///
/// Consider the ratio of reads to writes when you copy a field (rule of thumb 5): the name of a part, not the quantity on hand. Each write of the
/// source is repeated in every copy; a rename that 10,000 documents follow cost 23 to 25 microseconds per document.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "parts")]
/// pub struct Part {
///     #[serde(rename = "_id")]
///     pub id: Id<Part>,
///     pub name: String,
///     #[volatile]
///     pub qty: i64,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     #[refs(Part)]
///     #[denorm(from = Part, field = qty)]
///     pub parts: Vec<ProductPart>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0080]: evaluation panicked: `Product::parts` copies `Part::qty`, which is marked `#[volatile]` [DENORM_HOT]
///               help: remove the copy, and load the source where it is needed
///               help: to keep it: `#[model(allow(denorm_hot, reason = ".."))]`
///               note: copy fields that are mostly read and seldom updated (rule of thumb 5): the name, not the quantity on hand
///   --> src/model.rs:17:35
///    |
/// 17 |     #[denorm(from = Part, field = qty)]
///    |                                   ^^^ evaluation of `_::_` failed here
/// ```
///
/// ## What to do
///
/// Remove the copy, and load the source where its value is needed: `product.load_parts(&db)` is one query for all parts.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "parts")]
/// pub struct Part {
///     #[serde(rename = "_id")]
///     pub id: Id<Part>,
///     pub name: String,
///     #[volatile]
///     pub qty: i64,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     #[refs(Part)]
///     #[denorm(from = Part, field = name)]
///     pub parts: Vec<ProductPart>,
/// }
/// ```
///
/// ## When to allow it
///
/// When the field changes often by itself, but rarely in the documents that are copied, or at known times such as once a night.
///
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(denorm_hot, reason = ".."))]
/// ```
pub mod denorm_hot {}

/// **Error**: copies form no cycle.
///
/// ## What it checks
///
/// Copies form no cycle: a field is not a copy of itself, or of a copy of itself. Cycles of two models are found at compile time, longer
/// ones when the program creates its indexes or first uses the models.
///
/// ## Why
///
/// Each change of a copy is passed on to its own copies. In a cycle that would never end.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "people")]
/// pub struct Person {
///     #[serde(rename = "_id")]
///     pub id: Id<Person>,
///     #[parent(Team)]
///     pub team: Id<Team>,
///     #[denorm(from = Team, field = motto)]
///     pub motto: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "teams")]
/// pub struct Team {
///     #[serde(rename = "_id")]
///     pub id: Id<Team>,
///     #[parent(Person)]
///     pub head: Id<Person>,
///     #[denorm(from = Person, field = motto)]
///     pub motto: String,
/// }
/// ```
///
/// One of its messages:
///
/// ```text
/// error[E0080]: evaluation panicked: `Person::motto` copies `Team::motto`, which is a copy of it [DENORM_CYCLE]
///               help: keep one of them as the origin
///               note: a change would go round in a cycle forever
///  --> src/model.rs:8:35
///   |
/// 8 |     #[denorm(from = Team, field = motto)]
///   |                                   ^^^^^ evaluation of `_::_` failed here
/// ```
///
/// ## What to do
///
/// Decide which field is the original, and remove its `#[denorm]`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "people")]
/// pub struct Person {
///     #[serde(rename = "_id")]
///     pub id: Id<Person>,
///     pub name: String,
///     #[parent(Team)]
///     pub team: Id<Team>,
///     #[denorm(from = Team, field = motto)]
///     pub motto: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "teams")]
/// pub struct Team {
///     #[serde(rename = "_id")]
///     pub id: Id<Team>,
///     #[parent(Person)]
///     pub head: Id<Person>,
///     #[denorm(from = Person, field = name)]
///     pub head_name: String,
///     pub motto: String,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod denorm_cycle {}

/// **Error**: an `_id` is referenced, not copied.
///
/// ## What it checks
///
/// An `_id` is not copied.
///
/// ## Why
///
/// A reference holds the `_id` already, and an `_id` never changes (the server refuses the update with error 66), so there is nothing to keep up to
/// date.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "parts")]
/// pub struct Part {
///     #[serde(rename = "_id")]
///     pub id: Id<Part>,
///     pub name: String,
///     #[volatile]
///     pub qty: i64,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     #[refs(Part)]
///     #[denorm(from = Part, field = id)]
///     pub parts: Vec<ProductPart>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Product::parts` copies `id`, but the entry always holds the id of its `Part` [DENORM_ID]
///        help: remove the copy; for a field `id` that is no `_id` choose another name with `into`
///        note: an `_id` never changes: a copy of it is a reference
///   --> src/model.rs:17:35
///    |
/// 17 |     #[denorm(from = Part, field = id)]
///    |                                   ^^
/// ```
///
/// ## What to do
///
/// Use the reference itself. Give a field that is called `id` but is not the `_id` another name: `into = number`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "countries")]
/// pub struct Country {
///     #[serde(rename = "_id")]
///     pub code: String,
///     pub id: i64,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "cities")]
/// pub struct City {
///     #[serde(rename = "_id")]
///     pub id: Id<City>,
///     #[parent(Country)]
///     #[denorm(from = Country, field = id, into = number)]
///     pub country: CountryRef,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod denorm_id {}

/// **Error**: an array that holds copies is not copied itself.
///
/// ## What it checks
///
/// An array or a document that contains copies is not copied itself. Copying a single field that is a copy is fine.
///
/// ## Why
///
/// A change of the first source would have to change copies inside copied elements, at a place that two references determine together. One update cannot
/// find such a place by one id.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "parts")]
/// pub struct Part {
///     #[serde(rename = "_id")]
///     pub id: Id<Part>,
///     pub name: String,
///     #[volatile]
///     pub qty: i64,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     #[refs(Part)]
///     #[denorm(from = Part, field = name)]
///     pub parts: Vec<ProductPart>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "orders")]
/// pub struct Order {
///     #[serde(rename = "_id")]
///     pub id: Id<Order>,
///     #[parent(Product)]
///     #[denorm(from = Product, field = parts)]
///     pub product: OrderProduct,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0080]: evaluation panicked: `Order::product` copies `Product::parts`, which holds copies itself [DENORM_ENTRIES]
///               help: copy from the model that those copies come from
///               note: a copy of entries would have to be kept right in two steps at once
///   --> src/model.rs:27:38
///    |
/// 27 |     #[denorm(from = Product, field = parts)]
///    |                                      ^^^^^ evaluation of `_::_` failed here
/// ```
///
/// ## What to do
///
/// Copy from the model that those copies come from.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "parts")]
/// pub struct Part {
///     #[serde(rename = "_id")]
///     pub id: Id<Part>,
///     pub name: String,
///     #[volatile]
///     pub qty: i64,
/// }
///
/// #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
/// pub struct Size {
///     pub width: i64,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     #[parent(Part)]
///     pub main: Id<Part>,
///     #[denorm(from = Part, field = name)]
///     pub main_name: String,
///     pub size: Size,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "orders")]
/// pub struct Order {
///     #[serde(rename = "_id")]
///     pub id: Id<Order>,
///     #[parent(Product)]
///     #[denorm(from = Product, fields(main_name, size))]
///     pub product: OrderProduct,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod denorm_entries {}

/// **Error**: derived data is not copied.
///
/// ## What it checks
///
/// Fields that follow from other documents are not copied: counts, lists of last children, and arrays that a two-way reference keeps.
///
/// ## Why
///
/// Such a field changes whenever a child changes, without an update of its own document by the program. Copying it would repeat every write of every
/// child in every copy (rule of thumb 5).
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "persons")]
/// pub struct Person {
///     #[serde(rename = "_id")]
///     pub id: Id<Person>,
///     #[refs(Task, inverse = owner)]
///     pub tasks: Vec<Id<Task>>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "tasks")]
/// pub struct Task {
///     #[serde(rename = "_id")]
///     pub id: Id<Task>,
///     #[parent(Person, inverse = tasks)]
///     pub owner: Id<Person>,
///     #[denorm(from = Person, field = tasks)]
///     #[embed(max = 50)]
///     pub others: Vec<Id<Task>>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0080]: evaluation panicked: `Task::others` copies `Person::tasks`, which follows from other documents [DENORM_DERIVED]
///               help: load the source where it is needed
///               note: a list or number of children, and an array that a two-way reference keeps, change without a write of their own document
///   --> src/model.rs:17:37
///    |
/// 17 |     #[denorm(from = Person, field = tasks)]
///    |                                     ^^^^^ evaluation of `_::_` failed here
/// ```
///
/// ## What to do
///
/// Load the source where its value is needed.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
///     pub name: String,
///     #[count(LogMsg)]
///     pub messages: i64,
///     #[recent(LogMsg, max = 1000, sort = time, fields(time, message))]
///     pub logmsgs: Vec<RecentLog>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "logmsgs")]
/// pub struct LogMsg {
///     #[serde(rename = "_id")]
///     pub id: Id<LogMsg>,
///     pub time: bson::DateTime,
///     pub message: String,
///     #[parent(Host)]
///     pub host: Id<Host>,
///     #[denorm(from = Host, field = name)]
///     pub of: String,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod denorm_derived {}

/// **Error**: copies are at most two arrays deep.
///
/// ## What it checks
///
/// Copies lie at most two arrays deep, and neither below a map nor in an array of arrays.
///
/// ## Why
///
/// To change a copy, MongoDB has to find it by the id beside it, with one array filter per array. The keys of a map and the position in an
/// inner array are not known to such an update.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "parts")]
/// pub struct Part {
///     #[serde(rename = "_id")]
///     pub id: Id<Part>,
///     pub name: String,
///     #[volatile]
///     pub qty: i64,
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Shelf {
///     #[refs(Part, max = 10)]
///     #[denorm(from = Part, field = name)]
///     pub parts: Vec<ShelfPart>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Rack {
///     #[embed(max = 10)]
///     pub shelves: Vec<Shelf>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "stores")]
/// pub struct Store {
///     #[serde(rename = "_id")]
///     pub id: Id<Store>,
///     #[embed(max = 10)]
///     pub racks: Vec<Rack>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0080]: evaluation panicked: `Store::racks` holds copies more than two arrays deep, where no update can find them by id [DENORM_PATH_NESTED]
///               help: move the references up, or into a collection of their own
///               note: propagation matches a copy with one array filter per array, for at most two
///   --> src/model.rs:30:16
///    |
/// 30 |     pub racks: Vec<Rack>,
///    |                ^^^^^^^^^ evaluation of `_::_` failed here
/// ```
///
/// ## What to do
///
/// Move the references up a level, or into a collection of their own. References without copies may lie deeper.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "parts")]
/// pub struct Part {
///     #[serde(rename = "_id")]
///     pub id: Id<Part>,
///     pub name: String,
///     #[volatile]
///     pub qty: i64,
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Shelf {
///     #[refs(Part, max = 10)]
///     #[denorm(from = Part, field = name)]
///     pub parts: Vec<ShelfPart>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Rack {
///     #[embed(max = 10)]
///     pub shelves: Vec<Shelf>,
///     #[refs(Part, max = 10)]
///     pub spare: Vec<Id<Part>>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "stores")]
/// pub struct Store {
///     #[serde(rename = "_id")]
///     pub id: Id<Store>,
///     pub rack: Rack,
///     #[embed(max = 10)]
///     pub shelves: Vec<Shelf>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod denorm_path_nested {}

/// **Error**: a stored field is filled by one copy.
///
/// ## What it checks
///
/// No stored field is filled by two copies.
///
/// ## Why
///
/// The two sources would overwrite each other, and the server refuses an update that sets one path twice (error 40).
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "parts")]
/// pub struct Part {
///     #[serde(rename = "_id")]
///     pub id: Id<Part>,
///     pub name: String,
///     pub label: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     #[refs(Part)]
///     #[denorm(from = Part, fields(name, name))]
///     pub twice: Vec<TwicePart>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `name` of `Product::twice` is filled by two copies [DENORM_SAME_PATH]
///        help: remove one, or rename it with `into = ..`
///        note: the server refuses an update with conflicting paths (error 40)
///   --> src/model.rs:16:40
///    |
/// 16 |     #[denorm(from = Part, fields(name, name))]
///    |                                        ^^^^
/// ```
///
/// ## What to do
///
/// Remove one of the copies, or give it another name with `into = ..`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "parts")]
/// pub struct Part {
///     #[serde(rename = "_id")]
///     pub id: Id<Part>,
///     pub name: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     #[refs(Part)]
///     #[denorm(from = Part, field = name)]
///     #[denorm(from = Part, field = name, into = label)]
///     pub parts: Vec<ProductPart>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod denorm_same_path {}

/// **Advice**: a source keeps a field that is not copied.
///
/// ## What it checks
///
/// Not all fields of a model should be copied beside a reference to it. Only the report finds this, because it compares two models.
///
/// ## Why
///
/// If the one side holds so little information, copy all of it and drop its collection ("6 Rules of Thumb", part 2): reads need no join, and no
/// update has to be passed on.
///
/// ## Example
///
/// ```rust,ignore
/// #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
/// #[model(
///     collection = "books",
///     schema_version = 1,
///     index(keys(+title, year)),
///     index(keys(title)),
///     index(keys(year))
/// )]
/// pub struct Book {
///     #[serde(rename = "_id")]
///     pub id: Id<Book>,
///     pub title: String,
///     pub year: i32,
///     #[parent(Press)]
///     pub press: i32,
///     #[denorm(from = Press, field = name)]
///     pub press_name: String,
/// }
///
/// #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
/// #[model(collection = "presses")]
/// pub struct Press {
///     #[serde(rename = "_id")]
///     pub id: i32,
///     pub name: String,
/// }
/// ```
///
/// The schema report says:
///
/// ```text
/// press_name: a source keeps a field that is not copied: all of `Press` is here, its collection can be dropped [DENORM_ALL]
/// ```
///
/// ## What to do
///
/// Turn the copies into ordinary fields and remove the other model, or stop copying all of it.
///
/// ## When to allow it
///
/// When other models refer to the source too, or when it will get fields that are not copied.
///
/// Only `mongo_model::report()` lists this advice; no compiler output depends on it.
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(denorm_all, reason = ".."))]
/// ```
pub mod denorm_all {}

/// **Advice**: a field is copied once.
///
/// ## What it checks
///
/// The same field of the same document should not be copied twice into one place. Only the report finds this.
///
/// ## Why
///
/// Each change of the source has to be written twice, and the document holds the value twice.
///
/// ## Example
///
/// ```rust,ignore
/// #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
/// #[model(
///     collection = "books",
///     schema_version = 1,
///     index(keys(+title, year)),
///     index(keys(title)),
///     index(keys(year))
/// )]
/// pub struct Book {
///     #[serde(rename = "_id")]
///     pub id: Id<Book>,
///     pub title: String,
///     pub year: i32,
///     #[parent(Press)]
///     pub press: i32,
///     #[denorm(from = Press, field = name)]
///     pub press_name: String,
///     #[denorm(from = Press, field = name)]
///     pub publisher: String,
/// }
///
/// #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
/// #[model(collection = "presses")]
/// pub struct Press {
///     #[serde(rename = "_id")]
///     pub id: i32,
///     pub name: String,
/// }
/// ```
///
/// The schema report says:
///
/// ```text
/// publisher: a field is copied once: `press_name` is the same [DENORM_TWICE]
/// ```
///
/// ## What to do
///
/// Remove one of the two copies.
///
/// ## When to allow it
///
/// When two programs expect the field under different names.
///
/// Only `mongo_model::report()` lists this advice; no compiler output depends on it.
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(denorm_twice, reason = ".."))]
/// ```
pub mod denorm_twice {}

/// **Error**: a generated entry is named by one plain identifier.
///
/// ## What it checks
///
/// Where a reference carries copies, its type is a new, plain name such as `ProductPart` or `Vec<ProductPart>`. The derive generates the
/// struct with that name: the id and the copies.
///
/// ## Why
///
/// The derive takes the types of the copies from their source. A path, a type with parameters, or a set cannot be the name of a new struct with
/// several fields.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "parts")]
/// pub struct Part {
///     #[serde(rename = "_id")]
///     pub id: Id<Part>,
///     pub name: String,
///     #[volatile]
///     pub qty: i64,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     #[refs(Part)]
///     #[denorm(from = Part, field = name)]
///     pub ids: Vec<Id<Part>>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Product::ids` copies fields of `Part`, but its type `Vec<Id<Part>>` gives the entry no name [DENORM_ENTRY]
///        help: name the entry that is to be generated by one identifier: `Vec<PartRef>`
///        note: a `#[denorm]` on the same field as its reference generates a struct with the id and the copies
///   --> src/model.rs:18:14
///    |
/// 18 |     pub ids: Vec<Id<Part>>,
///    |              ^^^^^^^^^^^^^
/// ```
///
/// ## What to do
///
/// Name the entry: `#[refs(Part)] #[denorm(from = Part, field = name)] parts: Vec<ProductPart>`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "parts")]
/// pub struct Part {
///     #[serde(rename = "_id")]
///     pub id: Id<Part>,
///     pub name: String,
///     #[volatile]
///     pub qty: i64,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     #[refs(Part)]
///     #[denorm(from = Part, field = name)]
///     pub many: Vec<ManyPart>,
///     #[parent(Part)]
///     #[denorm(from = Part, field = name)]
///     pub one: OnePart,
///     #[parent(Part)]
///     #[denorm(from = Part, field = name, derive(Debug, Clone, PartialEq, Eq, Hash))]
///     pub maybe: Option<MaybePart>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod denorm_entry {}

/// **Error**: a collection has at most 64 indexes.
///
/// ## What it checks
///
/// A collection has at most 64 indexes: those that you declare, those that references need, and the one on `_id`.
///
/// ## Why
///
/// The server refuses the 65th index (error 67, CannotCreateIndex).
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(
///     collection = "products",
///     allow(idx_many, reason = "to see where it ends"),
///     index(keys(a, b)), index(keys(a, c)), index(keys(a, d)), index(keys(a, e)), index(keys(a, f)), index(keys(a, g)), index(keys(a, h)),
///     index(keys(b, a)), index(keys(b, c)), index(keys(b, d)), index(keys(b, e)), index(keys(b, f)), index(keys(b, g)), index(keys(b, h)),
///     index(keys(c, a)), index(keys(c, b)), index(keys(c, d)), index(keys(c, e)), index(keys(c, f)), index(keys(c, g)), index(keys(c, h)),
///     index(keys(d, a)), index(keys(d, b)), index(keys(d, c)), index(keys(d, e)), index(keys(d, f)), index(keys(d, g)), index(keys(d, h)),
///     index(keys(e, a)), index(keys(e, b)), index(keys(e, c)), index(keys(e, d)), index(keys(e, f)), index(keys(e, g)), index(keys(e, h)),
///     index(keys(f, a)), index(keys(f, b)), index(keys(f, c)), index(keys(f, d)), index(keys(f, e)), index(keys(f, g)), index(keys(f, h)),
///     index(keys(g, a)), index(keys(g, b)), index(keys(g, c)), index(keys(g, d)), index(keys(g, e)), index(keys(g, f)), index(keys(g, h)),
///     index(keys(h, a)), index(keys(h, b)), index(keys(h, c)), index(keys(h, d)), index(keys(h, e)), index(keys(h, f)), index(keys(h, g)),
/// )]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     #[index]
///     pub a: i64,
///     #[index]
///     pub b: i64,
///     #[index]
///     pub c: i64,
///     #[index]
///     pub d: i64,
///     #[index]
///     pub e: i64,
///     #[index]
///     pub f: i64,
///     #[index]
///     pub g: i64,
///     #[index]
///     pub h: i64,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Product` has 65 indexes, over the server's limit of 64 [IDX_TOO_MANY]
///        help: remove those that are the beginning of another, and those that no filter uses
///        note: the index of `_id` counts
///   --> src/model.rs:14:12
///    |
/// 14 | pub struct Product {
///    |            ^^^^^^^
/// ```
///
/// ## What to do
///
/// Remove indexes that another one begins with, and those that no query uses: `report().with_usage(&db)` lists them.
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod idx_too_many {}

/// **Error**: a model declares at most 30 indexes.
///
/// ## What it checks
///
/// A model has at most 30 indexes, including the one on `_id` and those that references need.
///
/// ## Why
///
/// Every insert, and every update of an indexed field, writes to each of the indexes concerned, and all of them compete for memory. Atlas reports
/// collections with more than 30 indexes, Compass already those with more than 10.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(
///     collection = "products",
///     index(keys(a, b)), index(keys(a, c)), index(keys(a, d)), index(keys(a, e)), index(keys(a, f)), index(keys(a, g)), index(keys(a, h)),
///     index(keys(b, a)), index(keys(b, c)), index(keys(b, d)), index(keys(b, e)), index(keys(b, f)), index(keys(b, g)), index(keys(b, h)),
///     index(keys(c, a)), index(keys(c, b)), index(keys(c, d)), index(keys(c, e)), index(keys(c, f)), index(keys(c, g)), index(keys(c, h)),
///     index(keys(d, a)), index(keys(d, b)), index(keys(d, c)), index(keys(d, e)), index(keys(d, f)), index(keys(d, g)), index(keys(d, h)),
///     index(keys(e, a)), index(keys(e, b)), index(keys(e, c)),
/// )]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     pub a: i64,
///     pub b: i64,
///     pub c: i64,
///     pub d: i64,
///     pub e: i64,
///     pub f: i64,
///     pub g: i64,
///     pub h: i64,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Product` has 32 indexes [IDX_MANY]
///        help: remove those that are the beginning of another, and those that no filter uses
///        help: to keep them: `#[model(allow(idx_many, reason = ".."))]`
///        note: the index of `_id` counts
///        note: every write updates each of them; Atlas warns above 30
///   --> src/model.rs:10:12
///    |
/// 10 | pub struct Product {
///    |            ^^^^^^^
/// ```
///
/// ## What to do
///
/// Remove indexes that another one begins with, and those that no query uses: `report().with_usage(&db)` lists them.
///
/// ## When to allow it
///
/// When the collection is rarely written and queried in many ways.
///
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(idx_many, reason = ".."))]
/// ```
pub mod idx_many {}

/// **Error**: an index has at most 32 keys.
///
/// ## What it checks
///
/// An index has at most 32 keys.
///
/// ## Why
///
/// The server refuses a compound index with more keys (error 13103).
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items", index(keys(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32)))]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     f0: i64,
///     f1: i64,
///     f2: i64,
///     f3: i64,
///     f4: i64,
///     f5: i64,
///     f6: i64,
///     f7: i64,
///     f8: i64,
///     f9: i64,
///     f10: i64,
///     f11: i64,
///     f12: i64,
///     f13: i64,
///     f14: i64,
///     f15: i64,
///     f16: i64,
///     f17: i64,
///     f18: i64,
///     f19: i64,
///     f20: i64,
///     f21: i64,
///     f22: i64,
///     f23: i64,
///     f24: i64,
///     f25: i64,
///     f26: i64,
///     f27: i64,
///     f28: i64,
///     f29: i64,
///     f30: i64,
///     f31: i64,
///     f32: i64,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: an index of `Item` has 33 keys, over the limit of 32 [IDX_FIELDS]
///        help: keep the keys that filters and sorts use
///        note: the server refuses it (error 13103)
///  --> src/model.rs:2:192
///   |
/// 2 | ...9, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32)))]
///   |                                                                   ^^^
/// ```
///
/// ## What to do
///
/// Keep the keys that filters and sorts use, in the order equality, sort, range (see [IDX_ESR](idx_esr)).
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod idx_fields {}

/// **Error**: an index crosses one array.
///
/// ## What it checks
///
/// An index does not cover two different arrays. Two fields of the elements of one array are fine.
///
/// ## Why
///
/// The index would need one entry for every combination of elements. The server refuses to build it, or every document that has both arrays
/// (error 171, CannotIndexParallelArrays).
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products", index(keys(tags, year, -sizes)))]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     #[embed(max = 20)]
///     pub tags: Vec<String>,
///     #[embed(max = 20)]
///     pub sizes: Vec<i32>,
///     pub year: i32,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: index on `Product::tags` and `Product::sizes` crosses two arrays [IDX_PARALLEL]
///        help: two indexes: `#[model(index(keys(tags)), index(keys(sizes)))]`
///        help: or one array of documents that hold both values
///        note: the server refuses every document with both arrays (error 171, CannotIndexParallelArrays)
///  --> src/model.rs:2:57
///   |
/// 2 | #[model(collection = "products", index(keys(tags, year, -sizes)))]
///   |                                                         ^^^^^^
/// ```
///
/// ## What to do
///
/// Declare two indexes, or hold both values in one array of documents.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items", index(keys(a, c)), index(keys(d.x, d.y)))]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     #[embed(max = 5)]
///     a: Vec<String>,
///     c: i64,
///     #[embed(max = 5)]
///     d: Vec<Pair>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// struct Pair {
///     x: i64,
///     y: i64,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod idx_parallel {}

/// **Error**: index keys are fields.
///
/// ## What it checks
///
/// Every key of an index, and every field in its conditions, is a field of the model, by its Rust name.
///
/// ## Why
///
/// MongoDB creates an index on any name, even on one that no document has. A misspelt key is therefore not an error of the server, but an index that
/// finds nothing and queries that read the whole collection.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items", index(keys(hots)))]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     host: i64,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: index on `Item::hots`: `Item` has no field `hots` [IDX_UNKNOWN_FIELD]
///        help: did you mean `host`?
///        note: the server builds an index on a name that no document has, and it finds nothing
///  --> src/model.rs:2:42
///   |
/// 2 | #[model(collection = "items", index(keys(hots)))]
///   |                                          ^^^^
/// ```
///
/// ## What to do
///
/// Correct the name. Fields inside a type that the derive cannot see need `#[derive(MongoEmbed)]` on that type.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items", index(keys(host, -b.n)))]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     host: i64,
///     #[serde(rename = "in")]
///     b: Inner,
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// struct Inner {
///     n: i64,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod idx_unknown_field {}

/// **Error**: index keys are stored.
///
/// ## What it checks
///
/// The keys of an index are fields that serde stores.
///
/// ## Why
///
/// A field with `#[serde(skip)]` is in no document, so the index would hold nothing but nulls.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items", index(keys(cache)))]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     #[serde(skip)]
///     cache: i64,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: index on `Item::cache`, which serde skips: it would be empty [IDX_SKIPPED_FIELD]
///        help: index a field that is stored
///  --> src/model.rs:2:42
///   |
/// 2 | #[model(collection = "items", index(keys(cache)))]
///   |                                          ^^^^^
/// ```
///
/// ## What to do
///
/// Index a field that is stored, or remove `skip`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items")]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     #[serde(skip)]
///     cache: i64,
///     #[index]
///     n: i64,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod idx_skipped_field {}

/// **Error**: an index is declared once.
///
/// ## What it checks
///
/// The same index is declared once per model, on a field or in `#[model(index(..))]`.
///
/// ## Why
///
/// The server keeps one index with the same keys and options, and refuses it under a second name (error 85, IndexOptionsConflict).
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items", index(keys(n)))]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     #[index]
///     n: i64,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: the index on `Item::n` is declared twice [IDX_DUPLICATE]
///        help: remove one of them
///        note: the server keeps one, and refuses a second name for it (error 85)
///  --> src/model.rs:6:7
///   |
/// 6 |     #[index]
///   |       ^^^^^
/// ```
///
/// ## What to do
///
/// Remove one of the declarations.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items", index(keys(m, -n)))]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     #[index]
///     n: i64,
///     m: i64,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod idx_duplicate {}

/// **Error**: index names are unique.
///
/// ## What it checks
///
/// Two indexes of a collection have different names. Without `name`, the name is made of the keys: `maker_1`.
///
/// ## Why
///
/// The server refuses a second index with the same name (error 86, IndexKeySpecsConflict).
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products", index(keys(maker), unique))]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     #[index]
///     pub maker: String,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: the indexes on `Product::maker` and `Product::maker` are both named `maker_1` [IDX_NAME_CONFLICT]
///        help: give one a name of its own: `name = ".."`
///        note: the server refuses the second (error 86)
///  --> src/model.rs:6:7
///   |
/// 6 |     #[index]
///   |       ^^^^^
/// ```
///
/// ## What to do
///
/// Give one of them a name: `name = "maker_unique"`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items", index(keys(a), name = "one"), index(keys(b), name = "two"))]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     a: i64,
///     b: i64,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod idx_name_conflict {}

/// **Error**: two indexes differ in more than their expiry.
///
/// ## What it checks
///
/// Two indexes on the same field do not differ in their expiry alone.
///
/// ## Why
///
/// The server refuses the second one (error 85). An index that expires documents serves the same queries as a plain one.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "sessions", index(keys(seen), expire_after = "1h", name = "short"))]
/// pub struct Session {
///     #[serde(rename = "_id")]
///     pub id: Id<Session>,
///     #[index(expire_after = "30d")]
///     pub seen: bson::DateTime,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: two indexes on `Session::seen` differ in nothing but their expiry [IDX_SAME_KEY]
///        help: keep the one with `expire_after`: it serves the same filters
///        note: the server refuses the second (error 85)
///  --> src/model.rs:6:28
///   |
/// 6 |     #[index(expire_after = "30d")]
///   |                            ^^^^^
/// ```
///
/// ## What to do
///
/// Keep the one with `expire_after`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items")]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     #[index(expire_after = "1d")]
///     at: bson::DateTime,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod idx_same_key {}

/// **Advice**: an index is not a prefix of another.
///
/// ## What it checks
///
/// An index should not be the beginning of another one: `{ time: 1 }` beside `{ time: 1, level: 1 }`.
///
/// ## Why
///
/// MongoDB can use the beginning of a compound index like a separate index (MongoDB manual, prefixes of compound indexes). The shorter index costs
/// memory and time on every write, and serves no query that the longer one does not serve.
///
/// ## Example
///
/// In a `strict` model, advice is an error:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "events", strict, schema_version = 1, index(keys(time, level)))]
/// pub struct Event {
///     #[serde(rename = "_id")]
///     pub id: Id<Event>,
///     #[index]
///     pub time: DateTime,
///     pub level: i32,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Event::time`: another index begins with the keys of this one, and serves the same queries [IDX_REDUNDANT]
///        help: remove this `#[index]`
///        help: or `#[model(allow(idx_redundant, reason = ".."))]`
///        note: `#[model(strict)]` makes errors of what is advice elsewhere
///  --> src/model.rs:7:9
///   |
/// 7 |     pub time: DateTime,
///   |         ^^^^
/// ```
///
/// ## What to do
///
/// Remove the shorter index.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "events", strict, schema_version = 1, index(keys(time, level)))]
/// pub struct Event {
///     #[serde(rename = "_id")]
///     pub id: Id<Event>,
///     pub time: DateTime,
///     pub level: i32,
/// }
/// ```
///
/// ## When to allow it
///
/// When the shorter index fits into memory and the longer one does not, and you have measured the difference.
///
/// `mongo_model::report()` lists this advice. It is an error in a `strict` model, and no compiler output elsewhere.
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(idx_redundant, reason = ".."))]
/// ```
pub mod idx_redundant {}

/// **Error**: `_id` has its own index.
///
/// ## What it checks
///
/// The `_id` field has no index attribute.
///
/// ## Why
///
/// Every collection has a unique index on `_id`. The server refuses options on it (error 197).
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     #[index(unique)]
///     pub id: Id<Product>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Product::id` is the `_id`, which always has its own unique index [IDX_ID]
///        help: remove the attribute
///        note: the server takes no options on it (error 197)
///  --> src/model.rs:5:7
///   |
/// 5 |     #[index(unique)]
///   |       ^^^^^^^^^^^^^
/// ```
///
/// ## What to do
///
/// Remove the attribute. `_id` may be a later key of a compound index.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items", index(keys(n, id)))]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     n: i64,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod idx_id {}

/// **Error**: a field appears once in an index.
///
/// ## What it checks
///
/// A field appears at most once in an index.
///
/// ## Why
///
/// The second occurrence adds nothing: the entries are already ordered by the first one.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items", index(keys(n, -n)))]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     n: i64,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Item::n` stands twice in one index [IDX_KEY_VALUE]
///        help: remove one of them
///  --> src/model.rs:2:45
///   |
/// 2 | #[model(collection = "items", index(keys(n, -n)))]
///   |                                             ^^
/// ```
///
/// ## What to do
///
/// Remove one of them.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items", index(keys(n, -m)))]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     n: i64,
///     m: i64,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod idx_key_value {}

/// **Error**: an index name is not empty, not `*`, and contains no NUL.
///
/// ## What it checks
///
/// The name of an index is not empty, not `*`, not `_id_`, and has no NUL character.
///
/// ## Why
///
/// The server refuses such names (error 67 or 2). `*` means all indexes where an index is dropped, and `_id_` is the index of `_id`.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items")]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     #[index(name = "")]
///     n: i64,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: the name of the index on `Item::n` is empty [IDX_NAME]
///        help: leave `name` out: the server's form `field_1` is used
///        note: the server refuses it (error 67 or 2)
///  --> src/model.rs:6:20
///   |
/// 6 |     #[index(name = "")]
///   |                    ^^
/// ```
///
/// ## What to do
///
/// Leave `name` out, which gives the usual `field_1`, or choose another name.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items")]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     #[index(name = "n*")]
///     n: i64,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod idx_name {}

/// **Error**: an expiring index has one field.
///
/// ## What it checks
///
/// An index with `expire_after` has exactly one key.
///
/// ## Why
///
/// The server refuses `expireAfterSeconds` on a compound index (error 67).
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "sessions", index(keys(user, seen), expire_after = "30d"))]
/// pub struct Session {
///     #[serde(rename = "_id")]
///     pub id: Id<Session>,
///     pub seen: bson::DateTime,
///     pub user: String,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `expire_after` in the index on `Session::user`, `Session::seen`, which has several keys [IDX_TTL_COMPOUND]
///        help: an index of its own: `#[index(expire_after = "30d")]` on the date field of `Session`
///        note: an expiring index has one field; the server refuses more (error 67)
///  --> src/model.rs:2:73
///   |
/// 2 | #[model(collection = "sessions", index(keys(user, seen), expire_after = "30d"))]
///   |                                                                         ^^^^^
/// ```
///
/// ## What to do
///
/// Declare two indexes: one on the date with `expire_after`, and a compound one without it.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items", index(keys(at), expire_after = "1d"), index(keys(n, at)))]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     at: bson::DateTime,
///     n: i64,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod idx_ttl_compound {}

/// **Error**: `_id` does not expire.
///
/// ## What it checks
///
/// `expire_after` does not go on the `_id`.
///
/// ## Why
///
/// The index on `_id` takes no options: the server refuses them (error 197).
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items", index(keys(id), expire_after = "1d"))]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     n: i64,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `expire_after` on `Item::id`, which is the `_id` [IDX_TTL_ID]
///        help: a date field of its own: `#[index(expire_after = "30d")] created: bson::DateTime`
///        note: the server refuses it (error 197)
///  --> src/model.rs:2:62
///   |
/// 2 | #[model(collection = "items", index(keys(id), expire_after = "1d"))]
///   |                                                              ^^^^
/// ```
///
/// ## What to do
///
/// Add a date field, and put `#[index(expire_after = "30d")]` on it.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items")]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     #[index(expire_after = 0)]
///     at: bson::DateTime,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod idx_ttl_id {}

/// **Error**: an expiry is 0 to 2,147,483,647 seconds.
///
/// ## What it checks
///
/// `expire_after` is between 0 and 2,147,483,647 seconds, which is 68 years.
///
/// ## Why
///
/// The server refuses other values (error 67).
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items")]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     #[index(expire_after = "30000d")]
///     at: bson::DateTime,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `expire_after` on `Item::at` is longer than 2 147 483 647 seconds (68 years) [IDX_TTL_RANGE]
///        help: `expire_after = "30d"`
///        note: the server refuses it (error 67)
///  --> src/model.rs:6:28
///   |
/// 6 |     #[index(expire_after = "30000d")]
///   |                            ^^^^^^^^
/// ```
///
/// ## What to do
///
/// Use a shorter time, or no expiry.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items")]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     #[index(expire_after = 2147483647)]
///     at: bson::DateTime,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod idx_ttl_range {}

/// **Error**: an expiring field is stored as a date.
///
/// ## What it checks
///
/// A field with `expire_after` is stored as a BSON date, or as an array of such dates.
///
/// ## Why
///
/// The server passes over documents whose field is not a date, without an error: they never expire. `chrono::DateTime` is stored as a string
/// unless a serde helper says otherwise, `time::OffsetDateTime` as an array of nine numbers, `SystemTime` as a document.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// use chrono::{DateTime, Utc};
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "sessions")]
/// pub struct Session {
///     #[serde(rename = "_id")]
///     pub id: Id<Session>,
///     #[index(expire_after = "30d")]
///     #[model(allow(date_as_string, reason = "read by another program"))]
///     pub seen: DateTime<Utc>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: expiry by `Session::seen: DateTime<Utc>` would never delete anything: it is stored as a string [IDX_TTL_TYPE]
///        help: make it a `bson::DateTime`
///        help: or `#[serde(with = "bson::serde_helpers::datetime::FromChrono04DateTime")]` on the field
///        note: the server passes over documents whose field is not a date, without an error
///  --> src/model.rs:8:28
///   |
/// 8 |     #[index(expire_after = "30d")]
///   |                            ^^^^^
/// ```
///
/// ## What to do
///
/// Use `bson::DateTime`, or keep the type with `#[serde(with = "bson::serde_helpers::datetime::FromChrono04DateTime")]`.
///
/// This compiles:
///
/// ```rust,ignore
/// type When = bson::DateTime;
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items")]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     #[index(expire_after = "1d")]
///     at: When,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod idx_ttl_type {}

/// **Error**: hashed, text, geo and wildcard indexes do not expire.
///
/// ## What it checks
///
/// Hashed, text, geo and wildcard indexes have no `expire_after`.
///
/// ## Why
///
/// The server refuses it on some of them (error 67). On others it creates the index and never deletes anything; its log has the line "special index
/// can't be used as a TTL index, skipping" every minute.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items")]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     #[index(hashed, expire_after = "1d")]
///     at: bson::DateTime,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `expire_after` in the hashed index on `Item::at` [IDX_TTL_SPECIAL]
///        help: a plain date field: `#[index(expire_after = "30d")] created: bson::DateTime`
///        note: the server never deletes anything by such an index, or refuses it (error 67)
///  --> src/model.rs:6:36
///   |
/// 6 |     #[index(hashed, expire_after = "1d")]
///   |                                    ^^^^
/// ```
///
/// ## What to do
///
/// Declare a plain index on the date with `expire_after`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items")]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     #[index(hashed)]
///     #[index(expire_after = "1d")]
///     at: bson::DateTime,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod idx_ttl_special {}

/// **Advice**: the earliest date of an array decides its expiry.
///
/// ## What it checks
///
/// `expire_after` should not be on an array of dates.
///
/// ## Why
///
/// The document expires by the earliest date in the array (MongoDB manual, TTL indexes). Adding a later date does not extend its life.
///
/// ## Example
///
/// In a `strict` model, advice is an error:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "trips", strict, schema_version = 1)]
/// pub struct Trip {
///     #[serde(rename = "_id")]
///     pub id: Id<Trip>,
///     #[index(expire_after = "1d")]
///     #[embed(max = 5)]
///     #[serde(default)]
///     pub days: Vec<DateTime>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Trip::days`: the earliest date of the array decides when the document expires [IDX_TTL_ARRAY]
///        help: if that is not meant, put `#[index(expire_after = "..")]` on a field that holds one date
///        help: or `#[model(allow(idx_ttl_array, reason = ".."))]`
///        note: `#[model(strict)]` makes errors of what is advice elsewhere
///  --> src/model.rs:9:9
///   |
/// 9 |     pub days: Vec<DateTime>,
///   |         ^^^^
/// ```
///
/// ## What to do
///
/// Store the date that decides in a field of its own.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "trips", strict, schema_version = 1)]
/// pub struct Trip {
///     #[serde(rename = "_id")]
///     pub id: Id<Trip>,
///     #[embed(max = 5)]
///     #[serde(default)]
///     pub days: Vec<DateTime>,
///     #[index(expire_after = "1d")]
///     pub last_day: DateTime,
/// }
/// ```
///
/// ## When to allow it
///
/// When the earliest date is intended.
///
/// `mongo_model::report()` lists this advice. It is an error in a `strict` model, and no compiler output elsewhere.
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(idx_ttl_array, reason = ".."))]
/// ```
pub mod idx_ttl_array {}

/// **Advice**: documents without the date never expire.
///
/// ## What it checks
///
/// `expire_after` should not be on an optional date.
///
/// ## Why
///
/// A document without the date never expires (MongoDB manual, TTL indexes). A program that forgets to set it fills the collection.
///
/// ## Example
///
/// In a `strict` model, advice is an error:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "sessions", strict, schema_version = 1)]
/// pub struct Session {
///     #[serde(rename = "_id")]
///     pub id: Id<Session>,
///     #[index(expire_after = "1d")]
///     #[serde(skip_serializing_if = "Option::is_none")]
///     pub closed: Option<DateTime>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Session::closed`: a document without this date never expires [IDX_TTL_OPTION]
///        help: if that is not meant, make the date no `Option`
///        help: or `#[model(allow(idx_ttl_option, reason = ".."))]`
///        note: `#[model(strict)]` makes errors of what is advice elsewhere
///  --> src/model.rs:8:9
///   |
/// 8 |     pub closed: Option<DateTime>,
///   |         ^^^^^^
/// ```
///
/// ## What to do
///
/// Make the date required, for example the time of the last use.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "sessions", strict, schema_version = 1)]
/// pub struct Session {
///     #[serde(rename = "_id")]
///     pub id: Id<Session>,
///     #[index(expire_after = "1d")]
///     pub last_seen: DateTime,
/// }
/// ```
///
/// ## When to allow it
///
/// When documents without the date are meant to stay, such as sessions that are still open.
///
/// `mongo_model::report()` lists this advice. It is an error in a `strict` model, and no compiler output elsewhere.
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(idx_ttl_option, reason = ".."))]
/// ```
pub mod idx_ttl_option {}

/// **Error**: a collection has one text index.
///
/// ## What it checks
///
/// A collection has at most one text index.
///
/// ## Why
///
/// The server refuses a second one (error 85). One text index can cover several fields.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "posts")]
/// pub struct Post {
///     #[serde(rename = "_id")]
///     pub id: Id<Post>,
///     #[index(text)]
///     pub title: String,
///     #[index(text)]
///     pub body: String,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: second text index, on `Post::body`; the first is on `Post::title` [IDX_TEXT_MANY]
///        help: one index of all: `#[model(index(keys(text(title), text(body))))]`
///        note: a collection has one text index (error 85)
///  --> src/model.rs:8:7
///   |
/// 8 |     #[index(text)]
///   |       ^^^^^^^^^^^
/// ```
///
/// ## What to do
///
/// Put all fields into one index: `#[model(index(keys(text(title), text(body))))]`, with `weights(..)` if one counts more.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items", index(keys(text(a), text(b)), weights(a = 10)))]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     a: String,
///     b: String,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod idx_text_many {}

/// **Error**: text keys are adjacent, without collation or geo keys.
///
/// ## What it checks
///
/// The text keys of an index are strings and are adjacent. The index has no collation and no geo, hashed or array key beside them.
///
/// ## Why
///
/// The server refuses such an index (error 67), or every document with an array in the other key (error 201). A text key on a number or a
/// date holds no words, without an error.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items", index(keys(text(a), n, text(b))))]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     a: String,
///     b: String,
///     n: i64,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: another key stands between the text keys of the index on `Item::a`, `Item::n`, `Item::b` [IDX_TEXT_SHAPE]
///        help: put the text keys next to each other
///        note: the server refuses it (error 67)
///  --> src/model.rs:2:51
///   |
/// 2 | #[model(collection = "items", index(keys(text(a), n, text(b))))]
///   |                                                   ^
/// ```
///
/// ## What to do
///
/// Put the text keys next to each other, and other keys into an index of their own.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items", index(keys(n, text(a), text(b))))]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     a: String,
///     b: String,
///     n: i64,
/// }
///
/// /// The types do not show that the key before the text is fixed.
/// async fn search(db: &mongo_model::Database) {
///     let _ = Item::scan(db, |item| item.n.eq(1).and(item.a.text("grommet")));
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod idx_text_shape {}

/// **Error**: a field `language` beside a text index is its language.
///
/// ## What it checks
///
/// A model with a text index has no other use for a field that is stored as `language`, and the index names a language that the server knows.
///
/// ## Why
///
/// MongoDB reads the field `language` beside a text index as the language of the text. It refuses documents whose value it does not know (error
/// 17262), for example a country code, and null (error 17261).
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items")]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     #[index(text)]
///     body: String,
///     language: String,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Item::language` would be read as the language of the text index on `Item::body` [IDX_TEXT_LANGUAGE]
///        help: name another field in the index: `language_override = "_language"`
///        help: if it is the language: `#[model(allow(idx_text_language, reason = ".."))]`
///        note: the server refuses documents whose `language` it does not know (error 17262), or is null (error 17261)
///  --> src/model.rs:6:7
///   |
/// 6 |     #[index(text)]
///   |       ^^^^^^^^^^^
/// ```
///
/// ## What to do
///
/// Name another field for this purpose: `language_override = "_language"` in the index.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items", index(keys(text(body)), language_override = "_lang"))]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     body: String,
///     language: String,
/// }
/// ```
///
/// ## When to allow it
///
/// When the field is indeed the language of the text, in MongoDB's names (`english`, `german`, `none`).
///
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(idx_text_language, reason = ".."))]
/// ```
pub mod idx_text_language {}

/// **Error**: a hashed key is not unique, not an array, and occurs once.
///
/// ## What it checks
///
/// A hashed key is not unique, not in an array, and there is at most one in an index.
///
/// ## Why
///
/// The server refuses a unique hashed index (error 16764) and two hashed keys (error 31303) when it creates the index, and documents with an array in
/// the hashed field (error 16766) when they are inserted.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items")]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     #[index(hashed, unique)]
///     n: i64,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: the hashed index on `Item::n` cannot be unique [IDX_HASHED]
///        help: `#[index(unique)]`, which serves equality too
///        note: two values can have one hash; the server refuses it (error 16764)
///  --> src/model.rs:6:21
///   |
/// 6 |     #[index(hashed, unique)]
///   |                     ^^^^^^
/// ```
///
/// ## What to do
///
/// Use a plain index, which can do all of that. A hashed index is mainly for hashed sharding.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items")]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     #[index(hashed)]
///     n: String,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod idx_hashed {}

/// **Error**: a wildcard index is plain.
///
/// ## What it checks
///
/// A wildcard index is not unique, sparse or expiring, and has no other keys.
///
/// ## Why
///
/// The server refuses these options (error 67). A wildcard key beside other keys needs MongoDB 7.0.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products", index(keys(wildcard), sparse))]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: the wildcard index on `Product` cannot be sparse [IDX_WILDCARD]
///        help: remove `sparse`
///        note: the server refuses it (error 67)
///  --> src/model.rs:2:56
///   |
/// 2 | #[model(collection = "products", index(keys(wildcard), sparse))]
///   |                                                        ^^^^^^
/// ```
///
/// ## What to do
///
/// Remove the option, or declare two indexes.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items", index(keys(wildcard)))]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     n: i64,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod idx_wildcard {}

/// **Error**: a partial index has conditions the server accepts, and is not sparse.
///
/// ## What it checks
///
/// The conditions of a partial index use operators that the server accepts there, compare values of the field's type, and the index is not sparse as
/// well.
///
/// ## Why
///
/// The server refuses other operators, such as `$ne` or `$regex` (error 67), unknown type names (error 2), and an index that is partial and sparse. A
/// condition that compares with a value of another type is never true: the index would be empty, without an error.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items")]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     #[index(partial(ne = 5))]
///     n: i64,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `ne` on `Item::n` cannot be a condition of a partial index [IDX_PARTIAL]
///        help: possible are `exists`, `type = "string"`, `eq`, `gt`, `gte`, `lt` and `lte`; all conditions must hold
///        note: the server refuses other operators there (error 67)
///  --> src/model.rs:6:21
///   |
/// 6 |     #[index(partial(ne = 5))]
///   |                     ^^^^^^
/// ```
///
/// ## What to do
///
/// Use `exists`, `type = "string"`, `eq`, `gt`, `gte`, `lt` or `lte`. `partial(exists)` replaces `sparse`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items", index(keys(n), partial(active = true, status = "open", n(gt = 5, lte = 9))))]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     n: i64,
///     active: bool,
///     status: String,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod idx_partial {}

/// **Error**: a unique field is not stored as null.
///
/// ## What it checks
///
/// A unique index is not on an optional field that is stored as null, or missing, in more than one document.
///
/// ## Why
///
/// For a unique index null is a value like any other, and so is a missing field: the second document without a value is a duplicate key (error 11000).
/// `sparse` does not help as long as `None` is stored as null.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items")]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     #[index(unique)]
///     email: Option<String>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: unique index on `Item::email: Option<String>`: two documents without a value would collide on null [IDX_UNIQUE_NULL]
///        help: `#[serde(skip_serializing_if = "Option::is_none")]` and `#[index(unique, partial(exists))]`
///        help: or, where null may be stored: `#[index(unique, partial(type = "string"))]` with the type of the values
///        note: null and a missing field are values like others to a unique index (error 11000)
///  --> src/model.rs:6:13
///   |
/// 6 |     #[index(unique)]
///   |             ^^^^^^
/// ```
///
/// ## What to do
///
/// Do not store `None` and leave such documents out of the index: `#[serde(skip_serializing_if = "Option::is_none")]` with
/// `#[index(unique, partial(exists))]`. If null has to be stored: `partial(type = "string")`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items")]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     #[index(unique, partial(type = "string"))]
///     email: Option<String>,
/// }
/// ```
///
/// ## When to allow it
///
/// When only one document may be without a value.
///
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(idx_unique_null, reason = ".."))]
/// ```
pub mod idx_unique_null {}

/// **Error**: a unique index does not run over an array.
///
/// ## What it checks
///
/// A unique index does not run over an array.
///
/// ## Why
///
/// The index compares elements across documents, not within one. No two documents could share an element, one document could hold it
/// twice, and only one document could have an empty array (MongoDB manual, unique multikey indexes).
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items")]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     #[embed(max = 5)]
///     #[index(unique)]
///     tags: Vec<String>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: unique index on `Item::tags` runs over an array [IDX_UNIQUE_ARRAY]
///        help: remove `unique`
///        help: if this is intended: `#[model(allow(idx_unique_array, reason = ".."))]`
///        note: no two documents could share one element, one document could hold it twice, and only one document could have no elements
///  --> src/model.rs:7:13
///   |
/// 7 |     #[index(unique)]
///   |             ^^^^^^
/// ```
///
/// ## What to do
///
/// Remove `unique`: a plain index finds the documents that contain an element just as well.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items")]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     #[embed(max = 5)]
///     #[index(unique)]
///     #[model(allow(idx_unique_array, reason = "a tag belongs to one item"))]
///     tags: Vec<String>,
/// }
/// ```
///
/// ## When to allow it
///
/// When an element belongs to one document only, such as the phone numbers of an account, and no array is ever empty.
///
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(idx_unique_array, reason = ".."))]
/// ```
pub mod idx_unique_array {}

/// **Advice**: an index on a bool filters out too little.
///
/// ## What it checks
///
/// An index should not be on a `bool` alone.
///
/// ## Why
///
/// An equality condition should leave out at least 90 % of the documents (MongoDB manual, the ESR guideline). A bool has two values, so
/// with equal shares the server reads half of the collection through the index.
///
/// ## Example
///
/// In a `strict` model, advice is an error:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "orders", strict, schema_version = 1)]
/// pub struct Order {
///     #[serde(rename = "_id")]
///     pub id: Id<Order>,
///     #[index]
///     pub paid: bool,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Order::paid`: an index on a bool leaves half of the documents to be read [IDX_LOW_CARD]
///        help: put it after the other keys: `#[model(index(keys(other, this)))]`
///        help: or `#[model(allow(idx_low_card, reason = ".."))]`
///        note: `#[model(strict)]` makes errors of what is advice elsewhere
///  --> src/model.rs:7:9
///   |
/// 7 |     pub paid: bool,
///   |         ^^^^
/// ```
///
/// ## What to do
///
/// Index only the rare value, `#[index(partial(eq = false))]`, or put the field into a compound index behind one that selects more.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "orders", strict, schema_version = 1)]
/// pub struct Order {
///     #[serde(rename = "_id")]
///     pub id: Id<Order>,
///     #[index(partial(eq = false))]
///     pub paid: bool,
/// }
/// ```
///
/// ## When to allow it
///
/// When one of the two values is very rare, and only that one is queried.
///
/// `mongo_model::report()` lists this advice. It is an error in a `strict` model, and no compiler output elsewhere.
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(idx_low_card, reason = ".."))]
/// ```
pub mod idx_low_card {}

/// **Advice**: an index names fields of an embedded document.
///
/// ## What it checks
///
/// An index should not be on an embedded document, a map or a generated entry as a whole.
///
/// ## Why
///
/// Such an index serves only a comparison with the whole document, all fields in the stored order (MongoDB manual, embedded documents). It does
/// not serve a condition on one of its fields.
///
/// ## Example
///
/// In a `strict` model, advice is an error:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hotels", strict, schema_version = 1)]
/// pub struct Hotel {
///     #[serde(rename = "_id")]
///     pub id: Id<Hotel>,
///     #[index]
///     #[embed(max = 20)]
///     #[serde(default)]
///     pub rooms: Vec<Room>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Room {
///     pub number: i32,
///     pub beds: i32,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Hotel::rooms`: this index holds whole embedded documents, and serves comparisons with whole documents only [IDX_WHOLE_DOC]
///        help: name the field that is asked for: `#[model(index(keys(this.field)))]`
///        help: or `#[model(allow(idx_whole_doc, reason = ".."))]`
///        note: `#[model(strict)]` makes errors of what is advice elsewhere
///  --> src/model.rs:9:9
///   |
/// 9 |     pub rooms: Vec<Room>,
///   |         ^^^^^
/// ```
///
/// ## What to do
///
/// Index the field inside that you query: `#[index]` in the embedded type, or `index(keys(rooms.number))`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hotels", strict, schema_version = 1)]
/// pub struct Hotel {
///     #[serde(rename = "_id")]
///     pub id: Id<Hotel>,
///     #[embed(max = 20)]
///     #[serde(default)]
///     pub rooms: Vec<Room>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Room {
///     #[index]
///     pub number: i32,
///     pub beds: i32,
/// }
/// ```
///
/// ## When to allow it
///
/// When whole documents are compared, and the order of their fields never changes.
///
/// `mongo_model::report()` lists this advice. It is an error in a `strict` model, and no compiler output elsewhere.
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(idx_whole_doc, reason = ".."))]
/// ```
pub mod idx_whole_doc {}

/// **Error**: a geo index is on a GeoJSON value or a pair.
///
/// ## What it checks
///
/// A geo index is on a GeoJSON document `{ type, coordinates }` or a pair of numbers, longitude first.
///
/// ## Why
///
/// The server refuses every document with another value in that field (error 16755).
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items")]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     #[index(geo)]
///     place: String,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: geo index on `Item::place: String`, which is stored as a string [IDX_GEO]
///        help: make it a GeoJSON document `{ type, coordinates }` or a pair `[f64; 2]` (longitude, latitude)
///        note: the server refuses every document with another value there (error 16755)
///  --> src/model.rs:6:7
///   |
/// 6 |     #[index(geo)]
///   |       ^^^^^^^^^^
/// ```
///
/// ## What to do
///
/// Use `[f64; 2]`, or a struct with `type` and `coordinates`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items")]
/// struct Item {
///     #[serde(rename = "_id")]
///     id: Id<Item>,
///     #[index(geo)]
///     place: [f64; 2],
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod idx_geo {}

/// **Advice**: an index runs over at most 1,000 elements.
///
/// ## What it checks
///
/// An index should not run over an array that may hold more than 1,000 elements.
///
/// ## Why
///
/// The index has one entry per element: inserting one document writes up to that many entries. A push with `$sort` and `$slice` took 51 ms at 5,000
/// elements, and 88 ms with an index over them.
///
/// ## Example
///
/// In a `strict` model, advice is an error:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "lotteries", strict, schema_version = 1)]
/// pub struct Lottery {
///     #[serde(rename = "_id")]
///     pub id: Id<Lottery>,
///     #[index]
///     #[embed(max = 2000)]
///     #[serde(default)]
///     pub tickets: Vec<i32>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Lottery::tickets`: one document may have more than 1,000 entries in this index [IDX_MULTIKEY_FAN]
///        help: lower `max`, or remove the index
///        help: or `#[model(allow(idx_multikey_fan, reason = ".."))]`
///        note: `#[model(strict)]` makes errors of what is advice elsewhere
///  --> src/model.rs:9:9
///   |
/// 9 |     pub tickets: Vec<i32>,
///   |         ^^^^^^^
/// ```
///
/// ## What to do
///
/// Lower the bound, or make the elements documents of their own collection with `#[parent(..)]` and an index there.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "lotteries", strict, schema_version = 1)]
/// pub struct Lottery {
///     #[serde(rename = "_id")]
///     pub id: Id<Lottery>,
///     pub year: i32,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "tickets")]
/// pub struct Ticket {
///     #[serde(rename = "_id")]
///     pub id: Id<Ticket>,
///     #[parent(Lottery)]
///     pub lottery: Id<Lottery>,
///     #[index]
///     pub number: i32,
/// }
/// ```
///
/// ## When to allow it
///
/// When the arrays are nearly always small, and the bound is for a few outliers.
///
/// `mongo_model::report()` lists this advice. It is an error in a `strict` model, and no compiler output elsewhere.
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(idx_multikey_fan, reason = ".."))]
/// ```
pub mod idx_multikey_fan {}

/// **Error**: a declared access pattern is served by an index.
///
/// ## What it checks
///
/// Every access pattern that the model declares (`access(name(..))`) has an index that serves it.
///
/// ## Why
///
/// Structure the data, and the indexes, for the queries of the application (rule of thumb 6). Without an index the server reads every document; the message
/// contains the index to paste.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(
///     collection = "messages",
///     access(recent(host, sort = -time, limit = 5000))
/// )]
/// pub struct Message {
///     #[serde(rename = "_id")]
///     pub id: Id<Message>,
///     pub host: String,
///     pub level: i32,
///     pub open: bool,
///     pub time: DateTime,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `access(recent(..))` on `Message` has no index [IDX_ACCESS]
///        help: `#[model(index(keys(host, -time)))]`
///        note: indexed queries find a document in a million as fast as one in a thousand; without an index every document is read (rule of thumb 4)
///  --> src/model.rs:4:12
///   |
/// 4 |     access(recent(host, sort = -time, limit = 5000))
///   |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
/// ```
///
/// ## What to do
///
/// Add the index from the message.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(
///     collection = "messages",
///     index(keys(host, -time)),
///     access(recent(host, sort = -time, limit = 5000))
/// )]
/// pub struct Message {
///     #[serde(rename = "_id")]
///     pub id: Id<Message>,
///     pub host: String,
///     pub level: i32,
///     pub open: bool,
///     pub time: DateTime,
/// }
/// ```
///
/// ## When to allow it
///
/// When the collection stays small, or the pattern is for a rare report that may read all of it.
///
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(idx_access, reason = ".."))]
/// ```
pub mod idx_access {}

/// **Error**: the index of an access pattern has its equality keys first, then its sort, then its range.
///
/// ## What it checks
///
/// The index of an access pattern has its keys in this order: those that are compared for equality, those that sort, then the range.
///
/// ## Why
///
/// This is the ESR guideline of the MongoDB manual (equality, sort, range). With the range before the sort the server has to sort in memory,
/// where it may use 100 MiB; with the range before an equality it reads keys that do not match.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(
///     collection = "messages",
///     index(keys(host, level, -time)),
///     access(severe(host, range = level, sort = -time))
/// )]
/// pub struct Message {
///     #[serde(rename = "_id")]
///     pub id: Id<Message>,
///     pub host: String,
///     pub level: i32,
///     pub open: bool,
///     pub time: DateTime,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `access(severe(..))` on `Message` finds its fields in the index `keys(host, level, -time)` in an order that does not serve it [IDX_ESR]
///        help: `#[model(index(keys(host, -time, level)))]`
///        note: keys compared for equality come first, then those that sort, then the range (ESR): else the server reads keys in vain or sorts in memory
///  --> src/model.rs:5:12
///   |
/// 5 |     access(severe(host, range = level, sort = -time))
///   |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
/// ```
///
/// ## What to do
///
/// Change the order of the keys to that in the message.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(
///     collection = "messages",
///     index(keys(host, -time, level)),
///     access(severe(host, range = level, sort = -time), since(host, range = time, sort = -time))
/// )]
/// pub struct Message {
///     #[serde(rename = "_id")]
///     pub id: Id<Message>,
///     pub host: String,
///     pub level: i32,
///     pub open: bool,
///     pub time: DateTime,
/// }
/// ```
///
/// ## When to allow it
///
/// When the range selects so few documents that sorting them costs nothing, and the index serves another pattern too.
///
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(idx_esr, reason = ".."))]
/// ```
pub mod idx_esr {}

/// **Error**: the index of an access pattern runs in the order of its sort, or in the opposite one.
///
/// ## What it checks
///
/// The index of an access pattern has its sort keys in the directions of the sort, or in all the opposite ones, and no sort key is an array.
///
/// ## Why
///
/// An index can be read from either end, which reverses all directions together. For any other mix of directions, and for arrays, the server sorts
/// in memory, where it may use 100 MiB.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(
///     collection = "messages",
///     index(keys(host, -time, level)),
///     access(recent(host, sort(-time, -level)))
/// )]
/// pub struct Message {
///     #[serde(rename = "_id")]
///     pub id: Id<Message>,
///     pub host: String,
///     pub level: i32,
///     pub open: bool,
///     pub time: DateTime,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `access(recent(..))` on `Message` sorts in directions that the index `keys(host, -time, level)` has neither forwards nor backwards [IDX_SORT_DIR]
///        help: `#[model(index(keys(host, -time, -level)))]`
///        note: an index is read from either end, which reverses all directions together; otherwise the server sorts in memory
///  --> src/model.rs:5:12
///   |
/// 5 |     access(recent(host, sort(-time, -level)))
///   |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
/// ```
///
/// ## What to do
///
/// Reverse the keys as the message shows (`-level`).
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(
///     collection = "messages",
///     index(keys(host, -time, level)),
///     access(oldest(host, sort(time, -level)))
/// )]
/// pub struct Message {
///     #[serde(rename = "_id")]
///     pub id: Id<Message>,
///     pub host: String,
///     pub level: i32,
///     pub open: bool,
///     pub time: DateTime,
/// }
/// ```
///
/// ## When to allow it
///
/// When the pattern returns so few documents that sorting them in memory costs nothing.
///
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(idx_sort_dir, reason = ".."))]
/// ```
pub mod idx_sort_dir {}

/// **Error**: the index of an access pattern leaves out nothing that it asks for.
///
/// ## What it checks
///
/// An access pattern does not rely on a partial or sparse index that leaves out documents the pattern asks for.
///
/// ## Why
///
/// The server uses a partial index only if the query states its conditions (MongoDB manual, partial indexes). Otherwise it would miss documents, so
/// it reads the whole collection.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(
///     collection = "messages",
///     index(keys(host, -time), partial(open = true)),
///     access(recent(host, sort = -time))
/// )]
/// pub struct Message {
///     #[serde(rename = "_id")]
///     pub id: Id<Message>,
///     pub host: String,
///     pub level: i32,
///     pub open: bool,
///     pub time: DateTime,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `access(recent(..))` on `Message` asks for documents that the index `keys(host, -time)` may leave out [IDX_PARTIAL_QUERY]
///        help: `#[model(index(keys(host, -time), name = "host_time_all"))]`
///        help: or state its conditions in the pattern, which then asks for these documents only: `only(open = true)`
///        note: the server uses a partial or sparse index only where the query states its conditions: `only(..)` states them
///  --> src/model.rs:5:12
///   |
/// 5 |     access(recent(host, sort = -time))
///   |            ^^^^^^^^^^^^^^^^^^^^^^^^^^
/// ```
///
/// ## What to do
///
/// Add the conditions to the pattern, `only(open = true)`, or declare a full index.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(
///     collection = "messages",
///     index(keys(host, -time), partial(open = true)),
///     access(open(host, only(open = true), sort = -time))
/// )]
/// pub struct Message {
///     #[serde(rename = "_id")]
///     pub id: Id<Message>,
///     pub host: String,
///     pub level: i32,
///     pub open: bool,
///     pub time: DateTime,
/// }
/// ```
///
/// ## When to allow it
///
/// When the full query is rare and a collection scan is acceptable there.
///
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(idx_partial_query, reason = ".."))]
/// ```
pub mod idx_partial_query {}

/// **Advice**: an index is used, and serves an access pattern where a model declares its patterns.
///
/// ## What it checks
///
/// In a model that declares access patterns, each index should serve one of them. `report().with_usage(&db)` also lists indexes that the server
/// has not used since it started. Unique and expiring indexes do not count.
///
/// ## Why
///
/// Every write updates every index, and all indexes compete for memory (MongoDB manual, unnecessary indexes).
///
/// ## Example
///
/// In a `strict` model, advice is an error:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "books", strict, schema_version = 1, access(of_year(year)))]
/// pub struct Book {
///     #[serde(rename = "_id")]
///     pub id: Id<Book>,
///     #[index]
///     pub year: i32,
///     #[index]
///     pub pages: i32,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Book::pages`: no declared access pattern uses this index [IDX_UNUSED]
///        help: remove it, or declare the pattern: `#[model(access(..))]`
///        help: or `#[model(allow(idx_unused, reason = ".."))]`
///        note: `#[model(strict)]` makes errors of what is advice elsewhere
///  --> src/model.rs:9:9
///   |
/// 9 |     pub pages: i32,
///   |         ^^^^^
/// ```
///
/// ## What to do
///
/// Remove the index, or declare the access pattern that needs it.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "books", strict, schema_version = 1, access(of_year(year)))]
/// pub struct Book {
///     #[serde(rename = "_id")]
///     pub id: Id<Book>,
///     #[index]
///     pub year: i32,
///     pub pages: i32,
/// }
/// ```
///
/// ## When to allow it
///
/// When queries of another program, or ones that are not declared as patterns, use it.
///
/// `mongo_model::report()` lists this advice. It is an error in a `strict` model, and no compiler output elsewhere.
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(idx_unused, reason = ".."))]
/// ```
pub mod idx_unused {}

/// **Error**: a filter is served by a declared index.
///
/// ## What it checks
///
/// The filter of `find`, `count` and similar calls contains a condition that a declared index can serve. This holds for text and geo searches,
/// too.
///
/// ## Why
///
/// Without an index the server reads every document of the collection. The program is fast with test data and slow with real data (rules of thumb 4
/// and 6).
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     #[index(unique)]
///     pub catalog_number: i64,
///     pub maker: String,
/// }
///
/// pub async fn calls(db: &Database) {
///     let _ = Product::find(db, |p| p.maker.eq("Acme"));
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0277]: no index of `Product` serves a filter on `maker` [IDX_FILTER]
///   --> src/model.rs:12:31
///    |
/// 12 |     let _ = Product::find(db, |p| p.maker.eq("Acme"));
///    |             -------------     ^^^^^^^^^^^^^^^^^^^^^^ this filter would scan the whole collection
///    |             |
///    |             required by a bound introduced by this call
///    |
///    = note: add `#[index]` to the field, or put it first in an `index(keys(..))` of the model
///    = note: for an intentional scan write `scan(..)`
/// ```
///
/// ## What to do
///
/// Add the index that the message asks for, or an indexed condition beside this one. If the collection is small, or the scan is intended, call `scan(..)`
/// instead of `find(..)`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     #[index(unique)]
///     pub catalog_number: i64,
///     #[index]
///     pub maker: String,
///     pub year: i32,
/// }
///
/// pub async fn calls(db: &Database) {
///     let _ = Product::find(db, |p| p.maker.eq("Acme"));
///     let _ = Product::find(db, |p| p.maker.eq("Acme").and(p.year.gt(1990)));
///     let _ = Product::scan(db, |p| p.year.gt(1990));
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod idx_filter {}

/// **Error**: a filter asks about its own collection.
///
/// ## What it checks
///
/// A filter uses fields of its own collection. It cannot follow a reference into another one.
///
/// ## Why
///
/// A MongoDB filter sees one collection. A join with `$lookup` before the filter would read every document and join it first. With a copy of
/// the field, the same question is one indexed query (rule of thumb 6).
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "parts")]
/// pub struct Part {
///     #[serde(rename = "_id")]
///     pub id: Id<Part>,
///     #[index]
///     pub name: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: i32,
///     #[refs(Part)]
///     pub parts: Vec<Id<Part>>,
/// }
///
/// pub async fn calls(db: &Database) {
///     let _ = Product::find(db, |p| p.parts.name.eq("grommet"));
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0277]: a filter of `Product` cannot ask about a field of `Part`, another collection [FILTER_CHILD]
///   --> src/model.rs:20:31
///    |
/// 20 |     let _ = Product::find(db, |p| p.parts.name.eq("grommet"));
///    |             -------------     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ asks about a field of `Part`
///    |             |
///    |             required by a bound introduced by this call
///    |
///    = note: copy what you filter by to where you filter, and index the copy: `#[denorm(from = Part, field = ..)]` on the reference and `#[model(index(keys(<reference>.<field>)))]`, or beside a `#[parent(Part)]` a field with `#[denorm(from = Part, field = ..)] #[index]`
///    = note: MongoDB filters one collection at a time: a copy makes it one indexed query (rule of thumb 6)
/// ```
///
/// ## What to do
///
/// Copy the field to where you filter by it, and index the copy: `#[denorm(from = Part, field = name)]` on the reference, and
/// `index(keys(parts.name))`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "parts")]
/// pub struct Part {
///     #[serde(rename = "_id")]
///     pub id: Id<Part>,
///     pub name: String,
///     pub label: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products", index(keys(parts.name)))]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: i32,
///     #[refs(Part)]
///     #[denorm(from = Part, field = name)]
///     pub parts: Vec<ProductPart>,
///     #[parent(Part)]
///     pub main: Id<Part>,
///     #[denorm(from = Part, field = label)]
///     #[index]
///     pub label: String,
/// }
///
/// pub async fn calls(db: &Database) {
///     let _ = Product::find(db, |p| p.parts.name.eq("grommet"));
///     let _ = Product::find(db, |p| p.label.eq("blue"));
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod filter_child {}

/// **Error**: a queue is ordered by fields of the model that hold one value.
///
/// ## What it checks
///
/// `priority` and `order` of a queue name stored fields of the model that hold one value.
///
/// ## Why
///
/// Taking a job is one `findAndModify` along an index over these fields: with the index it looked at one of 2,000 documents, without it at all of
/// them. An array or a document has no single place in an order.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "a", queue(priority = urgncy))]
/// pub struct Misspelt {
///     #[serde(rename = "_id")]
///     pub id: Id<Misspelt>,
///     pub urgency: i32,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `priority = urgncy` of the queue `Misspelt` names no stored field of it [QUEUE_FIELD]
///        help: did you mean `urgency`?
///  --> src/model.rs:2:44
///   |
/// 2 | #[model(collection = "a", queue(priority = urgncy))]
///   |                                            ^^^^^^
/// ```
///
/// ## What to do
///
/// Correct the name, or order by a number, a date or a string.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "b", queue(priority = urgency, order = due, max_attempts = 3))]
/// pub struct Full {
///     #[serde(rename = "_id")]
///     pub id: Id<Full>,
///     #[serde(rename = "u")]
///     pub urgency: Number,
///     pub due: Option<bson::DateTime>,
/// }
///
/// pub type Number = i32;
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod queue_field {}

/// **Error**: a bucket says how many items it takes.
///
/// ## What it checks
///
/// A bucket is a document that holds up to a certain number of items of one parent. Its array of items states that number with `#[embed(max = n)]`.
///
/// ## Why
///
/// A bucket is read and written as one document, and the next one is opened when it is full ("Schema Design with MongoDB": a new bucket every N items).
/// Without the number it would grow without bound (rule of thumb 3).
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct LogLine {
///     pub id: i64,
///     pub message: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "pages", bucket(lines))]
/// pub struct LogPage {
///     #[serde(rename = "_id")]
///     pub id: BucketId<Host>,
///     #[parent(Host)]
///     pub host: Id<Host>,
///     pub count: i64,
///     pub lines: Vec<LogLine>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `LogPage::lines` holds the items of a bucket, and nothing says how many [BUCKET_MAX]
///        help: `#[embed(max = 50)]`, at most 1000: the next bucket is opened when it is full
///        note: a bucket is read and written as one document: it holds about as many items as one page shows
///   --> src/model.rs:22:16
///    |
/// 22 |     pub lines: Vec<LogLine>,
///    |                ^^^^^^^^^^^^
/// ```
///
/// ## What to do
///
/// Choose about as many items as one page of your program shows, for example 50.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct LogLine {
///     pub id: i64,
///     pub message: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "pages", bucket(lines))]
/// pub struct LogPage {
///     #[serde(rename = "_id")]
///     pub id: BucketId<Host>,
///     #[parent(Host)]
///     pub host: Id<Host>,
///     pub count: i64,
///     #[embed(max = 1000)]
///     pub lines: Vec<LogLine>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod bucket_max {}

/// **Advice**: a bucket takes at most 1,000 items.
///
/// ## What it checks
///
/// A bucket should take at most 1,000 items.
///
/// ## Why
///
/// Every push rewrites the bucket: 2.6 ms at 1,000 elements, 5.6 ms at 5,000, 40 ms at 20,000. A reader who needs ten items fetches all of them.
///
/// ## Example
///
/// In a `strict` model, advice is an error:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "stations")]
/// pub struct Station {
///     #[serde(rename = "_id")]
///     pub id: Id<Station>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Reading {
///     pub id: i64,
///     pub level: i32,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "readings", strict, bucket(readings))]
/// pub struct ReadingPage {
///     #[serde(rename = "_id")]
///     pub id: BucketId<Station>,
///     #[parent(Station)]
///     pub station: Id<Station>,
///     pub count: i64,
///     #[embed(max = 2000)]
///     #[serde(default)]
///     pub readings: Vec<Reading>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `ReadingPage::readings`: a bucket may hold more than 1,000 items [BUCKET_LARGE]
///        help: lower `max`: a full bucket is followed by the next one
///        help: or `#[model(allow(bucket_large, reason = ".."))]`
///        note: `#[model(strict)]` makes errors of what is advice elsewhere
///   --> src/model.rs:24:9
///    |
/// 24 |     pub readings: Vec<Reading>,
///    |         ^^^^^^^^
/// ```
///
/// ## What to do
///
/// Choose about as many items as are read together.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "stations")]
/// pub struct Station {
///     #[serde(rename = "_id")]
///     pub id: Id<Station>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Reading {
///     pub id: i64,
///     pub level: i32,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "readings", strict, bucket(readings))]
/// pub struct ReadingPage {
///     #[serde(rename = "_id")]
///     pub id: BucketId<Station>,
///     #[parent(Station)]
///     pub station: Id<Station>,
///     pub count: i64,
///     #[embed(max = 1000)]
///     #[serde(default)]
///     pub readings: Vec<Reading>,
/// }
/// ```
///
/// ## When to allow it
///
/// When items are small and always read by the thousand, for example to draw a chart.
///
/// `mongo_model::report()` lists this advice. It is an error in a `strict` model, and no compiler output elsewhere.
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(bucket_large, reason = ".."))]
/// ```
pub mod bucket_large {}

/// **Error**: the `_id` of a bucket is its parent and a number.
///
/// ## What it checks
///
/// The `_id` of a bucket is a `BucketId<Parent>`: the id of its parent and a number that counts up.
///
/// ## Why
///
/// The unique `_id` decides which of several writers opens the next bucket. In a test with 12 writers at a time and no unique index, 36 of 150
/// parents got between 2 and 12 open buckets; with one, each had exactly one.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct LogLine {
///     pub id: i64,
///     pub message: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "pages", bucket(lines))]
/// pub struct LogPage {
///     #[serde(rename = "_id")]
///     pub id: Id<LogPage>,
///     #[parent(Host)]
///     pub host: Id<Host>,
///     pub count: i64,
///     #[embed(max = 50)]
///     pub lines: Vec<LogLine>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `LogPage::id` is the `_id` of a bucket, and does not name its parent [BUCKET_UNIQUE]
///        help: `BucketId<Host>`
///        note: it is the parent's `_id` and a number: without that, writers at the same time open several buckets
///   --> src/model.rs:18:13
///    |
/// 18 |     pub id: Id<LogPage>,
///    |             ^^^^^^^^^^^
/// ```
///
/// ## What to do
///
/// Use `BucketId<Host>`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct LogLine {
///     pub id: i64,
///     pub message: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "pages", bucket(lines))]
/// pub struct LogPage {
///     #[serde(rename = "_id")]
///     pub id: BucketId<Host>,
///     #[parent(Host)]
///     pub host: Id<Host>,
///     pub count: i64,
///     #[embed(max = 1000)]
///     pub lines: Vec<LogLine>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod bucket_unique {}

/// **Error**: a bucket counts its items in an `i64`.
///
/// ## What it checks
///
/// A bucket has a field `count: i64`, without other attributes. The library keeps the number of its items there.
///
/// ## Why
///
/// The number changes in the same update as the items, so that counting all items of a parent adds up one number per bucket and reads no items.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct LogLine {
///     pub id: i64,
///     pub message: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "pages", bucket(lines))]
/// pub struct LogPage {
///     #[serde(rename = "_id")]
///     pub id: BucketId<Host>,
///     #[parent(Host)]
///     pub host: Id<Host>,
///     #[embed(max = 50)]
///     pub lines: Vec<LogLine>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: bucket `LogPage` has no field `count` [BUCKET_COUNT]
///        help: `pub count: i64`
///        note: the number of items is kept in the same update as the items, so that counting reads none of them
///   --> src/model.rs:16:12
///    |
/// 16 | pub struct LogPage {
///    |            ^^^^^^^
/// ```
///
/// ## What to do
///
/// Add `pub count: i64`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct LogLine {
///     pub id: i64,
///     pub message: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "pages", bucket(lines))]
/// pub struct LogPage {
///     #[serde(rename = "_id")]
///     pub id: BucketId<Host>,
///     #[parent(Host)]
///     pub host: Id<Host>,
///     pub count: i64,
///     #[embed(max = 1000)]
///     pub lines: Vec<LogLine>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod bucket_count {}

/// **Error**: a bucket refers to its parent by one plain id.
///
/// ## What it checks
///
/// A bucket of `BucketId<Host>` has exactly one field `#[parent(Host)] host: Id<Host>`: no `Option`, no copies in it, no `inverse`.
///
/// ## Why
///
/// The index on this field finds the buckets of a parent, to look for an item in them and to delete them with the parent. It holds
/// the same id as the bucket's `_id`, and never changes.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct LogLine {
///     pub id: i64,
///     pub message: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "a", bucket(lines))]
/// pub struct Missing {
///     #[serde(rename = "_id")]
///     pub id: BucketId<Host>,
///     pub host: Id<Host>,
///     pub count: i64,
///     #[embed(max = 50)]
///     pub lines: Vec<LogLine>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: bucket `Missing` belongs to a `Host`, and does not refer to it [BUCKET_PARENT]
///        help: `#[parent(Host)] pub host: Id<Host>`
///        note: its index finds the buckets of one parent: to delete them with it, and to look for an item in them
///   --> src/model.rs:18:13
///    |
/// 18 |     pub id: BucketId<Host>,
///    |             ^^^^^^^^^^^^^^
/// ```
///
/// ## What to do
///
/// Add the field. Copies of the parent are separate fields beside it.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct LogLine {
///     pub id: i64,
///     pub message: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "sites")]
/// pub struct Site {
///     #[serde(rename = "_id")]
///     pub id: Id<Site>,
///     pub name: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "pages", bucket(lines))]
/// pub struct LogPage {
///     #[serde(rename = "_id")]
///     pub id: BucketId<Site>,
///     #[parent(Site, sort = -opened, on_delete = cascade)]
///     pub site: Id<Site>,
///     #[denorm(from = Site, field = name)]
///     pub name: String,
///     pub count: i64,
///     #[embed(max = 50)]
///     pub lines: Vec<LogLine>,
///     pub opened: Option<bson::DateTime>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod bucket_parent {}

/// **Error**: the items of a bucket are embedded documents with an `id`, and hold no copies.
///
/// ## What it checks
///
/// The items of a bucket are a `Vec` of embedded documents with a field `id`, and contain no copies.
///
/// ## Why
///
/// An item that is sent twice, for example after a lost reply, is recognised by its `id` and stored once. Copies in items would have
/// to be looked for in all buckets of all parents.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct NoId {
///     pub message: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "noid", bucket(lines))]
/// pub struct PNoId {
///     #[serde(rename = "_id")]
///     pub id: BucketId<Host>,
///     #[parent(Host)]
///     pub host: Id<Host>,
///     pub count: i64,
///     #[embed(max = 50)]
///     pub lines: Vec<NoId>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0080]: evaluation panicked: `PNoId::lines` holds the items of a bucket, and `NoId` has no field `id` [BUCKET_ITEMS]
///               help: add one: `pub id: ObjectId`
///               note: an item that is sent twice is stored once: its `id` identifies it
///   --> src/model.rs:22:16
///    |
/// 22 |     pub lines: Vec<NoId>,
///    |                ^^^^^^^^^ evaluation of `_::_` failed here
/// ```
///
/// ## What to do
///
/// Derive `MongoEmbed` for the item, and give it an `id`, for example an `ObjectId`. The bucket itself may hold copies.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct LogLine {
///     pub id: i64,
///     pub message: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "pages", bucket(lines))]
/// pub struct LogPage {
///     #[serde(rename = "_id")]
///     pub id: BucketId<Host>,
///     #[parent(Host)]
///     pub host: Id<Host>,
///     pub count: i64,
///     #[embed(max = 1000)]
///     pub lines: Vec<LogLine>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod bucket_items {}

/// **Error**: the other fields of a bucket have a default.
///
/// ## What it checks
///
/// The other fields of a bucket have a default: their type implements `Default`, or they are an `Option`. Copies take the value of their source.
///
/// ## Why
///
/// The library opens a new bucket when items are pushed and the last one is full. Nothing else determines the values of its other fields.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct LogLine {
///     pub id: i64,
///     pub message: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Place {
///     pub room: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "pages", bucket(lines))]
/// pub struct LogPage {
///     #[serde(rename = "_id")]
///     pub id: BucketId<Host>,
///     #[parent(Host)]
///     pub host: Id<Host>,
///     pub count: i64,
///     #[embed(max = 50)]
///     pub lines: Vec<LogLine>,
///     pub place: Place,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0277]: `Place` has no default: nobody says what this field of a new bucket holds [BUCKET_FIELD]
///   --> src/model.rs:29:16
///    |
/// 29 |     pub place: Place,
///    |                ^^^^^ has no `Default`
///    |
///    = note: a bucket is opened by pushing items: its other fields begin with their defaults, copies with what their source holds
///    = note: add `#[derive(Default)]` to `Place`, or make the field an `Option`
/// ```
///
/// ## What to do
///
/// Derive `Default` for the type, or make the field an `Option`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct LogLine {
///     pub id: i64,
///     pub message: String,
/// }
///
/// #[derive(Default, Serialize, Deserialize, MongoEmbed)]
/// pub struct Place {
///     pub room: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "pages", bucket(lines))]
/// pub struct LogPage {
///     #[serde(rename = "_id")]
///     pub id: BucketId<Host>,
///     #[parent(Host)]
///     pub host: Id<Host>,
///     pub count: i64,
///     #[embed(max = 50)]
///     pub lines: Vec<LogLine>,
///     pub place: Place,
///     pub seen: Option<bson::DateTime>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod bucket_field {}

/// **Advice**: items of a bucket are not looked up one by one.
///
/// ## What it checks
///
/// An access pattern should not ask for single items of a bucket.
///
/// ## Why
///
/// A bucket is for items that are read together. A query for one item returns the whole bucket, and an index on the items has an entry for each of
/// them, so nothing is saved compared with a document per item.
///
/// ## Example
///
/// In a `strict` model, advice is an error:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "stations")]
/// pub struct Station {
///     #[serde(rename = "_id")]
///     pub id: Id<Station>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Reading {
///     pub id: i64,
///     pub level: i32,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "alarms", strict, bucket(alarms))]
/// #[model(index(keys(alarms.level)), access(of_level(alarms.level)))]
/// pub struct AlarmPage {
///     #[serde(rename = "_id")]
///     pub id: BucketId<Station>,
///     #[parent(Station)]
///     pub station: Id<Station>,
///     pub count: i64,
///     #[embed(max = 100)]
///     #[serde(default)]
///     pub alarms: Vec<Reading>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `AlarmPage::alarms`: an access pattern looks for single items, and reads whole buckets [BUCKET_RANDOM]
///        help: give the items a collection of their own: `#[parent(..)]` in each
///        help: or `#[model(allow(bucket_random, reason = ".."))]`
///        note: `#[model(strict)]` makes errors of what is advice elsewhere
///   --> src/model.rs:25:9
///    |
/// 25 |     pub alarms: Vec<Reading>,
///    |         ^^^^^^
/// ```
///
/// ## What to do
///
/// Make the items documents of their own with `#[parent(..)]`, and index the field there.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "stations")]
/// pub struct Station {
///     #[serde(rename = "_id")]
///     pub id: Id<Station>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "alarms", strict, schema_version = 1, access(of_level(level)))]
/// pub struct Alarm {
///     #[serde(rename = "_id")]
///     pub id: Id<Alarm>,
///     #[parent(Station)]
///     pub station: Id<Station>,
///     #[index]
///     pub level: i32,
/// }
/// ```
///
/// ## When to allow it
///
/// When single items are looked up rarely, and nearly all reads are by page.
///
/// `mongo_model::report()` lists this advice. It is an error in a `strict` model, and no compiler output elsewhere.
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(bucket_random, reason = ".."))]
/// ```
pub mod bucket_random {}

/// **Error**: an array overflows into buckets of its model, and a `has_extras` beside it says so.
///
/// ## What it checks
///
/// An array with `overflow = Bucket` has a field `has_extras: bool` beside it, and the named model is a bucket of this model with items of the same
/// type.
///
/// ## Why
///
/// Nearly all documents keep their items in the array; only outliers have buckets (MongoDB manual, the outlier pattern). The flag tells a reader that
/// has the document whether a second query is needed.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Clone, Serialize, Deserialize, MongoEmbed)]
/// pub struct Customer {
///     pub id: i64,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "books")]
/// pub struct Book {
///     #[serde(rename = "_id")]
///     pub id: Id<Book>,
///     #[embed(max = 50, overflow = ExtraCustomers)]
///     pub customers: Vec<Customer>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "extras", bucket(customers))]
/// pub struct ExtraCustomers {
///     #[serde(rename = "_id")]
///     pub id: BucketId<Book>,
///     #[parent(Book)]
///     pub book: Id<Book>,
///     pub count: i64,
///     #[embed(max = 50)]
///     pub customers: Vec<Customer>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Book::customers` overflows, but has no field `has_extras` beside it [OUTLIER_FLAG]
///        help: `pub has_extras: bool`
///        note: readers ask for the other documents only where it is true
///   --> src/model.rs:11:34
///    |
/// 11 |     #[embed(max = 50, overflow = ExtraCustomers)]
///    |                                  ^^^^^^^^^^^^^^
/// ```
///
/// ## What to do
///
/// Add `pub has_extras: bool`, and name a bucket whose parent is this model.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Clone, Serialize, Deserialize, MongoEmbed)]
/// pub struct Customer {
///     pub id: i64,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "extras", bucket(customers))]
/// pub struct ExtraCustomers {
///     #[serde(rename = "_id")]
///     pub id: BucketId<Book>,
///     #[parent(Book)]
///     pub book: Id<Book>,
///     pub count: i64,
///     #[embed(max = 50)]
///     pub customers: Vec<Customer>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "books")]
/// pub struct Book {
///     #[serde(rename = "_id")]
///     pub id: Id<Book>,
///     #[embed(max = 50, overflow = ExtraCustomers)]
///     pub customers: Vec<Customer>,
///     pub has_extras: bool,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod outlier_flag {}

/// **Error**: a model has one version, an `i64` or `i32`, and it is not copied.
///
/// ## What it checks
///
/// A model has at most one `#[version]` field, which is an `i64` or `i32`, and no other model copies it.
///
/// ## Why
///
/// `save_if_unchanged` stores a document only if its version is still what was read ("Schema Design with MongoDB", compare and swap). Every
/// write of the document adds 1 on the server, so a copy of the version would be rewritten with every write.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "accounts")]
/// pub struct Account {
///     #[serde(rename = "_id")]
///     pub id: Id<Account>,
///     #[version]
///     pub version: i64,
///     #[version]
///     pub revision: i64,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Account::revision` is a second version beside `Account::version` [CAS_VERSION]
///        help: remove one of them
///        note: a document has one version: every write that the library makes of it adds 1
///  --> src/model.rs:8:7
///   |
/// 8 |     #[version]
///   |       ^^^^^^^
/// ```
///
/// ## What to do
///
/// Keep one version of type `i64`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "a")]
/// pub struct A {
///     #[serde(rename = "_id")]
///     pub id: Id<A>,
///     #[version]
///     pub version: Number,
/// }
///
/// pub type Number = i64;
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod cas_version {}

/// **Error**: `#[created]` and `#[updated]` are each one BSON date, and `#[updated]` is not copied.
///
/// ## What it checks
///
/// A model has at most one `#[created]` and one `#[updated]` field, each a BSON date (`bson::DateTime`, or an `Option` of it), and no other model copies or sorts by the latter.
///
/// ## Why
///
/// The server writes both by its own clock (`$currentDate`, `$$NOW`), which stores a BSON date. Every write of the document changes the
/// time of the last write, so a copy of it would be rewritten with every write; the time of creation never changes and may be copied.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "tickets")]
/// pub struct Ticket {
///     #[serde(rename = "_id")]
///     pub id: Id<Ticket>,
///     #[created]
///     pub created_at: bson::DateTime,
///     #[created]
///     pub born_at: bson::DateTime,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Ticket::born_at` is a second `#[created]` beside `Ticket::created_at` [STAMP_DATE]
///        help: remove one of them
///        note: both would always hold the same time
///  --> src/model.rs:8:7
///   |
/// 8 |     #[created]
///   |       ^^^^^^^
/// ```
///
/// ## What to do
///
/// Declare one field of type `bson::DateTime` for each. To show when a child was changed, load the child.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "tickets")]
/// pub struct Ticket {
///     #[serde(rename = "_id")]
///     pub id: Id<Ticket>,
///     #[created]
///     pub created_at: Time,
///     #[model(updated)]
///     #[serde(rename = "changed")]
///     pub updated_at: Option<bson::DateTime>,
///     #[immutable]
///     #[index(unique)]
///     pub number: String,
///     #[immutable]
///     #[embed(max = 3)]
///     pub origin: Vec<String>,
/// }
///
/// pub type Time = bson::DateTime;
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod stamp_date {}

/// **Error**: a model with `soft_delete` has one `#[deleted]` field, an optional BSON date.
///
/// ## What it checks
///
/// `#[model(soft_delete)]` and one field `#[deleted] deleted_at: Option<bson::DateTime>` belong together.
///
/// ## Why
///
/// A delete of such a model sets the field to the server's time (`$currentDate`), which is a BSON date, and a live document has none. Every
/// query of the model adds the condition that the field is null or absent.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "notes", soft_delete)]
/// pub struct Note {
///     #[serde(rename = "_id")]
///     pub id: Id<Note>,
///     pub text: String,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Note` marks its documents as deleted, and has no field that holds the time [SOFT_DELETE_FIELD]
///        help: add `#[deleted] deleted_at: Option<bson::DateTime>`
///  --> src/model.rs:2:31
///   |
/// 2 | #[model(collection = "notes", soft_delete)]
///   |                               ^^^^^^^^^^^
/// ```
///
/// ## What to do
///
/// Declare both, or neither.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "pages", soft_delete)]
/// pub struct Page {
///     #[serde(rename = "_id")]
///     pub id: Id<Page>,
///     #[model(deleted)]
///     pub deleted_at: Option<bson::DateTime>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod soft_delete_field {}

/// **Error**: a model with `soft_delete` has a collection of its own, and no reference has to follow a mark.
///
/// ## What it checks
///
/// A model with `soft_delete` is a struct with a collection of its own, and no bucket or queue. Others refer to it by its `_id`, without `checked`. A two-way reference to it, or in it, has a `#[parent]` on one side.
///
/// ## Why
///
/// A document that is marked as deleted is still stored, so a checked reference would find it. Of two arrays that name each other one is the truth, and would still name a document that the other has lost. A unique index of such a model covers live documents alone, so another of its fields may have one value twice, in a live and in a deleted document.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "users", soft_delete)]
/// pub struct User {
///     #[serde(rename = "_id")]
///     pub id: Id<User>,
///     pub name: String,
///     #[index(unique)]
///     pub login: String,
///     #[deleted]
///     pub deleted_at: Option<bson::DateTime>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "keys")]
/// pub struct Key {
///     #[serde(rename = "_id")]
///     pub id: Id<Key>,
///     #[parent(User, checked)]
///     pub owner: Id<User>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0080]: evaluation panicked: `Key::owner` has a checked reference to `User`, and a delete of `User` only marks a document [SOFT_DELETE_WITH]
///               help: remove `checked`: writes check the reference anyway, and find a document that is marked as deleted
///               help: or remove `soft_delete` from `User`
///               note: a marked document is still stored
///   --> src/model.rs:18:14
///    |
/// 18 |     #[parent(User, checked)]
///    |              ^^^^ evaluation of `_::_` failed here
/// ```
///
/// ## What to do
///
/// Refer to the document by its `_id`: all delete rules work, and `unset` and `pull` wait until it is purged. Load what is needed: loaders see
/// live documents. Or remove `soft_delete`: then every delete
/// is followed everywhere.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "users", soft_delete)]
/// pub struct User {
///     #[serde(rename = "_id")]
///     pub id: Id<User>,
///     pub name: String,
///     #[index(unique, partial(exists))]
///     #[serde(skip_serializing_if = "Option::is_none")]
///     pub email: Option<String>,
///     #[count(Login)]
///     pub logins: i64,
///     #[deleted]
///     pub deleted_at: Option<bson::DateTime>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "logins")]
/// pub struct Login {
///     #[serde(rename = "_id")]
///     pub id: Id<Login>,
///     #[parent(User, on_delete = keep)]
///     pub user: Id<User>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod soft_delete_with {}

/// **Error**: a model has a field stored as `_id`.
///
/// ## What it checks
///
/// A model has one field that is stored as `_id`.
///
/// ## Why
///
/// A Rust field `id` is stored as `id` unless serde renames it. The server then adds an `_id` of its own, which the program never sees: references,
/// updates by id and deletes would not find the document.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "posts")]
/// pub struct Post {
///     pub id: Id<Post>,
///     pub title: String,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: model `Post` has no field that is stored as `_id` [ID_MISSING]
///        help: `#[serde(rename = "_id")] id: Id<Post>`
///        note: `Post::id` is stored as `id`; the server then adds an `_id` that your code never sees
///  --> src/model.rs:3:12
///   |
/// 3 | pub struct Post {
///   |            ^^^^
/// ```
///
/// ## What to do
///
/// Write `#[serde(rename = "_id")] pub id: Id<Post>`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "countries")]
/// pub struct Country {
///     #[serde(rename = "_id")]
///     pub code: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "posts")]
/// pub struct Post {
///     pub _id: Id<Post>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "pages")]
/// #[serde(rename_all = "camelCase")]
/// pub struct Page {
///     #[serde(rename = "_id")]
///     pub page_id: i64,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod id_missing {}

/// **Error**: `_id` is not optional.
///
/// ## What it checks
///
/// The `_id` is not an `Option`.
///
/// ## Why
///
/// `None` is stored as `_id: null`. The first insert succeeds with that id, and the second is a duplicate key (error 11000).
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "posts")]
/// pub struct Post {
///     #[serde(rename = "_id")]
///     pub id: Option<Id<Post>>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Post::id` is the `_id` and may be `None` [ID_OPTION]
///        help: `id: Id<Post>`, made before the document is inserted
///        note: the first insert stores `_id: null`, the second is a duplicate key (error 11000)
///  --> src/model.rs:5:13
///   |
/// 5 |     pub id: Option<Id<Post>>,
///   |             ^^^^^^^^^^^^^^^^
/// ```
///
/// ## What to do
///
/// Use `Id<Post>` and create the id before the insert: `Id::new()`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "posts")]
/// pub struct Post {
///     #[serde(rename = "_id", default = "Id::new")]
///     pub id: Id<Post>,
///     #[parent(Post)]
///     pub answers: Option<Id<Post>>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod id_option {}

/// **Error**: `_id` is not an array.
///
/// ## What it checks
///
/// The `_id` is neither an array nor a regular expression.
///
/// ## Why
///
/// The server refuses such an insert (error 53, InvalidIdField).
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "a")]
/// pub struct Parts {
///     #[serde(rename = "_id")]
///     pub id: Vec<String>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Parts::id` of type `Vec<String>` is the `_id`, which cannot be an array [ID_TYPE]
///        help: an id with several parts is an embedded document: a struct with `#[derive(MongoEmbed)]`
///        note: the server refuses the insert (error 53)
///  --> src/model.rs:5:13
///   |
/// 5 |     pub id: Vec<String>,
///   |             ^^^^^^^^^^^
/// ```
///
/// ## What to do
///
/// Use an embedded document for an id of several parts, and `bson::Binary` for bytes.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(PartialEq, Eq, Clone, Serialize, Deserialize, MongoEmbed)]
/// pub struct Key {
///     pub country: String,
///     pub number: i64,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "d")]
/// pub struct D {
///     #[serde(rename = "_id")]
///     pub id: Key,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "e")]
/// pub struct E {
///     #[serde(rename = "_id")]
///     pub id: Id<E, bson::Uuid>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod id_type {}

/// **Error**: dates are stored as BSON dates.
///
/// ## What it checks
///
/// A date is stored as a BSON date. Types such as `chrono::DateTime`, `time::OffsetDateTime`, `SystemTime` and `Duration` are not, unless a serde
/// helper says so.
///
/// ## Why
///
/// serde stores `chrono` dates as strings, `time::OffsetDateTime` as an array of nine numbers, and `SystemTime` as a document. Such values sort as
/// text or not at all, never expire, and date operators such as `$dateAdd` fail on them.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// use chrono::{DateTime, NaiveDate, Utc};
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "events")]
/// pub struct Event {
///     #[serde(rename = "_id")]
///     pub id: Id<Event>,
///     pub at: DateTime<Utc>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Event::at` of type `DateTime<Utc>` is stored as a string, not as a date [DATE_AS_STRING]
///        help: `at: bson::DateTime`
///        help: or keep the type: `#[serde(with = "bson::serde_helpers::datetime::FromChrono04DateTime")]` (feature `chrono-0_4` of `bson`)
///        note: only a BSON date is ordered by time, expires, and can be computed with in the database
///  --> src/model.rs:8:13
///   |
/// 8 |     pub at: DateTime<Utc>,
///   |             ^^^^^^^^^^^^^
/// ```
///
/// ## What to do
///
/// Use `bson::DateTime`, or keep the type with `#[serde(with = "bson::serde_helpers::datetime::FromChrono04DateTime")]`.
///
/// This compiles:
///
/// ```rust,ignore
/// use chrono::{DateTime, NaiveDate, Utc};
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "events")]
/// pub struct Event {
///     #[serde(rename = "_id")]
///     pub id: Id<Event>,
///     pub at: bson::DateTime,
///     #[serde(with = "bson::serde_helpers::datetime::FromChrono04DateTime")]
///     pub chrono: DateTime<Utc>,
///     pub took_millis: i64,
/// }
/// ```
///
/// ## When to allow it
///
/// When the text itself matters, for example a date with its time zone that is only displayed.
///
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(date_as_string, reason = ".."))]
/// ```
pub mod date_as_string {}

/// **Error**: uuids are stored as BSON uuids.
///
/// ## What it checks
///
/// A UUID is a `bson::Uuid`, or has a serde helper that stores it as one.
///
/// ## Why
///
/// `uuid::Uuid` is inserted as binary of the generic subtype 0, but becomes a string where a filter is built with `doc!`: the filter never
/// matches. The shell and other drivers write and expect subtype 4.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "events")]
/// pub struct Event {
///     #[serde(rename = "_id")]
///     pub id: Id<Event>,
///     pub key: uuid::Uuid,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Event::key` of type `uuid::Uuid` is stored in a form that no BSON tool knows as a uuid [UUID_GENERIC]
///        help: `key: bson::Uuid`
///        help: or keep the type: `#[serde(with = "bson::serde_helpers::uuid_1::AsBinary")]` (feature `uuid-1` of `bson`)
///        note: inserts write it as binary of the generic subtype 0, other ways of encoding it as a string: they never match
///  --> src/model.rs:6:14
///   |
/// 6 |     pub key: uuid::Uuid,
///   |              ^^^^^^^^^^
/// ```
///
/// ## What to do
///
/// Use `bson::Uuid`, or `#[serde(with = "bson::serde_helpers::uuid_1::AsBinary")]`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "events")]
/// pub struct Event {
///     #[serde(rename = "_id")]
///     pub id: Id<Event>,
///     pub key: bson::Uuid,
///     #[serde(with = "bson::serde_helpers::uuid_1::AsBinary")]
///     pub converted: uuid::Uuid,
///     #[model(allow(uuid_generic, reason = "never queried"))]
///     pub trace: uuid::Uuid,
/// }
/// ```
///
/// ## When to allow it
///
/// When the collection holds such values already, and only this program uses them.
///
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(uuid_generic, reason = ".."))]
/// ```
pub mod uuid_generic {}

/// **Error**: bytes are stored as BSON binary.
///
/// ## What it checks
///
/// Bytes (`Vec<u8>`, `[u8; 16]`) are stored as BSON binary, not as an array.
///
/// ## Why
///
/// serde stores them as an array of integers: each byte takes 7 bytes or more, and no tool recognises them as binary data.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "files")]
/// pub struct File {
///     #[serde(rename = "_id")]
///     pub id: Id<File>,
///     pub vector: Vec<u8>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `File::vector` of type `Vec<u8>` is stored as an array of integers [BYTES_AS_ARRAY]
///        help: `vector: bson::Binary`
///        help: if these are numbers rather than bytes, say so in the type: `i32` instead of `u8`
///        note: each byte would take 7 bytes or more
///  --> src/model.rs:6:17
///   |
/// 6 |     pub vector: Vec<u8>,
///   |                 ^^^^^^^
/// ```
///
/// ## What to do
///
/// Use `bson::Binary`, or `serde_bytes`. If they are numbers rather than bytes, use `i32`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "files")]
/// pub struct File {
///     #[serde(rename = "_id")]
///     pub id: Id<File>,
///     pub bytes: bson::Binary,
///     #[embed(max = 10)]
///     pub numbers: Vec<i32>,
///     #[embed(max = 10)]
///     pub levels: BTreeSet<u8>,
///     #[model(allow(bytes_as_array, reason = "three small numbers"))]
///     pub rgb: [u8; 3],
/// }
/// ```
///
/// ## When to allow it
///
/// When they are a few small numbers, and another program expects an array.
///
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(bytes_as_array, reason = ".."))]
/// ```
pub mod bytes_as_array {}

/// **Advice**: a strict model bounds its strings.
///
/// ## What it checks
///
/// In a `strict` model, each `String` says how long it can be: `#[model(max_len = 80)]`, in characters.
///
/// ## Why
///
/// With all lengths known the compiler can prove that a document fits 16 MiB (`MAX_BSON_SIZE`), a value that is too long is refused before it is
/// sent, and the generated validator checks it for other programs too.
///
/// ## Example
///
/// In a `strict` model, advice is an error:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "users", strict, schema_version = 1)]
/// pub struct User {
///     #[serde(rename = "_id")]
///     pub id: Id<User>,
///     pub name: String,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `User::name`: nothing bounds this string [STRING_UNBOUNDED]
///        help: add `#[model(max_len = 200)]`: characters of a string, bytes of binary
///        note: `#[model(strict)]` makes errors of what is advice elsewhere
///  --> src/model.rs:6:9
///   |
/// 6 |     pub name: String,
///   |         ^^^^
/// ```
///
/// ## What to do
///
/// Add `max_len`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "users", strict, schema_version = 1)]
/// pub struct User {
///     #[serde(rename = "_id")]
///     pub id: Id<User>,
///     #[model(max_len = 80)]
///     pub name: String,
/// }
/// ```
///
/// ## When to allow it
///
/// When the text comes from people and any length is acceptable.
///
/// Only `strict` models are checked for it.
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(string_unbounded, reason = ".."))]
/// ```
pub mod string_unbounded {}

/// **Advice**: binary states a length.
///
/// ## What it checks
///
/// A binary field should say how long it can be: `#[model(max_len = 65536)]`, in bytes.
///
/// ## Why
///
/// Files tend to outgrow a document, which holds 16 MiB. For large binary data the MongoDB manual recommends GridFS.
///
/// ## Example
///
/// In a `strict` model, advice is an error:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "avatars", strict, schema_version = 1)]
/// pub struct Avatar {
///     #[serde(rename = "_id")]
///     pub id: Id<Avatar>,
///     pub image: Binary,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Avatar::image`: nothing bounds these bytes [BINARY_UNBOUNDED]
///        help: add `#[model(max_len = 200)]`: characters of a string, bytes of binary
///        note: `#[model(strict)]` makes errors of what is advice elsewhere
///  --> src/model.rs:6:9
///   |
/// 6 |     pub image: Binary,
///   |         ^^^^^
/// ```
///
/// ## What to do
///
/// Add `max_len`, or keep the file elsewhere and its address here.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "avatars", strict, schema_version = 1)]
/// pub struct Avatar {
///     #[serde(rename = "_id")]
///     pub id: Id<Avatar>,
///     #[model(max_len = 65536)]
///     pub image: Binary,
/// }
/// ```
///
/// ## When to allow it
///
/// When something else bounds the value, for example a hash or a key.
///
/// `mongo_model::report()` lists this advice. It is an error in a `strict` model, and no compiler output elsewhere.
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(binary_unbounded, reason = ".."))]
/// ```
pub mod binary_unbounded {}

/// **Error**: integers fit 64 bits.
///
/// ## What it checks
///
/// Integers are not `i128` or `u128`.
///
/// ## Why
///
/// BSON has integers of 32 and 64 bits. The encoder refuses wider ones when the document is written.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "accounts")]
/// pub struct Account {
///     #[serde(rename = "_id")]
///     pub id: Id<Account>,
///     pub signed: i128,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Account::signed` of type `i128` does not fit a stored integer [INT_RANGE]
///        help: `signed: i64`
///        help: for up to 34 digits: `signed: bson::Decimal128`
///        note: BSON integers have 32 or 64 bits
///  --> src/model.rs:6:17
///   |
/// 6 |     pub signed: i128,
///   |                 ^^^^
/// ```
///
/// ## What to do
///
/// Use `i64`, or `bson::Decimal128` for up to 34 digits.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "accounts")]
/// pub struct Account {
///     #[serde(rename = "_id")]
///     pub id: Id<Account>,
///     pub signed: i64,
///     pub small: u32,
///     pub unsigned: u64,
///     pub wide: bson::Decimal128,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod int_range {}

/// **Advice**: an unsigned integer of 64 bits fits an `i64`.
///
/// ## What it checks
///
/// A field should not be a `u64` or `usize`.
///
/// ## Why
///
/// BSON integers are signed. A value above `i64::MAX` (9,223,372,036,854,775,807) cannot be encoded: the write fails when it first occurs.
///
/// ## Example
///
/// In a `strict` model, advice is an error:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "counters", strict, schema_version = 1)]
/// pub struct Counter {
///     #[serde(rename = "_id")]
///     pub id: Id<Counter>,
///     pub hits: u64,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Counter::hits`: a value above 9,223,372,036,854,775,807 cannot be stored [INT_UNSIGNED]
///        help: use `i64`, or `u32` where that is enough
///        help: or `#[model(allow(int_unsigned, reason = ".."))]`
///        note: `#[model(strict)]` makes errors of what is advice elsewhere
///  --> src/model.rs:6:9
///   |
/// 6 |     pub hits: u64,
///   |         ^^^^
/// ```
///
/// ## What to do
///
/// Use `i64`, or `u32`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "counters", strict, schema_version = 1)]
/// pub struct Counter {
///     #[serde(rename = "_id")]
///     pub id: Id<Counter>,
///     pub hits: i64,
/// }
/// ```
///
/// ## When to allow it
///
/// When the values are known to stay below that limit.
///
/// `mongo_model::report()` lists this advice. It is an error in a `strict` model, and no compiler output elsewhere.
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(int_unsigned, reason = ".."))]
/// ```
pub mod int_unsigned {}

/// **Advice**: money is not a float.
///
/// ## What it checks
///
/// A field with a name such as `price`, `cost`, `amount`, `balance` or `total` should not be an
/// `f32` or `f64`.
///
/// ## Why
///
/// Binary floating-point numbers cannot hold most decimal fractions: 0.1 + 0.2 is not 0.3, and sums of money drift.
///
/// ## Example
///
/// In a `strict` model, advice is an error:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "goods", strict, schema_version = 1)]
/// pub struct Good {
///     #[serde(rename = "_id")]
///     pub id: Id<Good>,
///     pub price: f64,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Good::price`: a float does not hold sums of money exactly [MONEY_FLOAT]
///        help: use `Decimal128`, or an `i64` of the smallest unit
///        help: or `#[model(allow(money_float, reason = ".."))]`
///        note: `#[model(strict)]` makes errors of what is advice elsewhere
///  --> src/model.rs:6:9
///   |
/// 6 |     pub price: f64,
///   |         ^^^^^
/// ```
///
/// ## What to do
///
/// Use `bson::Decimal128`, or an integer number of cents.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "goods", strict, schema_version = 1)]
/// pub struct Good {
///     #[serde(rename = "_id")]
///     pub id: Id<Good>,
///     pub price: Decimal128,
/// }
/// ```
///
/// ## When to allow it
///
/// When the value is an estimate or a statistic, and no payment depends on it.
///
/// `mongo_model::report()` lists this advice. It is an error in a `strict` model, and no compiler output elsewhere.
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(money_float, reason = ".."))]
/// ```
pub mod money_float {}

/// **Error**: a stored name is not empty and contains no `.`, `$` or NUL.
///
/// ## What it checks
///
/// A stored field name is not empty, does not contain a dot or NUL, and does not start with `$`.
///
/// ## Why
///
/// The server stores a field `a.b`, but no filter finds it: `{"a.b": 1}` means field `b` in document `a`, and `$set` creates a second field. NUL
/// ends a name in BSON, so such a document cannot be written.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "posts")]
/// pub struct Post {
///     #[serde(rename = "_id")]
///     pub id: Id<Post>,
///     #[serde(rename = "a.b")]
///     pub dotted: String,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Post::dotted` is stored as `a.b`, a name that contains a dot [FIELD_NAME]
///        help: `#[serde(rename = "a_b")]`
///        note: the server stores such a field, but no query or update reaches it
///  --> src/model.rs:6:22
///   |
/// 6 |     #[serde(rename = "a.b")]
///   |                      ^^^^^
/// ```
///
/// ## What to do
///
/// Rename the field: `#[serde(rename = "a_b")]`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "posts")]
/// pub struct Post {
///     #[serde(rename = "_id")]
///     pub id: Id<Post>,
///     #[serde(rename = "price$")]
///     pub price: i64,
///     #[serde(rename = "größe")]
///     pub size: i64,
///     #[serde(rename = "two words")]
///     pub words: String,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod field_name {}

/// **Error**: no two fields have the same stored name.
///
/// ## What it checks
///
/// No two fields of a document are stored under one name, and no alias is the stored name of another field.
///
/// ## Why
///
/// serde writes both fields, the server accepts the document, and only one of the values can be read again: the other is lost.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "people")]
/// pub struct Person {
///     #[serde(rename = "_id")]
///     pub id: Id<Person>,
///     #[serde(rename = "name")]
///     pub first_name: String,
///     pub name: String,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Person::first_name` and `Person::name` are both stored as `name` [FIELD_DUP]
///        help: `#[serde(rename = "first_name")]` on `first_name`
///        note: both would be written, and only one could be read again
///  --> src/model.rs:8:9
///   |
/// 8 |     pub name: String,
///   |         ^^^^
/// ```
///
/// ## What to do
///
/// Rename one of them, or remove the alias.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "people")]
/// pub struct Person {
///     #[serde(rename = "_id")]
///     pub id: Id<Person>,
///     #[serde(alias = "firstName")]
///     pub first_name: String,
///     #[serde(rename = "name")]
///     pub last_name: String,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod field_dup {}

/// **Advice**: keys of a flattened map are unknown.
///
/// ## What it checks
///
/// A field should not have `#[serde(flatten)]`, which puts its keys among the model's own fields.
///
/// ## Why
///
/// The compiler does not know the keys. A key that is also the name of a field is written twice, and no index or bound can be declared
/// for them.
///
/// ## Example
///
/// In a `strict` model, advice is an error:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "devices", strict, schema_version = 1)]
/// pub struct Device {
///     #[serde(rename = "_id")]
///     pub id: Id<Device>,
///     #[serde(flatten)]
///     pub settings: BTreeMap<String, i32>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Device::settings`: a flattened map takes every field that no other has, also a misspelt one [FLATTEN]
///        help: if its keys are data, give it a name of its own: remove `#[serde(flatten)]`
///        help: or `#[model(allow(flatten, reason = ".."))]`
///        note: `#[model(strict)]` makes errors of what is advice elsewhere
///  --> src/model.rs:7:9
///   |
/// 7 |     pub settings: BTreeMap<String, i32>,
///   |         ^^^^^^^^
/// ```
///
/// ## What to do
///
/// Store the map as a field of its own with a bound: `#[embed(max = 50)]`. Flatten a struct only if its fields are known.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "devices", strict, schema_version = 1)]
/// pub struct Device {
///     #[serde(rename = "_id")]
///     pub id: Id<Device>,
///     #[embed(max = 50)]
///     #[serde(default)]
///     pub settings: BTreeMap<String, i32>,
/// }
/// ```
///
/// ## When to allow it
///
/// When the field collects what other programs have stored, so that it survives a save.
///
/// `mongo_model::report()` lists this advice. It is an error in a `strict` model, and no compiler output elsewhere.
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(flatten, reason = ".."))]
/// ```
pub mod flatten {}

/// **Error**: a flattened field carries no reference, copy or index.
///
/// ## What it checks
///
/// A field with `#[serde(flatten)]` has no attribute such as `index`, `refs`, `denorm` or `embed`.
///
/// ## Why
///
/// A flattened value is not stored as one field: its fields are in the document itself. There is no path that the attribute could refer to.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Address {
///     pub city: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "people")]
/// pub struct Person {
///     #[serde(rename = "_id")]
///     pub id: Id<Person>,
///     #[serde(flatten)]
///     #[index]
///     pub address: Address,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Person::address` has `#[index]`, but flattened it is not one stored field [FLATTEN_RULE]
///        help: remove `flatten`, or put `#[index]` on a field inside
///        note: a flattened value's fields stand in its parent, under names of their own
///   --> src/model.rs:11:13
///    |
/// 11 |     #[serde(flatten)]
///    |             ^^^^^^^
/// ```
///
/// ## What to do
///
/// Remove `flatten`, or put the attribute on a field inside the flattened type.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Address {
///     #[index]
///     pub city: String,
///     #[embed(max = 20)]
///     pub tags: Vec<String>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "people")]
/// pub struct Person {
///     #[serde(rename = "_id")]
///     pub id: Id<Person>,
///     #[serde(flatten)]
///     pub address: Address,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod flatten_rule {}

/// **Error**: a field is written and read by one name.
///
/// ## What it checks
///
/// A field, variant or tag is written and read under the same name.
///
/// ## Why
///
/// What is stored under one name would not be found under the other: the program could not read its own documents, and filters and indexes could
/// use only one of the two.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "people")]
/// pub struct Person {
///     #[serde(rename = "_id")]
///     pub id: Id<Person>,
///     #[serde(rename(serialize = "n", deserialize = "name"))]
///     pub name: String,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Person::name` is written as `n` and read as `name` [RENAME_ASYM]
///        help: to read both: `#[serde(rename = "n", alias = "name")]`
///        note: what is stored under one name would not be found under the other
///  --> src/model.rs:6:32
///   |
/// 6 |     #[serde(rename(serialize = "n", deserialize = "name"))]
///   |                                ^^^
/// ```
///
/// ## What to do
///
/// Use one name, and `alias` for names in old documents: `#[serde(rename = "n", alias = "name")]`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "people")]
/// pub struct Person {
///     #[serde(rename = "_id")]
///     pub id: Id<Person>,
///     #[serde(rename(serialize = "n", deserialize = "n"))]
///     pub name: String,
///     #[serde(rename(serialize = "m", deserialize = "mail"), alias = "m")]
///     pub mail: String,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod rename_asym {}

/// **Error**: a field with a rule is stored.
///
/// ## What it checks
///
/// A field that serde skips has no attribute of this library.
///
/// ## Why
///
/// The field is in no document. A reference, copy, index or bound on it would silently do nothing.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "parts")]
/// pub struct Part {
///     #[serde(rename = "_id")]
///     pub id: Id<Part>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     #[serde(skip)]
///     #[refs(Part)]
///     pub parts: Vec<Id<Part>>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Product::parts` has `#[refs]`, but serde never stores it [SERDE_SKIP_RULE]
///        help: remove `skip`, or remove `#[refs]`
///   --> src/model.rs:13:13
///    |
/// 13 |     #[serde(skip)]
///    |             ^^^^
/// ```
///
/// ## What to do
///
/// Remove `skip`, or the attribute.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     pub name: String,
///     #[serde(skip)]
///     pub tags: Vec<String>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod serde_skip_rule {}

/// **Error**: a serde attribute is honoured or refused.
///
/// ## What it checks
///
/// A serde attribute that the library cannot follow is refused where it would change what is stored or can be read.
///
/// ## Why
///
/// The library encodes documents with code of its own, which has to give the same bytes as serde. It also stores fields of its own in some
/// documents, and reads parts of documents; attributes that contradict this would fail later, with real data.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
///     pub ipaddr: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "logmsg")]
/// #[serde(deny_unknown_fields)]
/// pub struct LogMsg {
///     #[serde(rename = "_id")]
///     pub id: Id<LogMsg>,
///     #[parent(Host)]
///     pub host: Id<Host>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `deny_unknown_fields` on `LogMsg` refuses the fields that the library stores for `LogMsg::host` [SERDE_UNSUPPORTED]
///        help: remove it
///        note: `_dn` and `_r` stand beside the user's fields and keep copies up to date
///   --> src/model.rs:11:9
///    |
/// 11 | #[serde(deny_unknown_fields)]
///    |         ^^^^^^^^^^^^^^^^^^^
/// ```
///
/// ## What to do
///
/// Do what the message says: usually another attribute has the same effect.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// #[serde(rename_all = "kebab-case", deny_unknown_fields)]
/// pub struct Address {
///     #[serde(alias = "street")]
///     pub street_name: String,
///     #[serde(default, skip_serializing_if = "Option::is_none")]
///     pub zip_code: Option<String>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod serde_unsupported {}

/// **Error**: a collection name is one the server accepts.
///
/// ## What it checks
///
/// A collection name is not empty, has no `$` and no NUL, does not start or end with a dot, and does not belong to the server (`system.`).
///
/// ## Why
///
/// The server refuses such names (error 73, InvalidNamespace).
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "a$b")]
/// pub struct Dollar {
///     #[serde(rename = "_id")]
///     pub id: Id<Dollar>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: collection name `a$b` of `Dollar` contains `$` [COLLECTION_NAME]
///        help: `#[model(collection = "ab")]`
///        note: the server refuses the name (error 73)
///  --> src/model.rs:2:22
///   |
/// 2 | #[model(collection = "a$b")]
///   |                      ^^^^^
/// ```
///
/// ## What to do
///
/// Use letters, digits, `_` and dots inside.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "blog.posts")]
/// pub struct Dot {
///     #[serde(rename = "_id")]
///     pub id: Id<Dot>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "2024-posts")]
/// pub struct Digits {
///     #[serde(rename = "_id")]
///     pub id: Id<Digits>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod collection_name {}

/// **Error**: a collection name fits a namespace of 255 bytes.
///
/// ## What it checks
///
/// A collection name has at most 191 bytes.
///
/// ## Why
///
/// MongoDB limits `database.collection` to 255 bytes, and a database name has up to 63 bytes. With 191 bytes the name fits into every database.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "pppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp")]
/// pub struct Post {
///     #[serde(rename = "_id")]
///     pub id: Id<Post>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: the collection name of `Post` has 192 bytes, over the limit of 191 [NS_TOO_LONG]
///        help: `#[model(collection = "posts")]`
///        note: `database.collection` has at most 255 bytes, and a database's name up to 63 of them
///  --> src/model.rs:2:22
///   |
/// 2 | ... = "pppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp")]
///   |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
/// ```
///
/// ## What to do
///
/// Use a shorter name.
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod ns_too_long {}

/// **Error**: a model is a non-generic struct with named fields, or an enum of such structs.
///
/// ## What it checks
///
/// A model is a struct with named fields, or an enum of such structs with a tag, and is not generic. Embedded documents may also be generic, an enum, or
/// a struct with one unnamed field.
///
/// ## Why
///
/// A document is a list of named fields. A generic model would have different indexes, sizes and rules for each parameter, and one
/// collection for all of them.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "pages")]
/// pub struct Page<T> {
///     #[serde(rename = "_id")]
///     pub id: i64,
///     pub items: T,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: model `Page` is generic [SHAPE]
///        help: make the varying part an embedded document: generic `MongoEmbed` types work
///        note: a generic model can be neither registered nor checked: its collection, indexes and sizes would depend on the parameter
///  --> src/model.rs:3:16
///   |
/// 3 | pub struct Page<T> {
///   |                ^^^
/// ```
///
/// ## What to do
///
/// Name the fields. Put the part that varies into an embedded document, which may be generic.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Page<T> {
///     pub items: T,
///     pub next: Option<i64>,
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub enum Size {
///     Small,
///     Large,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "drawings")]
/// pub struct Drawing {
///     #[serde(rename = "_id")]
///     pub id: Id<Drawing>,
///     pub page: Page<Size>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod shape {}

/// **Error**: an enum with data has a tag.
///
/// ## What it checks
///
/// An enum whose variants have data says with a tag which variant is stored: `#[serde(tag = "type")]`.
///
/// ## Why
///
/// Without a tag serde stores `{ "Circle": { .. } }`, one level deeper and under a different name per variant, so that an index or a filter cannot name
/// a field for all variants. An `untagged` enum does not store which variant it is. Different kinds of documents in one collection are fine
/// ("Schema Design with MongoDB", mixed types).
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub enum Shape {
///     Circle { radius: f64 },
///     Nothing,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: enum `Shape` has data but no tag, so each variant is stored one level down under its name [ENUM_UNTAGGED]
///        help: `#[serde(tag = "type")]` on `Shape`
///        note: with a tag all variants lie at one level, so that filters, indexes and copies find their fields
///  --> src/model.rs:2:10
///   |
/// 2 | pub enum Shape {
///   |          ^^^^^
/// ```
///
/// ## What to do
///
/// Add `#[serde(tag = "type")]`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// #[serde(tag = "type")]
/// pub enum Shape {
///     Circle { radius: f64 },
///     Nothing,
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub enum Size {
///     Small,
///     Large,
/// }
/// ```
///
/// ## When to allow it
///
/// When another program writes these documents, and their form cannot be changed.
///
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(enum_untagged, reason = ".."))]
/// ```
pub mod enum_untagged {}

/// **Error**: a name that several variants of a model have means one field.
///
/// ## What it checks
///
/// If several variants of a model store a field under one name, it has the same type, bounds, references and copies in all of them. References have the
/// same target, `on_delete`, `missing`, `sort`, `key` and check; copies have the same `level`, and all or none are a `snapshot`. A field that all variants
/// have also has the same indexes and aliases in all of them. In an embedded enum this holds for references and copies; other fields may share a name.
///
/// ## Why
///
/// All variants are stored in one collection. A filter, an index or a copy names the field once and means all documents; values of different types would
/// never compare equal. A delete rule also belongs to the field: with two targets or two rules it would leave references of one variant as they are. An
/// index of one variant alone on a field of all of them would not be created. A reference in an embedded enum is found by its path, whichever variant
/// stores it: a delete of a document of the other model would change it.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[serde(tag = "kind")]
/// #[model(collection = "employees")]
/// pub enum Employee {
///     Hourly(Hourly),
///     Salary(Salary),
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Hourly {
///     #[serde(rename = "_id")]
///     pub id: i32,
///     pub pay: f64,
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Salary {
///     #[serde(rename = "_id")]
///     pub id: i32,
///     pub pay: i64,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0080]: evaluation panicked: `Employee::Hourly` and `Employee::Salary` both store `pay`, but not the same [POLY_FIELD]
///               help: give it one type, bound and reference in both, or store one of them under another name: `#[serde(rename = "..")]`
///               note: they stand in one collection: a filter, an index and a copy take them for one field
///  --> src/model.rs:6:12
///   |
/// 6 |     Salary(Salary),
///   |            ^^^^^^ evaluation of `_::_` failed here
/// ```
///
/// ## What to do
///
/// Give the field one type, one reference and the same indexes, or store one of them under another name: `#[serde(rename = "..")]`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[serde(tag = "kind")]
/// #[model(collection = "employees", common(pay))]
/// pub enum Employee {
///     Hourly(Hourly),
///     Salary(Salary),
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Hourly {
///     #[serde(rename = "_id")]
///     pub id: i32,
///     pub pay: i64,
///     pub bonus: f64,
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Salary {
///     #[serde(rename = "_id")]
///     pub id: i32,
///     pub pay: i64,
///     #[serde(rename = "yearly_bonus")]
///     pub bonus: i64,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod poly_field {}

/// **Error**: every variant has the common fields.
///
/// ## What it checks
///
/// `common(name)` lists fields that every variant of the model has.
///
/// ## Why
///
/// A common field can be filtered, sorted and changed for all documents: `|e| e.name`. A variant without it would be left out silently.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[serde(tag = "kind")]
/// #[model(collection = "employees", common(bonus))]
/// pub enum Employee {
///     Hourly(Hourly),
///     Salary(Salary),
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Hourly {
///     #[serde(rename = "_id")]
///     pub id: i32,
///     pub pay: i64,
///     pub bonus: i64,
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Salary {
///     #[serde(rename = "_id")]
///     pub id: i32,
///     pub pay: i64,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0080]: evaluation panicked: `common(bonus)` names no field of `Employee::Salary` [POLY_COMMON]
///               help: a field that some variants have is reached through them: `|e| e.hourly.rate`
///               note: `common(..)` names fields that every variant has, under one name
///  --> src/model.rs:3:42
///   |
/// 3 | #[model(collection = "employees", common(bonus))]
///   |                                          ^^^^^ evaluation of `_::_` failed here
/// ```
///
/// ## What to do
///
/// Add the field to every variant, or reach it through the variants that have it: `|e| e.hourly.rate`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[serde(tag = "kind", rename_all = "snake_case")]
/// #[model(collection = "employees", common(name))]
/// pub enum Employee {
///     PartTime(PartTime),
///     #[serde(rename = "s")]
///     Static(Fixed),
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct PartTime {
///     #[serde(rename = "_id")]
///     pub id: i32,
///     #[index]
///     pub name: String,
///     #[index]
///     pub hours: i64,
/// }
///
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Fixed {
///     #[serde(rename = "_id")]
///     pub id: i32,
///     #[index]
///     pub name: String,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod poly_common {}

/// **Advice**: a strict model says the version of its schema.
///
/// ## What it checks
///
/// A `strict` model says which version of its schema it is: `#[model(schema_version = 1)]`.
///
/// ## Why
///
/// Documents outlive programs. With a version in each of them, a later program can tell old documents from new ones and migrate
/// them when they are read (MongoDB manual, the schema versioning pattern).
///
/// ## Example
///
/// In a `strict` model, advice is an error:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "cities", strict)]
/// pub struct City {
///     #[serde(rename = "_id")]
///     pub id: Id<City>,
///     pub inhabitants: i64,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: strict model `City` does not say the version of its schema [SCHEMA_VERSION]
///        help: `#[model(schema_version = 1)]`: the first rename or change of a type needs it
///        note: `#[model(strict)]` makes errors of what is advice elsewhere
///  --> src/model.rs:3:12
///   |
/// 3 | pub struct City {
///   |            ^^^^
/// ```
///
/// ## What to do
///
/// Add `schema_version = 1`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "cities", strict, schema_version = 1)]
/// pub struct City {
///     #[serde(rename = "_id")]
///     pub id: Id<City>,
///     pub inhabitants: i64,
/// }
/// ```
///
/// ## When to allow it
///
/// When the collection is filled anew on every release, and no old document ever exists.
///
/// Only `strict` models are checked for it.
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(schema_version, reason = ".."))]
/// ```
pub mod schema_version {}

/// **Advice**: an absent value is not stored as null.
///
/// ## What it checks
///
/// An `Option` should have `skip_serializing_if`, so that `None` is not stored as null.
///
/// ## Why
///
/// A filter for null finds both null and missing fields, but sparse, unique and partial indexes and `$lookup` treat them differently. Storing
/// one form only makes the behaviour predictable, and documents smaller.
///
/// ## Example
///
/// In a `strict` model, advice is an error:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "films", strict, schema_version = 1)]
/// pub struct Film {
///     #[serde(rename = "_id")]
///     pub id: Id<Film>,
///     pub rating: Option<i32>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Film::rating`: `None` is stored as null [NULL_VS_MISSING]
///        help: add `#[serde(skip_serializing_if = "Option::is_none")]`
///        help: or `#[model(allow(null_vs_missing, reason = ".."))]`
///        note: `#[model(strict)]` makes errors of what is advice elsewhere
///  --> src/model.rs:6:9
///   |
/// 6 |     pub rating: Option<i32>,
///   |         ^^^^^^
/// ```
///
/// ## What to do
///
/// Add `#[serde(skip_serializing_if = "Option::is_none")]`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "films", strict, schema_version = 1)]
/// pub struct Film {
///     #[serde(rename = "_id")]
///     pub id: Id<Film>,
///     #[serde(skip_serializing_if = "Option::is_none")]
///     pub rating: Option<i32>,
/// }
/// ```
///
/// ## When to allow it
///
/// When other programs expect the field to be there.
///
/// `mongo_model::report()` lists this advice. It is an error in a `strict` model, and no compiler output elsewhere.
/// To allow it, give the reason, on the field or on the model:
///
/// ```rust,ignore
/// #[model(allow(null_vs_missing, reason = ".."))]
/// ```
pub mod null_vs_missing {}

/// **Error**: `_dn`, `_r` and the version of a schema belong to the library.
///
/// ## What it checks
///
/// No field or tag is stored as `_dn`, `_r` or `_r_..`, nor as `schema_version` where the model has a schema version.
///
/// ## Why
///
/// The library stores the state of unfinished updates and the version of the schema there (`docs/STORED.md` in the repository lists what is stored). A field of that name would
/// be overwritten.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "posts")]
/// pub struct Post {
///     #[serde(rename = "_id")]
///     pub id: Id<Post>,
///     pub _dn: i64,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `Post::_dn` is stored as `_dn`, which belongs to the library [RESERVED_FIELD]
///        help: `#[serde(rename = "dn")]`
///        note: `_dn`, `_r` and `_r_..` hold the state of copies; a field of that name would be overwritten
///  --> src/model.rs:6:9
///   |
/// 6 |     pub _dn: i64,
///   |         ^^^
/// ```
///
/// ## What to do
///
/// Choose another name.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "posts")]
/// pub struct Post {
///     #[serde(rename = "_id")]
///     pub id: Id<Post>,
///     pub _dns: String,
///     pub dn: i64,
///     pub r: i64,
///     pub _rank: i64,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod reserved_field {}

/// **Error**: a projection is a struct with named fields, generic over a lifetime at most.
///
/// ## What it checks
///
/// A projection is a struct with named fields. Its only parameter may be a lifetime, for `&str` and `&[u8]` that stay in the server's reply, and then it
/// has no `fallback`.
///
/// ## Why
///
/// A projection lists the fields that the server sends. Only text and bytes lie in a BSON document as they do in memory, so nothing else can
/// be borrowed.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     pub name: String,
///     pub note: Option<String>,
/// }
///
/// #[derive(Deserialize, MongoProjection)]
/// #[projection(of = Product)]
/// pub struct Name(pub String);
/// ```
///
/// The message:
///
/// ```text
/// error: `MongoProjection` on `Name` needs a struct with named fields [PROJECTION_SHAPE]
///        note: a projection names fields of its model
///   --> src/model.rs:12:12
///    |
/// 12 | pub struct Name(pub String);
///    |            ^^^^
/// ```
///
/// ## What to do
///
/// Name the fields, and use owned types where the message says so.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     pub name: String,
///     pub note: Option<String>,
/// }
///
/// #[derive(Deserialize, MongoProjection)]
/// #[projection(of = Product)]
/// pub struct Summary {
///     pub name: String,
///     pub note: Option<String>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod projection_shape {}

/// **Error**: a projection is of a model or an embedded document.
///
/// ## What it checks
///
/// `#[projection(of = Type)]` names a model, an embedded document or a generated entry.
///
/// ## Why
///
/// A projection reads some of the stored fields of a type, so the derive has to know them. Asking for `_id` alone moved 22 bytes instead of 13,561 in
/// one of our tests.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// pub struct Product {
///     pub name: String,
///     pub note: String,
/// }
///
/// #[derive(Deserialize, MongoProjection)]
/// #[projection(of = Product)]
/// pub struct Summary {
///     pub name: String,
///     pub note: String,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0277]: `Product` cannot be projected: it is neither a model nor an embedded document [PROJECTION_OF]
///  --> src/model.rs:7:19
///   |
/// 7 | #[projection(of = Product)]
///   |                   ^^^^^^^ has no stored fields
///   |
///   = note: add `#[derive(MongoModel)]` or `#[derive(MongoEmbed)]` to `Product`
/// ```
///
/// ## What to do
///
/// Derive `MongoModel` or `MongoEmbed` for the type.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
/// pub struct Address {
///     pub city: String,
///     pub zip: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "people")]
/// pub struct Person {
///     #[serde(rename = "_id")]
///     pub id: Id<Person>,
///     pub address: Option<Address>,
///     #[embed(max = 3)]
///     pub others: Vec<Address>,
/// }
///
/// #[derive(Deserialize, MongoProjection)]
/// #[projection(of = Person)]
/// pub struct OfModel {
///     #[serde(rename = "_id")]
///     pub id: Id<Person>,
/// }
///
/// #[derive(Deserialize, MongoProjection)]
/// #[projection(of = Address)]
/// pub struct OfEmbedded {
///     pub city: String,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod projection_of {}

/// **Error**: a projected field has a path of its own.
///
/// ## What it checks
///
/// A field of a projection exists in its model, by its Rust name, and is stored as a field of its own. The compiler's own error (E0609) reports a
/// misspelt name.
///
/// ## Why
///
/// The server does not report an unknown field in a projection: it leaves it out, and the document cannot be decoded. The fields of a flattened field
/// are in the document itself, so no path leads to it.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     pub name: String,
///     pub note: Option<String>,
/// }
///
/// #[derive(Deserialize, MongoProjection)]
/// #[projection(of = Product)]
/// pub struct Summary {
///     pub nam: String,
///     pub note: Option<String>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0609]: no field `nam` on type `ProductFields`
///   --> src/model.rs:13:9
///    |
/// 13 |     pub nam: String,
///    |         ^^^ unknown field
///    |
/// help: a field with a similar name exists
///    |
/// 13 |     pub name: String,
///    |            +
/// ```
///
/// ## What to do
///
/// Correct the name, or remove the field from the projection.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     pub r#type: String,
///     cost: i64,
/// }
///
/// #[derive(Deserialize, MongoProjection)]
/// #[projection(of = Product)]
/// struct Costs {
///     cost: i64,
///     r#type: String,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod projection_field {}

/// **Error**: a projected field has the type of the model's field.
///
/// ## What it checks
///
/// A field of a projection has exactly the type of the model's field, `Option` included, and the same `#[serde(with = ..)]`.
///
/// ## Why
///
/// A projection reads what the model stores. Another type would fail when the first document with such a value is decoded.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     pub name: String,
///     pub note: Option<String>,
/// }
///
/// #[derive(Deserialize, MongoProjection)]
/// #[projection(of = Product)]
/// pub struct Summary {
///     pub name: Option<String>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0277]: the projection reads `std::option::Option<std::string::String>` but the field is `std::string::String` [PROJECTION_TYPE]
///   --> src/model.rs:13:15
///    |
/// 13 |     pub name: Option<String>,
///    |               ------^^^^^^^^
///    |               |
///    |               not the field's type
///    |               required by a bound introduced by this call
///    |
///    = note: a projected field has exactly the type of the field, `Option` included
///    = note: a projection of an embedded document is marked `#[projection(nested)]`
/// ```
///
/// ## What to do
///
/// Use the type that the message names. A projection of an embedded document is marked `#[projection(nested)]`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     pub name: String,
///     pub note: Option<String>,
/// }
///
/// #[derive(Deserialize, MongoProjection)]
/// #[projection(of = Product)]
/// pub struct Summary {
///     pub name: String,
///     pub note: Option<String>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod projection_type {}

/// **Error**: a projected field has the stored name of the model's field.
///
/// ## What it checks
///
/// A field of a projection is stored under the same name as in the model: it repeats the model's serde renames.
///
/// ## Why
///
/// The derive asks the server for the stored names. Under another name the value would not be found.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[serde(rename_all = "camelCase")]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     pub name: String,
///     pub catalog_number: i64,
/// }
///
/// #[derive(Deserialize, MongoProjection)]
/// #[projection(of = Product)]
/// pub struct Summary {
///     pub id: Id<Product>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0080]: evaluation panicked: `Summary::id` reads `id` but `Product` stores the field as `_id` [PROJECTION_NAME]
///               help: `#[serde(rename = "_id")]`
///               note: a projection reads the stored names of the model
///   --> src/model.rs:14:9
///    |
/// 14 |     pub id: Id<Product>,
///    |         ^^ evaluation of `_::_` failed here
/// ```
///
/// ## What to do
///
/// Repeat the rename: `#[serde(rename = "_id")]`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[serde(rename_all = "camelCase")]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     pub catalog_number: i64,
/// }
///
/// #[derive(Deserialize, MongoProjection)]
/// #[projection(of = Product)]
/// pub struct One {
///     #[serde(rename = "catalogNumber")]
///     pub catalog_number: i64,
/// }
///
/// #[derive(Deserialize, MongoProjection)]
/// #[serde(rename_all = "camelCase")]
/// #[projection(of = Product)]
/// pub struct Other {
///     pub catalog_number: i64,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod projection_name {}

/// **Error**: a nested field is a projection of the embedded document.
///
/// ## What it checks
///
/// A field with `#[projection(nested)]` has the type of the model's field with the embedded document replaced by a projection of it: `Option<City>` for
/// `Option<Address>`.
///
/// ## Why
///
/// The server sends parts of the embedded document only. Missing or repeated values (`Option`, `Vec`) stay what they are.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Address {
///     pub city: String,
///     pub zip: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "people")]
/// pub struct Person {
///     #[serde(rename = "_id")]
///     pub id: Id<Person>,
///     pub address: Option<Address>,
/// }
///
/// #[derive(Deserialize, MongoProjection)]
/// #[projection(of = Address)]
/// pub struct City {
///     pub city: String,
/// }
///
/// #[derive(Deserialize, MongoProjection)]
/// #[projection(of = Person)]
/// pub struct Where {
///     #[projection(nested)]
///     pub address: City,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0277]: `City` is not a projection of `std::option::Option<Address>` [PROJECTION_NESTED]
///   --> src/model.rs:25:18
///    |
/// 25 |     pub address: City,
///    |                  ^^^^ not a projection of `std::option::Option<Address>`
///    |
///    = note: a nested field has the model's type with the embedded document replaced by a projection of it: `Option<Address>` by `Option<City>`
///    = note: add `#[derive(MongoProjection)]` and `#[projection(of = ..)]`, naming the embedded document, to the nested struct
/// ```
///
/// ## What to do
///
/// Repeat the `Option` or `Vec` of the model, and derive `MongoProjection` with `of = Address` for the inner struct.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Address {
///     pub city: String,
///     pub zip: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "people")]
/// pub struct Person {
///     #[serde(rename = "_id")]
///     pub id: Id<Person>,
///     pub work: Option<Box<Address>>,
/// }
///
/// #[derive(Deserialize, MongoProjection)]
/// #[projection(of = Address)]
/// pub struct City {
///     pub city: String,
/// }
///
/// #[derive(Deserialize, MongoProjection)]
/// #[projection(of = Person)]
/// pub struct Where {
///     #[projection(nested)]
///     pub work: Option<Box<City>>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod projection_nested {}

/// **Error**: a view's field is copied, or may be absent.
///
/// ## What it checks
///
/// A projection with `fallback = Entry` shows the loaded document, or the copies in the entry if it was not loaded. Each of its fields is copied
/// there, or is an `Option`.
///
/// ## Why
///
/// The loaded value wins, the copy is used otherwise. A field that is neither loaded nor copied has no value.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "parts")]
/// pub struct Part {
///     #[serde(rename = "_id")]
///     pub id: Id<Part>,
///     pub name: String,
///     pub qty: i64,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     #[refs(Part)]
///     #[denorm(from = Part, field = name)]
///     pub parts: Vec<ProductPart>,
/// }
///
/// #[derive(Deserialize, MongoProjection)]
/// #[projection(of = Part, fallback = ProductPart)]
/// pub struct PartView {
///     pub name: String,
///     pub qty: i64,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0080]: evaluation panicked: `PartView::qty` is not copied into `ProductPart`, and so is absent where no `Part` was loaded [PROJECTION_FALLBACK]
///               help: make it an `Option`: `Option<i64>`
///               help: or copy it: `#[denorm(from = Part, field = qty)]`
///               note: a view falls back to the copies beside the reference; what is not copied is `None` then
///   --> src/model.rs:24:14
///    |
/// 24 |     pub qty: i64,
///    |              ^^^ evaluation of `_::_` failed here
/// ```
///
/// ## What to do
///
/// Make the field an `Option`, or copy it with `#[denorm]`.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "parts")]
/// pub struct Part {
///     #[serde(rename = "_id")]
///     pub id: Id<Part>,
///     pub name: String,
///     pub qty: i64,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     #[refs(Part)]
///     #[denorm(from = Part, field = name)]
///     pub parts: Vec<ProductPart>,
/// }
///
/// type Maybe<T> = Option<T>;
///
/// #[derive(Deserialize, MongoProjection)]
/// #[projection(of = Part, fallback = ProductPart)]
/// pub struct FromEntry {
///     #[serde(rename = "_id")]
///     pub id: Id<Part>,
///     pub name: String,
///     pub qty: Maybe<i64>,
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod projection_fallback {}

/// **Error**: a field's type is one that a document can hold.
///
/// ## What it checks
///
/// The type of a field is one that the library can store: a type of BSON, of the standard library, or one with `#[derive(MongoEmbed)]`.
///
/// ## Why
///
/// The derive needs to know how a type is stored, to check its size, depth, indexes and filters. A type of another crate could be
/// stored as anything.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize)]
/// pub struct Address {
///     pub city: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "people")]
/// pub struct Person {
///     #[serde(rename = "_id")]
///     pub id: Id<Person>,
///     pub one: Address,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0080]: evaluation panicked: `Person::one` of type `Address` is not one that a document can hold [VALUE_TYPE]
///               help: an embedded document: add `#[derive(MongoEmbed)]` to `Address`
///               help: a type of another crate: add `#[model(opaque)]` to the field
///               note: an opaque value is stored as serde stores it, unchecked
///   --> src/model.rs:11:14
///    |
/// 11 |     pub one: Address,
///    |              ^^^^^^^ evaluation of `_::_` failed here
/// ```
///
/// ## What to do
///
/// Derive `MongoEmbed` for your own types. For a type of another crate add `#[model(opaque)]` to the field: it is then stored as serde
/// stores it, unchecked.
///
/// This compiles:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
///     #[model(opaque)]
///     pub address: IpAddr,
///     pub any: bson::Bson,
///     pub pair: (f64, f64),
/// }
/// ```
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod value_type {}

/// **Error**: an option is known.
///
/// ## What it checks
///
/// An attribute has only options that exist.
///
/// ## Why
///
/// An option that is ignored silently, for example a misspelt bound, would look like a promise that nothing keeps.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "posts")]
/// pub struct Post {
///     #[serde(rename = "_id")]
///     pub id: Id<Post>,
///     #[embed(mx = 20)]
///     pub tags: Vec<String>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: unknown option `mx` for `#[embed(..)]` on `Post::tags` [ATTR_UNKNOWN]
///        help: did you mean `max`?
///  --> src/model.rs:6:13
///   |
/// 6 |     #[embed(mx = 20)]
///   |             ^^
/// ```
///
/// ## What to do
///
/// Correct the spelling: the message names the nearest option, or lists all of them.
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod attr_unknown {}

/// **Error**: an option is given once.
///
/// ## What it checks
///
/// An option or attribute is given once.
///
/// ## Why
///
/// Of two values one would be ignored.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "posts", collection = "articles")]
/// pub struct Post {
///     #[serde(rename = "_id")]
///     pub id: Id<Post>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: option `collection` of `#[model(..)]` on `Post` is given twice [ATTR_DUPLICATE]
///        help: remove one of them
///  --> src/model.rs:2:31
///   |
/// 2 | #[model(collection = "posts", collection = "articles")]
///   |                               ^^^^^^^^^^
/// ```
///
/// ## What to do
///
/// Remove one of them.
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod attr_duplicate {}

/// **Error**: a required option is given.
///
/// ## What it checks
///
/// An attribute has all options that it needs.
///
/// ## Why
///
/// There is no default for these options that would be right for most schemas.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(crate = ::mongo_model)]
/// pub struct Post {
///     #[serde(rename = "_id")]
///     pub id: Id<Post>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: model `Post` does not name its collection [ATTR_MISSING]
///        help: `#[model(collection = "posts")]`
///  --> src/model.rs:2:3
///   |
/// 2 | #[model(crate = ::mongo_model)]
///   |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
/// ```
///
/// ## What to do
///
/// Add the option in the form that the message shows.
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod attr_missing {}

/// **Error**: an option has a value it can take.
///
/// ## What it checks
///
/// The value of an option is one that the option can take.
///
/// ## Why
///
/// Options are read when the program is compiled, so they are written out: numbers as digits, field names as plain identifiers, texts in quotes.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "posts")]
/// pub struct Post {
///     #[serde(rename = "_id")]
///     pub id: Id<Post>,
///     #[embed(max = "20")]
///     pub string: Vec<String>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: option `max` of `#[embed(..)]` on `Post::string` takes a whole number [ATTR_VALUE]
///        help: the correct form is `max = 200`
///  --> src/model.rs:6:19
///   |
/// 6 |     #[embed(max = "20")]
///   |                   ^^^^
/// ```
///
/// ## What to do
///
/// Write the value in the form that the message shows.
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod attr_value {}

/// **Error**: an attribute has its proper form.
///
/// ## What it checks
///
/// An attribute has its proper form: parentheses, options and values where they belong.
///
/// ## Why
///
/// An attribute without content says nothing, and one in another form could be misunderstood.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Address {
///     pub city: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "people")]
/// pub struct Person {
///     #[serde(rename = "_id")]
///     pub id: Id<Person>,
///     #[embed]
///     pub address: Address,
///     #[embed]
///     pub other: Option<Address>,
///     #[embed]
///     pub tags: Vec<String>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `#[embed]` on `Person::tags` says nothing [ATTR_SHAPE]
///        help: the correct form is `#[embed(max = 20)]`
///   --> src/model.rs:15:7
///    |
/// 15 |     #[embed]
///    |       ^^^^^
/// ```
///
/// ## What to do
///
/// Write it in the form that the message shows.
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod attr_shape {}

/// **Error**: an attribute is where it has a meaning.
///
/// ## What it checks
///
/// An attribute is on a field, type or variant for which it has a meaning.
///
/// ## Why
///
/// Anywhere else it would be ignored silently.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "people")]
/// pub struct Person {
///     #[serde(rename = "_id")]
///     pub id: Id<Person>,
///     #[embed(max = 20)]
///     pub name: String,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error[E0080]: evaluation panicked: `max` on `Person::name` has no meaning: the field is not an array, set or map [ATTR_PLACE]
///               help: remove the attribute: a single embedded document needs none
///               note: embedding is the default (rule of thumb 1)
///  --> src/model.rs:7:15
///   |
/// 7 |     pub name: String,
///   |               ^^^^^^ evaluation of `_::_` failed here
/// ```
///
/// ## What to do
///
/// Move it to where the message says, or remove it.
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod attr_place {}

/// **Error**: options do not contradict each other.
///
/// ## What it checks
///
/// The options of an attribute, and the attributes of a field, do not contradict each other.
///
/// ## Why
///
/// Of two options that exclude each other one would be ignored, or the documents could not be read later.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "hosts")]
/// pub struct Host {
///     #[serde(rename = "_id")]
///     pub id: Id<Host>,
///     pub ipaddr: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "logmsg")]
/// pub struct LogMsg {
///     #[serde(rename = "_id")]
///     pub id: Id<LogMsg>,
///     #[parent(Host, on_delete = unset)]
///     pub host: Id<Host>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `on_delete = unset` on `LogMsg::host` would leave a document that cannot be read [ATTR_CONFLICT]
///        help: make the field an `Option`, or choose `on_delete = deny`, `cascade` or `keep`
///        note: a required field that is absent is an error when the document is decoded
///   --> src/model.rs:14:7
///    |
/// 14 |     #[parent(Host, on_delete = unset)]
///    |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
/// ```
///
/// ## What to do
///
/// Remove one of the two, as the message says.
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod attr_conflict {}

/// **Error**: an override has a reason.
///
/// ## What it checks
///
/// `allow(..)` and `allow_large` give a reason, which must not be empty.
///
/// ## Why
///
/// An exception without a reason cannot be reviewed, and later it is not clear whether it may be removed.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Line {
///     pub text: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "posts")]
/// pub struct Post {
///     #[serde(rename = "_id")]
///     pub id: Id<Post>,
///     #[embed(max = 500)]
///     #[model(allow(embed_too_many))]
///     pub lines: Vec<Line>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `embed_too_many` on `Post::lines` needs a reason [ATTR_REASON]
///        help: `allow(embed_too_many, reason = "why this is right here")`
///   --> src/model.rs:12:13
///    |
/// 12 |     #[model(allow(embed_too_many))]
///    |             ^^^^^^^^^^^^^^^^^^^^^
/// ```
///
/// ## What to do
///
/// Write why the rule does not apply here: `allow(embed_too_many, reason = "one per country")`.
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod attr_reason {}

/// **Error**: a hard rule cannot be allowed.
///
/// ## What it checks
///
/// `allow(..)` names only rules that can be allowed.
///
/// ## Why
///
/// The other rules describe what the server refuses, or where data would be lost silently. Turning the message off would not change that.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoEmbed)]
/// pub struct Line {
///     pub text: String,
/// }
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "posts")]
/// pub struct Post {
///     #[serde(rename = "_id")]
///     pub id: Id<Post>,
///     #[embed(max = 20000)]
///     #[model(allow(embed_over_atlas, reason = "it is fine"))]
///     pub lines: Vec<Line>,
/// }
/// ```
///
/// One of its messages:
///
/// ```text
/// error: rule `embed_over_atlas` cannot be allowed (on `Post::lines`) [ALLOW_HARD]
///        note: the server would refuse the schema, or data would be lost silently
///   --> src/model.rs:12:19
///    |
/// 12 |     #[model(allow(embed_over_atlas, reason = "it is fine"))]
///    |                   ^^^^^^^^^^^^^^^^
/// ```
///
/// ## What to do
///
/// Change the schema as the page of the rule says. The [list of rules](self) shows which ones can be allowed.
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod allow_hard {}

/// **Error**: an override suppresses something.
///
/// ## What it checks
///
/// An `allow(..)` or `allow_large` is there only as long as something breaks the rule.
///
/// ## Why
///
/// A forgotten exception would hide the next mistake at the same place.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "posts", allow(refs_too_many, reason = "left from before"))]
/// pub struct Post {
///     #[serde(rename = "_id")]
///     pub id: Id<Post>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: `allow(refs_too_many, ..)` on `Post` suppresses nothing [UNUSED_ALLOW]
///        help: remove it
///  --> src/model.rs:2:37
///   |
/// 2 | #[model(collection = "posts", allow(refs_too_many, reason = "left from before"))]
///   |                                     ^^^^^^^^^^^^^
/// ```
///
/// ## What to do
///
/// Remove it.
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod unused_allow {}

/// **Error**: an option that is not implemented yet is refused.
///
/// ## What it checks
///
/// An option that is planned, but has no implementation yet, is an error: `shard_key`, `snapshot` of `embed`, and `checked` of a two-way
/// reference.
///
/// ## Why
///
/// An option that is accepted and does nothing would be worse than an error.
///
/// ## Example
///
/// This does not compile:
///
/// ```rust,ignore
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "e", shard_key(name))]
/// pub struct Sharded {
///     #[serde(rename = "_id")]
///     pub id: Id<Sharded>,
/// }
/// ```
///
/// The message:
///
/// ```text
/// error: option `shard_key` on `Sharded` is not implemented yet [NOT_YET]
///        help: remove it for now; it is refused so that it is never silently ignored
///  --> src/model.rs:2:27
///   |
/// 2 | #[model(collection = "e", shard_key(name))]
///   |                           ^^^^^^^^^^^^^^^
/// ```
///
/// ## What to do
///
/// Remove the option for now.
///
/// ## Can it be allowed?
///
/// No. The rule has no exceptions.
pub mod not_yet {}
