//! From a tree of values to the types of a scenario, by serde.
//!
//! What serde's derived code asks for is answered with more than it knows of:
//!
//! - A [`toml::Spanned`] value gets its place.
//! - An enum that is called [`KIND`] or [`PROTOCOL`] is a table whose key of that name
//!   says which variant the other keys are of; without the key, the first variant. A text
//!   alone is a variant with no keys. Of an enum called [`KEY`], the variant is the one
//!   whose name is a key of the table.
//! - [`SHORT`] is a value that is not a table, or a table to be read as something else.
//! - [`EACH`] is an array, or a value alone as an array of one.
//! - [`BOTH`] is one table read as two: the keys that are not named, then those that are.
//!
//! A default that the variant at hand has no key for is left out; any other key that is
//! not known is refused.

use std::ops::Range;

use serde::Deserialize;
use serde::de::value::{Error as Other, StrDeserializer};
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, Expected, IntoDeserializer, MapAccess,
    SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_spanned::de::{SpannedDeserializer, is_spanned};

use crate::error::{Mistake, Unknown, list, suggestion};
use crate::setting_groups::moved;
use crate::tree::{Entry, Node, Value};

/// An enum whose variant is under `kind`.
pub const KIND: &str = "kind";
/// An enum whose variant is under `protocol`.
pub const PROTOCOL: &str = "protocol";
/// An enum whose variant is a key itself.
pub const KEY: &str = "key";
/// A short form, or a table.
pub const SHORT: &str = "short";
/// An array, or a value alone.
pub const EACH: &str = "each";
/// One table read as two.
pub const BOTH: &str = "both";

/// Reads a tree as a type.
///
/// # Errors
/// [`Mistake`] says what does not fit the type, and where.
pub fn read<'de, T: Deserialize<'de>>(node: Node) -> Result<T, Mistake> {
    T::deserialize(node)
}

/// The same, of a table some keys of which are read elsewhere, of which a message may speak.
///
/// # Errors
/// As those of [`read`].
pub fn read_beside<'de, T: Deserialize<'de>>(
    node: Node,
    beside: &[&'static str],
) -> Result<T, Mistake> {
    let Value::Table(entries) = node.value else { return read(node) };
    let mut table = Table::new(entries, node.span);
    table.beside[1].extend(beside);
    T::deserialize(table)
}

impl Error for Mistake {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        match message.to_string().split_once("; ") {
            Some((message, help)) => Self::new(message).help(help),
            None => Self::new(message.to_string()),
        }
    }

    fn invalid_type(given: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let found = match given {
            Unexpected::Map => "a table".to_owned(),
            Unexpected::Seq => "an array".to_owned(),
            Unexpected::Str(text) => format!("\"{text}\""),
            Unexpected::Signed(number) => format!("`{number}`"),
            Unexpected::Float(number) => format!("`{number:?}`"),
            Unexpected::Bool(flag) => format!("`{flag}`"),
            other => other.to_string(),
        };
        let name = expected.to_string();
        let most = match name.as_str() {
            "u8" => Some(u64::from(u8::MAX)),
            "u16" => Some(u64::from(u16::MAX)),
            "u32" => Some(u64::from(u32::MAX)),
            // The greatest integer of TOML.
            "u64" | "usize" => Some(i64::MAX.unsigned_abs()),
            _ => None,
        };
        if let Some(most) = most {
            return Self::not_a_count(&found, given, most);
        }
        let expected = match name.as_str() {
            "a sequence" => "an array",
            "a boolean" => "true or false",
            it if it == "a map" || it.starts_with("struct ") => "a table",
            it => it,
        };
        Self::new(format!("{found} is not {expected}"))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self::new(format!("unknown value `{variant}`")).help(suggestion(variant, expected))
    }

    fn missing_field(key: &'static str) -> Self {
        Self { missing: Some(key), ..Self::new(format!("missing key `{key}`")) }
    }
}

/// A value, for a message.
fn found(value: &Value) -> Unexpected<'_> {
    match value {
        Value::Text(it) => Unexpected::Str(it),
        Value::Integer(it) => Unexpected::Signed(*it),
        Value::Float(it) => Unexpected::Float(*it),
        Value::Flag(it) => Unexpected::Bool(*it),
        Value::Date(it) => Unexpected::Other(it),
        Value::Array(_) => Unexpected::Seq,
        Value::Table(_) => Unexpected::Map,
    }
}

impl Mistake {
    /// What was `found` is not a whole number of at most so much.
    fn not_a_count(found: &str, given: Unexpected<'_>, most: u64) -> Self {
        let number = match given {
            Unexpected::Signed(number) => number as f64,
            Unexpected::Float(number) => number,
            _ => f64::NAN,
        };
        if number > most as f64 {
            Self::new(format!("{found} is too large: the most is {most}"))
        } else if number >= 0.0 && number.fract() == 0.0 {
            Self::new(format!("{found} is not written as a whole number"))
                .help(format!("write {number}, without a point or an exponent"))
        } else {
            Self::new(format!("{found} is not a whole number from 0 to {most}"))
        }
    }

    /// The same, with a place if it has none yet.
    fn or_at(self, span: &Range<usize>) -> Self {
        if self.span.is_some() { self } else { self.at(span.clone()) }
    }

    /// The same, with the name of the table that has no key, if it is not known yet.
    #[must_use]
    pub fn of(mut self, name: &str) -> Self {
        if let Some(key) = self.missing.filter(|_| !self.is_named) {
            self.message = format!("`{name}` has no `{key}`");
            self.is_named = true;
        }
        self
    }
}

impl<'de> Deserializer<'de> for Node {
    type Error = Mistake;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        let span = self.span;
        let read = match self.value {
            Value::Text(it) => visitor.visit_string(it),
            Value::Integer(it) => visitor.visit_i64(it),
            Value::Float(it) => visitor.visit_f64(it),
            Value::Flag(it) => visitor.visit_bool(it),
            Value::Date(it) => Err(Mistake::invalid_type(Unexpected::Other(&it), &visitor)),
            Value::Array(items) => visitor.visit_seq(Items(items.into_iter())),
            Value::Table(entries) => {
                return Table::new(entries, span).deserialize_any(visitor);
            }
        };
        read.map_err(|it| it.or_at(&span))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        match self.value {
            Value::Table(_) => visitor.visit_newtype_struct(self),
            _ if name == SHORT => self.deserialize_any(visitor),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        keys: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        if is_spanned(name) {
            let span = self.span.clone();
            return visitor.visit_map(SpannedDeserializer::new(self, span));
        }
        if name == EACH {
            let span = self.span.clone();
            let items = match self.value {
                Value::Array(items) => items,
                value => vec![Self { span: self.span, value }],
            };
            return visitor.visit_seq(Items(items.into_iter())).map_err(|it| it.or_at(&span));
        }
        match self.value {
            Value::Table(entries) => {
                Table::new(entries, self.span).deserialize_struct(name, keys, visitor)
            }
            value => Self { span: self.span, value }.deserialize_any(visitor),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        let span = self.span;
        let is_tagged = [KIND, PROTOCOL, KEY].contains(&name);
        match self.value {
            Value::Text(variant) => {
                let rest = Table::new(Vec::new(), span.clone());
                visitor.visit_enum(Chosen { variant, span, rest: rest.of(variants) })
            }
            Value::Table(entries) if is_tagged => {
                Table::new(entries, span).deserialize_enum(name, variants, visitor)
            }
            value => {
                let expected = if is_tagged { "text or a table".into() } else { list(variants) };
                let mistake = Mistake::invalid_type(found(&value), &expected.as_str());
                Err(mistake.at(span))
            }
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct seq tuple tuple_struct map identifier ignored_any
    }
}

impl IntoDeserializer<'_, Mistake> for Node {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// The items of an array.
struct Items(std::vec::IntoIter<Node>);

impl<'de> SeqAccess<'de> for Items {
    type Error = Mistake;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Mistake> {
        let Some(node) = self.0.next() else { return Ok(None) };
        let span = node.span.clone();
        seed.deserialize(node).map(Some).map_err(|it| it.or_at(&span))
    }
}

/// A table, or a part of one.
struct Table {
    entries: Vec<Entry>,
    span: Range<usize>,
    /// Keys that are read elsewhere, of which a message may speak: before those of the type, and
    /// after them.
    beside: [Vec<&'static str>; 2],
    /// The variant that it is of, among all.
    variant: Option<(String, &'static [&'static str])>,
}

impl Table {
    fn new(entries: Vec<Entry>, span: Range<usize>) -> Self {
        Self { entries, span, beside: Default::default(), variant: None }
    }

    /// The same as of one of these variants.
    fn of(mut self, variants: &'static [&'static str]) -> Self {
        self.variant = Some((String::new(), variants));
        self
    }

    /// Leaves out defaults for other variants.
    ///
    /// # Errors
    /// If there is another key that is not known.
    fn check(&mut self, keys: &'static [&'static str]) -> Result<(), Mistake> {
        self.entries.retain(|it| !it.is_default || keys.contains(&it.key.as_str()));
        let unknown = self.entries.iter().find(|it| !keys.contains(&it.key.as_str()));
        let Some(Entry { key, span, .. }) = unknown else { return Ok(()) };
        if let Some(moved) = moved(key, keys.iter().copied()) {
            return Err(moved.at(span.clone()));
        }
        let [before, after] = &self.beside;
        let own: Vec<&'static str> = before.iter().chain(keys).chain(after).copied().collect();
        let mistake = match &self.variant {
            None => Mistake::new(format!("unknown key `{key}`")).help(suggestion(key, &own)),
            Some((kind, kinds)) => {
                let (key, kind, keys) = (key.clone(), kind.clone(), own);
                Mistake::of_unknown(Unknown { key, kind, kinds, keys })
            }
        };
        Err(mistake.at(span.clone()))
    }

    fn take(&mut self, is_taken: impl Fn(&Entry) -> bool) -> Vec<Entry> {
        let entries = std::mem::take(&mut self.entries);
        let (taken, left) = entries.into_iter().partition(is_taken);
        self.entries = left;
        taken
    }

    /// The entries of the named keys, and the others.
    fn split(mut self, keys: &'static [&'static str]) -> Two {
        let named = self.take(|it| keys.contains(&it.key.as_str()));
        let named = Self::new(named, self.span.clone());
        self.beside[0].extend(keys);
        Two(vec![named, self])
    }

    /// The variant of an enum that it is, with the keys that are left.
    fn choose(
        mut self,
        name: &'static str,
        variants: &'static [&'static str],
    ) -> Result<Chosen, Mistake> {
        let (variant, span) = match name {
            KEY => self.chosen_by_key(variants)?,
            _ => match self.take(|it| it.key == name).pop() {
                None => (variants[0].to_owned(), self.span.clone()),
                Some(Entry { node: Node { span, value: Value::Text(it) }, .. }) => (it, span),
                Some(Entry { node, .. }) => {
                    return Err(Mistake::new(format!("`{name}` is not text"))
                        .at(node.span)
                        .help(format!("write {name} = \"{}\"", variants[0])));
                }
            },
        };
        Ok(Chosen { variant, span, rest: self.of(variants) })
    }

    /// The only variant whose name is a key; the table's own key goes before a default.
    fn chosen_by_key(
        &self,
        variants: &'static [&'static str],
    ) -> Result<(String, Range<usize>), Mistake> {
        let named = || self.entries.iter().filter(|it| variants.contains(&it.key.as_str()));
        let mut own = named().filter(|it| !it.is_default);
        let chosen = own.next().or_else(|| named().next());
        let all = || list(variants);
        match (chosen, own.next()) {
            (Some(_), Some(second)) => {
                let message = format!("`{}` cannot be set beside another of {}", second.key, all());
                Err(Mistake::new(message).at(second.span.clone()).help("write one of them"))
            }
            (Some(chosen), None) => Ok((chosen.key.clone(), chosen.span.clone())),
            (None, _) => Err(Mistake::missing_field(variants[0])
                .at(self.span.clone())
                .help(format!("write one of {}", all()))),
        }
    }
}

impl<'de> Deserializer<'de> for Table {
    type Error = Mistake;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        let span = self.span;
        let entries = Entries { entries: self.entries.into_iter(), read: None };
        visitor.visit_map(entries).map_err(|it| it.or_at(&span))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        mut self,
        name: &'static str,
        keys: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        if name == BOTH {
            return visitor.visit_seq(self.split(keys));
        }
        self.check(keys)?;
        self.deserialize_any(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        visitor.visit_enum(self.choose(name, variants)?)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        option unit unit_struct newtype_struct seq tuple tuple_struct map identifier ignored_any
    }
}

/// Two parts of a table, the last one first.
struct Two(Vec<Table>);

impl<'de> SeqAccess<'de> for Two {
    type Error = Mistake;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Mistake> {
        self.0.pop().map(|it| seed.deserialize(it)).transpose()
    }
}

/// The entries of a table, and the value of the key that was read last.
struct Entries {
    entries: std::vec::IntoIter<Entry>,
    read: Option<(String, Node)>,
}

impl<'de> MapAccess<'de> for Entries {
    type Error = Mistake;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Mistake> {
        let Some(Entry { key, span, node, .. }) = self.entries.next() else { return Ok(None) };
        self.read = Some((key.clone(), node));
        seed.deserialize(Node { span, value: Value::Text(key) }).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Mistake> {
        let (key, node) = self.read.take().expect("a value follows its key");
        let span = node.span.clone();
        seed.deserialize(node).map_err(|it| it.or_at(&span).of(&key))
    }
}

/// A variant of an enum, and the table with its keys.
struct Chosen {
    variant: String,
    span: Range<usize>,
    rest: Table,
}

impl<'de> EnumAccess<'de> for Chosen {
    type Error = Mistake;
    type Variant = Table;

    fn variant_seed<S: DeserializeSeed<'de>>(
        mut self,
        seed: S,
    ) -> Result<(S::Value, Table), Mistake> {
        let variant = seed.deserialize(StrDeserializer::<Mistake>::new(&self.variant));
        let variant = variant.map_err(|it| it.or_at(&self.span))?;
        if let Some((chosen, _)) = &mut self.rest.variant {
            *chosen = self.variant;
        }
        Ok((variant, self.rest))
    }
}

impl<'de> VariantAccess<'de> for Table {
    type Error = Mistake;

    fn unit_variant(mut self) -> Result<(), Mistake> {
        self.check(&[])
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Mistake> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Mistake> {
        self.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        keys: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        self.deserialize_struct("", keys, visitor)
    }
}

/// The keys of a table's type.
#[must_use]
pub fn keys<'de, T: Deserialize<'de>>() -> &'static [&'static str] {
    let mut keys: &[&str] = &[];
    // It ends as soon as the keys are known.
    let _ = T::deserialize(Keys(&mut keys));
    keys
}

struct Keys<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for Keys<'_> {
    type Error = Other;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Other> {
        Err(Other::custom("no table"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        keys: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Other> {
        *self.0 = keys;
        Err(Other::custom("only the keys"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        option unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier
        ignored_any
    }
}
