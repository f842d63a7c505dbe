/* SPDX-License-Identifier: MIT */
/*
 * Congestion control whose decisions are made in user space.
 *
 * The kernel measures: every acknowledgement, change of state, spurious decrease and beginning of
 * transmission is reported through a ring buffer. User space decides: window, threshold and pacing
 * rate are read from a map and applied at the next acknowledgement. Until the first decision, and
 * when user space no longer gives a sign of life, the connection follows Reno's rule (RFC 5681).
 */
#include "kernel_types.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "Dual MIT/GPL";

/* User space is considered dead without a sign of life for so long, in nanoseconds. */
#define PATIENCE 100000000ULL

/* The layouts of `report` and `decision` are those of src/kernel/layout.rs. */
enum kind { BEGIN = 0, ACKNOWLEDGEMENT, STATE, SPURIOUS, TRANSMISSION_START, END };
enum {
	WINDOW_LIMITED = 1,
	APPLICATION_LIMITED = 2,
	MICROSECOND_TIMESTAMPS = 4,
};

struct report {
	__u64 connection;
	__u64 time; /* CLOCK_MONOTONIC, nanoseconds */
	__u64 applied_after; /* from the measurement to the decision's use, nanoseconds; or 0 */
	__u32 serial; /* of this report in its connection, from 1 */
	__u8 kind;
	__u8 state; /* enum tcp_ca_state: the new one in a report of a change */
	__u8 flags;
	__u8 ecn; /* tcp_sock.ecn_flags */
	__u32 unacknowledged; /* sequence numbers */
	__u32 next;
	__u32 segment; /* bytes */
	__u32 delivered; /* segments since the beginning, and so on */
	__u32 marked;
	__u32 lost;
	__u32 in_flight;
	__u32 prior_in_flight;
	__u32 most_in_flight;
	__u32 smoothed_rtt; /* microseconds, 0 before there is one */
	__s32 rtt; /* microseconds, -1 if there is none */
	__s32 sample_delivered; /* -1 if there is no sample */
	__s32 sample_interval; /* microseconds, -1 if it is not meaningful */
	__u32 timestamp; /* of the peer, 0 without timestamps */
	__u32 timestamp_echo;
	__u32 sent_in_recovery; /* segments since recovery or reduction began */
};
_Static_assert(sizeof(struct report) == 96, "as in layout.rs");

enum {
	PACED = 1, /* the rate paces; otherwise it only sizes bursts */
	REDUCES = 2, /* losses reduce the window */
};

struct decision {
	__u64 measured; /* `time` of the report that it answers */
	__u64 rate; /* bytes per second, 0 for none */
	__u32 serial; /* of the report that it answers, 0 before the first decision */
	__u32 cwnd; /* segments */
	__u32 ssthresh; /* segments */
	__u32 flags;
};
_Static_assert(sizeof(struct decision) == 32, "as in layout.rs");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 22);
} reports SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u64);
	__type(value, struct decision);
} decisions SEC(".maps");

/* When user space last gave a sign of life. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} heartbeat SEC(".maps");

enum { CONNECTIONS = 0, REPORTS_DROPPED, FALLBACKS, UNDECIDED, COUNTERS };
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, COUNTERS);
	__type(key, __u32);
	__type(value, __u64);
} counters SEC(".maps");

/* The name of the algorithm, which user space sets before the programs are loaded. */
const volatile char algorithm[16];

/* What the program keeps of a connection, in its icsk_ca_priv: at most 104 bytes. */
struct flow {
	__u64 connection;
	__u64 measured; /* of the decision applied last */
	__u32 serial; /* of the last report */
	__u32 must_answer; /* only decisions that know of this report may be applied */
	__u32 state;
	__u32 led; /* whether user space decided last */
	__u32 marked; /* whether the data received last was marked */
	__u32 received; /* up to which sequence number data was received before */
};

static struct flow *flow_of(struct sock *sk)
{
	return (struct flow *)((struct inet_connection_sock *)sk)->icsk_ca_priv;
}

static __u64 count(__u32 what)
{
	__u64 *counter = bpf_map_lookup_elem(&counters, &what);

	return counter ? __sync_fetch_and_add(counter, 1) : 0;
}

static __u32 in_flight(const struct tcp_sock *tp)
{
	return tp->packets_out - (tp->sacked_out + tp->lost_out) + tp->retrans_out;
}

static bool is_alive(void)
{
	__u32 zero = 0;
	__u64 *last = bpf_map_lookup_elem(&heartbeat, &zero);

	return last && bpf_ktime_get_ns() < *last + PATIENCE;
}

/* The decision for the connection, if there is one and user space is alive. */
static struct decision *decision_of(struct flow *flow)
{
	__u64 connection = flow->connection;
	struct decision *it = bpf_map_lookup_elem(&decisions, &connection);

	return it && it->serial && is_alive() ? it : 0;
}

static __attribute__((always_inline)) struct report *begin_report(struct sock *sk, __u8 kind)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct flow *flow = flow_of(sk);
	struct report *it;

	flow->serial++;
	it = bpf_ringbuf_reserve(&reports, sizeof(*it), 0);
	if (!it) {
		count(REPORTS_DROPPED);
		return 0;
	}
	it->connection = flow->connection;
	it->time = bpf_ktime_get_ns();
	it->applied_after = 0;
	it->serial = flow->serial;
	it->kind = kind;
	it->state = flow->state;
	it->flags = 0;
	if (BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited))
		it->flags |= WINDOW_LIMITED;
	if (bpf_core_field_exists(tp->tcp_usec_ts) && BPF_CORE_READ_BITFIELD(tp, tcp_usec_ts))
		it->flags |= MICROSECOND_TIMESTAMPS;
	it->ecn = tp->ecn_flags;
	it->unacknowledged = tp->snd_una;
	it->next = tp->snd_nxt;
	it->segment = tp->mss_cache;
	it->delivered = tp->delivered;
	it->marked = tp->delivered_ce;
	it->lost = tp->lost;
	it->in_flight = in_flight(tp);
	it->prior_in_flight = it->in_flight;
	it->most_in_flight = tp->max_packets_out;
	it->smoothed_rtt = tp->srtt_us >> 3;
	it->rtt = -1;
	it->sample_delivered = -1;
	it->sample_interval = -1;
	it->timestamp = tp->rx_opt.rcv_tsval;
	it->timestamp_echo = tp->rx_opt.rcv_tsecr;
	it->sent_in_recovery = tp->prr_out;
	return it;
}

/* Reno's rule: slow start, congestion avoidance, half the window after congestion. */
static void follow_reno(struct sock *sk, __u32 state, __u32 acknowledged)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	__u32 cwnd = tp->snd_cwnd, ssthresh = tp->snd_ssthresh;

	if (state == TCP_CA_CWR || state == TCP_CA_Recovery) {
		if (cwnd > ssthresh)
			cwnd = ssthresh;
	} else if (cwnd < ssthresh) {
		cwnd += acknowledged;
		if (cwnd > ssthresh)
			cwnd = ssthresh;
	} else if (BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited)) {
		__u32 counted = tp->snd_cwnd_cnt + acknowledged;

		if (counted >= cwnd) {
			counted -= cwnd;
			cwnd++;
		}
		tp->snd_cwnd_cnt = counted;
	}
	tp->snd_cwnd = cwnd ? cwnd : 1;
	/* Twice a window a round trip, so that pacing that was set before holds nothing up. */
	if (tp->srtt_us)
		sk->sk_pacing_rate = 2000000ULL * 8 * cwnd * tp->mss_cache / tp->srtt_us;
}

/* Applies a decision; returns how long ago what it answers was measured, if it is a new one. */
static __u64 apply(struct sock *sk, struct flow *flow, const struct decision *decision)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	__u64 measured = decision->measured;

	/* A decision from before a loss must not raise the window that the loss left. */
	if ((__s32)(decision->serial - flow->must_answer) < 0)
		return 0;
	tp->snd_cwnd = decision->cwnd ? decision->cwnd : 1;
	tp->snd_ssthresh = decision->ssthresh;
	if (decision->rate) {
		sk->sk_pacing_rate = decision->rate;
		if (decision->flags & PACED && sk->sk_pacing_status == SK_PACING_NONE)
			sk->sk_pacing_status = SK_PACING_NEEDED;
	}
	if (measured == flow->measured)
		return 0;
	flow->measured = measured;
	return bpf_ktime_get_ns() - measured;
}

SEC("struct_ops/init")
void BPF_PROG(begin, struct sock *sk)
{
	struct flow *flow = flow_of(sk);
	struct decision none = {};
	struct report *report;
	__u64 connection = count(CONNECTIONS) + 1;

	flow->connection = connection;
	flow->measured = 0;
	flow->serial = 0;
	flow->must_answer = 0;
	flow->state = TCP_CA_Open;
	flow->led = 0;
	flow->marked = 0;
	flow->received = ((struct tcp_sock *)sk)->rcv_nxt;
	/* Without room for its decisions it follows Reno's rule to its end. */
	if (bpf_map_update_elem(&decisions, &connection, &none, BPF_NOEXIST)) {
		count(UNDECIDED);
		return;
	}
	report = begin_report(sk, BEGIN);
	if (report)
		bpf_ringbuf_submit(report, 0);
}

SEC("struct_ops/release")
void BPF_PROG(end, struct sock *sk)
{
	__u64 connection = flow_of(sk)->connection;
	struct report *report;

	if (bpf_map_delete_elem(&decisions, &connection))
		return;
	report = begin_report(sk, END);
	if (report)
		bpf_ringbuf_submit(report, 0);
}

SEC("struct_ops/cong_control")
void BPF_PROG(on_acknowledgement, struct sock *sk, __u32 ack, int flag,
	      const struct rate_sample *sample)
{
	struct flow *flow = flow_of(sk);
	struct decision *decision = decision_of(flow);
	struct report *report;
	__u64 applied_after = 0;

	if (decision) {
		applied_after = apply(sk, flow, decision);
		flow->led = 1;
	} else {
		if (flow->led)
			count(FALLBACKS);
		flow->led = 0;
		follow_reno(sk, flow->state, sample->acked_sacked);
	}
	report = begin_report(sk, ACKNOWLEDGEMENT);
	if (!report)
		return;
	report->applied_after = applied_after;
	report->prior_in_flight = sample->prior_in_flight;
	report->rtt = sample->rtt_us;
	if (sample->prior_mstamp && sample->delivered > 0) {
		report->sample_delivered = sample->delivered;
		report->sample_interval = sample->interval_us;
		if (sample->is_app_limited)
			report->flags |= APPLICATION_LIMITED;
	}
	bpf_ringbuf_submit(report, 0);
}

SEC("struct_ops/set_state")
void BPF_PROG(on_state, struct sock *sk, __u8 state)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct flow *flow = flow_of(sk);
	struct decision *decision = decision_of(flow);
	struct report *report;

	flow->state = state;
	report = begin_report(sk, STATE);
	if (state == TCP_CA_Loss)
		flow->must_answer = flow->serial;
	/* Until the loss is answered, one segment goes: the first retransmission. */
	if (state == TCP_CA_Recovery && decision && decision->flags & REDUCES) {
		flow->must_answer = flow->serial;
		tp->snd_cwnd = in_flight(tp) + 1;
	}
	if (report)
		bpf_ringbuf_submit(report, 0);
}

/*
 * As a receiver: echoes each mark, and not until the sender has answered, for controllers that
 * count marks (RFC 8257, section 3.2). What was received before a change is acknowledged at once,
 * with the echo of before.
 */
static void echo(struct sock *sk, struct flow *flow, __u32 marked)
{
	struct inet_connection_sock *connection = (struct inet_connection_sock *)sk;
	struct tcp_sock *tp = (struct tcp_sock *)sk;

	if (tp->ecn_flags & TCP_ECN_MODE_ACCECN)
		return;
	if (flow->marked != marked) {
		if (connection->icsk_ack.pending & ICSK_ACK_TIMER) {
			if (flow->marked)
				tp->ecn_flags |= TCP_ECN_DEMAND_CWR;
			else
				tp->ecn_flags &= ~TCP_ECN_DEMAND_CWR;
			bpf_tcp_send_ack(tp, flow->received);
		}
		connection->icsk_ack.pending |= ICSK_ACK_NOW;
	}
	flow->received = tp->rcv_nxt;
	flow->marked = marked;
	if (marked)
		tp->ecn_flags |= TCP_ECN_DEMAND_CWR;
	else
		tp->ecn_flags &= ~TCP_ECN_DEMAND_CWR;
}

SEC("struct_ops/cwnd_event")
void BPF_PROG(on_event, struct sock *sk, enum tcp_ca_event event)
{
	struct decision *decision;
	struct report *report;

	if (event == CA_EVENT_ECN_IS_CE || event == CA_EVENT_ECN_NO_CE) {
		echo(sk, flow_of(sk), event == CA_EVENT_ECN_IS_CE);
		return;
	}
	if (event != CA_EVENT_TX_START)
		return;
	/* How long nothing was sent says nothing about how late decisions are. */
	decision = decision_of(flow_of(sk));
	if (decision)
		flow_of(sk)->measured = decision->measured;
	report = begin_report(sk, TRANSMISSION_START);
	if (!report)
		return;
	if (((struct tcp_sock *)sk)->app_limited)
		report->flags |= APPLICATION_LIMITED;
	bpf_ringbuf_submit(report, 0);
}

/* The kernel asks at once; user space answers later, by a window and a threshold. */
SEC("struct_ops/ssthresh")
__u32 BPF_PROG(on_decrease, struct sock *sk)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;

	if (decision_of(flow_of(sk)))
		return tp->snd_ssthresh;
	return tp->snd_cwnd > 4 ? tp->snd_cwnd / 2 : 2;
}

SEC("struct_ops/undo_cwnd")
__u32 BPF_PROG(on_spurious, struct sock *sk)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct report *report = begin_report(sk, SPURIOUS);

	if (report)
		bpf_ringbuf_submit(report, 0);
	return tp->snd_cwnd > tp->prior_cwnd ? tp->snd_cwnd : tp->prior_cwnd;
}

SEC(".struct_ops.link")
struct tcp_congestion_ops controller = {
	.flags = TCP_CONG_NON_RESTRICTED,
	.init = (void *)begin,
	.release = (void *)end,
	.cong_control = (void *)on_acknowledgement,
	.set_state = (void *)on_state,
	.cwnd_event = (void *)on_event,
	.ssthresh = (void *)on_decrease,
	.undo_cwnd = (void *)on_spurious,
};

/* Sockets of the command's cgroup use the algorithm from before their first segment on. */
SEC("sockops")
int choose(struct bpf_sock_ops *socket)
{
	char name[16];
	int i;

	switch (socket->op) {
	case BPF_SOCK_OPS_TCP_CONNECT_CB:
	case BPF_SOCK_OPS_TCP_LISTEN_CB:
	case BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB:
		for (i = 0; i < (int)sizeof(name); i++)
			name[i] = algorithm[i];
		bpf_setsockopt(socket, SOL_TCP, TCP_CONGESTION, name, sizeof(name));
	}
	return 1;
}
