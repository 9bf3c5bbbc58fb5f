//! The kinds of changes: what each means while old and new programs run side by side, and how it is deployed.

use serde::Serialize;

/// The documents of one program that the other can read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Reads {
    /// All.
    Yes,
    /// Those that the change does not touch.
    Some,
    /// None, or with another meaning.
    No,
}

impl Reads {
    pub(super) fn text(self) -> &'static str {
        match self {
            Reads::Yes => "yes",
            Reads::Some => "some",
            Reads::No => "no",
        }
    }
}

/// The effect of a `save` by an old program on what a new one has stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Save {
    /// It stays.
    Keeps,
    /// It is gone.
    Loses,
}

impl Save {
    pub(super) fn text(self) -> &'static str {
        match self {
            Save::Keeps => "keeps",
            Save::Loses => "loses",
        }
    }
}

/// A kind of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kind {
    /// A stable name.
    pub(super) name: &'static str,
    /// The change, in words.
    pub(super) says: &'static str,
    pub(super) old_reads_new: Reads,
    pub(super) new_reads_old: Reads,
    pub(super) old_save: Save,
    /// The step of the deploy.
    pub(super) step: &'static str,
}

macro_rules! kinds {
    ($($name:ident $old:ident $new:ident $save:ident $says:literal, $step:literal;)*) => {
        $(
            #[allow(non_upper_case_globals, reason = "the name is that in the JSON document")]
            pub(super) const $name: &Kind = &Kind {
                name: stringify!($name),
                says: $says,
                old_reads_new: Reads::$old,
                new_reads_old: Reads::$new,
                old_save: Save::$save,
                step: $step,
            };
        )*
        /// All of them.
        #[cfg(test)]
        pub(super) const ALL: &[&Kind] = &[$($name),*];
    };
}

// The columns: old reads new, new reads old, and a save by an old program.
kinds! {
    model_added Yes Yes Keeps "a new model", "build its indexes before the deploy: `mongo-model apply`";
    model_removed Yes Yes Keeps "the model is gone", "deploy; drop its documents once no old program runs";
    model_renamed Yes Yes Keeps "the model has another name, and the same collection", "none: documents do not show the name";
    collection_renamed No No Keeps "the model is stored in another collection", "stop old programs, rename the collection on the server, start new ones";
    model_kind_changed No No Loses "the model is of another kind", "add a model of the new kind, copy the documents, switch, remove the old one";
    tenant_changed Yes Some Keeps "documents belong to a tenant by another field, or no more", "fill the field in all documents first; stop old programs before new ones write";
    soft_delete_added Yes Yes Loses "a delete only marks the document", "stop old programs soon: they show deleted documents, and their save takes the mark away";
    soft_delete_removed Yes Yes Keeps "a delete removes the document", "purge marked documents first: new programs show them";
    strict_added Yes Yes Keeps "the model is strict", "`mongo-model check` finds documents that break its rules; deploy, and check again";
    strict_removed Yes Yes Keeps "the model is strict no more", "any order";
    history_added Yes Yes Loses "changes are kept in a history", "stop old programs soon: their changes have no entry, and their save removes entries that wait in a document";
    history_removed Yes Yes Keeps "changes are kept in no history any more", "any order; drop the collection of the entries once nobody needs them";
    events_added Yes Yes Loses "writes emit events", "stop old programs soon: they emit none, and their save removes events that wait in a document";
    events_removed Yes Yes Keeps "writes emit no events any more", "let the readers handle what waits before the deploy";
    reader_added Yes Yes Keeps "a new reader of events", "deploy; it gets events of new programs, and `replay` gives it earlier ones";
    reader_removed Yes Yes Keeps "a reader of events is gone", "stop the reader once no old program emits events for it";
    shard_key_added Yes Yes Keeps "documents are distributed by a shard key", "deploy; `mongo-model apply --shard` once no old program runs: their writes of many documents pass over documents that move";
    shard_key_removed Yes Yes Keeps "documents are distributed by no shard key any more", "bring the collection to one shard before the deploy: `unshardCollection` of MongoDB 8.0";
    shard_key_changed Yes Yes Keeps "documents are distributed by another shard key", "deploy; then `reshardCollection` of MongoDB 5.0";
    sharing_changed Yes Yes Keeps "the model shares its collection with others than before", "`mongo-model check` first: indexes and validator are those of all models of the collection";

    schema_added Yes Yes Loses "documents have a schema version", "deploy; `mongo-model migrate` once no old program runs";
    schema_added_without_unversioned Yes No Loses "documents have a schema version, and those without one are refused", "declare `unversioned` and `migrate`, so that stored documents can be read";
    schema_raised No Yes Keeps "a higher schema version", "stop old programs soon: they refuse newer documents; then `mongo-model migrate`";
    schema_raised_without_migrate No No Keeps "a higher schema version, and older documents are refused", "declare `migrate`, so that stored documents can be read";
    schema_lowered Yes No Keeps "a lower schema version", "do not deploy it: versions only rise";
    schema_lowered_without_migrate No No Keeps "a lower schema version, and old programs refuse older documents", "do not deploy it: versions only rise";
    schema_removed Yes Yes Keeps "documents have no schema version any more", "`mongo-model migrate` with the old program first";
    migrate_changed Yes Some Keeps "older documents are read otherwise", "`mongo-model migrate` with the old program first";

    check_added Yes Yes Keeps "a new check", "`mongo-model check` finds documents that break it; deploy, check again, then `mongo-model apply --validators error`";
    check_removed Yes Yes Keeps "a check is gone", "`mongo-model apply --validators keep` before new programs write what it refused";

    index_added Yes Yes Keeps "a new index", "build it before the deploy: `mongo-model apply`";
    unique_added Yes Yes Keeps "a new unique index", "remove duplicates, then `mongo-model apply`, then deploy: it refuses writes of old programs, too";
    ttl_added Yes Yes Keeps "the server removes documents by their age", "deploy, then `mongo-model apply` once no old program needs them";
    index_removed Yes Yes Keeps "an index is gone", "deploy; drop it once no old program runs: `mongo-model apply --drop-unknown`";
    unique_removed Yes Yes Keeps "an index is unique no more", "build the other one, deploy, and drop the unique one before new programs store duplicates";
    ttl_changed Yes Yes Keeps "documents live for another time", "`mongo-model apply` changes it in place; before the deploy if it is longer";
    collation_changed Yes Yes Keeps "an index compares strings otherwise", "build the new one, deploy, drop the old one once no old program runs";
    index_changed Yes Yes Keeps "an index has other options", "`mongo-model plan` shows what is built anew; before the deploy if queries need it";

    parts_added Yes Yes Keeps "texts are found by their parts", "`mongo-model apply`, deploy; `mongo-model backfill` once no old program runs, then rely on it";
    parts_removed Yes Yes Keeps "texts are found by their parts no more", "deploy; drop the index once no old program runs: `mongo-model apply --drop-unknown`";
    parts_changed Yes Yes Keeps "texts are found by parts of another length", "deploy; `mongo-model backfill` once no old program runs, then rely on it";

    field_added Yes Yes Loses "a new field that may be absent", "deploy; rely on it once no old program runs";
    field_added_required Yes No Loses "a new field that every document must have", "release it as optional, fill it, then require it in another release";
    field_removed Yes Yes Keeps "a field is gone that could be absent", "deploy; remove what is stored once no old program runs";
    field_removed_required No Yes Keeps "a field is gone that old programs require", "release it as optional first, then remove it";
    field_renamed No Yes Loses "a field has another name, and its old one as an alias", "release the new name as an alias of the old one first";
    field_renamed_optional Yes Yes Loses "a field that may be absent has another name, and its old one as an alias", "release the new name as an alias of the old one first, or old programs do not see the value";
    field_renamed_prepared Yes Yes Keeps "a field has another name, which old programs read as well", "deploy; migrate stored documents, then remove the alias";
    alias_added Yes Yes Keeps "a field is read under one more name", "any order";
    alias_removed Yes Some Keeps "a field is not read any more under a name", "migrate the documents that store it under that name first";
    made_optional Some Yes Keeps "a document may be without the value, or have null", "release a program first that reads both and still stores a value";
    made_required Yes Some Keeps "a document must have the value", "fill it where it is missing, deploy, and fill it again once no old program runs";
    absence_changed Yes Yes Keeps "a missing value is stored in another way", "any order; indexes and filters tell null from absent";

    type_widened Some Yes Keeps "the type has more values", "deploy; store the new values once no old program runs";
    type_narrowed Yes Some Keeps "the type has fewer values", "`mongo-model check` finds values that do not fit; correct them first";
    type_to_double No Yes Keeps "floats instead of integers", "stop old programs soon: they read no float";
    type_from_double Yes No Keeps "integers instead of floats", "convert stored values first: `mongo-model resolve --to int`";
    type_changed No No Loses "another type", "add a field of the new type, fill it, switch, then remove the old one";
    form_changed Some Some Loses "functions of the program store it in another form", "add a field of the new form, fill it, switch, then remove the old one";
    variant_added Some Yes Keeps "a new variant", "release `#[serde(other)]` first, then the variant";
    variant_added_to_open Yes Yes Loses "a new variant, of which old programs know that it is none of theirs", "deploy; an update keeps it, a save by an old program does not";
    variant_removed Yes Some Keeps "a variant is gone", "change the documents that have it first";
    others_allowed Yes Yes Keeps "unknown variants are read", "any order";
    others_refused Yes Some Keeps "unknown variants are not read any more", "change the documents that have one first";
    tag_renamed No No Loses "the tag of the variants has another name", "store both tags with a migration: raise the schema version";

    bound_raised Yes Yes Keeps "a higher bound, or none", "any order; old programs refuse what is beyond theirs";
    bound_lowered Yes Yes Keeps "a lower bound, or a new one", "`mongo-model check` finds values beyond it; deploy, and check again";
    version_added Yes Yes Keeps "a version that guards against lost updates", "stop old programs soon: their writes do not raise it";
    role_changed Yes Yes Keeps "the value is set by other writes than before", "stop old programs soon: they set it as before, or not at all";

    reference_added Yes Yes Keeps "the field is a reference", "deploy; `mongo-model verify` finds those that lead nowhere";
    reference_removed Yes Yes Keeps "the field is a reference no more", "deploy; old programs still follow its delete rule";
    reference_retargeted No No Keeps "the reference leads to another model", "add a field for it, fill it, switch, then remove the old one";
    reference_key_changed No No Keeps "the reference holds other values of its target", "add a field for it, fill it, switch, then remove the old one";
    delete_rule_changed Yes Yes Keeps "another delete rule", "deploy everywhere before you rely on it";
    reference_checked Yes Yes Keeps "writes check the reference", "deploy; `mongo-model repair` once no old program runs";
    reference_unchecked Yes Yes Keeps "writes do not check the reference any more", "any order";
    inverse_added Yes Yes Keeps "the reference has another half", "deploy; `mongo-model backfill` once no old program runs";
    inverse_removed Yes Yes Keeps "the reference has no other half any more", "deploy; remove the other half once no old program runs";

    copy_added Yes Yes Loses "a new copy", "deploy, `mongo-model apply --accept-copies`, `mongo-model backfill`, `mongo-model verify`, then rely on it";
    copy_removed Yes Yes Keeps "the field is a copy no more", "deploy; `mongo-model apply` once no old program runs";
    copy_repointed Yes Yes Loses "the copy has another source", "deploy; `mongo-model repair` once no old program runs";
    copy_level_changed Yes Yes Keeps "the copy follows its source with another guarantee", "deploy; `mongo-model repair` once no old program runs";
    derived_added Yes Yes Loses "a new list or number of other documents", "deploy; `mongo-model backfill` once no old program runs";
    derived_removed Yes Yes Keeps "a list or number of other documents is kept no more", "deploy; remove what is stored once no old program runs";
    derived_changed Yes Yes Loses "a list or number follows from other documents than before", "deploy; `mongo-model repair` once no old program runs";
    period_changed No No Loses "the documents stand for other periods", "add a model for them, and `mongo-model repair` it";
}
