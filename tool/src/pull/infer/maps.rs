//! Embedded documents that are maps: the names of their fields are data.

use crate::pull::profile::{Fields, Values, is_date, is_object_id, share};

/// Codes of languages with three letters that are no usual names of fields.
const LANGUAGES: [&str; 44] = [
    "ara", "bel", "ben", "bos", "bre", "bul", "cat", "ces", "cym", "deu", "ell", "eng", "est",
    "eus", "fas", "fin", "fra", "gle", "hbs", "heb", "hin", "hrv", "hun", "hye", "ind", "isl",
    "ita", "jpn", "kat", "kor", "lav", "lit", "nld", "nor", "per", "pol", "por", "ron", "rus",
    "slk", "spa", "srp", "swe", "zho",
];

/// True if the names of the fields are data.
pub(crate) fn is_map(fields: &Fields) -> bool {
    if fields.rest.is_some() {
        return true;
    }
    let names = fields.named.len();
    let data = fields.named.keys().filter(|name| is_data(name)).count();
    if fields
        .named
        .keys()
        .any(|name| name.is_empty() || name.contains('.') || name.starts_with('$'))
        && data * 2 > names
    {
        return true;
    }
    let always = fields
        .named
        .values()
        .any(|(_, values)| share(values.count, fields.documents) > 0.95);
    let stored: u64 = fields.named.values().map(|(_, values)| values.count).sum();
    let filled = share(stored, fields.documents * names.max(1) as u64);
    let similar = || {
        map_values(fields)
            .main_kind()
            .is_some_and(|(_, share)| share > 0.8)
    };
    let by_name = names >= 3 && data * 5 >= names * 4;
    let by_number = names >= 15 && filled < 0.5 && !always;
    (by_name || by_number) && similar()
}

/// The values of all keys.
pub(crate) fn map_values(fields: &Fields) -> Values {
    let mut all = fields.rest.as_deref().cloned().unwrap_or_default();
    fields
        .named
        .values()
        .for_each(|(_, values)| all.merge(values));
    all
}

/// Ids, numbers, dates, codes of languages and currencies, and names that no program would choose.
fn is_data(name: &str) -> bool {
    let letters = |c: fn(&char) -> bool| name.chars().all(|letter| c(&letter));
    let digits = !name.is_empty() && letters(char::is_ascii_digit);
    let language = (name.len() == 2
        && letters(char::is_ascii_lowercase)
        && !["id", "to", "by", "is", "no", "at", "up", "ip", "on"].contains(&name))
        || LANGUAGES.contains(&name);
    let currency = name.len() == 3 && letters(char::is_ascii_uppercase);
    let strange = name
        .chars()
        .any(|c| !c.is_alphanumeric() && c != '_' && c != '$')
        || name.is_empty();
    digits || is_object_id(name) || is_date(name) || language || currency || strange
}
