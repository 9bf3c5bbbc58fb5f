//! Names that speak for a reference: `movie_id` and `movies`.

use crate::pull::names::words;

/// Words that a reference has besides the name of its target.
const SUFFIXES: [&str; 9] = [
    "id", "ids", "key", "ref", "refs", "oid", "fk", "code", "uuid",
];

/// Words of a field that holds how many there are, not which.
const NUMBERS: [&str; 6] = ["number", "num", "count", "total", "amount", "quantity"];

/// True if the name of a field names a collection, or its key.
pub(crate) fn names_target(field: &str, collection: &str, key: &str) -> bool {
    let target = words(collection);
    let words = words(field);
    if words.iter().any(|word| NUMBERS.contains(&word.as_str())) {
        return false;
    }
    let bare: Vec<&String> = words
        .iter()
        .filter(|word| !SUFFIXES.contains(&word.as_str()))
        .collect();
    let ends = |with: &[String]| {
        !with.is_empty()
            && bare.len() >= with.len()
            && bare
                .iter()
                .rev()
                .zip(with.iter().rev())
                .all(|(a, b)| **a == *b)
    };
    let key_words = self::words(key);
    // A key that is called `id` or `code` alone names no collection.
    let speaks = key_words
        .iter()
        .any(|word| !SUFFIXES.contains(&word.as_str()));
    if key != "_id" && speaks && words.ends_with(&key_words) {
        return true;
    }
    ends(&target)
        || target
            .last()
            .is_some_and(|last| target.len() > 1 && ends(std::slice::from_ref(last)))
}

/// True if the field has the name of its own collection, as its key has.
pub(crate) fn names_itself(field: &str, collection: &str) -> bool {
    let mut own = words(field);
    own.retain(|word| !SUFFIXES.contains(&word.as_str()));
    own == words(collection)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_name_their_targets() {
        for (field, collection, key) in [
            ("movie_id", "movies", "_id"),
            ("customerId", "customers", "_id"),
            ("userIds", "users", "_id"),
            ("email", "users", "email"),
            ("user_email", "users", "email"),
            ("billing_address_id", "addresses", "_id"),
            ("item", "order_items", "_id"),
            ("город", "город", "_id"),
            ("parent_code", "parents", "code"),
            ("AlbumId", "Album", "AlbumId"),
        ] {
            assert!(names_target(field, collection, key), "{field} {collection}");
        }
        for (field, collection) in [
            ("возраст", "города"),
            ("*/", "__"),
            ("runtime", "movies"),
            ("id", "users"),
            ("year", "years_past"),
            ("score", "users"),
            ("number_of_users", "users"),
            ("usersCount", "users"),
        ] {
            assert!(
                !names_target(field, collection, "_id"),
                "{field} {collection}"
            );
        }
        assert!(!names_target("user_id", "products", "id"));
    }
}
