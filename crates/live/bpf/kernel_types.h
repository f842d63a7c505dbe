/* SPDX-License-Identifier: MIT */
/*
 * The few types of the Linux kernel that the programs use, with only the members they use: when
 * a program is loaded, libbpf finds where each member is in the running kernel (CO-RE), by its
 * name. Shared with user space: nothing.
 */
#ifndef KERNEL_TYPES_H
#define KERNEL_TYPES_H

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed int __s32;
typedef signed long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef _Bool bool;

/* include/uapi/linux/bpf.h */
enum {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_RINGBUF = 27,
};
enum { BPF_NOEXIST = 1, BPF_F_NO_PREALLOC = 1 };
enum {
	BPF_SOCK_OPS_TCP_CONNECT_CB = 3,
	BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB = 5,
	BPF_SOCK_OPS_TCP_LISTEN_CB = 11,
};
struct bpf_sock_ops {
	__u32 op;
};

/* include/uapi/linux/tcp.h, include/net/tcp.h, include/net/sock.h */
enum { SOL_TCP = 6, TCP_CONGESTION = 13 };
enum tcp_ca_event { CA_EVENT_TX_START = 0, CA_EVENT_ECN_NO_CE = 4, CA_EVENT_ECN_IS_CE = 5 };
enum { TCP_ECN_DEMAND_CWR = 4, TCP_ECN_MODE_ACCECN = 16 };
enum { ICSK_ACK_TIMER = 2, ICSK_ACK_NOW = 16 };
enum { TCP_CA_Open = 0, TCP_CA_Disorder, TCP_CA_CWR, TCP_CA_Recovery, TCP_CA_Loss };
enum { TCP_CONG_NON_RESTRICTED = 1, TCP_CONG_NEEDS_ECN = 2 };
enum { SK_PACING_NONE = 0, SK_PACING_NEEDED = 1 };
enum { TCP_INFINITE_SSTHRESH = 0x7fffffff };

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct sock {
	__u32 sk_pacing_status;
	unsigned long sk_pacing_rate;
};

struct inet_connection_sock {
	struct {
		__u8 pending;
	} icsk_ack;
	__u64 icsk_ca_priv[13];
};

struct tcp_options_received {
	__u32 rcv_tsval;
	__u32 rcv_tsecr;
};

struct tcp_sock {
	__u32 rcv_nxt;
	__u32 snd_una;
	__u32 snd_nxt;
	__u32 snd_cwnd;
	__u32 snd_cwnd_cnt;
	__u32 snd_ssthresh;
	__u32 prior_cwnd;
	__u32 mss_cache;
	__u32 srtt_us;
	__u32 packets_out;
	__u32 sacked_out;
	__u32 lost_out;
	__u32 retrans_out;
	__u32 prr_out;
	__u32 max_packets_out;
	__u32 delivered;
	__u32 delivered_ce;
	__u32 lost;
	__u32 app_limited;
	__u8 ecn_flags;
	__u8 is_cwnd_limited : 1;
	__u8 tcp_usec_ts : 1;
	struct tcp_options_received rx_opt;
};

struct rate_sample {
	__u64 prior_mstamp;
	__s32 delivered;
	long interval_us;
	long rtt_us;
	__u32 acked_sacked;
	__u32 prior_in_flight;
	bool is_app_limited;
};

#pragma clang attribute pop

/* Registered by name: libbpf matches the members with the kernel's. */
struct tcp_congestion_ops {
	char name[16];
	__u32 flags;
	void (*init)(struct sock *sk);
	void (*release)(struct sock *sk);
	__u32 (*ssthresh)(struct sock *sk);
	void (*set_state)(struct sock *sk, __u8 state);
	void (*cwnd_event)(struct sock *sk, enum tcp_ca_event event);
	void (*cong_control)(struct sock *sk, __u32 ack, int flag,
			     const struct rate_sample *sample);
	__u32 (*undo_cwnd)(struct sock *sk);
};

#endif
