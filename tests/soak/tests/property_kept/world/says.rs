//! The expected result and the effect of each call.

use std::collections::BTreeMap;

use super::{Message, Op, Says, World, Written, distinct, named};

/// The errors whose condition is true; a refused call changes nothing.
fn refused<const N: usize>(says: [(bool, Says); N]) -> Vec<Says> {
    let so = says.into_iter().filter(|(so, _)| *so);
    so.map(|(_, says)| says).collect()
}

impl World {
    /// Applies the call and returns its possible results: with several reasons to refuse, one of several errors, and nothing is done.
    pub(crate) fn apply(&mut self, op: &Op) -> Vec<Says> {
        let errors = match op {
            Op::InsertPerson(n) => {
                let there = self.people.contains(n);
                self.people.insert(*n);
                refused([(there, Says::Duplicate)])
            }
            Op::SavePerson(n) => {
                self.people.insert(*n);
                Vec::new()
            }
            Op::DeletePerson(n) => {
                let there = self.people.contains(n);
                self.without_people(&[*n]);
                refused([(!there, Says::NotFound)])
            }
            Op::DeletePeople(ids) => {
                self.without_people(ids);
                Vec::new()
            }
            Op::InsertTask(n, of) => {
                let errors = refused([
                    (self.tasks.contains_key(n), Says::Duplicate),
                    (self.nobody(*of), Says::Dangling),
                ]);
                if errors.is_empty() {
                    self.tasks.insert(*n, *of);
                }
                errors
            }
            Op::InsertTasks(tasks) => {
                let new: BTreeMap<u8, Option<u8>> = tasks.iter().copied().collect();
                let new = new.into_iter().filter(|(n, _)| !self.tasks.contains_key(n));
                let new: Vec<_> = new.collect();
                let lost = new.iter().any(|(_, of)| self.nobody(*of));
                if !lost {
                    self.tasks.extend(new);
                }
                refused([(lost, Says::Dangling)])
            }
            Op::Reassign(n, to) => self.own(*n, Some(*to)),
            Op::Own(n, to) => self.own(*n, *to),
            Op::OwnMany(ids, to) => {
                let mut says = vec![Says::Done];
                if self.nobody(*to) {
                    says.push(Says::Dangling);
                    // A write that changes nothing need not look for the person.
                    says.retain(|says| {
                        *says == Says::Dangling || !ids.iter().any(|n| self.tasks.contains_key(n))
                    });
                } else {
                    for n in ids {
                        self.tasks.entry(*n).and_modify(|of| *of = *to);
                    }
                }
                return says;
            }
            Op::Disown(n) => self.own(*n, None),
            Op::SaveTask(n, of) => {
                let lost = self.nobody(*of);
                if !lost {
                    self.tasks.insert(*n, *of);
                }
                refused([(lost, Says::Dangling)])
            }
            Op::AddTask(n, task) => {
                let errors = refused([
                    (!self.people.contains(n), Says::NotFound),
                    (!self.people.contains(n), Says::Dangling),
                    (!self.tasks.contains_key(task), Says::Dangling),
                    (!self.tasks.contains_key(task), Says::NotFound),
                ]);
                if errors.is_empty() {
                    self.tasks.insert(*task, Some(*n));
                }
                errors
            }
            Op::RemoveTask(n, task) => {
                let there = self.people.contains(n);
                if there && self.tasks.get(task) == Some(&Some(*n)) {
                    self.tasks.insert(*task, None);
                }
                if there && !self.tasks.contains_key(task) {
                    return vec![Says::Done, Says::Dangling];
                }
                refused([(!there, Says::NotFound)])
            }
            Op::DeleteTask(n) => {
                let there = self.tasks.remove(n).is_some();
                refused([(!there, Says::NotFound)])
            }
            Op::DeleteTasks(ids) => {
                self.tasks.retain(|n, _| !ids.contains(n));
                Vec::new()
            }
            Op::Recover | Op::ReadHost(_) | Op::Together(..) => Vec::new(),
            other => return self.apply_to_messages(other),
        };
        done_or(errors)
    }

    fn own(&mut self, n: u8, to: Option<u8>) -> Vec<Says> {
        let errors = refused([
            (!self.tasks.contains_key(&n), Says::NotFound),
            (self.nobody(to), Says::Dangling),
        ]);
        if errors.is_empty() {
            self.tasks.insert(n, to);
        }
        errors
    }

    fn without_people(&mut self, ids: &[u8]) {
        self.people.retain(|n| !ids.contains(n));
        for of in self.tasks.values_mut() {
            *of = of.filter(|of| self.people.contains(of));
        }
    }

    fn apply_to_messages(&mut self, op: &Op) -> Vec<Says> {
        let errors = match op {
            Op::InsertHost(n, ip) => {
                let there = self.hosts.contains_key(n);
                self.hosts.entry(*n).or_insert_with(|| named(*ip));
                refused([(there, Says::Duplicate)])
            }
            Op::SaveHost(n, ip) => {
                self.hosts.insert(*n, named(*ip));
                Vec::new()
            }
            Op::SaveStaleHost(n) => {
                let old = &self.read[n];
                let says = !old.logmsgs.is_empty() || old.messages != 0;
                let errors = refused([(says && !self.hosts.contains_key(n), Says::Derived)]);
                if errors.is_empty() {
                    self.hosts.insert(*n, old.ipaddr.clone());
                }
                errors
            }
            Op::Ip(n, ip) => {
                let there = self.hosts.get_mut(n).map(|old| *old = named(*ip));
                refused([(there.is_none(), Says::NotFound)])
            }
            Op::DeleteHost(n) => {
                let there = self.hosts.remove(n).is_some();
                self.messages.retain(|_, message| message.of != *n);
                refused([(!there, Says::NotFound)])
            }
            Op::InsertMessage(n, of, time) => {
                let errors = refused([
                    (self.messages.contains_key(n), Says::Duplicate),
                    (!self.hosts.contains_key(of), Says::Dangling),
                ]);
                if errors.is_empty() {
                    self.message(*n, *of, *time, 0);
                }
                errors
            }
            Op::InsertMessages(_, of, time) => {
                let new = self.new_messages(op);
                let lost = !new.is_empty() && !self.hosts.contains_key(of);
                for new in new.into_iter().filter(|_| !lost) {
                    let n = u8::try_from(*new.id.as_raw() - 1).expect("small");
                    self.message(n, *of, *time, 0);
                }
                refused([(lost, Says::Dangling)])
            }
            Op::SaveMessage(n, of, time, text) => {
                let lost = !self.hosts.contains_key(of);
                if !lost {
                    self.message(*n, *of, *time, *text);
                }
                refused([(lost, Says::Dangling)])
            }
            Op::Move(n, to) => {
                let errors = refused([
                    (!self.messages.contains_key(n), Says::NotFound),
                    (!self.hosts.contains_key(to), Says::Dangling),
                ]);
                if errors.is_empty() {
                    self.messages.get_mut(n).expect("checked").of = *to;
                }
                errors
            }
            Op::MoveMany(from, to) => {
                let any = self.messages.values().any(|message| message.of == *from);
                if !self.hosts.contains_key(to) {
                    // A write that changes nothing need not look for the host.
                    return if any {
                        vec![Says::Dangling]
                    } else {
                        vec![Says::Done, Says::Dangling]
                    };
                }
                self.of(*from, |message| message.of = *to);
                Vec::new()
            }
            Op::Retime(n, time) => {
                let there = self.messages.get_mut(n).map(|m| m.time = *time);
                refused([(there.is_none(), Says::NotFound)])
            }
            Op::RetimeMany(of, time) => {
                self.of(*of, |message| message.time = *time);
                Vec::new()
            }
            Op::Edit(n, text) => {
                let there = self.messages.get_mut(n).map(|m| m.text = named(*text));
                refused([(there.is_none(), Says::NotFound)])
            }
            Op::EditMany(of, text) => {
                self.of(*of, |message| message.text = named(*text));
                Vec::new()
            }
            Op::DeleteMessage(n) => {
                let there = self.messages.remove(n).is_some();
                refused([(!there, Says::NotFound)])
            }
            Op::DeleteMessages(of, before) => {
                self.messages
                    .retain(|_, message| message.of != *of || message.time >= *before);
                Vec::new()
            }
            Op::Rebuild(n) | Op::Recount(n) => {
                refused([(!self.hosts.contains_key(n), Says::NotFound)])
            }
            other => return self.apply_to_posts(other),
        };
        done_or(errors)
    }

    fn message(&mut self, n: u8, of: u8, time: i64, text: u8) {
        let text = named(text);
        let at = time;
        self.messages.insert(n, Message { of, time, at, text });
    }

    fn of(&mut self, host: u8, change: impl Fn(&mut Message)) {
        for message in self.messages.values_mut() {
            if message.of == host {
                change(message);
            }
        }
    }

    fn apply_to_posts(&mut self, op: &Op) -> Vec<Says> {
        let errors = match op {
            Op::InsertAuthor(n, name) => {
                let there = self.authors.contains_key(n);
                self.authors.entry(*n).or_insert_with(|| named(*name));
                refused([(there, Says::Duplicate)])
            }
            Op::NameAuthor(n, name) => {
                let there = self.authors.get_mut(n).map(|old| *old = named(*name));
                refused([(there.is_none(), Says::NotFound)])
            }
            Op::DeleteAuthor(n) => {
                let errors = refused([
                    (!self.authors.contains_key(n), Says::NotFound),
                    (self.is_reviewed(|post| post.by == *n), Says::Referenced),
                ]);
                if errors.is_empty() {
                    self.authors.remove(n);
                    self.posts.retain(|_, post| post.by != *n);
                }
                errors
            }
            Op::InsertTag(n, name) => {
                let there = self.tags.contains_key(n);
                self.tags.entry(*n).or_insert_with(|| named(*name));
                refused([(there, Says::Duplicate)])
            }
            Op::NameTag(n, name) => {
                let there = self.tags.get_mut(n).map(|old| *old = named(*name));
                refused([(there.is_none(), Says::NotFound)])
            }
            Op::DeleteTag(n) => {
                let there = self.tags.contains_key(n);
                self.without_tags(&[*n]);
                refused([(!there, Says::NotFound)])
            }
            Op::DeleteTags(ids) => {
                self.without_tags(ids);
                Vec::new()
            }
            Op::InsertPost(n, by, tags) => {
                let mut errors = self.leads_nowhere(*by, tags);
                errors.extend(refused([(self.posts.contains_key(n), Says::Duplicate)]));
                if errors.is_empty() {
                    self.post(*n, *by, tags);
                }
                errors
            }
            Op::SavePost(n, by, tags) => {
                let errors = self.leads_nowhere(*by, tags);
                if errors.is_empty() {
                    self.post(*n, *by, tags);
                }
                errors
            }
            Op::Title(n, title) => {
                let there = self.posts.get_mut(n).map(|p| p.title = named(*title));
                refused([(there.is_none(), Says::NotFound)])
            }
            Op::Author(n, by) => {
                let errors = refused([
                    (!self.posts.contains_key(n), Says::NotFound),
                    (!self.authors.contains_key(by), Says::Dangling),
                ]);
                if errors.is_empty() {
                    self.posts.get_mut(n).expect("checked").by = *by;
                }
                errors
            }
            Op::Tag(n, tag) => {
                let errors = refused([
                    (!self.posts.contains_key(n), Says::NotFound),
                    (!self.tags.contains_key(tag), Says::Dangling),
                ]);
                if errors.is_empty() {
                    let tags = &mut self.posts.get_mut(n).expect("checked").tags;
                    if !tags.contains(tag) {
                        tags.push(*tag);
                    }
                }
                errors
            }
            Op::Untag(n, tag) => {
                let post = self.posts.get_mut(n);
                let there = post.map(|post| post.tags.retain(|old| old != tag));
                refused([(there.is_none(), Says::NotFound)])
            }
            Op::DeletePost(n) => {
                let errors = refused([
                    (!self.posts.contains_key(n), Says::NotFound),
                    (
                        self.reviews.values().any(|post| post == n),
                        Says::Referenced,
                    ),
                ]);
                if errors.is_empty() {
                    self.posts.remove(n);
                }
                errors
            }
            Op::DeletePosts(by) => {
                let reviewed = self.is_reviewed(|post| post.by == *by);
                if !reviewed {
                    self.posts.retain(|_, post| post.by != *by);
                }
                refused([(reviewed, Says::Referenced)])
            }
            Op::RecountPosts(n) => refused([(!self.authors.contains_key(n), Says::NotFound)]),
            Op::InsertReview(n, of) => {
                let errors = refused([
                    (self.reviews.contains_key(n), Says::Duplicate),
                    (!self.posts.contains_key(of), Says::Dangling),
                ]);
                if errors.is_empty() {
                    self.reviews.insert(*n, *of);
                }
                errors
            }
            Op::SaveReview(n, of) => {
                let lost = !self.posts.contains_key(of);
                if !lost {
                    self.reviews.insert(*n, *of);
                }
                refused([(lost, Says::Dangling)])
            }
            Op::MoveReview(n, to) => {
                let errors = refused([
                    (!self.reviews.contains_key(n), Says::NotFound),
                    (!self.posts.contains_key(to), Says::Dangling),
                ]);
                if errors.is_empty() {
                    self.reviews.insert(*n, *to);
                }
                errors
            }
            Op::DeleteReview(n) => {
                let there = self.reviews.remove(n).is_some();
                refused([(!there, Says::NotFound)])
            }
            other => unreachable!("{other:?} is none of posts"),
        };
        done_or(errors)
    }

    fn is_reviewed(&self, these: impl Fn(&Written) -> bool) -> bool {
        self.reviews.values().any(|post| these(&self.posts[post]))
    }

    fn without_tags(&mut self, ids: &[u8]) {
        self.tags.retain(|n, _| !ids.contains(n));
        for post in self.posts.values_mut() {
            post.tags.retain(|tag| !ids.contains(tag));
        }
    }

    fn leads_nowhere(&self, by: u8, tags: &[u8]) -> Vec<Says> {
        let lost = |tag: &u8| !self.tags.contains_key(tag);
        let lost = !self.authors.contains_key(&by) || tags.iter().any(lost);
        refused([(lost, Says::Dangling)])
    }

    fn post(&mut self, n: u8, by: u8, tags: &[u8]) {
        let tags = distinct(tags);
        let title = named(0);
        self.posts.insert(n, Written { by, tags, title });
    }
}

fn done_or(errors: Vec<Says>) -> Vec<Says> {
    if errors.is_empty() {
        vec![Says::Done]
    } else {
        errors
    }
}
