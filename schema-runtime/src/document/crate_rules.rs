//! Rules that other crates judge: `#[model(check(garde))]`, `#[model(check(validator))]`.

use crate::schema::checks::Refusal;

/// A struct whose rules `garde` judges.
#[diagnostic::on_unimplemented(
    message = "`check(garde)`: `garde` knows no rules of `{Self}`",
    label = "no `garde::Validate` whose context is `Default`",
    note = "add `#[derive(garde::Validate)]` to `{Self}`, and the feature `garde` to `mongo-model` in Cargo.toml"
)]
pub trait GardeRules {
    /// The reasons why the value is refused.
    fn refusals(&self) -> Vec<Refusal>;
}

/// A struct whose rules `validator` judges.
#[diagnostic::on_unimplemented(
    message = "`check(validator)`: `validator` knows no rules of `{Self}`",
    label = "no `validator::Validate`",
    note = "add `#[derive(validator::Validate)]` to `{Self}`, and the feature `validator` to `mongo-model` in Cargo.toml"
)]
pub trait ValidatorRules {
    /// The reasons why the value is refused.
    fn refusals(&self) -> Vec<Refusal>;
}

#[cfg(feature = "garde")]
#[diagnostic::do_not_recommend]
impl<T> GardeRules for T
where
    T: garde::Validate,
    T::Context: Default,
{
    fn refusals(&self) -> Vec<Refusal> {
        let report = self.validate().err();
        let errors = report.into_iter().flat_map(garde::Report::into_inner);
        let refusal = |(path, error): (garde::Path, garde::Error)| Refusal {
            // `lines[0].name`
            path: path
                .to_string()
                .split(['.', '[', ']'])
                .filter(|part| !part.is_empty())
                .map(str::to_owned)
                .collect(),
            reason: error.message().to_owned().into(),
        };
        errors.map(refusal).collect()
    }
}

#[cfg(feature = "validator")]
#[diagnostic::do_not_recommend]
impl<T: validator::Validate> ValidatorRules for T {
    fn refusals(&self) -> Vec<Refusal> {
        let mut refusals = Vec::new();
        if let Err(errors) = self.validate() {
            collect_refusals(errors, &[], &mut refusals);
        }
        // The crate keeps them in no order.
        refusals.sort_by(|a, b| a.path.cmp(&b.path));
        refusals
    }
}

#[cfg(feature = "validator")]
fn collect_refusals(
    errors: validator::ValidationErrors,
    path: &[String],
    refusals: &mut Vec<Refusal>,
) {
    use validator::ValidationErrorsKind;

    let join = |part: String| [path, &[part]].concat();
    for (field, kind) in errors.0 {
        // Its name for rules of the whole struct.
        let path = match &*field {
            "__all__" => path.to_vec(),
            field => join(field.to_owned()),
        };
        match kind {
            ValidationErrorsKind::Struct(inside) => collect_refusals(*inside, &path, refusals),
            ValidationErrorsKind::List(elements) => {
                for (place, inside) in elements {
                    let path = [&*path, &[place.to_string()]].concat();
                    collect_refusals(*inside, &path, refusals);
                }
            }
            ValidationErrorsKind::Field(errors) => {
                refusals.extend(errors.into_iter().map(|error| {
                    Refusal {
                        path: path.clone(),
                        reason: error
                            .message
                            .unwrap_or_else(|| format!("breaks the rule `{}`", error.code).into()),
                    }
                }));
            }
        }
    }
}
