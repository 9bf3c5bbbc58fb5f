//! Places where a test makes a write stop half way.

/// A named point between two steps of the protocol. With the feature `failpoints` a test can make it fail, hang or end the process
/// (`fail::cfg("mongo_model::after_w1", "return(error)")`); without it there is nothing here.
macro_rules! fault {
    ($name:literal) => {
        #[cfg(feature = "failpoints")]
        $crate::driver::fault::at(concat!("mongo_model::", $name)).await?;
    };
}

/// The number of writes that hang at a point.
#[cfg(feature = "failpoints")]
static HANGING: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

/// The number of writes that hang at a point, so that a test knows when to drop one.
#[cfg(feature = "failpoints")]
pub fn hanging() -> usize {
    HANGING.load(std::sync::atomic::Ordering::SeqCst)
}

/// Counts a write for as long as it hangs.
#[cfg(feature = "failpoints")]
struct Hanging;

#[cfg(feature = "failpoints")]
impl Drop for Hanging {
    fn drop(&mut self) {
        HANGING.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
    }
}

/// Runs the action of a point: `return(error)`, `return(hang)`, `return(abort)`; those of the `fail` crate work as well.
#[cfg(feature = "failpoints")]
pub(crate) async fn at(name: &str) -> crate::error::Result<()> {
    match fail::eval(name, |action| action).flatten().as_deref() {
        Some("error") => Err(mongodb::error::Error::custom(format!("fault at {name}")).into()),
        Some("hang") => {
            HANGING.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            let _hanging = Hanging;
            std::future::pending().await
        }
        Some("abort") => std::process::abort(),
        _ => Ok(()),
    }
}

/// True if a test has set an action for the point.
#[cfg(feature = "failpoints")]
pub(crate) fn is_armed(name: &str) -> bool {
    fail::list().iter().any(|(known, _)| known == name)
}
