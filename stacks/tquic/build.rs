//! Has the linker replace the functions by which tquic and BoringSSL learn of the time and of random
//! numbers, and those that insist on a negotiated protocol, by those of `src/linked` and of
//! windtunnel-machine.

/// By the names that they have in object files.
const REPLACED: [&str; 9] = [
    "clock_gettime",
    "gettimeofday",
    "time",
    "RAND_bytes",
    "SSL_set_quic_method",
    "CBB_add_u16",
    "_ZN4bssl26ssl_add_clienthello_tlsextEPNS_13SSL_HANDSHAKEEP6cbb_stS3_PbNS_23ssl_client_hello_type_tEm",
    "_ZN4bssl28ssl_parse_serverhello_tlsextEPNS_13SSL_HANDSHAKEEPK6cbs_st",
    "_ZN4bssl18ssl_negotiate_alpnEPNS_13SSL_HANDSHAKEEPhPK22ssl_early_callback_ctx",
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for name in REPLACED {
        println!("cargo::rustc-cdylib-link-arg=-Wl,--wrap={name}");
    }
}
