//! The authenticators of hop fields, and how they are chained.

use aes::Aes128;
use cmac::{Cmac, KeyInit, Mac as _};

use super::path::{HopField, Mac};

/// The secret of an autonomous system, with which its routers recognise their own hop fields.
#[derive(Clone)]
pub struct Key(Cmac<Aes128>);

impl std::fmt::Debug for Key {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Key")
    }
}

impl Key {
    /// The key of these bytes.
    #[must_use]
    pub fn new(secret: [u8; 16]) -> Self {
        Self(Cmac::new(&secret.into()))
    }

    /// AES-CMAC of a message (RFC 4493).
    #[must_use]
    pub fn cmac(&self, message: &[u8]) -> [u8; 16] {
        let mut cmac = self.0.clone();
        cmac.update(message);
        cmac.finalize().into_bytes().into()
    }

    /// The authenticator of a hop field behind the accumulator `beta`, in a segment of that
    /// time; the one in the hop field does not matter.
    #[must_use]
    pub fn mac(&self, beta: u16, timestamp: u32, hop: &HopField) -> Mac {
        let mut input = [0; 16];
        input[2..4].copy_from_slice(&beta.to_be_bytes());
        input[4..8].copy_from_slice(&timestamp.to_be_bytes());
        input[9] = hop.expiry;
        input[10..12].copy_from_slice(&hop.ingress.to_be_bytes());
        input[12..14].copy_from_slice(&hop.egress.to_be_bytes());
        let [a, b, c, d, e, f, ..] = self.cmac(&input);
        [a, b, c, d, e, f]
    }

    /// Whether a hop field's authenticator is that.
    #[must_use]
    pub fn is_right(&self, beta: u16, timestamp: u32, hop: &HopField) -> bool {
        self.mac(beta, timestamp, hop) == hop.mac
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4493, section 4.
    #[test]
    fn the_examples_of_the_rfc() {
        let secret = 0x2b7e_1516_28ae_d2a6_abf7_1588_09cf_4f3c_u128.to_be_bytes();
        let message = [
            0x6bc1_bee2_2e40_9f96_e93d_7e11_7393_172a_u128.to_be_bytes(),
            0xae2d_8a57_1e03_ac9c_9eb7_6fac_45af_8e51_u128.to_be_bytes(),
            0x30c8_1c46_a35c_e411_e5fb_c119_1a0a_52ef_u128.to_be_bytes(),
            0xf69f_2445_df4f_9b17_ad2b_417b_e66c_3710_u128.to_be_bytes(),
        ]
        .concat();
        let key = Key::new(secret);
        for (length, expected) in [
            (0, 0xbb1d_6929_e959_3728_7fa3_7d12_9b75_6746_u128),
            (16, 0x070a_16b4_6b4d_4144_f79b_dd9d_d04a_287c),
            (40, 0xdfa6_6747_de9a_e630_30ca_3261_1497_c827),
            (64, 0x51f0_bebf_7e3b_9d92_fc49_7417_7936_3cfe),
        ] {
            assert_eq!(key.cmac(&message[..length]), expected.to_be_bytes());
        }
    }
}
