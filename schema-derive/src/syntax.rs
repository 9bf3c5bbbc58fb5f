//! The item as written: all its attributes with their spans, nothing judged yet.

mod attr;
mod case;
mod checks;
mod children;
mod comparison;
mod migration;
mod serde;
pub(crate) mod stored;
mod subset;

use proc_macro2::{Ident, TokenStream};
use syn::{Generics, Lifetime, Path, Type, Visibility};

pub(crate) use self::attr::Attr;
pub(crate) use self::case::RenameRule;
pub(crate) use self::checks::{CheckAttr, End, Part, ValueCheck, ValueRule};
pub(crate) use self::children::{CountAttr, CountMax, Number, Per, PeriodAttr, RecentAttr};
pub(crate) use self::comparison::{
    CompareOp, ComparisonAttr, DocumentJudge, JudgeAttr, Side, Term,
};
pub(crate) use self::migration::{Migration, NeededIndex};
pub(crate) use self::serde::{Conversion, Instead, SerdeField, SerdeItem, SerdeVariant};
pub(crate) use self::subset::{Extra, Listed, Nested, SubsetAttr, SubsetKind};

/// The derive that runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Model,
    Embed,
}

pub(crate) struct Item {
    pub(crate) kind: Kind,
    pub(crate) ident: Ident,
    pub(crate) vis: Visibility,
    pub(crate) generics: Generics,
    pub(crate) attrs: ItemAttrs,
    pub(crate) serde: SerdeItem,
    pub(crate) body: Body,
}

pub(crate) enum Body {
    /// A struct with named fields.
    Struct(Vec<Field>),
    /// A struct with one unnamed field.
    Newtype(Box<Field>),
    Enum(Vec<Variant>),
}

impl Body {
    /// Every field in source order, variants' fields included.
    pub(crate) fn fields(&self) -> Vec<&Field> {
        match self {
            Body::Struct(fields) => fields.iter().collect(),
            Body::Newtype(field) => vec![field],
            Body::Enum(variants) => variants.iter().flat_map(|v| v.content.fields()).collect(),
        }
    }
}

pub(crate) struct Variant {
    pub(crate) ident: Ident,
    pub(crate) serde: SerdeVariant,
    pub(crate) content: Content,
}

pub(crate) enum Content {
    Unit,
    Newtype(Box<Field>),
    Struct(Vec<Field>),
}

impl Content {
    pub(crate) fn fields(&self) -> Vec<&Field> {
        match self {
            Content::Unit => Vec::new(),
            Content::Newtype(field) => vec![field],
            Content::Struct(fields) => fields.iter().collect(),
        }
    }
}

/// A struct with `#[derive(MongoProjection)]`.
pub(crate) struct Projection {
    pub(crate) ident: Ident,
    pub(crate) generics: Generics,
    /// The model that it is a projection of; `None` was reported.
    pub(crate) of: Option<Path>,
    /// The type whose copies stand in for a source that was not loaded.
    pub(crate) fallback: Option<Path>,
    pub(crate) krate: Option<Path>,
    pub(crate) serde: SerdeItem,
    pub(crate) fields: Vec<ProjectedField>,
}

impl Projection {
    /// The lifetime of a projection that borrows: its only parameter.
    pub(crate) fn lifetime(&self) -> Option<&Lifetime> {
        let mut lifetimes = self.generics.lifetimes();
        match (lifetimes.next(), self.generics.params.len()) {
            (Some(only), 1) => Some(&only.lifetime),
            _ => None,
        }
    }
}

/// A field of a projection; its Rust name is that of the model's field.
pub(crate) struct ProjectedField {
    /// See [`Field::place`].
    pub(crate) place: usize,
    pub(crate) ident: Ident,
    /// The name in messages: `Summary::name`.
    pub(crate) owner: String,
    pub(crate) ty: Type,
    pub(crate) serde: SerdeField,
    /// `#[projection(nested)]`: its type is a projection itself.
    pub(crate) nested: bool,
}

/// Options of `#[model(..)]` on the item.
#[derive(Default)]
pub(crate) struct ItemAttrs {
    pub(crate) collection: Option<(syn::LitStr, String)>,
    pub(crate) krate: Option<Path>,
    pub(crate) indexes: Vec<IndexAttr>,
    pub(crate) accesses: Vec<AccessAttr>,
    pub(crate) queue: Option<QueueAttr>,
    pub(crate) events: Option<EventsAttr>,
    pub(crate) history: Option<HistoryAttr>,
    pub(crate) options: Option<OptionsAttr>,
    pub(crate) bucket: Option<BucketAttr>,
    pub(crate) schema_version: Option<Bound>,
    /// `schema_version` was there, but is no number.
    pub(crate) schema_unclear: bool,
    pub(crate) migrate: Option<Path>,
    /// The model whose collection it shares.
    pub(crate) shares: Option<Path>,
    /// `new = NewIssue`, `view = IssueView`, `patch = IssuePatch`, in the order in which they are written.
    pub(crate) subsets: Vec<SubsetAttr>,
    /// The version of documents that have none.
    pub(crate) unversioned: Option<Bound>,
    /// For a model that is an enum: fields that every variant has.
    pub(crate) common: Vec<Ident>,
    /// `check(with = is_open, garde)`: functions and crates that judge whole documents.
    pub(crate) judges: Vec<JudgeAttr>,
    /// `check(start < end)`
    pub(crate) comparisons: Vec<ComparisonAttr>,
    /// `soft_delete`: a delete sets the time in the `#[deleted]` field.
    pub(crate) soft_delete: Option<TokenStream>,
    /// `tenant = org`: the field that says which tenant a document belongs to.
    pub(crate) tenant: Option<Ident>,
    /// `shard_key(org, hashed(id))`: the key by which a sharded cluster distributes the documents.
    pub(crate) shard_key: Option<ShardKeyAttr>,
    /// `strict`: advice about the model is an error.
    pub(crate) strict: bool,
    pub(crate) allows: Vec<Allow>,
}

/// `access(recent(host, range = time, sort = -time, limit = 5000))`
pub(crate) struct AccessAttr {
    /// The whole pattern, for spans.
    pub(crate) site: TokenStream,
    pub(crate) name: Ident,
    /// Compared for equality with an argument each. Paths are Rust names: `address.city` is two.
    pub(crate) keys: Vec<Vec<Ident>>,
    /// Conditions that are always the same.
    pub(crate) only: Vec<ConditionAttr>,
    /// Compared with a range that is the last argument.
    pub(crate) range: Option<Vec<Ident>>,
    /// Paths, and whether descending.
    pub(crate) sort: Vec<(Vec<Ident>, bool)>,
    pub(crate) limit: Option<Bound>,
}

/// `shard_key(org, hashed(id))`
pub(crate) struct ShardKeyAttr {
    pub(crate) site: TokenStream,
    pub(crate) fields: Vec<ShardField>,
}

/// A field of a shard key.
pub(crate) struct ShardField {
    pub(crate) tokens: TokenStream,
    pub(crate) name: Ident,
    pub(crate) hashed: bool,
}

/// `queue(priority = urgency, order = due, max_attempts = 5)`
pub(crate) struct QueueAttr {
    pub(crate) priority: Option<Ident>,
    pub(crate) order: Option<Ident>,
    pub(crate) max_attempts: Option<Bound>,
}

/// `events = OrderEvent`, `events(OrderEvent, readers(mails, billing))`
pub(crate) struct EventsAttr {
    /// The type of the events.
    pub(crate) event: Ident,
    pub(crate) readers: Vec<Ident>,
}

/// `history`, `history(skip(notes), keep = "365d", by = required)`, `history(fields(price), keep = 100)`
pub(crate) struct HistoryAttr {
    /// The option as written, for spans.
    pub(crate) site: TokenStream,
    /// The fields whose changes are left out.
    pub(crate) skip: Vec<Ident>,
    /// The fields whose changes alone are kept.
    pub(crate) fields: Option<Vec<Ident>>,
    /// The number of seconds after which an entry expires.
    pub(crate) keep: Option<Bound>,
    /// The number of entries that a document keeps.
    pub(crate) keep_last: Option<Bound>,
    /// True if the calls of the model name their actor.
    pub(crate) by_required: bool,
    /// True if an entry has the fields after its change.
    pub(crate) whole: bool,
}

/// `options(read_preference = secondary_preferred, read_concern = majority, write_concern = majority, max_time = "500ms")`, with the values
/// as MongoDB spells them
pub(crate) struct OptionsAttr {
    pub(crate) read_preference: Option<String>,
    pub(crate) read_concern: Option<String>,
    pub(crate) write_concern: Option<String>,
    pub(crate) max_time: Option<Bound>,
}

/// `bucket(lines)`
pub(crate) struct BucketAttr {
    /// The option as written, for spans.
    pub(crate) site: TokenStream,
    /// The field that holds the items.
    pub(crate) items: Ident,
}

/// `allow(rule, reason = "..")`
pub(crate) struct Allow {
    pub(crate) word: Ident,
    /// Set when a check consults it and it suppresses a finding.
    pub(crate) used: std::cell::Cell<bool>,
}

pub(crate) struct Field {
    /// The place in the item, counting from 1: [`crate::ctxt::Ctxt`] sorts messages by it.
    pub(crate) place: usize,
    /// The Rust name, `r#` kept. For a newtype's field: `value`.
    pub(crate) ident: Ident,
    /// The name in messages: `Product::parts`.
    pub(crate) owner: String,
    pub(crate) vis: Visibility,
    pub(crate) ty: Type,
    pub(crate) serde: SerdeField,
    pub(crate) attrs: FieldAttrs,
}

impl Field {
    /// The Rust name without `r#`.
    pub(crate) fn rust(&self) -> String {
        crate::names::unraw(&self.ident)
    }
}

#[derive(Default)]
pub(crate) struct FieldAttrs {
    pub(crate) embed: Option<EmbedAttr>,
    pub(crate) refs: Option<RefsAttr>,
    pub(crate) parent: Option<ParentAttr>,
    pub(crate) denorm: Vec<DenormAttr>,
    pub(crate) recent: Option<RecentAttr>,
    pub(crate) count: Option<CountAttr>,
    pub(crate) period: Option<PeriodAttr>,
    pub(crate) index: Vec<IndexAttr>,
    /// `#[index(contains, min = 3)]`
    pub(crate) contains: Option<ContainsAttr>,
    /// `#[index(vector(1536, cosine))]`
    pub(crate) vector: Option<VectorAttr>,
    pub(crate) volatile: Option<TokenStream>,
    pub(crate) version: Option<TokenStream>,
    /// `#[created]`: the server's time when the document is stored first.
    pub(crate) created: Option<TokenStream>,
    /// `#[updated]`: the server's time of the last write of the document.
    pub(crate) updated: Option<TokenStream>,
    /// `#[deleted]`: the server's time of the soft delete.
    pub(crate) deleted: Option<TokenStream>,
    /// `#[immutable]`: only the first store of the document sets it.
    pub(crate) immutable: Option<TokenStream>,
    /// `#[ancestors]`: the ids from the root of the tree down to the parent.
    pub(crate) ancestors: Option<TokenStream>,
    /// `#[personal]`: the value is about a person.
    pub(crate) personal: Option<PersonalAttr>,
    /// The model's `tenant` names the field.
    pub(crate) tenant: Option<TokenStream>,
    /// `#[check(len = 3..=80)]`
    pub(crate) check: Option<CheckAttr>,
    /// `#[default(0)]`
    pub(crate) default: Option<DefaultAttr>,
    /// `#[model(max_len = 100)]`: characters of a string, bytes of binary.
    pub(crate) max_len: Option<Bound>,
    /// `#[model(writes_per_read = 0.5)]`, as written, where it is often.
    pub(crate) writes: Option<String>,
    /// `#[model(opaque)]`: a type outside our knowledge, stored as serde stores it.
    pub(crate) opaque: Option<TokenStream>,
    pub(crate) allows: Vec<Allow>,
    /// Attributes that were there but could not be understood.
    pub(crate) broken: Vec<&'static str>,
}

/// `#[index(contains, min = 3)]`: the texts are found by any part of them.
pub(crate) struct ContainsAttr {
    /// The attribute as written, for spans.
    pub(crate) site: TokenStream,
    /// The characters of the shortest part that is found.
    pub(crate) min: u64,
}

/// `#[index(vector(1536, cosine), filter(shop, year))]`: documents are found by how near their vector is.
pub(crate) struct VectorAttr {
    /// The attribute as written, for spans.
    pub(crate) site: TokenStream,
    /// The number of values of a vector.
    pub(crate) dimensions: Bound,
    /// The name of the measure in the runtime's `Similarity`.
    pub(crate) similarity: &'static str,
    /// Fields of the model by which a search may select documents.
    pub(crate) filter: Vec<Ident>,
}

/// `#[default(0)]`: the value of a field that the JSON of a new document lacks.
pub(crate) struct DefaultAttr {
    pub(crate) site: TokenStream,
    /// The expression, as written.
    pub(crate) value: TokenStream,
}

/// `#[personal(of = author, erased = "gone", keep_for = "7y", reason = "tax")]`
pub(crate) struct PersonalAttr {
    pub(crate) site: TokenStream,
    /// The reference to the person; none where the document is about the person.
    pub(crate) of: Option<Ident>,
    /// The value that stands in place of the erased one, as written.
    pub(crate) erased: Option<TokenStream>,
    /// The time for which the value stays.
    pub(crate) keep_for: Option<syn::LitStr>,
    /// The reason why it stays.
    pub(crate) reason: Option<syn::LitStr>,
}

/// `#[embed(max = 20, overflow = Extra)]`
pub(crate) struct EmbedAttr {
    pub(crate) site: TokenStream,
    pub(crate) max: Option<Bound>,
    /// The model of the buckets that take what does not fit.
    pub(crate) overflow: Option<Path>,
}

/// A number with its tokens.
#[derive(Clone)]
pub(crate) struct Bound {
    pub(crate) value: u64,
    pub(crate) tokens: TokenStream,
}

/// `#[refs(Part, max = 2000, key = partno, inverse = products, on_delete = deny, missing = drop)]`
pub(crate) struct RefsAttr {
    pub(crate) site: TokenStream,
    pub(crate) target: Path,
    pub(crate) max: Option<Bound>,
    /// The target's field that the references are values of; none for its `_id`.
    pub(crate) key: Option<Ident>,
    /// The target's field that refers back.
    pub(crate) inverse: Option<Ident>,
    /// The field of a membership that refers to the target, where it has several.
    pub(crate) via: Option<Ident>,
    pub(crate) on_delete: OnDelete,
    pub(crate) missing: OnMissing,
    pub(crate) check: Check,
}

/// `#[parent(Host, key = ipaddr, inverse = logs, sort = -time)]`
pub(crate) struct ParentAttr {
    pub(crate) site: TokenStream,
    pub(crate) target: Path,
    pub(crate) sort: Option<Sort>,
    /// As in [`RefsAttr`].
    pub(crate) key: Option<Ident>,
    /// As in [`RefsAttr`].
    pub(crate) inverse: Option<Ident>,
    pub(crate) on_delete: OnDelete,
    pub(crate) missing: OnMissing,
    pub(crate) check: Check,
    pub(crate) tree: Option<TreeAttr>,
}

/// `tree(depth = 12)`
pub(crate) struct TreeAttr {
    /// The largest number of ancestors of a document; `None` was reported.
    pub(crate) depth: Option<Bound>,
}

/// The check of a reference's target in writes that store the reference.
#[derive(Clone)]
pub(crate) enum Check {
    /// No option: writes check that the target exists, unless the delete rule or the kind of the reference says otherwise.
    Default,
    /// `checked`: writes must be able to check the target.
    Checked,
    /// `unchecked`, and its tokens.
    Unchecked(TokenStream),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnDelete {
    Deny,
    /// Refuses a purge, and no soft delete.
    DenyPurge,
    Pull,
    Unset,
    Cascade,
    Keep,
}

/// The treatment of an id that no document has, in a loader.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnMissing {
    Drop,
    Strict,
    KeepSlots,
}

/// `-time`
#[derive(Clone)]
pub(crate) struct Sort {
    pub(crate) field: Ident,
    pub(crate) descending: bool,
}

/// `#[denorm(from = Part, field = name)]`
pub(crate) struct DenormAttr {
    pub(crate) site: TokenStream,
    pub(crate) from: Path,
    /// Paths are Rust names: `profile.name` is two.
    pub(crate) fields: Vec<Vec<Ident>>,
    pub(crate) into: Option<Ident>,
    /// `id = ".."`: the stored name of the reference in the generated entry.
    pub(crate) id: Option<syn::LitStr>,
    pub(crate) via: Option<Ident>,
    pub(crate) derives: Option<Vec<Path>>,
    /// The copy may be absent from a stored document.
    pub(crate) default: bool,
    /// A frozen copy: never brought up to date.
    pub(crate) snapshot: bool,
    pub(crate) level: Level,
}

/// The certainty with which a copy follows its source.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    Eventual,
    Transactional,
    FireAndForget,
}

/// `#[index(..)]` on a field, or `index(keys(..), ..)` in `#[model(..)]`.
pub(crate) struct IndexAttr {
    /// The attribute as written, for spans.
    pub(crate) site: TokenStream,
    /// Empty for `#[index]` on a field: the key is the field, of kind `own`.
    pub(crate) keys: Vec<KeyAttr>,
    /// The kind that `#[index(desc | text | hashed | geo)]` declares for the field itself.
    pub(crate) own: KeyKind,
    pub(crate) unique: Option<TokenStream>,
    pub(crate) sparse: Option<TokenStream>,
    /// Seconds.
    pub(crate) expire_after: Option<Bound>,
    pub(crate) partial: Option<PartialAttr>,
    /// The tenant does not stand in front of the keys.
    pub(crate) across_tenants: Option<TokenStream>,
    pub(crate) collation: Option<CollationAttr>,
    pub(crate) name: Option<syn::LitStr>,
    pub(crate) text: TextAttr,
}

#[derive(Clone)]
pub(crate) struct KeyAttr {
    /// Rust names: `address.city` is two.
    pub(crate) path: Vec<Ident>,
    pub(crate) tokens: TokenStream,
    pub(crate) kind: KeyKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyKind {
    Asc,
    Desc,
    Text,
    Hashed,
    Geo,
    Wildcard,
}

impl KeyKind {
    /// The name in messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            KeyKind::Asc => "ascending",
            KeyKind::Desc => "desc",
            KeyKind::Text => "text",
            KeyKind::Hashed => "hashed",
            KeyKind::Geo => "geo",
            KeyKind::Wildcard => "wildcard",
        }
    }
}

/// `partial(exists)`, `partial(status = "open", total(gt = 5))`
pub(crate) struct PartialAttr {
    pub(crate) conditions: Vec<ConditionAttr>,
}

pub(crate) struct ConditionAttr {
    /// The path; empty for the field that has the attribute.
    pub(crate) path: Vec<Ident>,
    pub(crate) tokens: TokenStream,
    pub(crate) op: ConditionOp,
}

pub(crate) enum ConditionOp {
    Exists,
    /// A BSON type name.
    Type(String),
    Eq(syn::Lit),
    Gt(syn::Lit),
    Gte(syn::Lit),
    Lt(syn::Lit),
    Lte(syn::Lit),
}

/// `collation(locale = "en", strength = 2, ..)`
pub(crate) struct CollationAttr {
    pub(crate) site: TokenStream,
    pub(crate) locale: String,
    pub(crate) strength: Option<u8>,
    pub(crate) case_level: Option<bool>,
    pub(crate) numeric_ordering: Option<bool>,
}

/// Options that only a text index has.
#[derive(Default)]
pub(crate) struct TextAttr {
    /// Rust field path and weight.
    pub(crate) weights: Vec<(Vec<Ident>, u32)>,
    pub(crate) default_language: Option<String>,
    pub(crate) language_override: Option<String>,
    /// The first text-only option, for a message when the index has no text key.
    pub(crate) site: Option<TokenStream>,
}
