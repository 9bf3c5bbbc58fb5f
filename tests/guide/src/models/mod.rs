//! The models that several pages of the guide use. All doctests are one program, and models of one collection meet in it: the names of these
//! collections begin with `guide_`, so that no model of a page has the same.

pub mod logs;
pub mod people;
pub mod shop;
pub mod tickets;
pub mod tree;
pub mod work;

use mongo_model::MongoModel;
use mongo_model::model::ModelMeta;

/// All models of this module.
#[must_use]
pub fn all() -> Vec<&'static ModelMeta> {
    vec![
        shop::Part::meta(),
        shop::Product::meta(),
        logs::Host::meta(),
        logs::LogMsg::meta(),
        logs::LogPage::meta(),
        people::Person::meta(),
        people::Task::meta(),
        tickets::Order::meta(),
        tickets::Invoice::meta(),
        tree::Category::meta(),
        work::Account::meta(),
        work::Mail::meta(),
    ]
}
