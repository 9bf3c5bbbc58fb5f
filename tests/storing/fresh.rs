//! `new = NewIssue`: new documents without the fields that the library fills in.

use bson::{DateTime, Decimal128};
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::on_both;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "projects")]
pub(crate) struct Project {
    #[serde(rename = "_id")]
    pub(crate) key: Id<Project, String>,
    pub(crate) name: String,
    pub(crate) budget: Decimal128,
    #[count(Issue)]
    pub(crate) issues: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "members", new = NewMember)]
pub(crate) struct Member {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Member>,
    pub(crate) name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "issues", new = NewIssue)]
pub(crate) struct Issue {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Issue>,
    pub(crate) title: String,
    pub(crate) text: Option<String>,
    #[parent(Project)]
    pub(crate) project: Id<Project, String>,
    #[denorm(from = Project, field = name)]
    pub(crate) project_name: String,
    #[denorm(from = Project, field = budget)]
    pub(crate) project_budget: Decimal128,
    #[refs(Member, max = 10)]
    #[denorm(from = Member, field = name)]
    pub(crate) watchers: Vec<Watcher>,
    #[parent(Member)]
    #[denorm(from = Member, field = name)]
    pub(crate) assignee: Option<Assignee>,
    #[created]
    pub(crate) opened: DateTime,
    #[version]
    pub(crate) version: i64,
}

#[tokio::test]
async fn the_library_fills_the_other_fields_in() {
    on_both("fresh", async |bench| {
        let db = &bench.db;
        bench
            .index(&[Project::meta(), Member::meta(), Issue::meta()])
            .await;
        let project = Project {
            key: Id::from_raw("lib".to_owned()),
            name: "Library".to_owned(),
            budget: "12.50".parse().expect("a number"),
            issues: 0,
        };
        Project::insert(db, &project).await.expect("stored");
        let kate = Member::from(NewMember {
            name: "Kate".to_owned(),
        });
        Member::insert(db, &kate).await.expect("stored");
        let issue = Issue::from(NewIssue {
            title: "One".to_owned(),
            text: None,
            project: project.key.clone(),
            watchers: vec![kate.id],
            assignee: Some(kate.id),
        });
        bench.forget();
        let stored = Issue::insert(db, &issue).returning().await.expect("stored");
        let now = DateTime::now();
        let stored = stored.document;
        assert_eq!((stored.id, stored.version), (issue.id, issue.version));
        assert_eq!(stored.project_name, "Library");
        assert_eq!(stored.project_budget, project.budget);
        assert_eq!(stored.watchers[0].name, "Kate");
        assert_eq!(stored.assignee.expect("one").name, "Kate");
        let age = now.saturating_duration_since(stored.opened);
        assert!(age < std::time::Duration::from_secs(60), "{age:?}");
        // A key is found by its text.
        let found = Project::get(db, "lib")
            .await
            .expect("read")
            .expect("stored");
        assert_eq!(found.issues, 1);
        for text in [Some("two"), None] {
            let changed = Issue::update(db, issue.id).set(|i| i.text, text.map(str::to_owned));
            assert_eq!(
                changed.returning().await.expect("changed").text.as_deref(),
                text
            );
        }
        let other = Issue::from(NewIssue {
            title: "Two".to_owned(),
            text: None,
            project: found.key,
            watchers: Vec::new(),
            assignee: None,
        });
        assert_ne!(other.id, issue.id);
    })
    .await;
}
