//! Has the linker replace the functions by which quiche and BoringSSL learn of the time and of random
//! numbers, and those that insist on a negotiated protocol, by those of `src/linked`.

/// By the names that they have in object files.
const REPLACED: [&str; 11] = [
    "clock_gettime",
    "gettimeofday",
    "time",
    "_ZN4bssl14CRYPTO_sysrandEPhm",
    "CRYPTO_rdrand_multiple8_buf",
    "_ZN4bssl23CRYPTO_get_thread_localENS_19thread_local_data_tE",
    "_ZN4bssl23CRYPTO_set_thread_localENS_19thread_local_data_tEPvPFvS1_E",
    "SSL_is_quic",
    "_ZN4bssl26ssl_add_clienthello_tlsextEPNS_13SSL_HANDSHAKEEP6cbb_stS3_NS_23ssl_client_hello_type_tE",
    "_ZN4bssl28ssl_parse_serverhello_tlsextEPNS_13SSL_HANDSHAKEEPK6cbs_st",
    "_ZN4bssl18ssl_negotiate_alpnEPNS_13SSL_HANDSHAKEEPhPK22ssl_early_callback_ctx",
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for name in REPLACED {
        println!("cargo::rustc-cdylib-link-arg=-Wl,--wrap={name}");
    }
}
