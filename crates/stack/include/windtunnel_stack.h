/* An implementation of a transport protocol, a stack, as a host of a network that Windtunnel simulates.
 *
 * A dynamic library defines the function windtunnel_stack(), which says what it has. The functions of
 * that are called with the time, since the run began, in nanoseconds. They read no other clock, have no
 * socket, and never wait. After each call an end is asked for events, for what it sends, until there is
 * nothing more of either, and then when it wants to be woken.
 *
 * One end is called by one thread at a time; several ends may be called at once. Functions that return
 * an int return 0, or 1 where that is said, and a negative number if the end cannot go on: its flow is
 * then over, and the run goes on. Streams are numbered from 0 in the order in which the client opens
 * them, and carry data in both directions. Bytes are counted. What they are is of no concern between two
 * ends of one library; all that come with Windtunnel, as the other end, expect each to be its offset
 * modulo 251.
 */
#ifndef WINDTUNNEL_STACK_H
#define WINDTUNNEL_STACK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. A library of another one is not loaded. */
#define WINDTUNNEL_STACK_VERSION 1

/* A time that never comes, or a number that is not known. */
#define WINDTUNNEL_NONE UINT64_MAX

/* The ECN field of the IP header (RFC 3168). */
enum { WINDTUNNEL_NOT_ECT = 0, WINDTUNNEL_ECT_1 = 1, WINDTUNNEL_ECT_0 = 2, WINDTUNNEL_CE = 3 };

/* An IP address and a port. */
struct windtunnel_address {
    uint8_t bytes[16]; /* in network byte order; of IPv4 the first four */
    uint16_t port;     /* in the machine's byte order */
    uint16_t version;  /* 4 or 6 */
};

/* A UDP datagram that has arrived. Its data live during the call. */
struct windtunnel_datagram {
    struct windtunnel_address from, to;
    const uint8_t *data;
    size_t length;
    uint32_t ecn;
};

/* What leaves at once: one datagram, or several of the same size except the last. */
struct windtunnel_departure {
    struct windtunnel_address to; /* the peer's, unless it is changed */
    size_t length;                /* how many bytes were written */
    size_t segment;               /* of each datagram but the last; 0: it is one datagram */
    uint32_t ecn;                 /* of each */
};

enum { WINDTUNNEL_CLIENT = 0, WINDTUNNEL_SERVER = 1 };

/* One end of a connection that is to be. */
struct windtunnel_place {
    uint32_t role; /* the client connects, the server waits for that */
    struct windtunnel_address own, peer;
    const char *controller; /* which of its own congestion controllers; NULL if it has none */
};

enum {
    WINDTUNNEL_LOG_ERROR = 0, /* why the call that returns a negative number does so */
    WINDTUNNEL_LOG_SECRET = 1 /* a line of a key log (SSLKEYLOGFILE, RFC 9850) */
};

/* What an end may call, during a call of its own. It is valid as long as the end. */
struct windtunnel_host {
    void *context; /* the first argument of both functions */
    /* Random bytes, which are the same when the run's seed is. */
    void (*random)(void *context, uint8_t *bytes, size_t length);
    /* Takes a copy of a text. */
    void (*log)(void *context, uint32_t kind, const char *text);
};

/* What an end tells of its connection: WINDTUNNEL_NONE where it does not know, as it is beforehand. */
struct windtunnel_state {
    uint64_t cwnd;         /* bytes */
    uint64_t ssthresh;     /* bytes */
    uint64_t in_flight;    /* bytes */
    uint64_t smoothed_rtt; /* nanoseconds */
    uint64_t least_rtt;    /* nanoseconds */
    uint64_t pacing_rate;  /* bytes per second */
    uint64_t lost_packets; /* considered lost so far */
    uint64_t decreases;    /* how often it reduced its rate of sending */
    uint64_t mtu;          /* the bytes of the largest datagram that it sends */
};

enum {
    WINDTUNNEL_CONNECTED = 0,    /* the handshake is over */
    WINDTUNNEL_AVAILABLE = 1,    /* more streams may be opened than before */
    WINDTUNNEL_OPENED = 2,       /* the peer has opened this stream */
    WINDTUNNEL_READABLE = 3,     /* there is something to read of it, or its end */
    WINDTUNNEL_WRITABLE = 4,     /* there is room to write to it again */
    WINDTUNNEL_ACKNOWLEDGED = 5, /* all that was written to it was acknowledged, the end as well */
    WINDTUNNEL_FAILED = 6        /* the connection is over; why is logged as an error */
};

struct windtunnel_event {
    uint32_t kind;
    uint64_t stream;
};

struct windtunnel_read {
    uint64_t bytes;
    uint32_t is_end; /* 1: there will be no more */
};

/* One end of a connection: the library's own. */
struct windtunnel_end;

/* What a library has. */
struct windtunnel_stack {
    uint32_t version; /* WINDTUNNEL_STACK_VERSION */
    uint32_t size;    /* sizeof(struct windtunnel_stack) */
    const char *name; /* in scenarios */
    /* The names of its own congestion controllers, then NULL; the first is its default. NULL if there
     * is nothing to choose. */
    const char *const *controllers;
    uint32_t largest_datagram; /* the bytes of the largest datagram that it sends */
    uint32_t first_datagram;   /* before it knows that the path carries more; 0: the same */
    uint32_t is_deterministic; /* 1: its runs are the same when the seed is */

    /* Begins an end. */
    int (*create)(uint64_t now, const struct windtunnel_place *, const struct windtunnel_host *,
                  struct windtunnel_end **end);
    void (*destroy)(struct windtunnel_end *);
    /* These datagrams have arrived and are read together. */
    int (*receive)(struct windtunnel_end *, uint64_t now, const struct windtunnel_datagram *,
                   size_t count);
    /* The time has come that it asked for, or an earlier one. */
    int (*wake)(struct windtunnel_end *, uint64_t now);
    /* Writes what leaves now into a buffer with so much room; 1 if something does. */
    int (*send)(struct windtunnel_end *, uint64_t now, uint8_t *buffer, size_t room,
                struct windtunnel_departure *);
    /* When it wants to be woken; WINDTUNNEL_NONE: not at all. */
    int (*next_wake)(struct windtunnel_end *, uint64_t *time);
    int (*state)(struct windtunnel_end *, struct windtunnel_state *);
    /* Opens the next stream; 1 if the peer allows it. */
    int (*open)(struct windtunnel_end *, uint64_t now, uint64_t *stream);
    /* Takes as many of so many bytes more as there is room for; says how many. Where they are not all,
     * the event WINDTUNNEL_WRITABLE asks for the others. */
    int (*write)(struct windtunnel_end *, uint64_t now, uint64_t stream, uint64_t bytes,
                 uint64_t *taken);
    /* Nothing more will be written. */
    int (*finish)(struct windtunnel_end *, uint64_t now, uint64_t stream);
    /* Reads what has arrived in order. */
    int (*read)(struct windtunnel_end *, uint64_t now, uint64_t stream, struct windtunnel_read *);
    /* What has happened; 1 if something has. */
    int (*next_event)(struct windtunnel_end *, struct windtunnel_event *);
};

/* What every library defines. */
const struct windtunnel_stack *windtunnel_stack(void);

#ifdef __cplusplus
}
#endif

#endif
