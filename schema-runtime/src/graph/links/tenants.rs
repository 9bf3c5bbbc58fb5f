//! The tenants of parents and children.

use bson::{Bson, Document, doc};

use super::Link;
use crate::schema::tenant::{of_tenant, tenant_field};

impl Link {
    /// The condition that children belong to the tenant of this parent, which was read with [`tenant`](Self::tenant); empty if the models
    /// have no tenant.
    pub(crate) fn inside(&self, host: &Document) -> Document {
        let tenants = self.tenants().into_iter();
        let same = tenants.map(|(own, child)| {
            let tenant = host.get(own).cloned().unwrap_or(Bson::Null);
            (child.to_owned(), doc! { "$eq": tenant }.into())
        });
        same.collect()
    }

    /// The condition that a parent belongs to the tenant of this child; empty if the models or the child have none.
    pub(crate) fn inside_host(&self, child: &Document) -> Document {
        let tenants = self.tenants().into_iter();
        let same = tenants.filter_map(|(host, own)| {
            let tenant = child.get(own)?;
            Some((host.to_owned(), doc! { "$eq": tenant }.into()))
        });
        same.collect()
    }

    /// The conditions that parents, and that children, belong to this tenant; empty if the models have none.
    pub(crate) fn of_tenant(&self, tenant: Option<&Bson>) -> (Document, Document) {
        (of_tenant(self.host, tenant), of_tenant(self.child, tenant))
    }

    /// The tenant of a parent that was read with [`tenant`](Self::tenant); `None` if the models have none.
    pub(crate) fn tenant_of(&self, host: &Document) -> Option<Bson> {
        let (own, _) = self.tenants()?;
        Some(host.get(own).cloned().unwrap_or(Bson::Null))
    }

    /// The stored names of the fields that hold the tenants of a parent and of its children; `None` if one of the models has no tenant.
    pub(crate) fn tenants(&self) -> Option<(&'static str, &'static str)> {
        tenant_field(self.host).zip(tenant_field(self.child))
    }

    /// The projection of the tenant of a parent.
    pub(crate) fn tenant(&self) -> Document {
        let tenants = self.tenants().into_iter();
        tenants.map(|(own, _)| (own.to_owned(), 1.into())).collect()
    }
}
