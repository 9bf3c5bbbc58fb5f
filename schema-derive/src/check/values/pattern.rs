//! Patterns that mean the same to Rust's regular expressions and to those of the server (PCRE).

/// Rust or the server refuses quantifiers above this number.
const REPEAT_MAX: u32 = 1_000;

/// The construct that Rust and the server read differently, or that one of them refuses; `None` if both take the pattern.
pub(super) fn refused(pattern: &str) -> Option<String> {
    let chars: Vec<char> = pattern.chars().collect();
    let mut at = 0;
    // A quantifier behind another one is possessive in PCRE, and a second repetition in Rust.
    let mut is_repeated = false;
    while let Some(&c) = chars.get(at) {
        let rest = &chars[at..];
        let quantifier = matches!(c, '*' | '+' | '?' | '{');
        if quantifier && is_repeated {
            return Some(format!("{}{c}", chars[at - 1]));
        }
        let taken = match c {
            '\\' => escape(rest, false),
            '[' => class(rest),
            '(' if rest.get(1) == Some(&'?') && rest.get(2) != Some(&':') => {
                Err(rest.iter().take(3).collect())
            }
            '{' => repetition(rest),
            '\0' => Err("\\0".to_owned()),
            _ => Ok(1),
        };
        match taken {
            Ok(length) => at += length,
            Err(construct) => return Some(construct),
        }
        // A lazy quantifier matches the same texts.
        if quantifier && chars.get(at) == Some(&'?') {
            at += 1;
        }
        is_repeated = quantifier;
    }
    None
}

/// The reason why a pattern whose constructs are portable is no regular expression.
pub(super) fn error(pattern: &str) -> Option<String> {
    let error = regex_lite::Regex::new(pattern).err()?;
    Some(error.to_string())
}

/// The length of the escape at the beginning of `rest`.
fn escape(rest: &[char], in_class: bool) -> Result<usize, String> {
    let next = rest.get(1).copied();
    let same = |c: char| match c {
        'd' | 'D' | 'w' | 'W' | 's' | 'S' | 'n' | 'r' | 't' | 'x' => true,
        'b' | 'B' | 'A' | 'z' => !in_class,
        '<' | '>' => false,
        c => c.is_ascii_punctuation(),
    };
    match next {
        Some(c) if same(c) => Ok(2),
        Some(c) => Err(format!("\\{c}")),
        None => Err("\\".to_owned()),
    }
}

/// The length of the class at the beginning of `rest`.
fn class(rest: &[char]) -> Result<usize, String> {
    let mut at = 1 + usize::from(rest.get(1) == Some(&'^'));
    if rest.get(at) == Some(&']') {
        return Err("[]".to_owned());
    }
    while let Some(&c) = rest.get(at) {
        match c {
            ']' => return Ok(at + 1),
            '\\' => at += escape(&rest[at..], true)?,
            // Rust alone knows a class inside another one, and classes that are combined.
            '[' => return Err("[".to_owned()),
            '&' | '-' | '~' if rest.get(at + 1) == Some(&c) => return Err(format!("{c}{c}")),
            '\0' => return Err("\\0".to_owned()),
            _ => at += 1,
        }
    }
    Err("[".to_owned())
}

/// The length of the quantifier at the beginning of `rest`, such as `{2,4}`.
fn repetition(rest: &[char]) -> Result<usize, String> {
    let end = rest.iter().position(|c| *c == '}');
    let text: String = rest
        .iter()
        .take(end.map_or(rest.len(), |end| end + 1))
        .collect();
    let inside: String = rest[1..end.ok_or_else(|| text.clone())?].iter().collect();
    let number = |text: &str| {
        let digits = text.chars().all(|c| c.is_ascii_digit());
        digits && text.parse::<u32>().is_ok_and(|n| n <= REPEAT_MAX)
    };
    let fits = match inside.split_once(',') {
        None => number(&inside),
        Some((least, "")) => number(least),
        Some((least, most)) => number(least) && number(most),
    };
    match fits {
        true => Ok(text.chars().count()),
        false => Err(text),
    }
}

#[cfg(test)]
mod tests {
    use super::{error, refused};

    #[test]
    fn patterns_that_both_understand() {
        for pattern in [
            "^[a-z0-9-]+$",
            r"^[^@\s]+@[^@\s]+\.[^@\s]+$",
            r"^(?:\+|00)[0-9]{6,14}$",
            r"^[A-Z]{2}\d{3}?[\]\-_.~&]*$",
            r"a|b|(c)\\\$",
            "ä[ö-ü]",
            r"^\x41.$",
        ] {
            assert_eq!(refused(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn a_construct_is_named() {
        for (pattern, construct) in [
            (r"\p{L}", r"\p"),
            (r"(a)\1", r"\1"),
            ("(?i)a", "(?i"),
            ("a(?=b)", "(?="),
            ("(?P<n>a)", "(?P"),
            ("a++", "++"),
            ("a{2}+", "}+"),
            ("a{,3}", "{,3}"),
            ("a{2000}", "{2000}"),
            ("[[:alpha:]]", "["),
            ("[a&&b]", "&&"),
            ("[]a]", "[]"),
            (r"[\b]", r"\b"),
            (r"\<a", r"\<"),
            (r"\h\v", r"\h"),
        ] {
            assert_eq!(refused(pattern).as_deref(), Some(construct), "{pattern}");
        }
        for pattern in ["a)", "*a", "[b-a]"] {
            assert!(
                refused(pattern).is_none() && error(pattern).is_some(),
                "{pattern}"
            );
        }
    }
}
