//! The parts of a text by which `#[index(contains)]` finds it: every run of a few characters, and every word.

/// Stands in front of a word among the parts of a text; no run of characters contains it.
const WORD: char = '^';

/// Stands for [`WORD`] where a text contains it.
const NO_WORD: char = '\u{2}';

/// The letter that stands for all forms of a letter. Two letters that the server's patterns take for the same without regard to case have
/// the same one (`tests/contains` compares all of them).
fn fold(letter: char) -> char {
    if letter.is_ascii() {
        return match letter {
            // No pattern of the server has a NUL.
            WORD | '\0' => NO_WORD,
            letter => letter.to_ascii_lowercase(),
        };
    }
    // The dotless letter has the upper case of another one.
    if letter == 'ı' {
        return letter;
    }
    let upper = only(letter.to_uppercase()).unwrap_or(letter);
    only(upper.to_lowercase()).unwrap_or(upper)
}

/// The letter, if it is one.
fn only(mut letters: impl Iterator<Item = char>) -> Option<char> {
    letters.next().filter(|_| letters.next().is_none())
}

/// The number of characters that a run has beyond the shortest part that is found. A longer run is in fewer texts, and costs a few bytes.
const BEYOND: usize = 4;

/// The runs of characters in a text: from each character on, up to the length of a run, but no run that is shorter than `least`.
fn runs(letters: &[char], least: usize) -> impl Iterator<Item = String> + '_ {
    let last = (letters.len() + 1).saturating_sub(least);
    (0..last).map(move |from| {
        let to = letters.len().min(from + least + BEYOND);
        letters[from..to].iter().collect()
    })
}

/// The words of a text in lower case: letters and digits without anything in between.
fn words(letters: &[char]) -> impl Iterator<Item = String> + '_ {
    let words = letters.split(|letter| !letter.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words.map(|word| word.iter().collect())
}

fn folded(text: &str) -> Vec<char> {
    text.chars().map(fold).collect()
}

/// The parts of a stored text of which any `least` characters are found: each of them once, in order.
pub(crate) fn parts_of(text: &str, least: usize) -> Vec<String> {
    let letters = folded(text);
    let words = words(&letters).map(|word| format!("{WORD}{word}"));
    let mut parts: Vec<String> = runs(&letters, least).chain(words).collect();
    parts.sort_unstable();
    parts.dedup();
    parts
}

/// A property that the parts of every text have which contains some other text.
#[derive(Debug, PartialEq)]
pub(crate) enum Within {
    /// One of them begins so.
    Beginning(String),
    /// All of these are among them.
    All(Vec<String>),
}

/// Finds the property that the parts of every text have which contains `text`; `None` if it has fewer than `least` characters.
///
/// The server walks the keys of one part, and chooses it by trying several. So a few that lie apart serve as well as all.
pub(crate) fn parts_within(text: &str, least: usize) -> Option<Within> {
    const MOST: usize = 8;
    let letters = folded(text);
    let Some(last) = letters.len().checked_sub(least + BEYOND) else {
        let is_enough = letters.len() >= least;
        return is_enough.then(|| Within::Beginning(letters.into_iter().collect()));
    };
    let chosen = (0..=last.min(MOST - 1)).map(|n| match last {
        0..MOST => n,
        last => n * last / (MOST - 1),
    });
    let run = |from: usize| letters[from..from + least + BEYOND].iter().collect();
    let mut all: Vec<String> = chosen.map(run).collect();
    all.sort_unstable();
    all.dedup();
    Some(Within::All(all))
}

/// The words of `text`, as the parts of a text are written.
pub(crate) fn word_parts(text: &str) -> Vec<String> {
    words(&folded(text))
        .map(|word| format!("{WORD}{word}"))
        .collect()
}

/// The same as patterns, each of which matches the words among the parts of a text that begin with it.
pub(crate) fn word_patterns(text: &str) -> Vec<String> {
    let words = word_parts(text).into_iter();
    words.map(|word| format!("^\\{word}")).collect()
}

/// The pattern that matches `text` alone.
pub(crate) fn literal_pattern(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\0' => out.push_str("\\x00"),
            letter => {
                if letter.is_ascii_punctuation() {
                    out.push('\\');
                }
                out.push(letter);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Within, literal_pattern, parts_of, parts_within, word_patterns};

    #[test]
    fn a_text_has_its_runs_and_its_words_in_lower_case() {
        let parts = parts_of("Aïda, 2nd", 3);
        let want = [
            " 2nd", ", 2nd", "2nd", "^2nd", "^aïda", "a, 2nd", "aïda, 2", "da, 2nd", "ïda, 2n",
        ];
        assert_eq!(parts, want);
        assert!(parts_of("", 3).is_empty());
        let parts = parts_of("No", 3);
        assert_eq!(parts, ["^no"]);
    }

    #[test]
    fn parts_within_a_text_are_parts_of_every_text_around_it() {
        let around = "Ein schöner Tag: ΟΔΥΣΣΕΥΣ kommt ſpät nach Hause, İstanbul^3 ";
        let all = parts_of(around, 3);
        let letters: Vec<char> = around.chars().collect();
        for from in 0..letters.len() {
            for to in from..=letters.len() {
                let text: String = letters[from..to].iter().collect();
                match parts_within(&text, 3) {
                    None => assert!(to - from < 3),
                    Some(Within::Beginning(part)) => {
                        assert!((3..7).contains(&(to - from)));
                        assert!(all.iter().any(|one| one.starts_with(&part)), "{text}");
                    }
                    Some(Within::All(parts)) => {
                        assert!((1..=8).contains(&parts.len()), "{text}: {parts:?}");
                        assert!(parts.iter().all(|part| all.contains(part)), "{text}");
                    }
                }
                // Rust's `to_uppercase` may add letters, which no pattern of the server does.
                let other: String = text.chars().map(|c| c.to_ascii_uppercase()).collect();
                assert_eq!(parts_within(&other, 3), parts_within(&text, 3));
            }
        }
    }

    #[test]
    fn a_word_of_a_text_matches_its_beginnings() {
        assert_eq!(word_patterns("Don Gio"), ["^\\^don", "^\\^gio"]);
        assert!(word_patterns(" - ").is_empty());
        assert_eq!(literal_pattern("a.b\0^"), "a\\.b\\x00\\^");
    }
}
