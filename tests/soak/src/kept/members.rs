//! Stickers, fellows and clubs, and the operations of clients on them.

use bson::oid::ObjectId;
use mongo_model::{Database, Error, MongoModel};

use super::client::{author, tag};
use super::models::{Author, Club, Fellow, Member, Sticker, Tag, key};
use crate::random::Random;

const STICKERS: u8 = 5;
const FELLOWS: u8 = 4;
const CLUBS: u8 = 3;

/// A sticker on a tag.
#[must_use]
pub fn sticker(n: u8, tag: u8, by: Option<u8>) -> Sticker {
    Sticker {
        id: key(n),
        tag: key(tag),
        by: by.map(key),
    }
}

/// A fellow of no club.
#[must_use]
pub fn fellow(n: u8) -> Fellow {
    Fellow {
        id: key(n),
        name: fresh(),
        clubs: Vec::new(),
    }
}

/// A membership with a copy that is wrong.
#[must_use]
pub fn member(n: u8, role: i64) -> Member {
    Member {
        fellow: key(n),
        role,
        name: "wrong".to_owned(),
    }
}

/// A club of these fellows.
#[must_use]
pub fn club(n: u8, members: &[u8]) -> Club {
    Club {
        id: key(n),
        members: members.iter().map(|n| member(*n, 1)).collect(),
    }
}

fn fresh() -> String {
    format!("n{}", ObjectId::new().to_hex())
}

/// Stores the initial documents of a run. Tags and authors have to be there.
pub(super) async fn seed(db: &Database) -> mongo_model::Result<()> {
    let stickers = (0..STICKERS).map(|n| sticker(n, n % 2, (n > 2).then_some(n % 2)));
    Sticker::insert_many(db, &stickers.collect::<Vec<_>>()).await?;
    Fellow::insert_many(db, &(0..FELLOWS).map(fellow).collect::<Vec<_>>()).await?;
    let clubs = (0..CLUBS).map(|n| club(n, &[n, n + 1]));
    Club::insert_many(db, &clubs.collect::<Vec<_>>()).await?;
    Ok(())
}

/// One write of stickers, of a number of tags and authors that other clients delete.
pub(super) async fn stickers(
    db: &Database,
    random: &mut Random,
    (tags, authors): (u8, u8),
) -> mongo_model::Result<()> {
    let (n, t, a) = (
        random.below(STICKERS),
        random.below(tags),
        random.below(authors),
    );
    match random.below(6) {
        0 | 1 => drop(Sticker::insert(db, &sticker(n, t, Some(a))).await?),
        2 => drop(Sticker::update(db, key(n)).set(|s| s.tag, key(t)).await?),
        3 => drop(sticker(n, t, Some(a)).save(db).await?),
        4 => {
            Tag::delete(db, key(t)).await?;
            Tag::insert(db, &tag(t)).await?;
        }
        _ => {
            Author::delete(db, key(a)).await?;
            Author::insert(db, &author(a)).await?;
        }
    }
    Ok(())
}

/// One write of fellows and clubs.
pub(super) async fn clubs(db: &Database, random: &mut Random) -> mongo_model::Result<()> {
    let (c, f) = (random.below(CLUBS), random.below(FELLOWS));
    let role = i64::from(random.below(3));
    match random.below(9) {
        0 | 1 => drop(Club::add_member(db, key(c), member(f, role)).await?),
        2 => drop(Fellow::remove_club(db, key(f), key(c)).await?),
        3 => {
            let other = member(random.below(FELLOWS), role);
            let members = [member(f, role), other];
            Club::replace_members(db, key(c), members).await?;
        }
        4 => {
            let promoted = Club::update(db, key(c));
            promoted
                .set_where(|c| c.members, |m| m.fellow.eq(key(f)), |m| m.role, role)
                .await?;
        }
        5 => drop(Fellow::update(db, key(f)).set(|f| f.name, fresh()).await?),
        6 => {
            Fellow::delete(db, key(f)).await?;
            Fellow::insert(db, &fellow(f)).await?;
        }
        7 => {
            Club::delete(db, key(c)).await?;
            Club::insert(db, &club(c, &[f])).await?;
        }
        // A client that deleted one of these may have died before it stored it again.
        _ => {
            Fellow::insert(db, &fellow(f)).await?;
            Club::insert(db, &club(c, &[])).await?;
        }
    }
    Ok(())
}

/// True if a call may return this error: the fellow is a member already, in another role, or is named twice.
pub(super) fn expected(error: &Error) -> bool {
    matches!(error, Error::OtherEntry { .. })
}
