// The TCP workloads of `windtunnel bench`, on ns-3's own TCP.
//
// Hosts, sockets, IPv4, devices, queues and channels are ns-3's, as its users
// meet them; only the device's queue counts, for no queue disc is installed.
// The file reads from the bottom layer upwards:
//
//   workload    what the table of workloads says of each
//   network     nodes, links, flows, and what is counted
//   layouts     one function each
//   workloads   the table
//   main        options, ns-3's settings, the measured run, the JSON document

#include "measured_run.h"

#include <ns3/boolean.h>
#include <ns3/bulk-send-application.h>
#include <ns3/command-line.h>
#include <ns3/config.h>
#include <ns3/data-rate.h>
#include <ns3/drop-tail-queue.h>
#include <ns3/inet-socket-address.h>
#include <ns3/internet-stack-helper.h>
#include <ns3/ipv4-address-helper.h>
#include <ns3/ipv4-interface-container.h>
#include <ns3/ipv4-static-routing-helper.h>
#include <ns3/net-device-container.h>
#include <ns3/node.h>
#include <ns3/packet-sink.h>
#include <ns3/point-to-point-channel.h>
#include <ns3/point-to-point-net-device.h>
#include <ns3/queue-size.h>
#include <ns3/tcp-socket-factory.h>
#include <ns3/uinteger.h>

#include <cmath>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

// ---------------------------------------------------------------- workload

constexpr uint32_t SEGMENT_BYTES = 1448;

/// A full segment on a link: with timestamps, TCP's and IPv4's headers, PPP.
constexpr uint32_t FRAME_BYTES = SEGMENT_BYTES + 12 + 20 + 20 + 2;

struct LinkSpec
{
    uint64_t mbps;
    int64_t delayMicroseconds;
};

class Network;

struct Workload
{
    const char* name;
    double defaultDurationSeconds;
    const char* congestionControl;
    uint32_t flows;
    void (*build)(Network&, const Workload&);
    LinkSpec bottleneck;
    /// The other links of a dumbbell, on both sides.
    LinkSpec access;
    int64_t oneWayMicroseconds;

    /// One bandwidth-delay product: the buffer before every link.
    uint32_t QueuePackets() const
    {
        const double bytes = bottleneck.mbps * 2.0 * oneWayMicroseconds / 8;
        return std::lround(bytes / FRAME_BYTES);
    }
};

// ----------------------------------------------------------------- network

constexpr uint16_t PORT = 9;

/// Flows start one after the other, evenly spread over this time.
constexpr double STARTS_OVER_SECONDS = 0.1;

class Network
{
  public:
    explicit Network(const Workload& workload)
        : m_workload(workload),
          m_addresses("10.0.0.0", "255.255.255.252")
    {
        m_stack.SetIpv6StackInstall(false);
        m_stack.SetRoutingHelper(Ipv4StaticRoutingHelper());
    }

    Ptr<Node> AddNode()
    {
        Ptr<Node> node = CreateObject<Node>();
        m_stack.Install(node);
        return node;
    }

    /// Joins two nodes; the answer is their addresses on the link.
    Ipv4InterfaceContainer Connect(Ptr<Node> near, Ptr<Node> far, const LinkSpec& link)
    {
        Ptr<PointToPointChannel> channel = CreateObject<PointToPointChannel>();
        channel->SetAttribute("Delay", TimeValue(MicroSeconds(link.delayMicroseconds)));
        NetDeviceContainer devices(Attach(near, channel, link), Attach(far, channel, link));
        const Ipv4InterfaceContainer interfaces = m_addresses.Assign(devices);
        m_addresses.NewNetwork();
        return interfaces;
    }

    /// Sends what is not for a neighbour of the first node over a link.
    void RouteBy(const Ipv4InterfaceContainer& link, uint32_t from)
    {
        const auto [ipv4, interface] = link.Get(from);
        Ipv4StaticRoutingHelper().GetStaticRouting(ipv4)->SetDefaultRoute(
            link.GetAddress(1 - from), interface);
    }

    void AddReceiver(Ptr<Node> node)
    {
        Ptr<PacketSink> sink = CreateObject<PacketSink>();
        sink->SetAttribute("Protocol", TypeIdValue(TcpSocketFactory::GetTypeId()));
        sink->SetAttribute("Local",
                           AddressValue(InetSocketAddress(Ipv4Address::GetAny(), PORT)));
        node->AddApplication(sink);
        m_sinks.push_back(sink);
    }

    /// Starts the next flow, which has no end.
    void AddFlow(Ptr<Node> from, Ipv4Address to)
    {
        Ptr<BulkSendApplication> sender = CreateObject<BulkSendApplication>();
        sender->SetAttribute("Protocol", TypeIdValue(TcpSocketFactory::GetTypeId()));
        sender->SetAttribute("Remote", AddressValue(InetSocketAddress(to, PORT)));
        sender->SetStartTime(Seconds(STARTS_OVER_SECONDS * m_flows++ / m_workload.flows));
        from->AddApplication(sender);
    }

    /// Packets that crossed one queue and one link, counted on arrival.
    uint64_t PacketHops() const
    {
        return m_packetHops;
    }

    /// What the receiving applications got.
    uint64_t ReceivedBytes() const
    {
        uint64_t bytes = 0;
        for (const Ptr<PacketSink>& sink : m_sinks)
        {
            bytes += sink->GetTotalRx();
        }
        return bytes;
    }

    /// Packets that found a queue full.
    uint64_t Drops() const
    {
        uint64_t drops = 0;
        for (const Ptr<Queue<Packet>>& queue : m_queues)
        {
            drops += queue->GetTotalDroppedPackets();
        }
        return drops;
    }

  private:
    Ptr<NetDevice> Attach(Ptr<Node> node, Ptr<PointToPointChannel> channel, const LinkSpec& link)
    {
        Ptr<DropTailQueue<Packet>> queue = CreateObject<DropTailQueue<Packet>>();
        queue->SetMaxSize(QueueSize(QueueSizeUnit::PACKETS, m_workload.QueuePackets()));
        m_queues.push_back(queue);
        Ptr<PointToPointNetDevice> device = CreateObject<PointToPointNetDevice>();
        device->SetAddress(Mac48Address::Allocate());
        device->SetDataRate(DataRate(link.mbps * 1000000));
        device->SetQueue(queue);
        device->Attach(channel);
        device->TraceConnectWithoutContext("PhyRxEnd", MakeCallback(&Network::CountHop, this));
        node->AddDevice(device);
        return device;
    }

    void CountHop(Ptr<const Packet> /* packet */)
    {
        ++m_packetHops;
    }

    const Workload& m_workload;
    InternetStackHelper m_stack;
    Ipv4AddressHelper m_addresses;
    std::vector<Ptr<Queue<Packet>>> m_queues;
    std::vector<Ptr<PacketSink>> m_sinks;
    uint32_t m_flows = 0;
    uint64_t m_packetHops = 0;
};

// ----------------------------------------------------------------- layouts

/// sender – receiver, all flows between the two.
void
BuildLink(Network& network, const Workload& workload)
{
    Ptr<Node> sender = network.AddNode();
    Ptr<Node> receiver = network.AddNode();
    const auto link = network.Connect(sender, receiver, workload.bottleneck);
    network.AddReceiver(receiver);
    for (uint32_t flow = 0; flow < workload.flows; ++flow)
    {
        network.AddFlow(sender, link.GetAddress(1));
    }
}

/// A sender and a receiver for each flow, around two routers.
void
BuildDumbbell(Network& network, const Workload& workload)
{
    Ptr<Node> left = network.AddNode();
    Ptr<Node> right = network.AddNode();
    const auto bottleneck = network.Connect(left, right, workload.bottleneck);
    network.RouteBy(bottleneck, 0);
    network.RouteBy(bottleneck, 1);
    for (uint32_t flow = 0; flow < workload.flows; ++flow)
    {
        Ptr<Node> sender = network.AddNode();
        Ptr<Node> receiver = network.AddNode();
        network.RouteBy(network.Connect(sender, left, workload.access), 0);
        const auto last = network.Connect(right, receiver, workload.access);
        network.RouteBy(last, 1);
        network.AddReceiver(receiver);
        network.AddFlow(sender, last.GetAddress(1));
    }
}

/// sender – router – router – receiver for each flow, of three equal links.
void
BuildPaths(Network& network, const Workload& workload)
{
    for (uint32_t flow = 0; flow < workload.flows; ++flow)
    {
        Ptr<Node> sender = network.AddNode();
        Ptr<Node> first = network.AddNode();
        Ptr<Node> second = network.AddNode();
        Ptr<Node> receiver = network.AddNode();
        network.RouteBy(network.Connect(sender, first, workload.bottleneck), 0);
        const auto middle = network.Connect(first, second, workload.bottleneck);
        network.RouteBy(middle, 0);
        network.RouteBy(middle, 1);
        const auto last = network.Connect(second, receiver, workload.bottleneck);
        network.RouteBy(last, 1);
        network.AddReceiver(receiver);
        network.AddFlow(sender, last.GetAddress(1));
    }
}

// --------------------------------------------------------------- workloads

/// NewReno as Linux has it. ns-3's own `TcpNewReno` grows once for each
/// acknowledgement, also for one that acknowledges two segments.
constexpr char NEW_RENO[] = "ns3::TcpLinuxReno";
constexpr char CUBIC[] = "ns3::TcpCubic";

constexpr Workload WORKLOADS[] = {
    {"tcp-link-10", 60, NEW_RENO, 10, BuildLink, {1000, 10000}, {}, 10000},
    {"tcp-dumbbell-10", 30, CUBIC, 10, BuildDumbbell, {1000, 8000}, {10000, 1000}, 10000},
    {"tcp-dumbbell-100", 20, NEW_RENO, 100, BuildDumbbell, {1000, 18000}, {10000, 1000}, 20000},
    {"tcp-disjoint-1000", 10, NEW_RENO, 1000, BuildPaths, {10, 5000}, {}, 15000},
    {"tcp-dci-15", 5, NEW_RENO, 15, BuildDumbbell, {10000, 3000}, {10000, 5}, 3010},
};

// -------------------------------------------------------------------- main

/// The TCP that is compared. What ns-3 has as its default already, SACK and the
/// like, is stated as well, so that the comparison does not hang on its version.
void
ConfigureTcp(const Workload& workload)
{
    const auto set = [](const char* name, const AttributeValue& value) {
        Config::SetDefault(name, value);
    };
    set("ns3::TcpL4Protocol::SocketType",
        TypeIdValue(TypeId::LookupByName(workload.congestionControl)));
    set("ns3::TcpSocketBase::Sack", BooleanValue(true));
    set("ns3::TcpSocketBase::Timestamp", BooleanValue(true));
    set("ns3::TcpSocketBase::WindowScaling", BooleanValue(true));
    set("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));
    set("ns3::TcpSocketBase::ClockGranularity", TimeValue(MilliSeconds(1)));
    set("ns3::TcpSocket::SegmentSize", UintegerValue(SEGMENT_BYTES));
    set("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    set("ns3::TcpSocket::DelAckCount", UintegerValue(2));
    set("ns3::TcpSocket::DelAckTimeout", TimeValue(MilliSeconds(40)));
    // Four times what one flow alone could have in the path and its queue: even
    // a slow start that overshoots never meets the buffers' ends.
    const uint32_t bufferBytes = 4 * 2 * workload.QueuePackets() * SEGMENT_BYTES;
    set("ns3::TcpSocket::SndBufSize", UintegerValue(bufferBytes));
    set("ns3::TcpSocket::RcvBufSize", UintegerValue(bufferBytes));
    // Whole segments, so that none is put together from two writes.
    set("ns3::BulkSendApplication::SendSize", UintegerValue(32 * SEGMENT_BYTES));
    set("ns3::BulkSendApplication::MaxBytes", UintegerValue(0));
}

int
Refuse(const std::string& message)
{
    std::cerr << "tcp_workloads: " << message << "\n";
    return 2;
}

} // namespace

int
main(int argc, char* argv[])
{
    windtunnel::ChooseScheduler();
    const std::string workloadNames = windtunnel::NamesOf(WORKLOADS);
    std::string workloadName;
    double durationSeconds = 0;
    CommandLine arguments;
    arguments.AddValue("workload", workloadNames, workloadName);
    arguments.AddValue("duration",
                       "simulated seconds; 0 takes the workload's own",
                       durationSeconds);
    arguments.Parse(argc, argv);

    const Workload* workload = windtunnel::FindWorkload(WORKLOADS, workloadName);
    if (!workload)
    {
        return Refuse("--workload must be one of " + workloadNames);
    }
    if (durationSeconds == 0)
    {
        durationSeconds = workload->defaultDurationSeconds;
    }
    if (!windtunnel::IsPositive(durationSeconds))
    {
        return Refuse("--duration must be positive");
    }

    ConfigureTcp(*workload);
    Network network(*workload);
    const auto run = windtunnel::BuildAndRun([&] { workload->build(network, *workload); },
                                             durationSeconds);
    windtunnel::PrintRun(workload->name,
                         run,
                         {network.PacketHops(), network.ReceivedBytes(), network.Drops()});
    Simulator::Destroy();
    return 0;
}
