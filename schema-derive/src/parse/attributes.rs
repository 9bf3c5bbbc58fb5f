//! The options that each attribute has, and its correct form. The parsers, the errors about unknown and misplaced options, and the
//! names that these errors propose all read these lists.

use super::short::Short;
use crate::syntax::Kind;

/// The options that an attribute has at one place.
#[derive(Debug)]
pub(crate) struct OptionList {
    /// The options, in the order in which messages name them.
    names: &'static [&'static str],
    /// The options that may be given several times.
    repeatable: &'static [&'static str],
    /// The options that are reserved: they are refused, and no message proposes them.
    planned: &'static [&'static str],
}

impl OptionList {
    const fn new(names: &'static [&'static str]) -> Self {
        OptionList {
            names,
            repeatable: &[],
            planned: &[],
        }
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.names.contains(&name)
    }

    pub(super) fn is_repeatable(&self, name: &str) -> bool {
        self.repeatable.contains(&name)
    }

    pub(super) fn planned(&self) -> &'static [&'static str] {
        self.planned
    }

    /// The options that a message may propose.
    pub(super) fn usable(&self) -> Vec<&'static str> {
        let all = self.names.iter().copied();
        all.filter(|name| !self.planned.contains(name)).collect()
    }
}

/// `#[model(..)]` on a struct or enum that derives `MongoModel`.
const MODEL: OptionList = OptionList {
    repeatable: &["index", "allow", "access", "check", "view", "patch"],
    ..OptionList::new(&[
        "collection",
        "index",
        "allow",
        "crate",
        "access",
        "check",
        "bucket",
        "queue",
        "events",
        "history",
        "options",
        "schema_version",
        "migrate",
        "unversioned",
        "common",
        "shard_key",
        "shares",
        "new",
        "view",
        "patch",
        "soft_delete",
        "tenant",
        "strict",
    ])
};

/// `#[model(..)]` on a struct or enum that derives `MongoEmbed`.
const EMBEDDED: OptionList = OptionList {
    repeatable: &["allow", "patch"],
    ..OptionList::new(&["allow", "crate", "patch"])
};

/// `#[model(..)]` on a field.
pub(super) const FIELD: OptionList = OptionList {
    repeatable: &["allow"],
    ..OptionList::new(&["opaque", "max_len", "writes_per_read", "allow"])
};

pub(super) const CHECK: OptionList = OptionList::new(&[
    "len",
    "range",
    "not_empty",
    "finite",
    "one_of",
    "pattern",
    "email",
    "url",
    "with",
    "each",
    "values",
    "keys",
    "on",
]);

/// `each(..)` and `values(..)` of `#[check(..)]`.
pub(super) const EACH: OptionList = OptionList::new(&[
    "len",
    "range",
    "not_empty",
    "finite",
    "one_of",
    "pattern",
    "email",
    "url",
    "with",
]);

/// `keys(..)` of `#[check(..)]`.
pub(super) const KEYS: OptionList =
    OptionList::new(&["len", "not_empty", "one_of", "pattern", "email", "url"]);

pub(super) const EMBED: OptionList = OptionList {
    planned: &["snapshot"],
    ..OptionList::new(&["max", "overflow", "snapshot"])
};

pub(super) const REFS: OptionList = OptionList::new(&[
    "max",
    "on_delete",
    "inverse",
    "key",
    "missing",
    "checked",
    "unchecked",
    "via",
]);

pub(super) const PARENT: OptionList = OptionList::new(&[
    "sort",
    "on_delete",
    "inverse",
    "key",
    "missing",
    "checked",
    "unchecked",
    "tree",
]);

/// `tree(..)` of `#[parent(..)]`.
pub(super) const TREE: OptionList = OptionList::new(&["depth"]);

pub(super) const RECENT: OptionList =
    OptionList::new(&["max", "sort", "fields", "only", "via", "derive"]);

pub(super) const COUNT: OptionList = OptionList::new(&["via", "only", "max", "at"]);

pub(super) const SUM: OptionList = OptionList::new(&["field", "via", "only", "at"]);

pub(super) const PERIOD: OptionList = OptionList::new(&["per", "zone"]);

pub(super) const DENORM: OptionList = OptionList::new(&[
    "from", "field", "fields", "into", "id", "via", "derive", "default", "level", "snapshot",
]);

pub(super) const PERSONAL: OptionList = OptionList::new(&["of", "erased", "keep_for", "reason"]);

/// `#[index(..)]` on a field.
pub(super) const FIELD_INDEX: OptionList = OptionList::new(&[
    "unique",
    "desc",
    "text",
    "hashed",
    "geo",
    "wildcard",
    "contains",
    "min",
    "vector",
    "expire_after",
    "sparse",
    "partial",
    "across_tenants",
    "collation",
    "default_language",
    "language_override",
    "name",
]);

/// `#[index(vector(..), ..)]` on a field.
pub(super) const VECTOR_INDEX: OptionList = OptionList::new(&["vector", "filter"]);

/// `index(..)` in the `#[model(..)]` of a model.
pub(super) const MODEL_INDEX: OptionList = OptionList::new(&[
    "keys",
    "unique",
    "expire_after",
    "sparse",
    "partial",
    "across_tenants",
    "collation",
    "weights",
    "default_language",
    "language_override",
    "name",
]);

pub(super) const COLLATION: OptionList =
    OptionList::new(&["locale", "strength", "case_level", "numeric_ordering"]);

/// A pattern of `access(..)`, behind its keys.
pub(super) const ACCESS: OptionList = OptionList::new(&["only", "range", "sort", "limit"]);

pub(super) const QUEUE: OptionList = OptionList::new(&["priority", "order", "max_attempts"]);

/// `events(..)`, behind the type.
pub(super) const EVENTS: OptionList = OptionList::new(&["readers"]);

pub(super) const HISTORY: OptionList =
    OptionList::new(&["skip", "fields", "keep", "keep_last", "by", "whole"]);

pub(super) const OPTIONS: OptionList = OptionList::new(&[
    "read_preference",
    "read_concern",
    "write_concern",
    "max_time",
]);

/// `new(..)`, behind the name.
pub(super) const NEW: OptionList = OptionList::new(&["skip", "only", "derive", "deserialize"]);

/// `view(..)`, behind the name.
pub(super) const VIEW: OptionList = OptionList::new(&["skip", "only", "with", "derive"]);

/// `patch(..)`, behind the name.
pub(super) const PATCH: OptionList = OptionList::new(&["skip", "only", "nested", "derive"]);

/// `allow(..)`, behind the rule.
pub(super) const ALLOW: OptionList = OptionList::new(&["reason"]);

/// `#[projection(..)]` on a struct.
pub(super) const PROJECTION: OptionList = OptionList::new(&["of", "fallback", "crate"]);

/// `#[projection(..)]` on a field.
pub(super) const PROJECTED_FIELD: OptionList = OptionList::new(&["nested"]);

/// `#[migration(..)]` on a function.
pub(super) const MIGRATION: OptionList =
    OptionList::new(&["after", "needs", "name", "undo", "crate"]);

/// The options of `#[model(..)]` on an item.
pub(super) fn item_options(kind: Kind) -> &'static OptionList {
    match kind {
        Kind::Model => &MODEL,
        Kind::Embed => &EMBEDDED,
    }
}

/// The advice for this option of a model where a field has it; `None` for an option that is no model's.
pub(super) fn instead_on_field(name: &str) -> Option<&'static str> {
    // A field has an `#[index]` of its own.
    let of_model = MODEL.contains(name) && !FIELD.contains(name) && name != Short::Index.name();
    of_model.then_some("it belongs on the model")
}

/// The advice for this option of a model where an embedded document has it; `None` for an option that is no model's.
pub(super) fn instead_on_embedded(name: &str) -> Option<&'static str> {
    if !MODEL.contains(name) || EMBEDDED.contains(name) {
        return None;
    }
    Some(match name {
        "collection" => {
            "remove it, or derive `MongoModel`: an embedded document owns no collection"
        }
        "index" => "put `#[index]` on a field, or `index(keys(..))` on the model that embeds it",
        "common" => "it belongs on a model that is an enum",
        "check" => {
            "rules about its fields: `#[check(..)]` on each; about several together: `check(with = is_right)` on the model that embeds it"
        }
        _ => "it belongs on the model that embeds it",
    })
}

/// The correct form of an attribute at its place: `#[model(..)]` on a field has options of its own.
pub(super) fn form_on(attr: &str, owner: &str) -> String {
    match attr {
        "model" if owner.contains("::") => "#[model(opaque)]".to_owned(),
        "projection" if owner.contains("::") => "#[projection(nested)]".to_owned(),
        _ => form(attr),
    }
}

/// The correct form of each attribute, shown whenever one is written wrongly.
pub(super) fn form(attr: &str) -> String {
    match attr {
        "embed" => "#[embed(max = 20)]",
        "check" => "#[check(len = 3..=80)]",
        "default" => "#[default(0)]",
        "period" => "#[period(per = day, zone = \"Europe/Rome\")]",
        "refs" => "#[refs(Part)]",
        "parent" => "#[parent(Host)]",
        "tree" => "#[parent(Category, tree(depth = 12))]",
        "ancestors" => "#[ancestors]",
        "denorm" => "#[denorm(from = Part, field = name)]",
        "index" => "#[index(unique)]",
        "recent" => "#[recent(LogMsg, max = 1000, sort = time, fields(time, message))]",
        "count" => "#[count(LogMsg)]",
        "sum" => "#[sum(Line, field = price)]",
        "avg" => "#[avg(Review, field = stars)]",
        "min" => "#[min(Offer, field = price)]",
        "max" => "#[max(Bid, field = amount)]",
        "allow" => "allow(embed_too_many, reason = \"..\")",
        "collation" => "collation(locale = \"en\", strength = 2)",
        "volatile" => "#[volatile]",
        "personal" => "#[personal(of = author, erased = \"\")]",
        "version" => "#[version]",
        "created" => "#[created]",
        "updated" => "#[updated]",
        "deleted" => "#[deleted]",
        "immutable" => "#[immutable]",
        "queue" => "queue(priority = urgency)",
        "events" => "events(OrderEvent, readers(mails))",
        "history" => "history(skip(notes), keep = \"365d\")",
        "options" => "options(read_preference = secondary_preferred, max_time = \"500ms\")",
        "bucket" => "bucket(lines)",
        "new" => "new(NewPart, skip(stock), deserialize)",
        "view" => "view(PartView, skip(secret))",
        "patch" => "patch(PartPatch, skip(owner))",
        "access" => "access(recent(host, sort = -time, limit = 5000))",
        "migration" => "#[migration(after = \"split_name\")]",
        "projection" => "#[projection(of = Product)]",
        _ => "#[model(collection = \"products\")]",
    }
    .to_owned()
}
