//! Fellows list the clubs that name them as members.

use std::collections::BTreeSet;

use bson::{Bson, Document};

use super::{Place, Stored, id_of, marked, note, own, pending};
use crate::oracle::Audit;

const LINK: &str = "fellows.clubs";

/// The members of a club: the fellow, and the copy.
pub(super) fn members(club: &Document) -> Vec<(i64, Option<&Bson>)> {
    let members = club.get_array("members").into_iter().flatten();
    let members = members.filter_map(Bson::as_document);
    let members = members.filter_map(|one| Some((one.get_i64("fellow").ok()?, one.get("name"))));
    members.collect()
}

/// Every fellow lists exactly the clubs whose member it is, and no club has a member twice.
pub(super) fn compare(stored: &Stored, out: &mut Audit) {
    let clubs = stored.by_id("clubs");
    for club in stored.of("clubs") {
        let all: Vec<i64> = members(club).iter().map(|(fellow, _)| *fellow).collect();
        let set: BTreeSet<i64> = all.iter().copied().collect();
        if set.len() != all.len() {
            let documents = vec![("clubs", id_of(club))];
            let place = Place {
                name: "clubs.members",
                documents,
            };
            note(out, place, format!("a member twice: {club}"), false);
        }
    }
    for fellow in stored.of("fellows") {
        out.copies += 1;
        let Ok(id) = fellow.get_i64("_id") else {
            continue;
        };
        let has = fellow.get_array("clubs").into_iter().flatten();
        let has: Vec<i64> = has.filter_map(Bson::as_i64).collect();
        let set: BTreeSet<i64> = has.iter().copied().collect();
        let names = |club: &&Document| {
            let member = members(club).iter().any(|(member, _)| *member == id);
            member && own(club, "del").is_none()
        };
        let says = clubs.iter().filter(|(_, club)| names(club));
        let says: BTreeSet<i64> = says.map(|(club, _)| *club).collect();
        if set.len() != has.len() {
            let documents = vec![("fellows", id_of(fellow))];
            let place = Place {
                name: LINK,
                documents,
            };
            note(out, place, format!("a club twice: {fellow}"), false);
        }
        for club in set.symmetric_difference(&says) {
            let why = clubs.get(club);
            let flagged =
                marked(fellow, LINK, Some(*club)) || why.is_some_and(|club| pending(club, LINK));
            let documents = vec![("fellows", id_of(fellow)), ("clubs", Bson::Int64(*club))];
            let place = Place {
                name: LINK,
                documents,
            };
            let what = format!("{fellow} and club {club}: {why:?}");
            note(out, place, what, flagged);
        }
    }
}
