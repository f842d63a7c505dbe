//! What a network device does for the kernel: it computes checksums, and cuts what is larger than the
//! network carries into segments (virtio 1.2, section 5.1.6.2).

use crate::agent::ETHERNET;

/// The bytes before each frame.
pub(crate) const HEADER: usize = 12;
/// The flag that asks for a checksum.
const NEEDS_CHECKSUM: u8 = 1;
/// Flags of TCP.
const FINISH: u8 = 0x01;
const PUSH: u8 = 0x08;
const WINDOW_REDUCED: u8 = 0x80;

/// Hands over the frames that a buffer of the kernel's, which begins with the device's header, asks to
/// be sent; nothing of one that is cut short.
pub(crate) fn frames(buffer: &[u8], send: impl FnMut(Vec<u8>)) -> Option<()> {
    let (header, frame) = buffer.split_at_checked(HEADER)?;
    let word = |at: usize| usize::from(u16::from_le_bytes([header[at], header[at + 1]]));
    let (segment, start, offset) = (word(4), word(6), word(8));
    let mut send = send;
    if segment > 0 {
        return cut(frame, segment, start, send);
    }
    let mut frame = frame.to_vec();
    if header[0] & NEEDS_CHECKSUM != 0 {
        // The field has the sum of the pseudo-header already.
        let sum = checksum(0, frame.get(start..)?);
        frame.get_mut(start + offset..start + offset + 2)?.copy_from_slice(&sum.to_be_bytes());
    }
    send(frame);
    Some(())
}

/// Cuts a frame whose TCP header begins at `start` into segments of so many bytes.
fn cut(frame: &[u8], segment: usize, start: usize, mut send: impl FnMut(Vec<u8>)) -> Option<()> {
    let headers = start + usize::from(frame.get(start + 12)? >> 4) * 4;
    let (headers, data) = frame.split_at_checked(headers)?;
    let sequence = u32::from_be_bytes(headers.get(start + 4..start + 8)?.try_into().ok()?);
    let is_six = headers.get(ETHERNET)? >> 4 == 6;
    let count = data.len().div_ceil(segment);
    for (place, part) in data.chunks(segment).enumerate() {
        let mut piece = Vec::with_capacity(headers.len() + part.len());
        piece.extend_from_slice(headers);
        piece.extend_from_slice(part);
        let passed = (place * segment) as u32;
        piece[start + 4..start + 8].copy_from_slice(&sequence.wrapping_add(passed).to_be_bytes());
        if place + 1 < count {
            piece[start + 13] &= !(FINISH | PUSH);
        }
        if place > 0 {
            piece[start + 13] &= !WINDOW_REDUCED;
        }
        set_lengths(&mut piece, start, place as u16, is_six);
        send(piece);
    }
    Some(())
}

/// Sets the lengths and checksums of a segment, which is not the first one of its frame by `place`.
fn set_lengths(piece: &mut [u8], start: usize, place: u16, is_six: bool) {
    let total = (piece.len() - ETHERNET) as u16;
    let length = (piece.len() - start) as u16;
    let addresses = if is_six {
        piece[ETHERNET + 4..ETHERNET + 6].copy_from_slice(&(total - 40).to_be_bytes());
        ETHERNET + 8..ETHERNET + 40
    } else {
        let number = u16::from_be_bytes([piece[ETHERNET + 4], piece[ETHERNET + 5]]);
        piece[ETHERNET + 2..ETHERNET + 4].copy_from_slice(&total.to_be_bytes());
        let number = number.wrapping_add(place);
        piece[ETHERNET + 4..ETHERNET + 6].copy_from_slice(&number.to_be_bytes());
        piece[ETHERNET + 10..ETHERNET + 12].fill(0);
        let sum = checksum(0, &piece[ETHERNET..start]);
        piece[ETHERNET + 10..ETHERNET + 12].copy_from_slice(&sum.to_be_bytes());
        ETHERNET + 12..ETHERNET + 20
    };
    piece[start + 16..start + 18].fill(0);
    let pseudo = sum(0, &piece[addresses]) + u64::from(length) + 6;
    let sum = checksum(pseudo, &piece[start..]);
    piece[start + 16..start + 18].copy_from_slice(&sum.to_be_bytes());
}

/// The sum of words of 16 bits (RFC 1071), not yet folded.
fn sum(before: u64, bytes: &[u8]) -> u64 {
    let mut words = bytes.chunks_exact(2);
    let sum: u64 = words.by_ref().map(|it| u64::from(u16::from_be_bytes([it[0], it[1]]))).sum();
    let last = words.remainder().first().map_or(0, |it| u64::from(*it) << 8);
    before + sum + last
}

fn checksum(before: u64, bytes: &[u8]) -> u16 {
    let mut sum = sum(before, bytes);
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The checksums of a frame with TCP over IPv4 are right if the sums over them are all ones.
    fn is_right(frame: &[u8]) -> bool {
        let ip = checksum(0, &frame[14..34]) == 0;
        let length = (frame.len() - 34) as u64;
        ip && checksum(sum(length + 6, &frame[26..34]), &frame[34..]) == 0
    }

    /// 3000 bytes of data in a frame that is to be cut into segments of 1000, or not.
    fn buffer(segment: u16) -> Vec<u8> {
        let mut buffer = vec![NEEDS_CHECKSUM, u8::from(segment > 0), 0, 0];
        buffer.extend(segment.to_le_bytes());
        buffer.extend([34, 0, 16, 0, 1, 0]);
        buffer.extend([0; 12]);
        buffer.extend([8, 0, 0x45, 0, 0, 0, 0xff, 0xff, 0x40, 0, 64, 6, 0, 0]);
        buffer.extend([10, 0, 0, 1, 10, 0, 0, 2]);
        buffer.extend([1, 2, 3, 4, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0x50, 0x99, 1, 0, 0, 0, 0, 0]);
        buffer.extend((0..3000_u32).map(|it| it as u8));
        buffer
    }

    fn sent(buffer: &[u8]) -> Vec<Vec<u8>> {
        let mut sent = Vec::new();
        frames(buffer, |it| sent.push(it)).unwrap();
        sent
    }

    #[test]
    fn segments_are_numbered_and_have_all_the_data() {
        let sent = sent(&buffer(1000));
        assert_eq!(sent.len(), 3);
        assert!(sent.iter().all(|it| is_right(it)));
        let data: Vec<u8> = sent.iter().flat_map(|it| it[54..].to_vec()).collect();
        assert_eq!(data, (0..3000_u32).map(|it| it as u8).collect::<Vec<u8>>());
        let field = |it: &Vec<u8>| (it[18..20].to_vec(), it[38..42].to_vec(), it[47]);
        let fields: Vec<_> = sent.iter().map(field).collect();
        let expected = [
            (vec![0xff, 0xff], vec![0xff, 0xff, 0xff, 0], 0x90),
            (vec![0, 0], vec![0, 0, 2, 0xe8], 0x10),
            (vec![0, 1], vec![0, 0, 6, 0xd0], 0x19),
        ];
        assert_eq!(fields, expected);
    }

    #[test]
    fn what_is_cut_short_is_not_sent() {
        for length in 0..66 {
            let mut sent = 0;
            frames(&buffer(1000)[..length], |_| sent += 1);
            assert_eq!(sent, 0, "{length}");
        }
    }
}
