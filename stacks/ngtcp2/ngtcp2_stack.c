/* The QUIC of ngtcp2 0.12, with GnuTLS, as a stack of Windtunnel. With its defaults, except that there is
 * no idle timeout, and windows of flow control that do not limit it. */
#include <arpa/inet.h>
#include <gnutls/gnutls.h>
#include <netinet/in.h>
#include <ngtcp2/ngtcp2.h>
#include <ngtcp2/ngtcp2_crypto.h>
#include <ngtcp2/ngtcp2_crypto_gnutls.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windtunnel_stack.h>

enum { ID_LENGTH = 8, STREAMS = 100, PIECE = 1 << 16, PERIOD = 251 };
/* The most bytes of a stream that are held until they are acknowledged, and the windows. */
static const uint64_t MOST_HELD = 1 << 24;
/* What streams carry: each byte is its offset modulo the period. ngtcp2 keeps no copy of what it may send
 * again. It is written before there is any end. */
static uint8_t content[PIECE + PERIOD];

/* The certificate of all servers, and its key, in DER. */
extern const uint8_t _binary_certificate_der_start[], _binary_certificate_der_end[];
extern const uint8_t _binary_key_der_start[], _binary_key_der_end[];

static const char *const controllers[] = {"cubic", "reno", "bbr", "bbr2", NULL};
static const ngtcp2_cc_algo algorithms[] = {NGTCP2_CC_ALGO_CUBIC, NGTCP2_CC_ALGO_RENO,
                                            NGTCP2_CC_ALGO_BBR, NGTCP2_CC_ALGO_BBR2};

struct stream {
    int is_known, is_closed, is_end_sent, is_complete, is_short, is_blocked;
    uint64_t written, sent, acknowledged, unread;
};

struct windtunnel_end {
    const struct windtunnel_host *host;
    ngtcp2_conn *connection; /* of a server NULL until a client connects */
    ngtcp2_crypto_conn_ref reference;
    ngtcp2_cc_algo algorithm;
    gnutls_session_t session;
    gnutls_certificate_credentials_t credentials;
    struct sockaddr_storage own, peer;
    ngtcp2_path path;
    int is_client, is_connected;
    size_t burst; /* the bytes that have left together so far */
    struct stream *streams;
    size_t stream_count;
    struct windtunnel_event *events; /* those from the first on are to be told */
    size_t first_event, event_count;
};

/* -- What goes wrong ------------------------------------------------------- */

static int failed(struct windtunnel_end *end, const char *why) {
    end->host->log(end->host->context, WINDTUNNEL_LOG_ERROR, why);
    return -1;
}

static int failed_with(struct windtunnel_end *end, int error) {
    return error == 0 ? 0 : failed(end, ngtcp2_strerror(error));
}

/* -- Streams and events ---------------------------------------------------- */

static int tell(struct windtunnel_end *end, uint32_t kind, uint64_t stream) {
    if (end->first_event == end->event_count) end->first_event = end->event_count = 0;
    struct windtunnel_event *events =
        realloc(end->events, (end->event_count + 1) * sizeof *events);
    if (!events) return NGTCP2_ERR_CALLBACK_FAILURE;
    end->events = events;
    events[end->event_count++] = (struct windtunnel_event){kind, stream};
    return 0;
}

static struct stream *stream_of(struct windtunnel_end *end, uint64_t number) {
    if (number >= end->stream_count) {
        struct stream *streams = realloc(end->streams, (number + 1) * sizeof *streams);
        if (!streams) return NULL;
        memset(streams + end->stream_count, 0,
               (number + 1 - end->stream_count) * sizeof *streams);
        end->streams = streams;
        end->stream_count = number + 1;
    }
    end->streams[number].is_known = 1;
    return &end->streams[number];
}

/* -- What ngtcp2 calls ----------------------------------------------------- */

static void draw(uint8_t *bytes, size_t length, const ngtcp2_rand_ctx *context) {
    struct windtunnel_end *end = context->native_handle;
    end->host->random(end->host->context, bytes, length);
}

static int new_connection_id(ngtcp2_conn *connection, ngtcp2_cid *id, uint8_t *token, size_t length,
                             void *data) {
    (void)connection;
    struct windtunnel_end *end = data;
    end->host->random(end->host->context, id->data, id->datalen = length);
    end->host->random(end->host->context, token, NGTCP2_STATELESS_RESET_TOKENLEN);
    return 0;
}

static int path_challenge(ngtcp2_conn *connection, uint8_t *bytes, void *data) {
    (void)connection;
    struct windtunnel_end *end = data;
    end->host->random(end->host->context, bytes, NGTCP2_PATH_CHALLENGE_DATALEN);
    return 0;
}

static int on_connected(ngtcp2_conn *connection, void *data) {
    (void)connection;
    struct windtunnel_end *end = data;
    end->is_connected = 1;
    return tell(end, WINDTUNNEL_CONNECTED, 0) || tell(end, WINDTUNNEL_AVAILABLE, 0)
               ? NGTCP2_ERR_CALLBACK_FAILURE : 0;
}

static int on_available(ngtcp2_conn *connection, uint64_t most, void *data) {
    (void)connection, (void)most;
    return tell(data, WINDTUNNEL_AVAILABLE, 0);
}

static int on_opened(ngtcp2_conn *connection, int64_t id, void *data) {
    (void)connection;
    if (!stream_of(data, (uint64_t)id / 4)) return NGTCP2_ERR_CALLBACK_FAILURE;
    return tell(data, WINDTUNNEL_OPENED, (uint64_t)id / 4);
}

static int on_data(ngtcp2_conn *connection, uint32_t flags, int64_t id, uint64_t offset,
                   const uint8_t *bytes, size_t length, void *data, void *stream_data) {
    (void)stream_data;
    struct stream *stream = stream_of(data, (uint64_t)id / 4);
    if (!stream) return NGTCP2_ERR_CALLBACK_FAILURE;
    for (size_t done = 0, count; done < length; done += count) {
        count = length - done < PIECE ? length - done : PIECE;
        if (memcmp(bytes + done, content + (offset + done) % PERIOD, count)) {
            failed(data, "a stream brought other bytes than were sent");
            return tell(data, WINDTUNNEL_FAILED, (uint64_t)id / 4);
        }
    }
    stream->unread += length;
    if (flags & NGTCP2_STREAM_DATA_FLAG_FIN) stream->is_complete = 1;
    ngtcp2_conn_extend_max_stream_offset(connection, id, length);
    ngtcp2_conn_extend_max_offset(connection, length);
    return tell(data, WINDTUNNEL_READABLE, (uint64_t)id / 4);
}

static int on_acknowledged(ngtcp2_conn *connection, int64_t id, uint64_t offset, uint64_t length,
                           void *data, void *stream_data) {
    (void)connection, (void)stream_data;
    struct stream *stream = stream_of(data, (uint64_t)id / 4);
    if (!stream) return NGTCP2_ERR_CALLBACK_FAILURE;
    stream->acknowledged = offset + length;
    if (stream->is_end_sent && stream->acknowledged == stream->written)
        return tell(data, WINDTUNNEL_ACKNOWLEDGED, (uint64_t)id / 4);
    if (stream->is_short && stream->written - stream->acknowledged < MOST_HELD / 2) {
        stream->is_short = 0;
        return tell(data, WINDTUNNEL_WRITABLE, (uint64_t)id / 4);
    }
    return 0;
}

static int on_closed(ngtcp2_conn *connection, uint32_t flags, int64_t id, uint64_t error, void *data,
                     void *stream_data) {
    (void)flags, (void)id, (void)error, (void)stream_data;
    struct windtunnel_end *end = data;
    if (!end->is_client) ngtcp2_conn_extend_max_streams_bidi(connection, 1);
    return 0;
}

static int on_room(ngtcp2_conn *connection, int64_t id, uint64_t most, void *data,
                   void *stream_data) {
    (void)connection, (void)most, (void)stream_data;
    struct stream *stream = stream_of(data, (uint64_t)id / 4);
    if (!stream) return NGTCP2_ERR_CALLBACK_FAILURE;
    stream->is_blocked = 0;
    return 0;
}

static const ngtcp2_callbacks callbacks = {
    .client_initial = ngtcp2_crypto_client_initial_cb,
    .recv_client_initial = ngtcp2_crypto_recv_client_initial_cb,
    .recv_crypto_data = ngtcp2_crypto_recv_crypto_data_cb,
    .encrypt = ngtcp2_crypto_encrypt_cb,
    .decrypt = ngtcp2_crypto_decrypt_cb,
    .hp_mask = ngtcp2_crypto_hp_mask_cb,
    .recv_retry = ngtcp2_crypto_recv_retry_cb,
    .update_key = ngtcp2_crypto_update_key_cb,
    .delete_crypto_aead_ctx = ngtcp2_crypto_delete_crypto_aead_ctx_cb,
    .delete_crypto_cipher_ctx = ngtcp2_crypto_delete_crypto_cipher_ctx_cb,
    .version_negotiation = ngtcp2_crypto_version_negotiation_cb,
    .rand = draw,
    .get_new_connection_id = new_connection_id,
    .get_path_challenge_data = path_challenge,
    .handshake_completed = on_connected,
    .extend_max_local_streams_bidi = on_available,
    .stream_open = on_opened,
    .recv_stream_data = on_data,
    .acked_stream_data_offset = on_acknowledged,
    .stream_close = on_closed,
    .extend_max_stream_data = on_room,
};

/* -- TLS ------------------------------------------------------------------- */

static ngtcp2_conn *connection_of(ngtcp2_crypto_conn_ref *reference) {
    return ((struct windtunnel_end *)reference->user_data)->connection;
}

/* A line of a key log. */
static int log_secret(gnutls_session_t session, const char *label, const gnutls_datum_t *secret) {
    ngtcp2_crypto_conn_ref *reference = gnutls_session_get_ptr(session);
    struct windtunnel_end *end = reference->user_data;
    gnutls_datum_t client, server;
    char line[256];
    int length = snprintf(line, sizeof line, "%s ", label);
    gnutls_session_get_random(session, &client, &server);
    for (unsigned i = 0; i < client.size; i++)
        length += snprintf(line + length, sizeof line - (size_t)length, "%02x", client.data[i]);
    length += snprintf(line + length, sizeof line - (size_t)length, " ");
    for (unsigned i = 0; i < secret->size && (size_t)length < sizeof line - 3; i++)
        length += snprintf(line + length, sizeof line - (size_t)length, "%02x", secret->data[i]);
    end->host->log(end->host->context, WINDTUNNEL_LOG_SECRET, line);
    return 0;
}

static int start_tls(struct windtunnel_end *end) {
    static const char priority[] = "%DISABLE_TLS13_COMPAT_MODE:NORMAL:-VERS-ALL:+VERS-TLS1.3:"
                                   "-CIPHER-ALL:+AES-128-GCM:-GROUP-ALL:+GROUP-X25519";
    gnutls_datum_t certificate = {
        (uint8_t *)_binary_certificate_der_start,
        (unsigned)(_binary_certificate_der_end - _binary_certificate_der_start)};
    gnutls_datum_t key = {(uint8_t *)_binary_key_der_start,
                          (unsigned)(_binary_key_der_end - _binary_key_der_start)};
    unsigned flags = end->is_client ? GNUTLS_CLIENT : GNUTLS_SERVER | GNUTLS_NO_AUTO_SEND_TICKET;
    int error = gnutls_certificate_allocate_credentials(&end->credentials);
    if (!error) error = gnutls_init(&end->session, flags | GNUTLS_NO_END_OF_EARLY_DATA);
    if (!error) error = gnutls_priority_set_direct(end->session, priority, NULL);
    if (!error && end->is_client) {
        int trusted = gnutls_certificate_set_x509_trust_mem(end->credentials, &certificate,
                                                            GNUTLS_X509_FMT_DER);
        error = trusted < 0 ? trusted : ngtcp2_crypto_gnutls_configure_client_session(end->session);
        gnutls_session_set_verify_cert(end->session, "windtunnel", 0);
        gnutls_server_name_set(end->session, GNUTLS_NAME_DNS, "windtunnel", 10);
    } else if (!error) {
        error = gnutls_certificate_set_x509_key_mem(end->credentials, &certificate, &key,
                                                    GNUTLS_X509_FMT_DER);
        if (error >= 0) error = ngtcp2_crypto_gnutls_configure_server_session(end->session);
    }
    if (!error)
        error = gnutls_credentials_set(end->session, GNUTLS_CRD_CERTIFICATE, end->credentials);
    if (error) return failed(end, gnutls_strerror(error));
    end->reference = (ngtcp2_crypto_conn_ref){connection_of, end};
    gnutls_session_set_ptr(end->session, &end->reference);
    if (end->is_client) gnutls_session_set_keylog_function(end->session, log_secret);
    return 0;
}

/* -- The connection -------------------------------------------------------- */

static ngtcp2_socklen put(struct sockaddr_storage *out, const struct windtunnel_address *in) {
    if (in->version == 4) {
        struct sockaddr_in *it = (struct sockaddr_in *)out;
        it->sin_family = AF_INET;
        it->sin_port = htons(in->port);
        memcpy(&it->sin_addr, in->bytes, 4);
        return sizeof *it;
    }
    struct sockaddr_in6 *it = (struct sockaddr_in6 *)out;
    it->sin6_family = AF_INET6;
    it->sin6_port = htons(in->port);
    memcpy(&it->sin6_addr, in->bytes, 16);
    return sizeof *it;
}

static ngtcp2_cid drawn_id(struct windtunnel_end *end) {
    ngtcp2_cid id = {.datalen = ID_LENGTH};
    end->host->random(end->host->context, id.data, ID_LENGTH);
    return id;
}

/* Begins a connection: of a server, that whose first packet has this header. */
static int begin(struct windtunnel_end *end, uint64_t now, const ngtcp2_pkt_hd *first) {
    ngtcp2_settings settings;
    ngtcp2_transport_params parameters;
    ngtcp2_settings_default(&settings);
    ngtcp2_transport_params_default(&parameters);
    settings.cc_algo = end->algorithm;
    settings.initial_ts = now;
    settings.rand_ctx.native_handle = end;
    settings.handshake_timeout = UINT64_MAX;
    parameters.initial_max_stream_data_bidi_local = MOST_HELD;
    parameters.initial_max_stream_data_bidi_remote = MOST_HELD;
    parameters.initial_max_data = MOST_HELD;
    parameters.initial_max_streams_bidi = STREAMS;
    ngtcp2_cid own = drawn_id(end), others = drawn_id(end);
    int error;
    if (first) {
        parameters.original_dcid = first->dcid;
        error = ngtcp2_conn_server_new(&end->connection, &first->scid, &own, &end->path,
                                       first->version, &callbacks, &settings, &parameters, NULL,
                                       end);
    } else {
        error = ngtcp2_conn_client_new(&end->connection, &others, &own, &end->path,
                                       NGTCP2_PROTO_VER_V1, &callbacks, &settings, &parameters,
                                       NULL, end);
    }
    if (error) return failed_with(end, error);
    ngtcp2_conn_set_tls_native_handle(end->connection, end->session);
    return 0;
}

static void destroy(struct windtunnel_end *end) {
    if (end->connection) ngtcp2_conn_del(end->connection);
    if (end->session) gnutls_deinit(end->session);
    if (end->credentials) gnutls_certificate_free_credentials(end->credentials);
    free(end->streams);
    free(end->events);
    free(end);
}

static int create(uint64_t now, const struct windtunnel_place *place,
                  const struct windtunnel_host *host, struct windtunnel_end **out) {
    struct windtunnel_end *end = calloc(1, sizeof *end);
    if (!end) return -1;
    end->host = host;
    end->is_client = place->role == WINDTUNNEL_CLIENT;
    for (size_t i = 0; place->controller && controllers[i]; i++)
        if (!strcmp(controllers[i], place->controller)) end->algorithm = algorithms[i];
    end->path.local.addr = (ngtcp2_sockaddr *)&end->own;
    end->path.local.addrlen = put(&end->own, &place->own);
    end->path.remote.addr = (ngtcp2_sockaddr *)&end->peer;
    end->path.remote.addrlen = put(&end->peer, &place->peer);
    if (start_tls(end) || (end->is_client && begin(end, now, NULL))) {
        destroy(end);
        return -1;
    }
    *out = end;
    return 0;
}

static int receive(struct windtunnel_end *end, uint64_t now, const struct windtunnel_datagram *all,
                   size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!end->connection) {
            ngtcp2_pkt_hd first;
            if (ngtcp2_accept(&first, all[i].data, all[i].length)) continue;
            if (begin(end, now, &first)) return -1;
        }
        ngtcp2_pkt_info info = {.ecn = all[i].ecn};
        int error = ngtcp2_conn_read_pkt(end->connection, &end->path, &info, all[i].data,
                                         all[i].length, now);
        if (error) return failed_with(end, error);
    }
    return 0;
}

static int wake(struct windtunnel_end *end, uint64_t now) {
    if (!end->connection || ngtcp2_conn_get_expiry(end->connection) > now) return 0;
    return failed_with(end, ngtcp2_conn_handle_expiry(end->connection, now));
}

/* The next stream that has something to send, beginning with the one after the last. */
static struct stream *next_to_send(struct windtunnel_end *end) {
    for (size_t i = 0; i < end->stream_count; i++) {
        struct stream *it = &end->streams[i];
        int has_end = it->is_closed && !it->is_end_sent;
        if (it->is_known && !it->is_blocked && (it->sent < it->written || has_end)) return it;
    }
    return NULL;
}

static int send_datagram(struct windtunnel_end *end, uint64_t now, uint8_t *buffer, size_t room,
                         struct windtunnel_departure *departure) {
    while (end->connection && end->burst < ngtcp2_conn_get_send_quantum(end->connection)) {
        struct stream *stream = next_to_send(end);
        uint64_t left = stream ? stream->written - stream->sent : 0;
        uint8_t *piece = content + (stream ? stream->sent % PERIOD : 0);
        ngtcp2_vec data = {piece, left < PIECE ? left : PIECE};
        int64_t id = stream ? 4 * (int64_t)(stream - end->streams) : -1;
        int is_last = stream && stream->is_closed && left == data.len;
        ngtcp2_pkt_info info = {0};
        ngtcp2_ssize taken = -1;
        size_t most = ngtcp2_conn_get_max_tx_udp_payload_size(end->connection);
        ngtcp2_ssize length = ngtcp2_conn_writev_stream(
            end->connection, NULL, &info, buffer, most < room ? most : room, &taken,
            is_last ? NGTCP2_WRITE_STREAM_FLAG_FIN : 0, id, &data, stream ? 1 : 0, now);
        if (length == NGTCP2_ERR_STREAM_DATA_BLOCKED) {
            stream->is_blocked = 1;
            continue;
        }
        if (length < 0) return failed_with(end, (int)length);
        if (length == 0) break;
        if (taken >= 0) {
            stream->sent += (uint64_t)taken;
            stream->is_end_sent = is_last && stream->sent == stream->written;
        }
        departure->length = (size_t)length;
        departure->ecn = info.ecn;
        end->burst += departure->length;
        return 1;
    }
    /* Pacing counts what left together. */
    if (end->burst > 0) ngtcp2_conn_update_pkt_tx_time(end->connection, now);
    end->burst = 0;
    return 0;
}

static int next_wake(struct windtunnel_end *end, uint64_t *time) {
    if (end->connection) *time = ngtcp2_conn_get_expiry(end->connection);
    return 0;
}

static int state(struct windtunnel_end *end, struct windtunnel_state *state) {
    if (!end->connection) return 0;
    ngtcp2_conn_stat measured;
    ngtcp2_conn_get_conn_stat(end->connection, &measured);
    state->cwnd = measured.cwnd;
    state->ssthresh = measured.ssthresh;
    state->in_flight = measured.bytes_in_flight;
    if (measured.first_rtt_sample_ts != UINT64_MAX) {
        state->smoothed_rtt = measured.smoothed_rtt;
        state->least_rtt = measured.min_rtt;
    }
    state->mtu = ngtcp2_conn_get_path_max_tx_udp_payload_size(end->connection);
    return 0;
}

static int open_stream(struct windtunnel_end *end, uint64_t now, uint64_t *number) {
    (void)now;
    int64_t id;
    if (!end->is_connected || ngtcp2_conn_get_streams_bidi_left(end->connection) == 0) return 0;
    int error = ngtcp2_conn_open_bidi_stream(end->connection, &id, NULL);
    if (error) return failed_with(end, error);
    *number = (uint64_t)id / 4;
    return stream_of(end, *number) ? 1 : -1;
}

static int write_stream(struct windtunnel_end *end, uint64_t now, uint64_t number, uint64_t bytes,
                        uint64_t *taken) {
    (void)now;
    struct stream *stream = stream_of(end, number);
    if (!stream) return -1;
    uint64_t room = MOST_HELD - (stream->written - stream->acknowledged);
    stream->is_short = bytes > room;
    *taken = bytes < room ? bytes : room;
    stream->written += *taken;
    return 0;
}

static int finish_stream(struct windtunnel_end *end, uint64_t now, uint64_t number) {
    (void)now;
    struct stream *stream = stream_of(end, number);
    if (stream) stream->is_closed = 1;
    return stream ? 0 : -1;
}

static int read_stream(struct windtunnel_end *end, uint64_t now, uint64_t number,
                       struct windtunnel_read *read) {
    (void)now;
    struct stream *stream = stream_of(end, number);
    if (!stream) return -1;
    read->bytes = stream->unread;
    read->is_end = (uint32_t)stream->is_complete;
    stream->unread = 0;
    return 0;
}

static int next_event(struct windtunnel_end *end, struct windtunnel_event *event) {
    if (end->first_event == end->event_count) return 0;
    *event = end->events[end->first_event++];
    return 1;
}

const struct windtunnel_stack *windtunnel_stack(void) {
    static const struct windtunnel_stack stack = {
        .version = WINDTUNNEL_STACK_VERSION,
        .size = sizeof stack,
        .name = "ngtcp2",
        .controllers = controllers,
        .largest_datagram = 1452,
        .first_datagram = 1200,
        .is_deterministic = 1,
        .create = create, .destroy = destroy, .receive = receive, .wake = wake, .send = send_datagram,
        .next_wake = next_wake, .state = state, .open = open_stream, .write = write_stream, .finish = finish_stream,
        .read = read_stream, .next_event = next_event,
    };
    for (size_t i = 0; i < sizeof content; i++) content[i] = (uint8_t)(i % PERIOD);
    return &stack;
}
