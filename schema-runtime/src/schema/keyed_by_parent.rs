//! The traits of an `_id` that is made of the `_id` of a parent and of one more value.

/// Implements them for a struct of these two fields. A derive would ask the same of the parent as of its `_id`.
macro_rules! keyed_by_parent {
    ($name:ident { $parent:ident, $value:ident: $ty:ty }) => {
        impl<P: Model> Clone for $name<P> {
            fn clone(&self) -> Self {
                $name::new(self.$parent.clone(), self.$value)
            }
        }

        impl<P: Model> Copy for $name<P> where P::DocumentId: Copy {}

        impl<P: Model> PartialEq for $name<P>
        where
            P::DocumentId: PartialEq,
        {
            fn eq(&self, other: &Self) -> bool {
                self.$parent == other.$parent && self.$value == other.$value
            }
        }

        impl<P: Model> Eq for $name<P> where P::DocumentId: Eq {}

        impl<P: Model> std::hash::Hash for $name<P>
        where
            P::DocumentId: std::hash::Hash,
        {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                self.$parent.hash(state);
                self.$value.hash(state);
            }
        }

        impl<P: Model> std::fmt::Debug for $name<P>
        where
            P::DocumentId: std::fmt::Debug,
        {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_tuple(stringify!($name))
                    .field(&self.$parent)
                    .field(&self.$value)
                    .finish()
            }
        }

        impl<P: Model> Value for $name<P>
        where
            P::DocumentId: Value,
        {
            type Elem = Self;
            type Sub<Q: Path> = NoFields;
            const KIND: Kind = Kind::Document;
            const SHAPE: Option<&'static Shape> = Some(&Shape {
                name: stringify!($name),
                fields: Self::FIELDS,
            });
            const FIELDS: &'static [FieldRow] = &[
                row::<P::DocumentId>(stringify!($parent), stringify!($parent)),
                row::<$ty>(stringify!($value), stringify!($value)),
            ];
            const SIZE: Size = Size::of(Self::FIELDS, 0, 2);
        }
    };
}

pub(crate) use keyed_by_parent;
