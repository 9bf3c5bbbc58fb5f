//! Errors as answers of a web service.

use super::Error;
#[cfg(feature = "driver")]
use super::driver::is_refused_by_validator;

impl Error {
    /// The HTTP status that tells the client of a web service what went wrong, for requests whose values reach the call as they are:
    ///
    /// | status | errors |
    /// |---|---|
    /// | 400 | a page token of another query, or a damaged one: [`WrongCursor`](Error::WrongCursor) |
    /// | 404 | [`NotFound`](Error::NotFound), [`Gone`](Error::Gone) |
    /// | 409 | stored data is in the way: [`Duplicate`](Error::Duplicate), [`Referenced`](Error::Referenced), [`Conflict`](Error::Conflict), [`Full`](Error::Full), [`BelowCount`](Error::BelowCount), [`OtherEntry`](Error::OtherEntry), [`OtherVariant`](Error::OtherVariant), [`OtherParent`](Error::OtherParent), [`BelowItself`](Error::BelowItself), [`AbsentDocument`](Error::AbsentDocument), [`LeaseLost`](Error::LeaseLost) |
    /// | 422 | no document can have the value: [`Dangling`](Error::Dangling), [`Encode`](Error::Encode), [`Invalid`](Error::Invalid), [`DocTooLarge`](Error::DocTooLarge), [`OtherTenant`](Error::OtherTenant), [`Outgrown`](Error::Outgrown), [`Overflow`](Error::Overflow); a validator of the server refuses it |
    /// | 503 | the same request may succeed later: [`is_transient`](Error::is_transient) |
    /// | 500 | the program, the database or the server has to change: all others |
    ///
    /// [`PushedInPart`](Error::PushedInPart), [`DeletedInPart`](Error::DeletedInPart) and [`SagaStopped`](Error::SagaStopped) are 503 or
    /// 500: something was written, so no status of the client fits. A request with `If-Match` answers [`Conflict`](Error::Conflict) with
    /// 412; match it, and your own error in [`Aborted`](Error::Aborted), first.
    ///
    /// ```
    /// # use mongo_model::Error;
    /// let error = Error::WrongCursor { reason: "the token is damaged".to_owned() };
    /// assert_eq!(error.http_status(), 400);
    /// ```
    #[must_use]
    pub fn http_status(&self) -> u16 {
        match self {
            Error::PartTooShort { .. } | Error::WrongCursor { .. } => 400,
            Error::NotFound { .. } | Error::Gone { .. } => 404,
            Error::Duplicate { .. }
            | Error::Referenced { .. }
            | Error::Conflict(_)
            | Error::Full { .. }
            | Error::BelowCount { .. }
            | Error::OtherEntry { .. }
            | Error::OtherVariant { .. }
            | Error::OtherParent { .. }
            | Error::BelowItself { .. }
            | Error::AbsentDocument { .. }
            | Error::LeaseLost { .. } => 409,
            Error::Dangling { .. }
            | Error::Encode { .. }
            | Error::Invalid { .. }
            | Error::DocTooLarge { .. }
            | Error::OtherTenant { .. }
            | Error::Outgrown { .. }
            | Error::Overflow { .. } => 422,
            #[cfg(feature = "driver")]
            Error::Driver(error) if is_refused_by_validator(error) => 422,
            #[cfg(feature = "driver")]
            Error::Driver(_) if self.is_transient() => 503,
            Error::Busy { .. }
            | Error::CursorLost { .. }
            | Error::DeadlineExceeded { .. }
            | Error::Unsettled { .. } => 503,
            Error::PushedInPart { source, .. }
            | Error::DeletedInPart { source, .. }
            | Error::SagaStopped { source, .. } => match source.http_status() {
                503 => 503,
                _ => 500,
            },
            #[cfg(feature = "driver")]
            Error::Driver(_) | Error::Indexes(_) => 500,
            Error::Aborted(_)
            | Error::Ambiguous { .. }
            | Error::ChangedTwice { .. }
            | Error::CopyCircle { .. }
            | Error::Decode { .. }
            | Error::DerivedField { .. }
            | Error::EmptyUpdate { .. }
            | Error::ForeignValidator { .. }
            | Error::Impossible { .. }
            | Error::Migration { .. }
            | Error::MigrationFailed { .. }
            | Error::MigrationOrder(_)
            | Error::MigrationsAhead { .. }
            | Error::MissingIndex { .. }
            | Error::NamespaceTooLong { .. }
            | Error::NewerSchema { .. }
            | Error::NewerLedger { .. }
            | Error::NoModels
            | Error::NotDurable { .. }
            | Error::NotFresh { .. }
            | Error::NotPageable { .. }
            | Error::NullNotIndexed { .. }
            | Error::OlderSchema { .. }
            | Error::OperatorRefused { .. }
            | Error::OtherType { .. }
            | Error::PageNotIndexed { .. }
            | Error::Refused { .. }
            | Error::SumTooLarge { .. }
            | Error::TooManyToSort { .. }
            | Error::TwoCollations { .. }
            | Error::UnknownVariant { .. }
            | Error::Unsupported { .. }
            | Error::Unversioned { .. } => 500,
        }
    }
}

#[cfg(all(test, feature = "driver"))]
mod tests {
    use bson::Bson;

    use super::*;

    fn refused(code: i32) -> Error {
        let reply = bson::doc! { "code": code, "codeName": "", "errmsg": "refused" };
        let error: mongodb::error::CommandError =
            bson::deserialize_from_document(reply).expect("a reply");
        mongodb::error::Error::from(mongodb::error::ErrorKind::Command(error)).into()
    }

    fn missing() -> Error {
        Error::NotFound {
            model: "Part",
            id: Box::new(Bson::Int32(1)),
        }
    }

    fn stopped(source: Error) -> Error {
        Error::DeletedInPart {
            model: "Part",
            deleted: 1,
            marked: false,
            source: Box::new(source),
        }
    }

    #[test]
    fn each_class_of_errors_has_its_status() {
        let field = || "Part.name".to_owned();
        for (error, status) in [
            (
                Error::WrongCursor {
                    reason: String::new(),
                },
                400,
            ),
            (missing(), 404),
            (
                Error::Full {
                    field: field(),
                    max: 1,
                },
                409,
            ),
            (
                Error::Invalid {
                    model: "Part",
                    position: None,
                    violations: Vec::new(),
                },
                422,
            ),
            (refused(121), 422),
            (refused(112), 503),
            (refused(20), 500),
            (Error::Busy { what: field() }, 503),
            (Error::aborted("the caller's own"), 500),
            (Error::NoModels, 500),
        ] {
            assert_eq!(error.http_status(), status, "{error}");
        }
    }

    #[test]
    fn what_was_done_in_part_is_no_mistake_of_the_client() {
        assert_eq!(stopped(missing()).http_status(), 500);
        assert_eq!(stopped(refused(112)).http_status(), 503);
    }

    #[test]
    fn what_is_transient_is_503() {
        for error in [refused(112), refused(121), refused(462), missing()] {
            assert_eq!(error.is_transient(), error.http_status() == 503, "{error}");
        }
    }
}
