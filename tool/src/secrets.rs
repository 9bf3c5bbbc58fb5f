//! The credentials of the connection strings, and their removal from all output.

use std::sync::{PoisonError, RwLock};

/// Strings that no output contains.
static SECRETS: RwLock<Vec<String>> = RwLock::new(Vec::new());

/// Notes what [`redact`] removes.
pub(crate) fn remember_secrets(uri: &str) {
    let mut secrets = SECRETS.write().unwrap_or_else(PoisonError::into_inner);
    secrets.push(uri.to_owned());
    let user = uri.split_once("://").map_or(uri, |(_, rest)| rest);
    // A password that is not percent-encoded may hold an @ or a slash.
    if let Some((user, _)) = user.rsplit_once('@') {
        secrets.push(format!("{user}@"));
        if let Some((_, password)) = user.split_once(':') {
            secrets.push(format!(":{password}"));
            secrets.push(password.to_owned());
            secrets.push(percent_decoded(password));
        }
    }
    // Options that are credentials.
    let options = uri.split_once('?').map_or("", |(_, options)| options);
    for (key, value) in options.split('&').filter_map(|pair| pair.split_once('=')) {
        let key = key.to_ascii_lowercase();
        if key == "authmechanismproperties" || key.ends_with("password") {
            secrets.push(value.to_owned());
            secrets.push(percent_decoded(value));
        }
    }
    secrets.retain(|secret| secret.len() > 3);
    // A secret that holds another one goes first.
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        bytes.extend(before.as_bytes());
        match after.get(..2).map(|digits| u8::from_str_radix(digits, 16)) {
            Some(Ok(byte)) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => {
                bytes.push(b'%');
                rest = after;
            }
        }
    }
    bytes.extend(rest.as_bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The text without credentials.
pub(crate) fn redact(text: &str) -> String {
    let secrets = SECRETS.read().unwrap_or_else(PoisonError::into_inner);
    secrets
        .iter()
        .fold(text.to_owned(), |text, secret| text.replace(secret, "***"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_redacted() {
        remember_secrets(
            "mongodb://ann:s3cr:et%21@db.example/shop?tlsCertificateKeyFilePassword=other",
        );
        assert_eq!(
            redact("cannot parse s3cr:et%21 or s3cr:et! at ann:s3cr:et%21@db.example with other"),
            "cannot parse *** or *** at ***db.example with ***"
        );
        remember_secrets("mongodb://bob:second-word@db.example/shop");
        assert_eq!(redact("s3cr:et! and second-word"), "*** and ***");
    }
}
