// The networks of `windtunnel bench` with TCP, in htsim: how many packet-hops it does in a second of CPU time.
//
//     networks WORKLOAD
//
// prints a line of JSON. A packet-hop is one packet crossing one queue and one link, as everywhere here.
// What is compared, and what is not, is in README.md.

#include <cstring>
#include <ctime>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "config.h"
#include "eventlist.h"
#include "network.h"
#include "pipe.h"
#include "queue.h"
#include "tcp.h"

namespace {

// The bytes of a full segment on a link: with timestamps, TCP's and IPv4's headers, and PPP.
constexpr int kFrame = 1502;

struct Workload {
    const char* name;
    int flows;
    double mbps;            // of the bottleneck
    double bottleneck_us;   // its delay
    double access_us;       // that of each of the two links beside it; zero: there are none
    bool disjoint;          // each flow has three links of its own, as fast as each other
    double simulated_s;
};

constexpr Workload kWorkloads[] = {
    {"tcp-link-10", 10, 1000, 10000, 0, false, 10},
    {"tcp-dumbbell-10", 10, 1000, 8000, 1000, false, 10},
    {"tcp-dumbbell-100", 100, 1000, 18000, 1000, false, 10},
    {"tcp-disjoint-1000", 1000, 10, 5000, 5000, true, 2},
};

uint64_t hops = 0;

// A pipe that counts what enters it.
class CountedPipe : public Pipe {
public:
    using Pipe::Pipe;
    void receivePacket(Packet& packet) override {
        ++hops;
        Pipe::receivePacket(packet);
    }
};

// A queue and a link, which is one direction of a duplex link.
struct Port {
    std::unique_ptr<Queue> queue;
    std::unique_ptr<CountedPipe> pipe;

    Port(double mbps, double delay_us, int packets, EventList& events)
        : queue(new Queue(speedFromMbps(mbps), mem_b(packets) * kFrame, events, nullptr)),
          pipe(new CountedPipe(timeFromUs(delay_us), events)) {}

    void lead(Route& route) const {
        route.push_back(queue.get());
        route.push_back(pipe.get());
    }
};

// The frames of one product of bandwidth and round trip, as many as each queue holds.
int product(double mbps, double one_way_us) { return int(2 * mbps * one_way_us / 8 / kFrame); }

void run(const Workload& workload) {
    EventList& events = EventList::getTheEventList();
    events.setEndtime(timeFromSec(workload.simulated_s));
    Packet::set_packet_size(kFrame);
    const double one_way = workload.bottleneck_us + 2 * workload.access_us;
    const int limit = product(workload.mbps, one_way);
    const double access_mbps = workload.disjoint ? workload.mbps : 10000;
    TcpRtxTimerScanner scanner(timeFromMs(10), events);
    std::vector<std::unique_ptr<Port>> ports;
    auto port = [&](double mbps, double delay_us) {
        ports.emplace_back(new Port(mbps, delay_us, limit, events));
        return ports.back().get();
    };
    Port* shared[2] = {nullptr, nullptr};
    if (!workload.disjoint) {
        for (Port*& it : shared) it = port(workload.mbps, workload.bottleneck_us);
    }
    std::vector<TcpSink*> sinks;
    for (int flow = 0; flow < workload.flows; ++flow) {
        auto* source = new TcpSrc(nullptr, nullptr, events);
        auto* sink = new TcpSink();
        source->set_ssthresh(0xffffffff);
        scanner.registerTcp(*source);
        Route* ways[2] = {new Route(), new Route()};
        for (int direction = 0; direction < 2; ++direction) {
            Port* middle = shared[direction];
            if (!middle) middle = port(workload.mbps, workload.bottleneck_us);
            if (workload.access_us > 0) port(access_mbps, workload.access_us)->lead(*ways[direction]);
            middle->lead(*ways[direction]);
            if (workload.access_us > 0) port(access_mbps, workload.access_us)->lead(*ways[direction]);
        }
        ways[0]->push_back(sink);
        ways[1]->push_back(source);
        source->connect(*ways[0], *ways[1], *sink, timeFromMs(100.0 * flow / workload.flows));
        sinks.push_back(sink);
    }
    const std::clock_t start = std::clock();
    while (events.doNextEvent()) {
    }
    const double cpu_s = double(std::clock() - start) / CLOCKS_PER_SEC;
    double bytes = 0;
    for (TcpSink* it : sinks) bytes += double(it->cumulative_ack());
    const double data = bytes * 1448 / kFrame;
    std::cout << "{\"workload\": \"" << workload.name << "\", \"simulated_s\": " << workload.simulated_s
              << ", \"packet_hops\": " << hops << ", \"cpu_s\": " << cpu_s
              << ", \"packet_hops_per_cpu_s\": " << double(hops) / cpu_s
              << ", \"goodput_bps\": " << 8 * data / workload.simulated_s << "}" << std::endl;
}

}  // namespace

int main(int count, char** arguments) {
    for (const Workload& it : kWorkloads) {
        if (count == 2 && std::strcmp(arguments[1], it.name) == 0) {
            run(it);
            return 0;
        }
    }
    std::cerr << "usage: networks WORKLOAD, one of";
    for (const Workload& it : kWorkloads) std::cerr << " " << it.name;
    std::cerr << std::endl;
    return 2;
}
