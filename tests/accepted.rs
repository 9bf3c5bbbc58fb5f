//! Schemas that the compiler accepts: for every rule the nearest good schema, in the repository's `tests/ui-pass`.
//!
//! They are modules of one program, because a program for each would have to be linked.

#![allow(
    dead_code,
    unreachable_pub,
    unused_qualifications,
    clippy::all,
    reason = "an application's code"
)]

use std::collections::BTreeSet;
use std::path::Path;

macro_rules! accepted {
    ($($path:literal $name:ident),* $(,)?) => {
        $(
            #[path = $path]
            mod $name;
        )*

        /// Runs the `main` of each schema, with its assertions.
        #[test]
        fn they_are_what_they_say() {
            $($name::main();)*
        }

        const HERE: &[&str] = &[$($path),*];
    };
}

accepted! {
    "ui-pass/advice.rs" advice,
    "ui-pass/array_unbounded.rs" array_unbounded,
    "ui-pass/bucket_count.rs" bucket_count,
    "ui-pass/bucket_field.rs" bucket_field,
    "ui-pass/bucket_items.rs" bucket_items,
    "ui-pass/bucket_max.rs" bucket_max,
    "ui-pass/bucket_parent.rs" bucket_parent,
    "ui-pass/bucket_unique.rs" bucket_unique,
    "ui-pass/bytes_as_array.rs" bytes_as_array,
    "ui-pass/cas_version.rs" cas_version,
    "ui-pass/default_value.rs" default_value,
    "ui-pass/deny_purge.rs" deny_purge,
    "ui-pass/history_personal.rs" history_personal,
    "ui-pass/history_with.rs" history_with,
    "ui-pass/personal_copy.rs" personal_copy,
    "ui-pass/personal_field.rs" personal_field,
    "ui-pass/personal_field__inside.rs" personal_field_inside,
    "ui-pass/stamp_date.rs" stamp_date,
    "ui-pass/shard_key.rs" shard_key,
    "ui-pass/shard_unique.rs" shard_unique,
    "ui-pass/shard_with.rs" shard_with,
    "ui-pass/soft_delete_field.rs" soft_delete_field,
    "ui-pass/soft_delete_with.rs" soft_delete_with,
    "ui-pass/tenant_field.rs" tenant_field,
    "ui-pass/tenant_target.rs" tenant_target,
    "ui-pass/tenant_target__inside.rs" tenant_target_inside,
    "ui-pass/tenant_unique.rs" tenant_unique,
    "ui-pass/tenant_with.rs" tenant_with,
    "ui-pass/tenant_with__kinds.rs" tenant_with_kinds,
    "ui-pass/tenant_with__new.rs" tenant_with_new,
    "ui-pass/tenant_with__overflow.rs" tenant_with_overflow,
    "ui-pass/tenant_with__two_way.rs" tenant_with_two_way,
    "ui-pass/migration_after.rs" migration_after,
    "ui-pass/migration_function.rs" migration_function,
    "ui-pass/check_empty.rs" check_empty,
    "ui-pass/check_field.rs" check_field,
    "ui-pass/check_pattern.rs" check_pattern,
    "ui-pass/check_type.rs" check_type,
    "ui-pass/check_type__texts.rs" check_type_texts,
    "ui-pass/check_type__compared.rs" check_type_compared,
    "ui-pass/check_type__judged.rs" check_type_judged,
    "ui-pass/child_parent.rs" child_parent,
    "ui-pass/child_parent__itself.rs" child_parent_itself,
    "ui-pass/collection_name.rs" collection_name,
    "ui-pass/count_ttl.rs" count_ttl,
    "ui-pass/count_type.rs" count_type,
    "ui-pass/date_as_string.rs" date_as_string,
    "ui-pass/denorm_ambiguous.rs" denorm_ambiguous,
    "ui-pass/denorm_cycle.rs" denorm_cycle,
    "ui-pass/denorm_derived.rs" denorm_derived,
    "ui-pass/denorm_entries.rs" denorm_entries,
    "ui-pass/denorm_entry.rs" denorm_entry,
    "ui-pass/denorm_field.rs" denorm_field,
    "ui-pass/denorm_field__nested.rs" denorm_field_nested,
    "ui-pass/denorm_hot.rs" denorm_hot,
    "ui-pass/denorm_hot__writes.rs" denorm_hot_writes,
    "ui-pass/denorm_id.rs" denorm_id,
    "ui-pass/denorm_len.rs" denorm_len,
    "ui-pass/denorm_level.rs" denorm_level,
    "ui-pass/denorm_no_key.rs" denorm_no_key,
    "ui-pass/denorm_path_nested.rs" denorm_path_nested,
    "ui-pass/denorm_same_path.rs" denorm_same_path,
    "ui-pass/denorm_source.rs" denorm_source,
    "ui-pass/denorm_type.rs" denorm_type,
    "ui-pass/denorm_type__beside_option.rs" denorm_type_beside_option,
    "ui-pass/embed_depth.rs" embed_depth,
    "ui-pass/embed_map.rs" embed_map,
    "ui-pass/embed_nested_product.rs" embed_nested_product,
    "ui-pass/embed_option_vec.rs" embed_option_vec,
    "ui-pass/embed_over_atlas.rs" embed_over_atlas,
    "ui-pass/embed_recursive.rs" embed_recursive,
    "ui-pass/embed_standalone.rs" embed_standalone,
    "ui-pass/embed_too_big.rs" embed_too_big,
    "ui-pass/embed_too_big__lengths.rs" embed_too_big_lengths,
    "ui-pass/embed_too_many.rs" embed_too_many,
    "ui-pass/embed_unbounded.rs" embed_unbounded,
    "ui-pass/enum_untagged.rs" enum_untagged,
    "ui-pass/events.rs" events,
    "ui-pass/field_dup.rs" field_dup,
    "ui-pass/field_name.rs" field_name,
    "ui-pass/filter_child.rs" filter_child,
    "ui-pass/flatten_rule.rs" flatten_rule,
    "ui-pass/id_forms.rs" id_forms,
    "ui-pass/id_missing.rs" id_missing,
    "ui-pass/id_option.rs" id_option,
    "ui-pass/id_type.rs" id_type,
    "ui-pass/folded.rs" folded,
    "ui-pass/group_by.rs" group_by,
    "ui-pass/idx/idx_contains.rs" idx_contains,
    "ui-pass/idx/idx_vector.rs" idx_vector,
    "ui-pass/unwind.rs" unwind,
    "ui-pass/idx/idx_duplicate.rs" idx_duplicate,
    "ui-pass/idx/idx_fields.rs" idx_fields,
    "ui-pass/idx/idx_geo.rs" idx_geo,
    "ui-pass/idx/idx_hashed.rs" idx_hashed,
    "ui-pass/idx/idx_id.rs" idx_id,
    "ui-pass/idx/idx_key_value.rs" idx_key_value,
    "ui-pass/idx/idx_many.rs" idx_many,
    "ui-pass/idx/idx_name.rs" idx_name,
    "ui-pass/idx/idx_name_conflict.rs" idx_name_conflict,
    "ui-pass/idx/idx_parallel.rs" idx_parallel,
    "ui-pass/idx/idx_partial.rs" idx_partial,
    "ui-pass/idx/idx_same_key.rs" idx_same_key,
    "ui-pass/idx/idx_skipped_field.rs" idx_skipped_field,
    "ui-pass/idx/idx_text_language.rs" idx_text_language,
    "ui-pass/idx/idx_text_many.rs" idx_text_many,
    "ui-pass/idx/idx_text_shape.rs" idx_text_shape,
    "ui-pass/idx/idx_too_many.rs" idx_too_many,
    "ui-pass/idx/idx_ttl_compound.rs" idx_ttl_compound,
    "ui-pass/idx/idx_ttl_id.rs" idx_ttl_id,
    "ui-pass/idx/idx_ttl_range.rs" idx_ttl_range,
    "ui-pass/idx/idx_ttl_special.rs" idx_ttl_special,
    "ui-pass/idx/idx_ttl_type.rs" idx_ttl_type,
    "ui-pass/idx/idx_unique_array.rs" idx_unique_array,
    "ui-pass/idx/idx_unique_entry.rs" idx_unique_entry,
    "ui-pass/idx/idx_unique_null.rs" idx_unique_null,
    "ui-pass/idx/idx_unknown_field.rs" idx_unknown_field,
    "ui-pass/idx/idx_wildcard.rs" idx_wildcard,
    "ui-pass/idx_access.rs" idx_access,
    "ui-pass/idx_access__allowed.rs" idx_access_allowed,
    "ui-pass/idx_esr.rs" idx_esr,
    "ui-pass/idx_filter.rs" idx_filter,
    "ui-pass/idx_filter__plain.rs" idx_filter_plain,
    "ui-pass/idx_partial_query.rs" idx_partial_query,
    "ui-pass/idx_sort_dir.rs" idx_sort_dir,
    "ui-pass/int_range.rs" int_range,
    "ui-pass/map_key_type.rs" map_key_type,
    "ui-pass/model_options.rs" model_options,
    "ui-pass/near_places.rs" near_places,
    "ui-pass/new_documents.rs" new_documents,
    "ui-pass/ns_too_long.rs" ns_too_long,
    "ui-pass/ns_too_long__history.rs" ns_too_long_history,
    "ui-pass/one_of_several.rs" one_of_several,
    "ui-pass/outlier_flag.rs" outlier_flag,
    "ui-pass/outlier_flag__no_clone.rs" outlier_flag_no_clone,
    "ui-pass/parent_field_type.rs" parent_field_type,
    "ui-pass/parent_id_type.rs" parent_id_type,
    "ui-pass/parent_pull.rs" parent_pull,
    "ui-pass/parent_sort_field.rs" parent_sort_field,
    "ui-pass/tree.rs" tree,
    "ui-pass/period_field.rs" period_field,
    "ui-pass/period_field__walled.rs" period_field_walled,
    "ui-pass/period_zone.rs" period_zone,
    "ui-pass/parent_target.rs" parent_target,
    "ui-pass/poly_common.rs" poly_common,
    "ui-pass/poly_field.rs" poly_field,
    "ui-pass/poly_field__checks.rs" poly_field_checks,
    "ui-pass/poly_field__copy.rs" poly_field_copy,
    "ui-pass/poly_field__indexes.rs" poly_field_indexes,
    "ui-pass/poly_field__inside.rs" poly_field_inside,
    "ui-pass/poly_field__references.rs" poly_field_references,
    "ui-pass/private_models.rs" private_models,
    "ui-pass/projection/nested_fallback.rs" nested_fallback,
    "ui-pass/projection/projection_fallback.rs" projection_fallback,
    "ui-pass/projection/projection_field.rs" projection_field,
    "ui-pass/projection/projection_name.rs" projection_name,
    "ui-pass/projection/projection_name__alias.rs" projection_name_alias,
    "ui-pass/projection/projection_nested.rs" projection_nested,
    "ui-pass/projection/projection_of.rs" projection_of,
    "ui-pass/projection/projection_shape.rs" projection_shape,
    "ui-pass/projection/projection_shape__borrowed.rs" projection_shape_borrowed,
    "ui-pass/projection/projection_type.rs" projection_type,
    "ui-pass/queue_field.rs" queue_field,
    "ui-pass/recent_field_type.rs" recent_field_type,
    "ui-pass/recent_sort_field.rs" recent_sort_field,
    "ui-pass/recent_too_many.rs" recent_too_many,
    "ui-pass/refs_checked.rs" refs_checked,
    "ui-pass/refs_embed_both.rs" refs_embed_both,
    "ui-pass/refs_field_type.rs" refs_field_type,
    "ui-pass/refs_id_type.rs" refs_id_type,
    "ui-pass/refs_impossible.rs" refs_impossible,
    "ui-pass/refs_key_type.rs" refs_key_type,
    "ui-pass/refs_key_type__narrow.rs" refs_key_type_narrow,
    "ui-pass/refs_key_unique.rs" refs_key_unique,
    "ui-pass/refs_map.rs" refs_map,
    "ui-pass/refs_members.rs" refs_members,
    "ui-pass/refs_missing.rs" refs_missing,
    "ui-pass/refs_target.rs" refs_target,
    "ui-pass/refs_too_many.rs" refs_too_many,
    "ui-pass/refs_two_way_mismatch.rs" refs_two_way_mismatch,
    "ui-pass/refs_two_way_mismatch__copies.rs" refs_two_way_mismatch_copies,
    "ui-pass/rename_asym.rs" rename_asym,
    "ui-pass/reserved_field.rs" reserved_field,
    "ui-pass/serde_skip_rule.rs" serde_skip_rule,
    "ui-pass/serde_unsupported.rs" serde_unsupported,
    "ui-pass/shape.rs" shape,
    "ui-pass/shape__unknown_kinds.rs" shape_unknown_kinds,
    "ui-pass/strict.rs" strict,
    "ui-pass/subsets.rs" subsets,
    "ui-pass/count_max.rs" count_max,
    "ui-pass/sum_field.rs" sum_field,
    "ui-pass/sum_field__inside.rs" sum_field_inside,
    "ui-pass/transaction_spawned.rs" transaction_spawned,
    "ui-pass/upsert_by.rs" upsert_by,
    "ui-pass/use_set_reference.rs" use_set_reference,
    "ui-pass/uuid_generic.rs" uuid_generic,
    "ui-pass/decimal_as_string.rs" decimal_as_string,
    "ui-pass/value_type.rs" value_type,
}

#[test]
fn each_of_them_is_here() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut found = BTreeSet::new();
    let mut folders = vec![tests.join("ui-pass")];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let path = path.strip_prefix(&tests).expect("below it");
                found.insert(path.to_str().expect("UTF-8").to_owned());
            }
        }
    }
    let here: BTreeSet<String> = HERE.iter().map(|path| (*path).to_owned()).collect();
    assert_eq!(here, found);
}
