//! New documents of these models, under the few keys that there are.

use bson::oid::ObjectId;
use mongo_model::{Average, Id};

use super::client::PARENTS;
use super::models::{
    Blog, Desk, Essay, EssayWriter, Item, Note, Owner, Player, Remark, Shop, Story, StoryBlog,
    StoryDesk, Team, Thing, User, Writer, email, key, oid,
};

pub(super) fn fresh() -> String {
    format!("n{}", ObjectId::new().to_hex())
}

pub(super) fn wrong() -> String {
    "wrong".to_owned()
}

pub(super) fn shop(n: u8) -> Shop {
    Shop {
        id: key(n),
        name: fresh(),
    }
}

pub(super) fn item(n: u8, shop: u8, time: i64) -> Item {
    Item {
        id: key(n),
        shop: key(shop),
        name: wrong(),
        time,
    }
}

pub(super) fn writer(n: u8) -> Writer {
    Writer {
        id: key(n),
        name: fresh(),
        last: Vec::new(),
        number: 0,
    }
}

pub(super) fn by_writer(n: u8) -> EssayWriter {
    EssayWriter {
        id: key(n),
        name: wrong(),
    }
}

pub(super) fn essay(n: u8, writer: u8, time: i64) -> Essay {
    Essay {
        id: key(n),
        writer: by_writer(writer),
        time,
    }
}

pub(super) fn owner(n: u8) -> Owner {
    Owner {
        id: key(n),
        last: Vec::new(),
        number: 0,
    }
}

pub(super) fn thing(n: u8, owner: u8, time: i64) -> Thing {
    Thing {
        id: key(n),
        owner: key(owner),
        time,
    }
}

pub(super) fn team(n: u8) -> Team {
    Team {
        id: oid(n),
        players: Vec::new(),
        last: Vec::new(),
        number: 0,
    }
}

pub(super) fn in_team(n: u8) -> Option<Id<Team>> {
    Some(oid(n))
}

pub(super) fn player(n: u8, team: u8, time: i64) -> Player {
    Player {
        id: oid(n),
        team: in_team(team),
        time,
    }
}

pub(super) fn blog(n: u8) -> Blog {
    Blog {
        id: key(n),
        name: fresh(),
        number: 0,
        size: 0,
        mean: Average::default(),
        extreme: None,
    }
}

pub(super) fn desk(n: u8) -> Desk {
    Desk {
        id: key(n),
        name: fresh(),
        number: 0,
        size: 0,
        mean: Average::default(),
        extreme: None,
    }
}

pub(super) fn in_blog(n: u8) -> StoryBlog {
    StoryBlog {
        id: key(n),
        name: wrong(),
    }
}

pub(super) fn at_desk(n: u8) -> StoryDesk {
    StoryDesk {
        id: key(n),
        name: wrong(),
    }
}

pub(super) fn story(n: u8, blog: u8, size: i64) -> Story {
    let desk = u8::try_from(size).unwrap_or(0) % PARENTS;
    Story {
        id: key(n),
        blog: in_blog(blog),
        desk: at_desk(desk),
        name: fresh(),
        size,
        open: size % 3 > 0,
    }
}

pub(super) fn remark(n: u8, story: u8, time: i64) -> Remark {
    Remark {
        id: key(n),
        story: key(story),
        name: wrong(),
        time,
    }
}

pub(super) fn user(n: u8) -> User {
    User {
        id: Id::from_raw(ObjectId::new()),
        email: email(n),
        name: fresh(),
    }
}

pub(super) fn note(n: u8, user: u8, time: i64) -> Note {
    Note {
        id: key(n),
        user: email(user),
        name: wrong(),
        time,
    }
}

/// A story at a desk that is as good as any.
pub(super) fn any_story(n: u8) -> Story {
    story(n, n % PARENTS, i64::from(n / 2))
}
