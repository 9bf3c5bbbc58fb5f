//! serde's rename rules: the stored names are what serde writes. `ident_case` has six of the eight.

use ident_case::RenameRule as Case;

/// A value of `rename_all`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RenameRule {
    case: Case,
    /// The result is in capitals: two of serde's rules are another one in capitals.
    capitals: bool,
}

impl RenameRule {
    /// The rule that serde knows by this name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        let (case, capitals) = match name {
            "UPPERCASE" => (Case::LowerCase, true),
            "SCREAMING-KEBAB-CASE" => (Case::KebabCase, true),
            _ => (name.parse().ok()?, false),
        };
        Some(Self { case, capitals })
    }

    /// The stored name of a field.
    pub(crate) fn field(self, name: &str) -> String {
        if self.panics(name.trim_start_matches('_')) {
            return name.to_owned();
        }
        self.finish(self.case.apply_to_field(name))
    }

    /// The stored name of an enum's variant.
    pub(crate) fn variant(self, name: &str) -> String {
        if self.panics(name) {
            return name.to_owned();
        }
        self.finish(self.case.apply_to_variant(name))
    }

    /// True if the name begins with no letter that camel case can make small: serde's own derive panics at it, as `ident_case`
    /// does, and serde's is the error to show.
    fn panics(self, name: &str) -> bool {
        self.case == Case::CamelCase && !name.starts_with(|first: char| first.is_ascii())
    }

    fn finish(self, name: String) -> String {
        if self.capitals {
            name.to_ascii_uppercase()
        } else {
            name
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(non_camel_case_types, non_snake_case, dead_code)]

    use bson::Bson;
    use serde::Serialize;

    use super::*;

    /// Compares the rule with what serde's derive writes for fields and variants of these names.
    macro_rules! as_serde {
        ($rule:literal, [$($field:ident),*], [$($variant:ident),*]) => {{
            #[derive(Default, Serialize)]
            #[serde(rename_all = $rule)]
            struct Fields {
                $($field: u8,)*
            }
            #[derive(Serialize)]
            #[serde(rename_all = $rule)]
            enum Variants {
                $($variant,)*
            }
            let rule = RenameRule::from_name($rule).expect("a rule of serde");
            let document = bson::serialize_to_document(&Fields::default()).expect("a document");
            let written = [$(stringify!($field)),*].map(|name| name.trim_start_matches("r#"));
            assert_eq!(document.len(), written.len(), "two fields of one name");
            for (written, stored) in written.iter().zip(document.keys()) {
                assert_eq!(rule.field(written), *stored, "field {written} by {}", $rule);
            }
            for (written, variant) in [$((stringify!($variant), Variants::$variant)),*] {
                let written = written.trim_start_matches("r#");
                let stored = bson::serialize_to_bson(&variant).expect("a string");
                assert_eq!(
                    Bson::String(rule.variant(written)),
                    stored,
                    "variant {written} by {}",
                    $rule
                );
            }
        }};
    }

    /// Names whose case is easily got wrong: digits, leading, trailing and double underscores, capitals in a row, the other
    /// kind's case, raw names.
    macro_rules! awkward {
        ($($rule:literal),*) => {
            $(as_serde!(
                $rule,
                [
                    a, z42, outcome, very_tasty, _id, __v, name_, double__under, line_2, line2_of_3, x_y_z, r#type,
                    camelCase, PascalCase, HTTPServer, LOUD, k8s_node, a_1b
                ],
                [
                    A, Z42, Outcome, VeryTasty, HTTPServer, IOError, X509Cert, Line2, Line2Of3, Snake_Case, _Hidden,
                    Trailing_, lower, camelCase, snake_case, LOUD_ONE, Ipv4, r#In, A1b
                ]
            );)*
        };
    }

    #[test]
    fn names_are_what_serde_writes() {
        awkward!(
            "lowercase",
            "UPPERCASE",
            "PascalCase",
            "camelCase",
            "snake_case",
            "SCREAMING_SNAKE_CASE",
            "kebab-case",
            "SCREAMING-KEBAB-CASE"
        );
    }

    /// In all rules but camel case, at which serde's derive panics for these names.
    #[test]
    fn letters_beyond_ascii_are_what_serde_writes() {
        macro_rules! beyond_ascii {
            ($($rule:literal),*) => {
                $(as_serde!($rule, [äpfel, größe_2, _ß], [Äpfel, GrößeÄ, Straße]);)*
            };
        }
        beyond_ascii!(
            "lowercase",
            "UPPERCASE",
            "PascalCase",
            "snake_case",
            "SCREAMING_SNAKE_CASE",
            "kebab-case",
            "SCREAMING-KEBAB-CASE"
        );
        as_serde!("camelCase", [größe_äpfel, a_ä], [GrößeÄ, Straße]);
    }

    #[test]
    fn names_at_which_serde_panics_stay() {
        let camel = RenameRule::from_name("camelCase").expect("a rule of serde");
        for name in ["_", "__", "äpfel", "_äpfel", ""] {
            assert_eq!(camel.field(name), name);
        }
        for name in ["Äpfel", "ßeta", ""] {
            assert_eq!(camel.variant(name), name);
        }
    }

    #[test]
    fn other_words_are_no_rules() {
        for name in ["Title Case", "camelcase", "None", ""] {
            assert_eq!(RenameRule::from_name(name), None);
        }
    }
}
