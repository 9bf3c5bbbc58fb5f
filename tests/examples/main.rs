//! The examples, run and looked at.

mod books;
mod jobs;
mod logs;
mod people;
mod places;
mod shop;
mod staff;
