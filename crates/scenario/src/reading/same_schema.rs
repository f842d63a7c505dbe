//! Types that only give another one methods.

/// Gives a type the JSON Schema of the one that it holds.
macro_rules! same_schema {
    ($outer:ty: $inner:ty) => {
        impl schemars::JsonSchema for $outer {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                <$inner>::schema_name()
            }
            fn schema_id() -> std::borrow::Cow<'static, str> {
                <$inner>::schema_id()
            }
            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                <$inner>::json_schema(generator)
            }
        }
    };
}

pub(crate) use same_schema;
