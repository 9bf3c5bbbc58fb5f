//! Places where a test makes a write stop half way.

/// A named point between two steps of the protocol. With the feature `failpoints` a test can make it fail, hang or end the process
/// (`fail::cfg("mongo_model::after_w1", "return(error)")`); without it there is nothing here.
#[cfg(feature = "driver")]
macro_rules! fault {
    ($name:literal) => {
        #[cfg(feature = "failpoints")]
        $crate::denorm::fault::at(concat!("mongo_model::", $name)).await?;
    };
}

/// What the action of a point does: `return(error)`, `return(hang)`, `return(abort)`; those of the `fail` crate work as well.
#[cfg(feature = "failpoints")]
pub(crate) async fn at(name: &str) -> crate::Result<()> {
    match fail::eval(name, |action| action).flatten().as_deref() {
        Some("error") => Err(mongodb::error::Error::custom(format!("fault at {name}")).into()),
        Some("hang") => std::future::pending().await,
        Some("abort") => std::process::abort(),
        _ => Ok(()),
    }
}
