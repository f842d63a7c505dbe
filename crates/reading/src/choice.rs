//! Choices among words that a protocol has by the same names.

/// Declares a choice of words, each with what it means and what the protocol calls the
/// same; the first one is the default. It is the crate's, or `pub` where that is written.
#[macro_export]
macro_rules! choice {
    ($(#[$outer:meta])* $name:ident as $($rest:tt)*) => {
        $crate::choice! { @ [pub(crate)] $(#[$outer])* $name as $($rest)* }
    };
    ($(#[$outer:meta])* pub $name:ident as $($rest:tt)*) => {
        $crate::choice! { @ [pub] $(#[$outer])* $name as $($rest)* }
    };
    (@ [$visibility:vis] $(#[$outer:meta])* $name:ident as $same:ty {
        $(#[$first_meaning:meta])* $first:ident,
        $($(#[$meaning:meta])* $word:ident,)*
    }) => {
        $(#[$outer])*
        #[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
        #[derive(schemars::JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        $visibility enum $name {
            $(#[$first_meaning])*
            #[default]
            $first,
            $($(#[$meaning])* $word,)*
        }

        impl From<$name> for $same {
            fn from(choice: $name) -> Self {
                match choice {
                    $name::$first => Self::$first,
                    $($name::$word => Self::$word,)*
                }
            }
        }
    };
}
