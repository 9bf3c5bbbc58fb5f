//! Memberships after writes of another program.

use bson::{Document, doc};
use mongo_model::MongoModel;

use crate::common::{Bench, in_set};
use crate::models::{Team, User};
use crate::running::{Running, right};

/// The teams of each user.
async fn teams(bench: &Bench) -> Vec<(i64, Vec<i64>)> {
    let users = User::scan(&bench.db, |u| u.all())
        .sort(|u| u.id.asc())
        .await;
    let users = users.expect("read").into_iter();
    users.map(|user| (user.id, user.teams)).collect()
}

/// The entries of the only team: user, role and copy.
async fn members(bench: &Bench) -> Vec<(i64, String, String)> {
    let team = Team::get(&bench.db, 1).await.expect("read").expect("there");
    let members = team.members.into_iter();
    members
        .map(|member| (member.user, member.role, member.name))
        .collect()
}

fn entry(user: i64, role: &str) -> Document {
    doc! { "user": user, "role": role, "name": "not known" }
}

fn shown(user: i64, role: &str, name: &str) -> (i64, String, String) {
    (user, role.to_owned(), name.to_owned())
}

#[tokio::test]
async fn entries_of_another_program_are_on_both_sides() {
    in_set("follow_members", async |bench| {
        let running = Running::begin(bench).await;
        let user = |id: i64| User {
            id,
            name: format!("user {id}"),
            teams: Vec::new(),
        };
        let users = [user(1), user(2), user(3)];
        User::insert_many(&bench.db, &users).await.expect("stored");
        let (raw_users, raw_teams) = (bench.raw("f_users"), bench.raw("f_teams"));
        let team = doc! { "_id": 1_i64, "members": [entry(1, "reader"), entry(2, "admin")] };
        raw_teams.insert_one(team).await.expect("stored");
        running.caught_up(&bench.db).await;
        assert_eq!(
            teams(bench).await,
            [(1, vec![1]), (2, vec![1]), (3, vec![])]
        );
        let both = [shown(1, "reader", "user 1"), shown(2, "admin", "user 2")];
        assert_eq!(members(bench).await, both);
        right(bench).await;

        let by_id = |id: i64| doc! { "_id": id };
        let pulled = doc! { "$pull": { "members": { "user": 1_i64 } } };
        raw_teams
            .update_one(by_id(1), pulled)
            .await
            .expect("pulled");
        let pushed = doc! { "$push": { "members": entry(3, "reader") } };
        raw_teams
            .update_one(by_id(1), pushed)
            .await
            .expect("pushed");
        let renamed = doc! { "$set": { "name": "renamed" } };
        raw_users
            .update_one(by_id(2), renamed)
            .await
            .expect("renamed");
        running.caught_up(&bench.db).await;
        assert_eq!(
            teams(bench).await,
            [(1, vec![]), (2, vec![1]), (3, vec![1])]
        );
        let both = [shown(2, "admin", "renamed"), shown(3, "reader", "user 3")];
        assert_eq!(members(bench).await, both);
        right(bench).await;

        raw_users.delete_one(by_id(3)).await.expect("deleted");
        running.caught_up(&bench.db).await;
        assert_eq!(members(bench).await, [shown(2, "admin", "renamed")]);
        right(bench).await;
        raw_teams.delete_one(by_id(1)).await.expect("deleted");
        running.caught_up(&bench.db).await;
        assert_eq!(teams(bench).await, [(1, vec![]), (2, vec![])]);
        right(bench).await;
        running.kill().await;
    })
    .await;
}
