//! The models that several pages of the guide use.

pub mod logs;
pub mod people;
pub mod shop;
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
        work::Account::meta(),
        work::Mail::meta(),
    ]
}
