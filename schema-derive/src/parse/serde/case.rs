//! serde's rename rules, letter for letter: the stored names are what serde writes.

/// A value of `rename_all`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RenameRule {
    Lower,
    Upper,
    Pascal,
    Camel,
    Snake,
    ScreamingSnake,
    Kebab,
    ScreamingKebab,
}

impl RenameRule {
    /// The rule that serde knows by this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "lowercase" => Self::Lower,
            "UPPERCASE" => Self::Upper,
            "PascalCase" => Self::Pascal,
            "camelCase" => Self::Camel,
            "snake_case" => Self::Snake,
            "SCREAMING_SNAKE_CASE" => Self::ScreamingSnake,
            "kebab-case" => Self::Kebab,
            "SCREAMING-KEBAB-CASE" => Self::ScreamingKebab,
            _ => return None,
        })
    }

    /// The stored name of a field.
    pub(crate) fn field(self, name: &str) -> String {
        match self {
            // serde takes it for granted that fields are in snake case.
            Self::Lower | Self::Snake => name.to_owned(),
            Self::Upper | Self::ScreamingSnake => name.to_ascii_uppercase(),
            Self::Pascal => pascal(name),
            Self::Camel => first_lower(&pascal(name)),
            Self::Kebab => name.replace('_', "-"),
            Self::ScreamingKebab => name.to_ascii_uppercase().replace('_', "-"),
        }
    }

    /// The stored name of an enum's variant.
    pub(crate) fn variant(self, name: &str) -> String {
        match self {
            Self::Pascal => name.to_owned(),
            Self::Lower => name.to_ascii_lowercase(),
            Self::Upper => name.to_ascii_uppercase(),
            Self::Camel => first_lower(name),
            Self::Snake => snake(name),
            Self::ScreamingSnake => snake(name).to_ascii_uppercase(),
            Self::Kebab => snake(name).replace('_', "-"),
            Self::ScreamingKebab => snake(name).to_ascii_uppercase().replace('_', "-"),
        }
    }
}

fn pascal(name: &str) -> String {
    let mut out = String::new();
    let mut capital = true;
    for c in name.chars() {
        if c == '_' {
            capital = true;
        } else if std::mem::take(&mut capital) {
            out.push(c.to_ascii_uppercase());
        } else {
            out.push(c);
        }
    }
    out
}

fn snake(name: &str) -> String {
    let mut out = String::new();
    for (place, c) in name.char_indices() {
        if place > 0 && c.is_uppercase() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

fn first_lower(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map_or_else(String::new, |first| {
        format!("{}{}", first.to_ascii_lowercase(), chars.as_str())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// lowercase, UPPERCASE, PascalCase, camelCase, snake_case, SCREAMING_SNAKE_CASE, kebab-case, SCREAMING-KEBAB-CASE
    const ORDER: [&str; 8] = [
        "lowercase",
        "UPPERCASE",
        "PascalCase",
        "camelCase",
        "snake_case",
        "SCREAMING_SNAKE_CASE",
        "kebab-case",
        "SCREAMING-KEBAB-CASE",
    ];

    fn rules() -> impl Iterator<Item = RenameRule> {
        ORDER
            .into_iter()
            .map(|name| RenameRule::named(name).expect("a rule of serde"))
    }

    /// The table in the tests of `serde_derive` 1.0.
    #[test]
    fn variants_as_serde_names_them() {
        let table = [
            (
                "Outcome",
                [
                    "outcome", "OUTCOME", "Outcome", "outcome", "outcome", "OUTCOME", "outcome",
                    "OUTCOME",
                ],
            ),
            (
                "VeryTasty",
                [
                    "verytasty",
                    "VERYTASTY",
                    "VeryTasty",
                    "veryTasty",
                    "very_tasty",
                    "VERY_TASTY",
                    "very-tasty",
                    "VERY-TASTY",
                ],
            ),
            ("A", ["a", "A", "A", "a", "a", "A", "a", "A"]),
            (
                "Z42",
                ["z42", "Z42", "Z42", "z42", "z42", "Z42", "z42", "Z42"],
            ),
        ];
        for (written, stored) in table {
            for (rule, expected) in rules().zip(stored) {
                assert_eq!(rule.variant(written), expected, "{written} by {rule:?}");
            }
        }
    }

    /// The table in the tests of `serde_derive` 1.0.
    #[test]
    fn fields_as_serde_names_them() {
        let table = [
            (
                "outcome",
                [
                    "outcome", "OUTCOME", "Outcome", "outcome", "outcome", "OUTCOME", "outcome",
                    "OUTCOME",
                ],
            ),
            (
                "very_tasty",
                [
                    "very_tasty",
                    "VERY_TASTY",
                    "VeryTasty",
                    "veryTasty",
                    "very_tasty",
                    "VERY_TASTY",
                    "very-tasty",
                    "VERY-TASTY",
                ],
            ),
            ("a", ["a", "A", "A", "a", "a", "A", "a", "A"]),
            (
                "z42",
                ["z42", "Z42", "Z42", "z42", "z42", "Z42", "z42", "Z42"],
            ),
            (
                "_id",
                ["_id", "_ID", "Id", "id", "_id", "_ID", "-id", "-ID"],
            ),
        ];
        for (written, stored) in table {
            for (rule, expected) in rules().zip(stored) {
                assert_eq!(rule.field(written), expected, "{written} by {rule:?}");
            }
        }
    }

    #[test]
    fn odd_names_do_not_panic() {
        for rule in rules() {
            for name in ["_", "__", "äpfel", "Äpfel", ""] {
                rule.field(name);
                rule.variant(name);
            }
        }
        assert_eq!(RenameRule::named("Title Case"), None);
    }
}
