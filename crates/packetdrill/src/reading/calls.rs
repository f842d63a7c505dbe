//! System calls: `write(4, ..., 1000) = 1000`.

use windtunnel_reading::error::Mistake;

use super::cursor::Cursor;
use crate::script::{Argument, Call};

/// How deep arguments are in brackets at the most.
const DEEPEST: usize = 16;

const ARGUMENT: &str = "an argument: a number, a name, `...`, or several in brackets";

/// A call whose name was read.
pub(super) fn call(cursor: &mut Cursor<'_>, name: &str) -> Result<Call, Mistake> {
    cursor.expect("(", "`(` and the arguments of the call")?;
    let arguments = list(cursor, ")", 0)?;
    let (mut result, mut error) = (None, None);
    cursor.skip_spaces();
    if cursor.eat("=") {
        result = Some(number(cursor, "what the call returns")?);
        cursor.skip_spaces();
        let name = cursor.name();
        error = Some(name.to_owned()).filter(|it| !it.is_empty());
        cursor.skip_spaces();
        if cursor.starts_with("(") {
            // A note, as strace has it.
            cursor.line();
        }
    }
    Ok(Call { name: name.to_owned(), arguments, result, error })
}

/// Arguments up to a closing bracket, behind which it goes.
fn list(cursor: &mut Cursor<'_>, close: &str, depth: usize) -> Result<Vec<Argument>, Mistake> {
    let mut arguments = Vec::new();
    if depth > DEEPEST {
        return Err(cursor.expected("less brackets in brackets"));
    }
    loop {
        cursor.skip_blanks();
        if cursor.eat(close) {
            return Ok(arguments);
        }
        arguments.push(argument(cursor, depth)?);
        cursor.skip_blanks();
        if !cursor.eat(",") && !cursor.starts_with(close) {
            return Err(cursor.expected(&format!("`,` and another argument, or `{close}`")));
        }
    }
}

fn argument(cursor: &mut Cursor<'_>, depth: usize) -> Result<Argument, Mistake> {
    let first = value(cursor, depth)?;
    cursor.skip_blanks();
    if depth < DEEPEST && cursor.eat("=") {
        cursor.skip_blanks();
        return Ok(Argument::Field(Box::new(first), Box::new(argument(cursor, depth + 1)?)));
    }
    Ok(first)
}

fn value(cursor: &mut Cursor<'_>, depth: usize) -> Result<Argument, Mistake> {
    if cursor.eat("...") {
        return Ok(Argument::Omitted);
    }
    if cursor.eat("\"") {
        let text = cursor.up_to("\"").ok_or_else(|| cursor.expected("`\"`"))?;
        return Ok(Argument::Text(text.to_owned()));
    }
    if cursor.eat("[") {
        return Ok(Argument::Several(list(cursor, "]", depth + 1)?));
    }
    if cursor.eat("{") {
        return Ok(Argument::Several(list(cursor, "}", depth + 1)?));
    }
    if cursor.starts_with("-") || cursor.starts_with_digit() {
        return Ok(Argument::Number(number(cursor, ARGUMENT)?));
    }
    names(cursor, depth)
}

/// Names of constants; a name with arguments of its own is the last.
fn names(cursor: &mut Cursor<'_>, depth: usize) -> Result<Argument, Mistake> {
    let mut names = Vec::new();
    loop {
        cursor.skip_blanks();
        let before = *cursor;
        match cursor.name() {
            "" => return Err(before.expected(ARGUMENT)),
            name => names.push(name.to_owned()),
        }
        cursor.skip_blanks();
        if cursor.eat("(") {
            let arguments = Argument::Several(list(cursor, ")", depth + 1)?);
            return Ok(Argument::Field(Box::new(Argument::Names(names)), Box::new(arguments)));
        }
        if !cursor.eat("|") {
            return Ok(Argument::Names(names));
        }
    }
}

fn number(cursor: &mut Cursor<'_>, what: &str) -> Result<i64, Mistake> {
    cursor.skip_blanks();
    let is_negative = cursor.eat("-");
    let number: u32 = cursor.number(what)?;
    Ok(if is_negative { -i64::from(number) } else { i64::from(number) })
}
