//! Writes to these models. Every document is deleted and stored again under the same key, over and over.

use std::sync::Mutex;
use std::time::Instant;

use mongo_model::{Database, Error, MongoModel};

use super::documents::{
    any_story, at_desk, blog, by_writer, desk, essay, fresh, in_blog, in_team, item, note, owner,
    player, remark, shop, story, team, thing, user, writer,
};
use super::models::{
    Blog, Desk, Essay, Item, Note, Owner, Player, Remark, Shop, Story, Team, Thing, User, Writer,
    email, key, oid,
};
use crate::client::Mode;
use crate::random::Random;

/// How many parents of a kind there may be.
pub const PARENTS: u8 = 2;
/// How many children of a kind there may be.
pub const CHILDREN: u8 = 6;
/// The longest pause inside an operation, in milliseconds.
const PAUSE: u8 = 4;

/// The operations of this process, one line each, where a test wants to read how a wrong document came about.
static LOG: Mutex<Option<(Instant, Vec<String>)>> = Mutex::new(None);

/// Begins to log operations, or empties the log.
///
/// # Panics
/// Never: no operation panics while it logs.
pub fn log_operations() {
    *LOG.lock().expect("no panic") = Some((Instant::now(), Vec::new()));
}

/// The logged operations on the child or parent with this name, in the order of their ends.
///
/// # Panics
/// Never: no operation panics while it logs.
#[must_use]
pub fn logged(names: &[&str]) -> Vec<String> {
    let log = LOG.lock().expect("no panic");
    let lines = log.iter().flat_map(|(_, lines)| lines);
    lines
        .filter(|line| names.iter().any(|name| line.contains(name)))
        .cloned()
        .collect()
}

fn elapsed() -> Option<u128> {
    let log = LOG.lock().expect("no panic");
    log.as_ref().map(|(since, _)| since.elapsed().as_millis())
}

fn log(from: Option<u128>, what: &str, done: &str) {
    if let (Some(from), Some((since, lines))) = (from, LOG.lock().expect("no panic").as_mut()) {
        let to = since.elapsed().as_millis();
        lines.push(format!("{from:>6}..{to:<6} {what}: {done}"));
    }
}

/// Awaits an operation, and logs it.
macro_rules! does {
    ($what:expr, $operation:expr) => {{
        let from = elapsed();
        let done = $operation.await;
        if from.is_some() {
            let said = match &done {
                Ok(_) => "ok".to_owned(),
                Err(error) => error.to_string().chars().take(90).collect(),
            };
            log(from, &$what, &said);
        }
        done.map(drop)
    }};
}

/// One operation on one pair of models.
macro_rules! pair {
    (
        $name:ident, $write:ident, $parent:ident, $child:ident, $new_parent:ident, $new_child:ident, $id:ident,
        $field:ident, $to:ident, $refer:expr,
        move_all: $move_all:expr, delete: $delete:expr, delete_all: $delete_all:expr, rename: $rename:expr
    ) => {
        async fn $name(db: &Database, random: &mut Random) -> mongo_model::Result<()> {
            let (p, q) = (random.below(PARENTS), random.below(PARENTS));
            let (c, d) = (random.below(CHILDREN), random.below(CHILDREN));
            let time = i64::from(random.below(40));
            let parent = stringify!($new_parent);
            let child = stringify!($new_child);
            match random.below(18) {
                0..=2 => does!(
                    format!("insert {child} {c}, {parent} {p},"),
                    $child::insert(db, &$new_child(c, p, time))
                ),
                3 => does!(format!("delete {child} {c},"), $child::delete(db, $id(c))),
                4 | 5 => does!(
                    format!("move {child} {c}, to {parent} {p},"),
                    $child::update(db, $id(c)).set($refer, $to(p))
                ),
                6 => does!(
                    format!("save {child} {c}, {parent} {p},"),
                    $new_child(c, p, time).save(db)
                ),
                7 => {
                    let Some(mut read) = $child::get(db, $id(c)).await? else {
                        return Ok(());
                    };
                    random.pause(PAUSE).await;
                    read.$field = $to(p);
                    does!(
                        format!("save as read {child} {c}, {parent} {p},"),
                        read.save(db)
                    )
                }
                8 | 9 => does!(
                    format!("move every {child} of {parent} {q}, to {parent} {p},"),
                    $move_all(db, q, p)
                ),
                10 => {
                    let more = (c + 1) % CHILDREN;
                    let new = [$new_child(c, p, time), $new_child(more, q, time)];
                    does!(
                        format!(
                            "insert {child} {c}, {parent} {p}, and {child} {more}, {parent} {q},"
                        ),
                        $child::insert_many(db, &new)
                    )
                }
                11..=13 => {
                    let gone = does!(format!("delete {parent} {p},"), $delete(db, p));
                    match gone {
                        Ok(()) | Err(Error::NotFound { .. }) => {}
                        Err(error) => return Err(error),
                    }
                    random.pause(PAUSE).await;
                    does!(
                        format!("insert {parent} {p},"),
                        $parent::insert(db, &$new_parent(p))
                    )
                }
                14 => does!(
                    format!("insert {parent} {p},"),
                    $parent::insert(db, &$new_parent(p))
                ),
                15 => does!(format!("change {parent} {p},"), $rename(db, p)),
                16 => {
                    let some = [$id(c), $id(d)];
                    does!(
                        format!("delete {child} {c}, and {child} {d},"),
                        $child::delete_many(db, |x| x.id.is_in(some))
                    )
                }
                _ => does!(format!("delete every {parent}"), $delete_all(db)),
            }
        }

        /// One write that can be stopped, or the documents that all of them begin with.
        pub(super) async fn $write(db: &Database, write: &str) -> mongo_model::Result<()> {
            match write {
                "prepare" => {
                    for parent in 0..PARENTS {
                        stored($parent::insert(db, &$new_parent(parent)).await.map(drop))?;
                    }
                    for child in 0..4 {
                        $child::insert(db, &$new_child(child, child / 3, 9)).await?;
                    }
                }
                "insert" => drop($child::insert(db, &$new_child(4, 0, 9)).await?),
                "insert two" => drop(
                    $child::insert_many(db, [&$new_child(4, 0, 9), &$new_child(5, 1, 9)]).await?,
                ),
                "move" => drop($child::update(db, $id(3)).set($refer, $to(0)).await?),
                "move every" => drop($move_all(db, 1, 0).await?),
                "save" => drop($new_child(3, 0, 9).save(db).await?),
                "delete" => drop($child::delete(db, $id(0)).await?),
                "delete parent" => drop($delete(db, 0).await?),
                "delete parents" => drop($delete_all(db).await?),
                "replace" => {
                    $child::delete(db, $id(0)).await?;
                    $child::insert(db, &$new_child(0, 1, 9)).await?;
                }
                "replace parent" => {
                    gone($delete(db, 0).await.map(drop))?;
                    stored($parent::insert(db, &$new_parent(0)).await.map(drop))?;
                }
                "replace all" => {
                    gone($delete(db, 0).await.map(drop))?;
                    stored($parent::insert(db, &$new_parent(0)).await.map(drop))?;
                    for child in [0, 1, 4] {
                        stored($child::insert(db, &$new_child(child, 0, 9)).await.map(drop))?;
                    }
                }
                _ => panic!("there is no write {write}"),
            }
            Ok(())
        }
    };
}

/// `NotFound` is success: the document is deleted already.
fn gone(deleted: mongo_model::Result<()>) -> mongo_model::Result<()> {
    match deleted {
        Err(Error::NotFound { .. }) => Ok(()),
        other => other,
    }
}

/// A duplicate, or a driver error, is success: the document is stored already.
fn stored(inserted: mongo_model::Result<()>) -> mongo_model::Result<()> {
    match inserted {
        Err(Error::Driver(_) | Error::Duplicate { .. }) => Ok(()),
        other => other,
    }
}

pair!(
    items, write_item, Shop, Item, shop, item, key, shop, key, |x| x.shop,
    move_all: async |db, q, p| Item::update_many(db, |x| x.shop.eq(key(q))).set(|x| x.shop, key(p)).await,
    delete: async |db, p| Shop::delete(db, key(p)).await,
    delete_all: async |db| Shop::delete_many(db, |x| x.id.is_in((0..PARENTS).map(key))).await,
    rename: async |db, p| Shop::update(db, key(p)).set(|x| x.name, fresh()).await
);
pair!(
    essays, write_essay, Writer, Essay, writer, essay, key, writer, by_writer, |x| x.writer,
    move_all: async |db, q, p| Essay::update_many(db, |x| x.writer.id.eq(key(q))).set(|x| x.writer, by_writer(p)).await,
    delete: async |db, p| Writer::delete(db, key(p)).await,
    delete_all: async |db| Writer::delete_many(db, |x| x.id.is_in((0..PARENTS).map(key))).await,
    rename: async |db, p| Writer::update(db, key(p)).set(|x| x.name, fresh()).await
);
pair!(
    things, write_thing, Owner, Thing, owner, thing, key, owner, key, |x| x.owner,
    move_all: async |db, q, p| Thing::update_many(db, |x| x.owner.eq(key(q))).set(|x| x.owner, key(p)).await,
    delete: async |db, p| Owner::delete(db, key(p)).await,
    delete_all: async |db| Owner::delete_many(db, |x| x.id.is_in((0..PARENTS).map(key))).await,
    rename: async |db, p: u8| owner(p).save(db).await
);
pair!(
    players, write_player, Team, Player, team, player, oid, team, in_team, |x| x.team,
    move_all: async |db, q, p| Player::update_many(db, |x| x.team.eq(oid(q))).set(|x| x.team, in_team(p)).await,
    delete: async |db, p| Team::delete(db, oid(p)).await,
    delete_all: async |db| Team::delete_many(db, |x| x.id.is_in((0..PARENTS).map(oid))).await,
    rename: async |db, p: u8| team(p).save(db).await
);
pair!(
    stories, write_story, Blog, Story, blog, story, key, blog, in_blog, |x| x.blog,
    move_all: async |db, q, p| Story::update_many(db, |x| x.blog.id.eq(key(q))).set(|x| x.blog, in_blog(p)).await,
    delete: async |db, p| Blog::delete(db, key(p)).await,
    delete_all: async |db| Blog::delete_many(db, |x| x.id.is_in((0..PARENTS).map(key))).await,
    rename: async |db, p| Blog::update(db, key(p)).set(|x| x.name, fresh()).await
);
pair!(
    remarks, write_remark, Story, Remark, any_story, remark, key, story, key, |x| x.story,
    move_all: async |db, q, p| Remark::update_many(db, |x| x.story.eq(key(q))).set(|x| x.story, key(p)).await,
    delete: async |db, p| Story::delete(db, key(p)).await,
    delete_all: async |db| Desk::delete_many(db, |x| x.id.is_in((0..PARENTS).map(key))).await,
    rename: async |db, p| Story::update(db, key(p)).set(|x| x.name, fresh()).await
);
pair!(
    notes, write_note, User, Note, user, note, key, user, email, |x| x.user,
    move_all: async |db, q, p| Note::update_many(db, |x| x.user.eq(email(q))).set(|x| x.user, email(p)).await,
    delete: async |db, p| User::delete_many(db, |x| x.email.eq(email(p))).await,
    delete_all: async |db| User::delete_many(db, |x| x.email.is_in((0..PARENTS).map(email))).await,
    rename: async |db, p| User::update_many(db, |x| x.email.eq(email(p))).set(|x| x.name, fresh()).await
);

/// The second parent of stories comes and goes like the first; stories grow, open and close.
async fn desks(db: &Database, random: &mut Random) -> mongo_model::Result<()> {
    let (p, c) = (random.below(PARENTS), random.below(CHILDREN));
    let size = i64::from(random.below(40));
    match random.below(7) {
        0 => does!(
            format!("move story {c}, to desk {p},"),
            Story::update(db, key(c)).set(|x| x.desk, at_desk(p))
        ),
        1 => does!(format!("insert desk {p},"), Desk::insert(db, &desk(p))),
        2 => {
            let change = Desk::update(db, key(p)).set(|x| x.name, fresh());
            does!(format!("change desk {p},"), change)
        }
        3 => {
            let change = Story::update(db, key(c)).inc(|x| x.size, size);
            does!(format!("grow story {c}, by {size},"), change)
        }
        4 => {
            let change = Story::update(db, key(c)).set(|x| x.open, size % 2 > 0);
            does!(format!("open story {c}, or close it,"), change)
        }
        5 => {
            let change = Story::update_many(db, |x| x.desk.id.eq(key(p)));
            let change = change.set(|x| x.size, size);
            does!(
                format!("change every story of desk {p}, to {size},"),
                change
            )
        }
        _ => {
            let gone = does!(format!("delete desk {p},"), Desk::delete(db, key(p)));
            match gone {
                Ok(()) | Err(Error::NotFound { .. }) => {}
                Err(error) => return Err(error),
            }
            does!(format!("insert desk {p},"), Desk::insert(db, &desk(p)))
        }
    }
}

/// The parents of stories.
pub(super) async fn desks_and_blogs(db: &Database) -> mongo_model::Result<()> {
    for n in 0..PARENTS {
        Blog::insert(db, &blog(n)).await?;
        Desk::insert(db, &desk(n)).await?;
    }
    Ok(())
}

/// Stores the initial documents of a run.
///
/// # Errors
/// The library's.
pub async fn seed(db: &Database) -> mongo_model::Result<()> {
    for n in 0..PARENTS {
        Shop::insert(db, &shop(n)).await?;
        Writer::insert(db, &writer(n)).await?;
        Owner::insert(db, &owner(n)).await?;
        Team::insert(db, &team(n)).await?;
        Blog::insert(db, &blog(n)).await?;
        Desk::insert(db, &desk(n)).await?;
        User::insert(db, &user(n)).await?;
    }
    for n in 0..CHILDREN {
        Story::insert(db, &any_story(n)).await?;
    }
    Ok(())
}

/// True if a call may return this error while other clients delete the documents that it needs.
#[must_use]
pub fn expected(error: &Error) -> bool {
    matches!(
        error,
        Error::Dangling { .. } | Error::Unsettled { .. } | Error::Busy { .. }
    )
}

/// One operation of the library, on documents that every other client uses as well.
///
/// # Errors
/// The library's.
pub async fn step(db: &Database, mode: Mode, random: &mut Random) -> mongo_model::Result<()> {
    assert_eq!(
        mode,
        Mode::Model,
        "there is no comparison with writes by hand"
    );
    match random.below(9) {
        0 | 1 => items(db, random).await,
        2 => essays(db, random).await,
        3 => things(db, random).await,
        4 => players(db, random).await,
        5 => stories(db, random).await,
        6 => remarks(db, random).await,
        7 => desks(db, random).await,
        _ => notes(db, random).await,
    }
}
