//! Characters that a file in GML names: `&#252;`, `&uuml;`, `&quot;` (Himsolt 1997, section 3).

/// The names of the characters of ISO 8859-1 from 160 on (HTML 2.0, RFC 1866, section 14).
const LATIN_1: &str = "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg \
    macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 \
    iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave \
    Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc \
    Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc \
    euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave \
    uacute ucirc uuml yacute thorn yuml";

/// A text with the characters that it names. What names none, as in `AT&T`, stays.
pub(super) fn decoded(text: &str) -> String {
    let mut parts = text.split('&');
    let mut decoded = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let named = part.split_once(';').and_then(|(name, rest)| Some((character(name)?, rest)));
        match named {
            Some((character, rest)) => decoded.extend([character.encode_utf8(&mut [0; 4]), rest]),
            None => decoded.extend(["&", part]),
        }
    }
    decoded
}

/// The character of that name or number.
fn character(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "lt" => Some('<'),
        "gt" => Some('>'),
        _ => match name.strip_prefix('#') {
            Some(number) => char::from_u32(code(number)?),
            None => {
                let place = LATIN_1.split_whitespace().position(|it| it == name)?;
                char::from_u32(160 + u32::try_from(place).ok()?)
            }
        },
    }
}

fn code(number: &str) -> Option<u32> {
    match number.strip_prefix(['x', 'X']) {
        Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok(),
        None => number.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_and_the_last_name_are_those_of_iso_8859_1() {
        assert_eq!(LATIN_1.split_whitespace().count(), 256 - 160);
        assert_eq!(decoded("&nbsp;&yuml;&Auml;&szlig;&#x20AC;&#8364;"), "\u{a0}ÿÄß€€");
    }

    #[test]
    fn what_names_no_character_stays() {
        for text in ["AT&T", "a & b;", "&;", "&#;", "&#xD800;", "&#-1;", "&none;", "&amp"] {
            assert_eq!(decoded(text), text);
        }
        assert_eq!(decoded("&amp;quot;"), "&quot;");
    }
}
