//! The service over HTTP: each test has a database of its own.

mod mails;
mod migrating;
mod openapi;
mod orders;
mod organisations;
mod resources;
mod running;
mod shop;

#[test]
fn nothing_is_advised_about_the_schema() {
    let report = mongo_model::report();
    let findings = report
        .findings()
        .map(|(model, finding)| (model.model, finding));
    let findings: Vec<_> = findings.collect();
    assert!(findings.is_empty(), "{findings:#?}");
}
