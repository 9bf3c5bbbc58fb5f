//! Comments on events, and the answers to them.

use axum::http::StatusCode;
use axum::routing::{delete, get, post};
use axum::{Json as Answer, Router};
use mongo_model::crud::Page;
use mongo_model::{Database, MongoModel};

use crate::api::extract::{Caller, Json, PathId, Query};
use crate::api::page::Paging;
use crate::error::{Problem, Result};
use crate::models::{Comment, CommentView, Event, NewComment};

pub fn routes() -> Router<Database> {
    Router::new()
        .route("/comments", post(create))
        .route("/comments/{id}", delete(remove))
        .route("/comments/{id}/answers", get(answers))
        .route("/events/{id}/comments", get(by_event))
}

/// A comment, or with `above` an answer to another one on the same event.
async fn create(
    Caller { db, organisation }: Caller,
    Json(body): Json<NewComment>,
) -> Result<(StatusCode, Answer<CommentView>)> {
    if let Some(above) = body.above {
        let above = Comment::get(&db, above).await?;
        if above.is_none_or(|above| above.event != body.event) {
            return Err(Problem::invalid("there is no such comment on the event"));
        }
    }
    let stored = Comment::insert(&db, &(body, organisation).into())
        .returning()
        .await?;
    Ok((StatusCode::CREATED, Answer(stored.document.into())))
}

/// The comments on an event and their answers, in the order of their times.
async fn by_event(
    Caller { db, .. }: Caller,
    PathId(event): PathId<Event>,
    Query(paging): Query<Paging>,
) -> Result<Answer<Page<CommentView>>> {
    let page = Comment::by_event(&db, event).page(paging.size());
    let page = page.after(paging.after).await?;
    Ok(Answer(page.map(CommentView::from)))
}

/// The first hundred answers to a comment, and to these.
async fn answers(
    Caller { db, .. }: Caller,
    PathId(id): PathId<Comment>,
) -> Result<Answer<Vec<CommentView>>> {
    let answers = Comment::descendants(&db, id).sort(|c| c.written.asc());
    let answers = answers.limit(100).await?.into_iter();
    Ok(Answer(answers.map(CommentView::from).collect()))
}

/// Removes a comment with all answers to it.
async fn remove(Caller { db, .. }: Caller, PathId(id): PathId<Comment>) -> Result<StatusCode> {
    Comment::delete(&db, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
