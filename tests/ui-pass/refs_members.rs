// Entries with an id and more on one side, ids on the other; by one reference of several; in a new document.

use mongo_model::{Database, Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "member_users")]
pub struct User {
    #[serde(rename = "_id")]
    pub id: Id<User>,
    #[refs(Team, inverse = members)]
    pub teams: Vec<Id<Team>>,
    #[refs(Team, inverse = leaders)]
    leads: Vec<Id<Team>>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "member_teams", new = NewTeam)]
pub struct Team {
    #[serde(rename = "_id")]
    pub id: Id<Team>,
    #[refs(User, inverse = teams, max = 200)]
    pub members: Vec<Member>,
    #[refs(User, inverse = leads, via = user, max = 5, on_delete = deny)]
    leaders: Vec<Leader>,
}

#[derive(Clone, Serialize, Deserialize, MongoEmbed)]
pub struct Member {
    #[parent(User)]
    pub user: Id<User>,
    pub role: String,
}

#[derive(Clone, Serialize, Deserialize, MongoEmbed)]
struct Leader {
    #[parent(User)]
    user: Id<User>,
    #[parent(User, on_delete = keep)]
    elected_by: Option<Id<User>>,
}

/// Its ids have names of their own, which do not tell whether they are ids.
#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "member_books")]
pub struct Book {
    #[serde(rename = "_id")]
    pub id: Isbn,
    #[refs(Shelf, inverse = books)]
    pub shelves: Vec<Place>,
}

#[derive(Clone, Serialize, Deserialize, MongoEmbed)]
pub struct Isbn(pub String);

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "member_shelves")]
pub struct Shelf {
    #[serde(rename = "_id")]
    pub id: Place,
    #[refs(Book, inverse = shelves)]
    pub books: Vec<Isbn>,
}

pub type Place = Id<Shelf>;

pub fn sort(db: &Database, shelf: Place, isbn: &Isbn) {
    let _ = Shelf::add_book(db, shelf, isbn);
    let _ = Book::replace_shelves(db, isbn, [shelf]);
    let _ = Book::by_shelves(db, shelf);
    let _ = Shelf::find(db, |s| s.books.contains(isbn));
}

pub fn change(db: &Database, team: Id<Team>, user: Id<User>, member: &Member) {
    let _ = Team::add_member(db, team, member);
    let _ = Team::replace_members(db, team, [member]);
    let _ = Team::remove_member(db, team, user);
    let _ = User::remove_team(db, user, team);
    let _ = Team::update(db, team).set_where(|t| t.members, |m| m.user.eq(user), |m| m.role, "admin");
    let _ = Team::find(db, |t| t.members.user.eq(user));
    let _ = Team::by_members(db, user);
}

pub fn new(members: Vec<Member>) -> Team {
    Team::from(NewTeam {
        members,
        leaders: Vec::new(),
    })
}

pub fn main() {}
