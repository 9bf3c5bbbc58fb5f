//! The items of `MongoModel` that need no driver. They are part of two traits, one of which a build compiles.

macro_rules! table_items {
    () => {
        /// The type of the `_id`.
        type Id: Serialize + DeserializeOwned + Clone + Send + Sync + 'static;
        /// The field handles.
        type Fields: Handles;

        /// Bytes of the largest document that the bounds allow (`max` on arrays, `max_len` on strings and binary); `None`
        /// if a field has no bound. The library's own fields in documents with copies or links, `_dn` and `_r`, are not
        /// counted.
        const MAX_BSON_SIZE: Option<u64> = match <Self as Value>::SIZE.most {
            value::UNBOUNDED => None,
            most => Some(most),
        };

        /// The model's tables.
        ///
        /// ```
        /// # use mongo_model::MongoModel;
        /// use mongo_model_guide::shop::Product;
        /// assert_eq!(Product::meta().collection, "guide_products");
        /// ```
        fn meta() -> &'static ModelMeta {
            Self::model_meta()
        }

        /// The `_id` of this document.
        ///
        /// ```
        /// # use mongo_model::MongoModel; use mongo_model_guide::shop::part;
        /// let nut = part("17", "nut");
        /// assert_eq!(nut.id(), &nut.id);
        /// ```
        ///
        /// # Panics
        /// On the `#[serde(other)]` variant of a model that is an enum: the `_id` is all that is in memory of a document of
        /// an unknown kind.
        fn id(&self) -> &Self::Id {
            self.document_id()
        }
    };
}
