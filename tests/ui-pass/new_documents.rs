//! A struct of new documents: of a model with a key of its own, private fields, and a copy of a type with a default.
#![deny(missing_docs, missing_debug_implementations)]

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

/// A color.
#[derive(Debug, Default, Serialize, Deserialize, MongoEmbed)]
pub enum Color {
    /// Red.
    #[default]
    Red,
    /// Blue.
    Blue,
}

/// A team.
#[derive(Debug, Serialize, Deserialize, MongoModel)]
#[model(collection = "teams", new = NewTeam)]
pub struct Team {
    #[serde(rename = "_id")]
    key: String,
    /// The color.
    pub color: Color,
}

/// A player.
#[derive(Debug, Serialize, Deserialize, MongoModel)]
#[model(collection = "players", new = NewPlayer)]
pub struct Player {
    #[serde(rename = "_id")]
    id: Id<Player>,
    /// The team.
    #[parent(Team)]
    pub team: String,
    #[denorm(from = Team, field = color)]
    color: Color,
    r#type: i32,
    #[serde(skip)]
    cached: u8,
}

pub fn main() {
    let team = Team::from(NewTeam {
        key: "reds".to_owned(),
        color: Color::Blue,
    });
    let player = Player::from(NewPlayer {
        team: team.key,
        r#type: 1,
        cached: 0,
    });
    assert!(matches!(player.color, Color::Red));
}
