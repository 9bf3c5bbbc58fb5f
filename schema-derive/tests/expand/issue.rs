#[derive(MongoModel)]
#[model(
    collection = "issues",
    new(NewIssue, deserialize),
    view(IssueView, skip(version)),
    patch(IssuePatch, only(title, project, watchers), derive(Debug))
)]
pub struct Issue {
    #[serde(rename = "_id")]
    pub id: Id<Issue>,
    pub title: String,
    #[parent(Project)]
    pub project: Id<Project, String>,
    #[denorm(from = Project, field = name)]
    pub project_name: String,
    #[refs(Member, max = 10)]
    #[denorm(from = Member, field = name)]
    pub watchers: Vec<Watcher>,
    #[version]
    version: i64,
}
