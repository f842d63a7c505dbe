// SPDX-License-Identifier: MIT
/*
 * The first program of a guest: it opens and accepts TCP connections, writes and reads what the
 * simulator says, runs commands, and reports what happens. It reads commands as Ethernet frames from the last
 * network device, and puts events into pages of its own memory, whose physical addresses it sends
 * to the simulator once. It never waits but in epoll_wait, and reads no clock.
 *
 * A command frame, after the Ethernet header, in the byte order of the machine:
 * u32 operation, u32 stream, u64 value, u16 length of the text, text.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/genetlink.h>
#include <linux/if_packet.h>
#include <linux/mptcp.h>
#include <linux/tcp.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <net/route.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SOL_MPTCP
#define SOL_MPTCP 284
#endif

/* The type of Ethernet frames for local experiments (IEEE 802). */
#define FRAME_TYPE 0x88b5
/* Which commands and events there are: another number with each change, as in agent.rs. */
#define VERSION 4
#define PAGE 4096u
#define PAGES 16u
/* The first page has the two counters of events. */
#define EVENTS_A_PAGE 32u
#define EVENTS ((PAGES - 1) * EVENTS_A_PAGE)
/* The bytes of streams repeat after so many, as in the simulator's other implementations. */
#define PERIOD 251u
#define PIECE 65536u
/* How many bytes of a stream are written before that is reported. */
#define REPORTED_BYTES 65536u
/* How often connections that are busy are sampled, in nanoseconds. */
#define SAMPLE_INTERVAL 10000000
/* In the value of a command that has a port: its connections are those of Multipath TCP. */
#define MULTIPATH (1ull << 32)
/* How many subflows the kernel lets a connection have at most, beyond its first. */
#define MOST_SUBFLOWS 8

enum operation {
    OP_SYSCTL = 1,  /* text: name=value */
    OP_ADDRESS = 2, /* value: number of the network device; text: an address of it */
    OP_LISTEN = 3,  /* value: port, and MULTIPATH; text: address */
    OP_OPEN = 4,    /* value: own port, the peer's << 16, and MULTIPATH; text: own address, peer's */
    OP_WRITE = 5,   /* value: so many bytes more, or all ones: without end */
    OP_FINISH = 6,
    OP_RUN = 7,     /* stream: number of the command; text: its words */
    OP_SUBFLOWS = 8, /* value: how many a connection may have beyond its first */
    OP_ENDPOINT = 9, /* value: number of the network device; text: an address for a subflow */
};

enum kind {
    EVENT_OPENED = 1,   /* the peer connected: its port, the port here */
    EVENT_CONNECTED = 2,
    EVENT_WRITTEN = 3,  /* bytes written so far */
    EVENT_RECEIVED = 4, /* bytes received so far */
    EVENT_ENDED = 5,    /* bytes received: there will be no more */
    EVENT_ACKNOWLEDGED = 6,
    EVENT_FAILED = 7,   /* text */
    EVENT_SAMPLE = 8,   /* TCP_INFO */
    EVENT_OUTPUT = 9,   /* of a command: how many bytes, and these */
    EVENT_EXITED = 10,  /* of a command: its exit code */
};

struct event {
    uint32_t kind;
    uint32_t stream;
    uint64_t values[15];
};

struct ring {
    union {
        struct {
            uint64_t written;
            uint64_t read;
        };
        uint8_t page[PAGE];
    };
    struct event events[EVENTS];
};

struct connection {
    int socket;
    uint32_t stream;
    uint64_t to_write, written, reported, received;
    uint8_t is_listening, is_connecting, is_endless, is_finishing, is_shut, is_ended;
    uint8_t is_acknowledged, is_busy, is_over, is_multipath;
    /* Of a command: its number, and its process where its end is waited for, not its output. */
    uint8_t is_command;
    uint32_t number;
    pid_t process;
};

static struct ring ring __attribute__((aligned(PAGE)));
static uint8_t pattern[PIECE + PERIOD], input[4 * PIECE];
static struct connection **connections;
static size_t most_connections;
static uint32_t next_accepted = 0x80000000u;
static int epoll, control, timer, is_timing;
static char control_name[IFNAMSIZ];

static void die(const char *what)
{
    fprintf(stderr, "agent: %s: %s\n", what, strerror(errno));
    exit(1);
}

static struct event *next_event(uint32_t kind, uint32_t stream)
{
    const struct timespec moment = {0, 1000};
    volatile struct ring *shared = &ring;
    while (shared->written - shared->read >= EVENTS)
        nanosleep(&moment, NULL);
    struct event *event = &ring.events[shared->written % EVENTS];
    memset(event, 0, sizeof *event);
    event->kind = kind;
    event->stream = stream;
    return event;
}

/* The event that was filled in last can be read. */
static void publish(void)
{
    __sync_synchronize();
    ring.written++;
}

static void tell(uint32_t kind, uint32_t stream, uint64_t first, uint64_t second)
{
    struct event *event = next_event(kind, stream);
    event->values[0] = first;
    event->values[1] = second;
    publish();
}

static void tell_failure(uint32_t stream, const char *what, int error)
{
    struct event *event = next_event(EVENT_FAILED, stream);
    snprintf((char *)event->values, sizeof event->values, error ? "%s: %s" : "%s", what,
             strerror(error));
    publish();
}

static struct connection *find(uint32_t stream)
{
    for (size_t place = 0; place < most_connections; place++)
        if (connections[place] && connections[place]->stream == stream)
            return connections[place];
    return NULL;
}

static struct connection *add(int socket, uint32_t stream)
{
    struct connection *connection = calloc(1, sizeof *connection);
    size_t place = 0;
    while (place < most_connections && connections[place])
        place++;
    if (place == most_connections) {
        size_t more = most_connections ? 2 * most_connections : 16;
        connections = realloc(connections, more * sizeof *connections);
        if (connections)
            memset(connections + most_connections, 0,
                   (more - most_connections) * sizeof *connections);
        most_connections = more;
    }
    if (!connection || !connections)
        die("memory");
    connection->socket = socket;
    connection->stream = stream;
    connections[place] = connection;
    struct epoll_event wanted = {EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, {connection}};
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &wanted))
        die("epoll_ctl");
    return connection;
}

static void remove_over(void)
{
    for (size_t place = 0; place < most_connections; place++) {
        struct connection *connection = connections[place];
        if (connection && connection->is_over) {
            close(connection->socket);
            free(connection);
            connections[place] = NULL;
        }
    }
}

static void fail(struct connection *connection, const char *what, int error)
{
    if (!connection->is_over)
        tell_failure(connection->stream, what, error);
    connection->is_over = 1;
}

/* Has the timer fire at an interval, or no longer. */
static void set_timer(int is_on)
{
    struct itimerspec interval = {{0, is_on * SAMPLE_INTERVAL}, {0, is_on * SAMPLE_INTERVAL}};
    if (is_timing != is_on && timerfd_settime(timer, 0, &interval, NULL))
        die("timerfd_settime");
    is_timing = is_on;
}

/* What the kernel says of a connection of Multipath TCP: windows and segments are those of all subflows
 * together, times those of the first. */
static int ask_multipath(int socket, struct tcp_info *info, struct mptcp_info *of_all)
{
    struct {
        struct mptcp_subflow_data head;
        struct tcp_info each[1 + MOST_SUBFLOWS];
    } subflows = {.head = {.size_subflow_data = sizeof subflows.head,
                           .size_user = sizeof subflows.each[0]}};
    socklen_t length = sizeof subflows;
    if (getsockopt(socket, SOL_MPTCP, MPTCP_TCPINFO, &subflows, &length))
        return -1;
    length = sizeof *of_all;
    if (getsockopt(socket, SOL_MPTCP, MPTCP_INFO, of_all, &length))
        return -1;
    *info = subflows.each[0];
    for (uint32_t place = 1; place < subflows.head.num_subflows && place <= MOST_SUBFLOWS; place++) {
        const struct tcp_info *other = &subflows.each[place];
        info->tcpi_snd_cwnd += other->tcpi_snd_cwnd;
        info->tcpi_total_retrans += other->tcpi_total_retrans;
        info->tcpi_lost += other->tcpi_lost;
        info->tcpi_unacked += other->tcpi_unacked;
        info->tcpi_retrans += other->tcpi_retrans;
        info->tcpi_sacked += other->tcpi_sacked;
    }
    return 0;
}

/* What the kernel says of a connection; `waiting` is 0 if all that it was given was acknowledged. */
static int ask(struct connection *connection, struct tcp_info *info, uint64_t *waiting)
{
    struct mptcp_info of_all = {0};
    socklen_t length = sizeof *info;
    if (!connection->is_multipath) {
        if (getsockopt(connection->socket, IPPROTO_TCP, TCP_INFO, info, &length))
            return -1;
        *waiting = (uint64_t)info->tcpi_unacked + info->tcpi_notsent_bytes;
        return 0;
    }
    if (ask_multipath(connection->socket, info, &of_all))
        return -1;
    *waiting = of_all.mptcpi_write_seq - of_all.mptcpi_snd_una;
    info->tcpi_bytes_acked = connection->written > *waiting ? connection->written - *waiting : 0;
    info->tcpi_snd_ssthresh = INT32_MAX;
    info->tcpi_pacing_rate = UINT64_MAX;
    return 0;
}

/* Reports what the kernel says of a connection; whether it has data that are not acknowledged. */
static int sample(struct connection *connection)
{
    struct tcp_info info = {0};
    uint64_t waiting;
    if (ask(connection, &info, &waiting))
        return 0;
    struct event *event = next_event(EVENT_SAMPLE, connection->stream);
    const uint64_t values[] = {
        info.tcpi_snd_mss,       info.tcpi_snd_cwnd, info.tcpi_snd_ssthresh,
        info.tcpi_rtt,           info.tcpi_min_rtt,  info.tcpi_pacing_rate,
        info.tcpi_total_retrans, info.tcpi_lost,     info.tcpi_unacked,
        info.tcpi_retrans,       info.tcpi_sacked,   info.tcpi_bytes_acked,
    };
    memcpy(event->values, values, sizeof values);
    publish();
    return waiting > 0;
}

/* Whether all of a connection that was shut was acknowledged, its own end as well. */
static int is_acknowledged(struct connection *connection)
{
    struct tcp_info info = {0};
    uint64_t waiting;
    if (ask(connection, &info, &waiting))
        return 0;
    if (connection->is_multipath)
        return !waiting;
    /* FIN_WAIT2, TIME_WAIT, CLOSE. */
    return info.tcpi_state == 5 || info.tcpi_state == 6 || info.tcpi_state == 7;
}

static void note_acknowledged(struct connection *connection)
{
    if (connection->is_shut && !connection->is_acknowledged && is_acknowledged(connection)) {
        sample(connection);
        connection->is_acknowledged = 1;
        tell(EVENT_ACKNOWLEDGED, connection->stream, 0, 0);
    }
}

static void write_some(struct connection *connection)
{
    while (connection->to_write && !connection->is_connecting) {
        size_t most = connection->to_write < PIECE ? connection->to_write : PIECE;
        ssize_t count = send(connection->socket, pattern + connection->written % PERIOD, most,
                             MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count < 0) {
            if (errno != EAGAIN)
                return fail(connection, "send", errno);
            break;
        }
        connection->written += count;
        if (!connection->is_endless)
            connection->to_write -= count;
    }
    uint64_t unreported = connection->written - connection->reported;
    if (!connection->is_endless &&
        (unreported >= REPORTED_BYTES || (unreported && !connection->to_write))) {
        connection->reported = connection->written;
        tell(EVENT_WRITTEN, connection->stream, connection->written, 0);
    }
    if (connection->is_finishing && !connection->to_write && !connection->is_shut &&
        !connection->is_connecting) {
        connection->is_shut = 1;
        shutdown(connection->socket, SHUT_WR);
    }
}

static int are_right(uint64_t offset, size_t count)
{
    for (size_t place = 0; place < count; place += PIECE) {
        size_t length = count - place < PIECE ? count - place : PIECE;
        if (memcmp(input + place, pattern + (offset + place) % PERIOD, length))
            return 0;
    }
    return 1;
}

static void read_some(struct connection *connection, uint32_t events)
{
    uint64_t before = connection->received;
    while (!connection->is_ended) {
        ssize_t count = recv(connection->socket, input, sizeof input, MSG_DONTWAIT);
        if (count < 0) {
            if (errno != EAGAIN)
                return fail(connection, "recv", errno);
            break;
        }
        if (count && !are_right(connection->received, count))
            return fail(connection, "it brought other bytes than were sent", 0);
        connection->received += count;
        connection->is_ended = count == 0;
        /* An end that has come with the last bytes is not announced again. */
        if ((size_t)count < sizeof input && count && !(events & EPOLLRDHUP))
            break;
    }
    if (connection->is_ended)
        tell(EVENT_ENDED, connection->stream, connection->received, 0);
    else if (connection->received > before)
        tell(EVENT_RECEIVED, connection->stream, connection->received, 0);
}

static void accept_all(struct connection *listener)
{
    for (;;) {
        struct sockaddr_storage address;
        socklen_t length = sizeof address;
        int socket = accept4(listener->socket, (struct sockaddr *)&address, &length, SOCK_NONBLOCK);
        if (socket < 0)
            return;
        /* The port is at the same place in both kinds of addresses. */
        uint16_t peer = ntohs(((struct sockaddr_in *)&address)->sin_port);
        length = sizeof address;
        getsockname(socket, (struct sockaddr *)&address, &length);
        uint16_t own = ntohs(((struct sockaddr_in *)&address)->sin_port);
        struct connection *connection = add(socket, next_accepted++);
        connection->is_multipath = listener->is_multipath;
        tell(EVENT_OPENED, connection->stream, peer, own);
        connection->is_busy = 1;
        set_timer(1);
    }
}

static void on_command(struct connection *command)
{
    char bytes[sizeof((struct event *)0)->values - sizeof(uint64_t)];
    ssize_t count;
    int status;
    if (command->process) {
        if (waitpid(command->process, &status, WNOHANG) <= 0)
            return;
        int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        tell(EVENT_EXITED, command->number, code, 0);
        command->is_over = 1;
        return;
    }
    while ((count = read(command->socket, bytes, sizeof bytes)) > 0) {
        struct event *event = next_event(EVENT_OUTPUT, command->number);
        event->values[0] = count;
        memcpy(event->values + 1, bytes, count);
        publish();
    }
    command->is_over = count == 0 || errno != EAGAIN;
}

static void on_ready(struct connection *connection, uint32_t events)
{
    if (connection->is_command)
        return on_command(connection);
    if (connection->is_listening)
        return accept_all(connection);
    if (connection->is_over)
        return;
    if (connection->is_connecting) {
        int error = 0;
        socklen_t length = sizeof error;
        getsockopt(connection->socket, SOL_SOCKET, SO_ERROR, &error, &length);
        if (error)
            return fail(connection, "connect", error);
        if (!(events & EPOLLOUT))
            return;
        connection->is_connecting = 0;
        tell(EVENT_CONNECTED, connection->stream, 0, 0);
        sample(connection);
    }
    connection->is_busy = 1;
    if (!connection->is_ended && (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)))
        read_some(connection, events);
    if (!connection->is_over)
        write_some(connection);
    if (!connection->is_over)
        note_acknowledged(connection);
    connection->is_over |= connection->is_ended && connection->is_acknowledged;
    if (!connection->is_over)
        set_timer(1);
}

static void on_timer(void)
{
    uint64_t times;
    int is_busy = 0;
    if (read(timer, &times, sizeof times) < 0)
        return;
    for (size_t place = 0; place < most_connections; place++) {
        struct connection *connection = connections[place];
        if (!connection || connection->is_listening || !connection->is_busy)
            continue;
        connection->is_busy = sample(connection);
        is_busy |= connection->is_busy;
    }
    set_timer(is_busy);
}

static socklen_t parse_address(const char *text, uint16_t port, struct sockaddr_storage *address)
{
    struct sockaddr_in *four = (struct sockaddr_in *)address;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)address;
    memset(address, 0, sizeof *address);
    four->sin_port = htons(port);
    if (inet_pton(AF_INET, text, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        return sizeof *four;
    }
    if (inet_pton(AF_INET6, text, &six->sin6_addr) == 1) {
        six->sin6_family = AF_INET6;
        return sizeof *six;
    }
    return 0;
}

static int set_flags(const char *name, short more)
{
    int socket_of = socket(AF_INET, SOCK_DGRAM, 0);
    struct ifreq request = {0};
    strcpy(request.ifr_name, name);
    int failed = ioctl(socket_of, SIOCGIFFLAGS, &request);
    request.ifr_flags |= more;
    failed = failed || ioctl(socket_of, SIOCSIFFLAGS, &request);
    close(socket_of);
    return failed;
}

/* Gives a network device an address from which everybody is on the same network. Of several devices the
 * first is taken where nothing names another. */
static void set_address(unsigned number, const char *text)
{
    char network_name[IFNAMSIZ];
    snprintf(network_name, sizeof network_name, "eth%u", number);
    struct sockaddr_storage address, any;
    socklen_t length = parse_address(text, 0, &address);
    int socket_of = socket(address.ss_family, SOCK_DGRAM, 0), failed = !length;
    /* Without address resolution: frames reach the other end whatever their addresses are. */
    failed = failed || set_flags(network_name, IFF_NOARP | IFF_UP);
    if (!failed && address.ss_family == AF_INET) {
        struct ifreq request = {0};
        strcpy(request.ifr_name, network_name);
        memcpy(&request.ifr_addr, &address, sizeof request.ifr_addr);
        failed = ioctl(socket_of, SIOCSIFADDR, &request);
        struct rtentry route = {0};
        parse_address("0.0.0.0", 0, &any);
        memcpy(&route.rt_dst, &any, sizeof route.rt_dst);
        memcpy(&route.rt_genmask, &any, sizeof route.rt_genmask);
        route.rt_flags = RTF_UP;
        route.rt_dev = network_name;
        route.rt_metric = number ? 1 + number : 0;
        failed = failed || ioctl(socket_of, SIOCADDRT, &route);
    } else if (!failed) {
        struct {
            struct in6_addr address;
            uint32_t prefix;
            int device;
        } request = {((struct sockaddr_in6 *)&address)->sin6_addr, 128,
                     (int)if_nametoindex(network_name)};
        failed = ioctl(socket_of, SIOCSIFADDR, &request);
        struct in6_rtmsg route = {0};
        route.rtmsg_flags = RTF_UP;
        route.rtmsg_metric = 1 + number;
        route.rtmsg_ifindex = request.device;
        failed = failed || ioctl(socket_of, SIOCADDRT, &route);
    }
    if (failed)
        tell_failure(0, "the address cannot be set", errno);
    close(socket_of);
}

static void set_sysctl(char *text)
{
    char path[256], message[128], *value = strchr(text, '=');
    if (!value)
        return;
    *value++ = 0;
    snprintf(path, sizeof path, "/proc/sys/%s", text);
    for (char *it = path + sizeof "/proc/sys"; *it; it++)
        if (*it == '.')
            *it = '/';
    int file = open(path, O_WRONLY), is_set = 0;
    if (file >= 0) {
        is_set = write(file, value, strlen(value)) == (ssize_t)strlen(value);
        close(file);
    }
    if (!is_set) {
        int error = errno;
        snprintf(message, sizeof message, "sysctl %.60s = %.30s", text, value);
        tell_failure(0, message, error);
    }
}

/* A socket for a connection, or for those that are accepted. */
static int stream_socket(int family, uint64_t value)
{
    return socket(family, SOCK_STREAM | SOCK_NONBLOCK, value & MULTIPATH ? IPPROTO_MPTCP : 0);
}

static void listen_at(uint64_t value, const char *text)
{
    struct sockaddr_storage address;
    socklen_t length = parse_address(text, value & 0xffff, &address);
    int on = 1, socket_of = stream_socket(address.ss_family, value);
    setsockopt(socket_of, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    /* An address of IPv6 is usable a moment after it was set. */
    setsockopt(socket_of, SOL_IP, IP_FREEBIND, &on, sizeof on);
    if (!length || bind(socket_of, (struct sockaddr *)&address, length) || listen(socket_of, 4096))
        return tell_failure(0, "listen", errno);
    struct connection *listener = add(socket_of, UINT32_MAX);
    listener->is_listening = 1;
    listener->is_multipath = !!(value & MULTIPATH);
}

static void open_stream(uint32_t stream, uint64_t ports, char *text)
{
    struct sockaddr_storage own, peer;
    char *other = strchr(text, ' ');
    if (!other)
        return;
    *other++ = 0;
    socklen_t length = parse_address(text, ports & 0xffff, &own);
    parse_address(other, ports >> 16 & 0xffff, &peer);
    int on = 1, socket_of = stream_socket(own.ss_family, ports);
    if (socket_of < 0)
        return tell_failure(stream, "socket", errno);
    setsockopt(socket_of, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    struct connection *connection = add(socket_of, stream);
    connection->is_connecting = 1;
    connection->is_multipath = !!(ports & MULTIPATH);
    if (bind(socket_of, (struct sockaddr *)&own, length))
        return fail(connection, "bind", errno);
    if (connect(socket_of, (struct sockaddr *)&peer, length) && errno != EINPROGRESS)
        fail(connection, "connect", errno);
}

/* A request of generic netlink. */
struct request {
    struct nlmsghdr head;
    struct genlmsghdr command;
    char attributes[256];
};

static void begin_request(struct request *request, uint16_t family, uint8_t command)
{
    memset(request, 0, sizeof *request);
    request->head.nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN);
    request->head.nlmsg_type = family;
    request->head.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
    request->command.cmd = command;
    request->command.version = 1;
}

static struct nlattr *attribute(struct request *request, uint16_t kind, const void *data, size_t length)
{
    struct nlattr *place = (struct nlattr *)((char *)request + request->head.nlmsg_len);
    place->nla_type = kind;
    place->nla_len = NLA_HDRLEN + length;
    memcpy((char *)place + NLA_HDRLEN, data, length);
    request->head.nlmsg_len += NLA_ALIGN(place->nla_len);
    return place;
}

/* Sends a request, and takes in the first answer: how many bytes, or less than 0 if it was refused. */
static ssize_t exchange(int netlink, struct request *request, void *answer, size_t most)
{
    struct nlmsghdr *head = answer;
    if (send(netlink, request, request->head.nlmsg_len, 0) < 0)
        return -1;
    ssize_t length = recv(netlink, answer, most, 0);
    if (length < (ssize_t)sizeof *head)
        return -1;
    errno = head->nlmsg_type == NLMSG_ERROR ? -((struct nlmsgerr *)NLMSG_DATA(head))->error : 0;
    return errno ? -1 : length;
}

/* The number of the family of Multipath TCP, or 0. */
static uint16_t family_of_multipath(int netlink)
{
    struct request request;
    char answer[4096];
    begin_request(&request, GENL_ID_CTRL, CTRL_CMD_GETFAMILY);
    request.head.nlmsg_flags = NLM_F_REQUEST;
    attribute(&request, CTRL_ATTR_FAMILY_NAME, MPTCP_PM_NAME, sizeof MPTCP_PM_NAME);
    ssize_t length = exchange(netlink, &request, answer, sizeof answer);
    for (ssize_t at = NLMSG_LENGTH(GENL_HDRLEN); at + NLA_HDRLEN <= length;) {
        struct nlattr *it = (struct nlattr *)(answer + at);
        if (it->nla_type == CTRL_ATTR_FAMILY_ID)
            return *(uint16_t *)((char *)it + NLA_HDRLEN);
        at += it->nla_len < NLA_HDRLEN ? length : NLA_ALIGN(it->nla_len);
    }
    return 0;
}

/* Has the kernel's path manager do what a request says. */
static void manage_paths(struct request *request, const char *what)
{
    char answer[4096];
    int netlink = socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC);
    request->head.nlmsg_type = family_of_multipath(netlink);
    if (!request->head.nlmsg_type || exchange(netlink, request, answer, sizeof answer) < 0)
        tell_failure(0, what, errno);
    close(netlink);
}

static void set_subflows(uint32_t count)
{
    struct request request;
    uint32_t of_peers = 0;
    begin_request(&request, 0, MPTCP_PM_CMD_SET_LIMITS);
    attribute(&request, MPTCP_PM_ATTR_RCV_ADD_ADDRS, &of_peers, sizeof of_peers);
    attribute(&request, MPTCP_PM_ATTR_SUBFLOWS, &count, sizeof count);
    manage_paths(&request, "the number of subflows cannot be set");
}

/* Has each connection have a subflow from this address of a network device. */
static void add_endpoint(unsigned number, const char *text)
{
    struct request request;
    struct sockaddr_storage address;
    char name[IFNAMSIZ];
    uint32_t flags = MPTCP_PM_ADDR_FLAG_SUBFLOW;
    parse_address(text, 0, &address);
    uint16_t family = address.ss_family;
    snprintf(name, sizeof name, "eth%u", number);
    int device = (int)if_nametoindex(name);
    begin_request(&request, 0, MPTCP_PM_CMD_ADD_ADDR);
    struct nlattr *nested = attribute(&request, MPTCP_PM_ATTR_ADDR | NLA_F_NESTED, "", 0);
    attribute(&request, MPTCP_PM_ADDR_ATTR_FAMILY, &family, sizeof family);
    if (family == AF_INET)
        attribute(&request, MPTCP_PM_ADDR_ATTR_ADDR4, &((struct sockaddr_in *)&address)->sin_addr,
                  sizeof(struct in_addr));
    else
        attribute(&request, MPTCP_PM_ADDR_ATTR_ADDR6, &((struct sockaddr_in6 *)&address)->sin6_addr,
                  sizeof(struct in6_addr));
    attribute(&request, MPTCP_PM_ADDR_ATTR_FLAGS, &flags, sizeof flags);
    attribute(&request, MPTCP_PM_ADDR_ATTR_IF_IDX, &device, sizeof device);
    nested->nla_len = (char *)&request + request.head.nlmsg_len - (char *)nested;
    manage_paths(&request, "a subflow cannot be added");
}

static void write_more(struct connection *connection, uint64_t bytes)
{
    connection->is_endless |= bytes == UINT64_MAX;
    connection->to_write = connection->is_endless ? UINT64_MAX : connection->to_write + bytes;
    write_some(connection);
    connection->is_busy = 1;
    set_timer(1);
}

static void finish(struct connection *connection)
{
    connection->is_finishing = 1;
    if (connection->is_endless)
        connection->to_write = 0;
    write_some(connection);
    set_timer(1);
}

static void add_command(int file, uint32_t number, pid_t process)
{
    struct connection *command = add(file, UINT32_MAX);
    command->is_command = 1;
    command->number = number;
    command->process = process;
}

/* Runs a program with these words, whose output is reported as that of a command. */
static void run(uint32_t number, char *text)
{
    char *words[65], *rest = NULL;
    int count = 0, output[2];
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (count < 64)
            words[count++] = word;
    words[count] = NULL;
    if (!count || pipe2(output, O_NONBLOCK))
        return tell_failure(0, "a command cannot be run", errno);
    pid_t process = fork();
    if (!process) {
        int nothing = open("/dev/null", O_RDONLY);
        /* Its end of the pipe waits where it is full, as programs expect it. */
        fcntl(output[1], F_SETFL, 0);
        dup2(nothing, 0);
        dup2(output[1], 1);
        dup2(output[1], 2);
        syscall(SYS_close_range, 3, ~0u, 0);
        signal(SIGPIPE, SIG_DFL);
        execv(words[0], words);
        dprintf(2, "%s: %s\n", words[0], strerror(errno));
        _exit(127);
    }
    close(output[1]);
    if (process < 0)
        return tell_failure(0, "a command cannot be run", errno);
    add_command(output[0], number, 0);
    add_command((int)syscall(SYS_pidfd_open, process, 0), number, process);
}

static void obey(uint32_t operation, uint32_t stream, uint64_t value, char *text)
{
    struct connection *connection;
    switch (operation) {
    case OP_SYSCTL:
        return set_sysctl(text);
    case OP_ADDRESS:
        return set_address(value, text);
    case OP_LISTEN:
        return listen_at(value, text);
    case OP_OPEN:
        return open_stream(stream, value, text);
    case OP_RUN:
        return run(stream, text);
    case OP_SUBFLOWS:
        return set_subflows(value);
    case OP_ENDPOINT:
        return add_endpoint(value, text);
    }
    connection = find(stream);
    if (!connection || connection->is_over)
        return;
    if (operation == OP_WRITE)
        write_more(connection, value);
    if (operation == OP_FINISH)
        finish(connection);
}

static void on_control(void)
{
    uint8_t frame[2048];
    ssize_t length;
    while ((length = recv(control, frame, sizeof frame - 1, MSG_DONTWAIT)) > 0) {
        uint32_t operation, stream;
        uint64_t value;
        uint16_t text;
        if (length < ETH_HLEN + 18)
            continue;
        memcpy(&operation, frame + ETH_HLEN, 4);
        memcpy(&stream, frame + ETH_HLEN + 4, 4);
        memcpy(&value, frame + ETH_HLEN + 8, 8);
        memcpy(&text, frame + ETH_HLEN + 16, 2);
        if (text > length - ETH_HLEN - 18)
            continue;
        frame[ETH_HLEN + 18 + text] = 0;
        obey(operation, stream, value, (char *)frame + ETH_HLEN + 18);
    }
}

static void read_file(const char *path, char *text, size_t most)
{
    int file = open(path, O_RDONLY);
    ssize_t count = file < 0 ? 0 : read(file, text, most - 1);
    text[count > 0 ? count : 0] = 0;
    if (file >= 0)
        close(file);
    text[strcspn(text, "\n")] = 0;
}

/* Says where the pages of events are, and which controllers there are, the default first. */
static void announce(void)
{
    uint8_t frame[1024] = {0};
    char name[64], names[512];
    int map = open("/proc/self/pagemap", O_RDONLY);
    memset(frame, 0xff, 6);
    frame[12] = FRAME_TYPE >> 8;
    frame[13] = FRAME_TYPE & 0xff;
    memset(&ring, 0, sizeof ring);
    /* Programs get no copy of it, for which its pages would move. */
    if (map < 0 || mlock(&ring, sizeof ring) || madvise(&ring, sizeof ring, MADV_DONTFORK))
        die("pages");
    for (unsigned page = 0; page < PAGES; page++) {
        uint64_t entry = 0;
        off_t place = ((uintptr_t)&ring / PAGE + page) * sizeof entry;
        if (pread(map, &entry, sizeof entry, place) != sizeof entry || !(entry >> 63))
            die("/proc/self/pagemap");
        uint64_t address = (entry & ((1ull << 55) - 1)) * PAGE;
        memcpy(frame + ETH_HLEN + 8 * page, &address, sizeof address);
    }
    close(map);
    read_file("/proc/sys/net/ipv4/tcp_congestion_control", name, sizeof name);
    read_file("/proc/sys/net/ipv4/tcp_available_congestion_control", names, sizeof names);
    int text = snprintf((char *)frame + ETH_HLEN + 8 * PAGES, 640, "%d %s %s", VERSION, name, names);
    if (send(control, frame, ETH_HLEN + 8 * PAGES + text, 0) < 0)
        die("send");
}

/* What programs expect below /dev, with their minor numbers. */
static const struct {
    const char *path;
    unsigned minor;
} files[] = {{"/dev/null", 3}, {"/dev/zero", 5}, {"/dev/random", 8}, {"/dev/urandom", 9}};

static void start(void)
{
    const int room = 1 << 25;
    signal(SIGPIPE, SIG_IGN);
    mkdir("/proc", 0755);
    mkdir("/tmp", 01777);
    mount("proc", "/proc", "proc", 0, NULL);
    mount("tmpfs", "/tmp", "tmpfs", 0, NULL);
    for (size_t place = 0; place < sizeof files / sizeof *files; place++)
        mknod(files[place].path, S_IFCHR | 0666, makedev(1, files[place].minor));
    for (unsigned place = 0; place < sizeof pattern; place++)
        pattern[place] = place % PERIOD;
    for (int number = 0; number < 16; number++) {
        char name[IFNAMSIZ];
        snprintf(name, sizeof name, "eth%d", number);
        if (if_nametoindex(name))
            strcpy(control_name, name);
    }
    epoll = epoll_create1(0);
    timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    control = socket(AF_PACKET, SOCK_RAW, htons(FRAME_TYPE));
    /* No command may be lost, though thousands come at once. */
    setsockopt(control, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room);
    if (epoll < 0 || timer < 0 || control < 0)
        die("epoll, timerfd, AF_PACKET");
    char quiet[128];
    snprintf(quiet, sizeof quiet, "net.ipv6.conf.%s.disable_ipv6=1", control_name);
    set_sysctl(quiet);
    struct sockaddr_ll place = {.sll_family = AF_PACKET,
                                .sll_protocol = htons(FRAME_TYPE),
                                .sll_ifindex = (int)if_nametoindex(control_name)};
    if (set_flags("lo", IFF_UP) || set_flags(control_name, IFF_UP | IFF_NOARP) ||
        bind(control, (struct sockaddr *)&place, sizeof place))
        die(control_name);
    struct epoll_event wanted = {EPOLLIN, {&control}};
    epoll_ctl(epoll, EPOLL_CTL_ADD, control, &wanted);
    wanted.data.ptr = &timer;
    epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &wanted);
    announce();
}

int main(void)
{
    start();
    for (;;) {
        struct epoll_event ready[64];
        int count = epoll_wait(epoll, ready, 64, -1);
        for (int place = 0; place < count; place++) {
            if (ready[place].data.ptr == &control)
                on_control();
            else if (ready[place].data.ptr == &timer)
                on_timer();
            else
                on_ready(ready[place].data.ptr, ready[place].events);
        }
        remove_over();
    }
}
