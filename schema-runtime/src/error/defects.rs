//! Defects of servers that their vendor has repaired: a server that has one should be upgraded.
//!
//! From the release notes and security bulletins of MongoDB. Only defects that concern what this library sends, or everybody who runs a
//! server.

use std::fmt;

/// The version of a server, in the order of releases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct ServerVersion {
    /// 8 of 8.2.3.
    pub major: u32,
    /// 2 of 8.2.3.
    pub minor: u32,
    /// 3 of 8.2.3.
    pub patch: u32,
}

/// A defect of some versions of the server, with the version that repairs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerDefect {
    /// The number of the security bulletin or of the issue: `CVE-2025-14847`.
    pub name: &'static str,
    /// Whom or what it concerns, in a sentence.
    pub effect: &'static str,
    /// The next version after the server's that does not have it.
    pub fixed_in: ServerVersion,
}

const fn version(major: u32, minor: u32, patch: u32) -> ServerVersion {
    ServerVersion {
        major,
        minor,
        patch,
    }
}

/// The first version with a defect, and the first one of each release without it.
struct Range {
    name: &'static str,
    effect: &'static str,
    since: ServerVersion,
    fixed: &'static [ServerVersion],
}

const RANGES: [Range; 6] = [
    Range {
        name: "CVE-2025-14847",
        effect: "whoever reaches the port reads memory of the server by compressed messages, without a login",
        since: version(3, 6, 0),
        fixed: &[
            version(4, 4, 30),
            version(5, 0, 32),
            version(6, 0, 27),
            version(7, 0, 28),
            version(8, 0, 17),
            version(8, 2, 3),
        ],
    },
    Range {
        name: "SERVER-96419",
        effect: "a user with a login crashes the server or reads its memory by malformed BSON",
        since: version(5, 0, 0),
        fixed: &[
            version(5, 0, 30),
            version(6, 0, 19),
            version(7, 0, 15),
            version(8, 0, 3),
        ],
    },
    Range {
        name: "SERVER-110423",
        effect: "a grouping by a field with a sparse index leaves out documents without the field",
        since: version(8, 2, 0),
        fixed: &[version(8, 2, 2)],
    },
    Range {
        name: "SERVER-131805",
        effect: "a critical advisory of the release notes",
        since: version(8, 3, 0),
        fixed: &[version(8, 3, 13)],
    },
    Range {
        name: "CVE-2026-96297",
        effect: "one of several leaks that the release notes name together",
        since: version(8, 3, 0),
        fixed: &[version(8, 3, 13), version(9, 0, 4)],
    },
    Range {
        name: "SERVER-134970 and SERVER-135099",
        effect: "change streams fail, or read by a path that the next version switches off",
        since: version(9, 0, 0),
        fixed: &[version(9, 0, 2)],
    },
];

impl ServerVersion {
    /// Reads the `version` that `buildInfo` gives; what follows the three numbers, such as `-rc0`, is passed over.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.split(['.', '-']).map(str::parse);
        let mut next = || numbers.next()?.ok();
        Some(version(next()?, next()?, next()?))
    }

    /// The known defects of this version. A later release of this library may know more.
    ///
    /// ```
    /// use mongo_model::ServerVersion;
    ///
    /// let version = ServerVersion::parse("8.2.1").unwrap();
    /// let known: Vec<String> = version.defects().map(|defect| defect.to_string()).collect();
    /// assert_eq!(known.len(), 2);
    /// assert!(known[0].starts_with("CVE-2025-14847 (fixed in 8.2.3): whoever reaches the port reads memory"));
    /// assert_eq!(ServerVersion::parse("8.2.9").unwrap().defects().count(), 0);
    /// ```
    pub fn defects(self) -> impl Iterator<Item = ServerDefect> {
        RANGES.iter().filter_map(move |range| {
            let of_release =
                |fixed: &&ServerVersion| (fixed.major, fixed.minor) == (self.major, self.minor);
            let next = match range.fixed.iter().find(of_release) {
                Some(fixed) => Some(fixed).filter(|fixed| self < **fixed),
                // A release that was not repaired itself.
                None => range.fixed.iter().find(|fixed| self < **fixed),
            };
            let affected = range.since <= self;
            Some(ServerDefect {
                name: range.name,
                effect: range.effect,
                fixed_in: *next.filter(|_| affected)?,
            })
        })
    }
}

impl fmt::Display for ServerVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

impl fmt::Display for ServerDefect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} (fixed in {}): {}",
            self.name, self.fixed_in, self.effect
        )
    }
}

#[cfg(test)]
mod tests {
    use super::ServerVersion;

    fn names_of(text: &str) -> Vec<String> {
        let version = ServerVersion::parse(text).expect(text);
        let each = version.defects();
        each.map(|defect| format!("{} {}", defect.name, defect.fixed_in))
            .collect()
    }

    #[test]
    fn the_last_bad_and_the_first_good_version_of_each_release() {
        for (bad, good, name) in [
            ("4.4.29", "4.4.30", "CVE-2025-14847"),
            ("6.0.26", "6.0.27", "CVE-2025-14847"),
            ("8.2.2", "8.2.3", "CVE-2025-14847"),
            ("7.0.14", "7.0.15", "SERVER-96419"),
            ("8.2.1", "8.2.2", "SERVER-110423"),
            ("8.3.12", "8.3.13", "SERVER-131805"),
            ("9.0.3", "9.0.4", "CVE-2026-96297"),
            ("9.0.1", "9.0.2", "SERVER-134970 and SERVER-135099"),
        ] {
            let listed = format!("{name} {good}");
            assert!(
                names_of(bad).contains(&listed),
                "{bad}: {:?}",
                names_of(bad)
            );
            assert!(
                !names_of(good).iter().any(|one| one.starts_with(name)),
                "{good}: {:?}",
                names_of(good)
            );
        }
    }

    #[test]
    fn a_release_without_a_repair_of_its_own_is_repaired_by_the_next_one() {
        assert_eq!(names_of("8.1.2"), ["CVE-2025-14847 8.2.3"]);
        assert_eq!(
            names_of("6.3.1"),
            ["CVE-2025-14847 7.0.28", "SERVER-96419 7.0.15"]
        );
    }

    #[test]
    fn versions_that_are_right_or_unknown() {
        assert!(
            names_of("8.2.9").is_empty()
                && names_of("9.0.4").is_empty()
                && names_of("10.0.0").is_empty()
        );
        assert!(names_of("8.2.3-rc0").is_empty());
        assert!(
            ["", "unknown", "8", "8.2", "8.x.1", "-1.0.0"]
                .into_iter()
                .all(|text| ServerVersion::parse(text).is_none())
        );
    }
}
