// The NDN workloads of `windtunnel bench`, on ns-3's own machinery.
//
// Debian's ns-3 has no NDN, so each node carries the smallest forwarder that
// does the work: a PIT, a FIB, no content store. Nodes, queues, links, packets
// and events are ns-3's. The file reads from the bottom layer upwards:
//
//   counters    what is measured
//   packets     the header of an Interest and of a Data
//   forwarder   PIT and FIB, between a node's devices and its application
//   endpoints   the consumer with its fixed window, the producer
//   network     nodes and links
//   workloads   one function each, and the table that names them
//   main        options, the measured run, the JSON document

#include "measured_run.h"

#include <ns3/application.h>
#include <ns3/command-line.h>
#include <ns3/data-rate.h>
#include <ns3/drop-tail-queue.h>
#include <ns3/header.h>
#include <ns3/node.h>
#include <ns3/nstime.h>
#include <ns3/packet.h>
#include <ns3/point-to-point-channel.h>
#include <ns3/point-to-point-net-device.h>
#include <ns3/queue-size.h>
#include <ns3/simulator.h>

#include <cstdint>
#include <functional>
#include <iostream>
#include <optional>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

// ---------------------------------------------------------------- counters

struct Counters
{
    /// Packets that crossed one queue and one link, counted on arrival.
    uint64_t packetHops = 0;
    /// Data that reached the consumer which asked for it.
    uint64_t dataReceived = 0;
    /// Packets that went no further: queue full, no route, no PIT entry, or a
    /// nonce seen before. Every workload is laid out so that there are none.
    uint64_t drops = 0;
};

// ----------------------------------------------------------------- packets

/// NDN's EtherType. ns-3's point-to-point device knows only the protocol
/// numbers of IP: an optimised build writes 0 in place of any other, and a
/// debug build refuses it. Nothing but NDN crosses these links, so the
/// forwarder does not look at the number that arrives.
constexpr uint16_t NDN_ETHERTYPE = 0x8624;

struct Name
{
    uint32_t prefix = 0;
    uint64_t segment = 0;

    bool operator==(const Name& other) const
    {
        return prefix == other.prefix && segment == other.segment;
    }
};

struct NameHash
{
    std::size_t operator()(const Name& name) const
    {
        return (name.segment ^ (uint64_t{name.prefix} << 40)) * 0x9e3779b97f4a7c15;
    }
};

/// What a forwarder reads of a packet. The rest of the packet's stated size is
/// zeros, which ns-3 counts but does not store.
class NdnHeader : public Header
{
  public:
    enum Kind : uint8_t
    {
        INTEREST = 5,
        DATA = 6
    };

    static constexpr uint32_t DATA_SIZE = 1 + 4 + 8;
    static constexpr uint32_t INTEREST_SIZE = DATA_SIZE + 4;

    NdnHeader() = default;

    static NdnHeader Interest(Name name, uint32_t nonce)
    {
        return NdnHeader(INTEREST, name, nonce);
    }

    static NdnHeader Data(Name name)
    {
        return NdnHeader(DATA, name, 0);
    }

    static TypeId GetTypeId()
    {
        static TypeId id = TypeId("windtunnel::NdnHeader")
                               .SetParent<Header>()
                               .AddConstructor<NdnHeader>();
        return id;
    }

    TypeId GetInstanceTypeId() const override
    {
        return GetTypeId();
    }

    uint32_t GetSerializedSize() const override
    {
        return kind == INTEREST ? INTEREST_SIZE : DATA_SIZE;
    }

    void Serialize(Buffer::Iterator at) const override
    {
        at.WriteU8(kind);
        at.WriteHtonU32(name.prefix);
        at.WriteHtonU64(name.segment);
        if (kind == INTEREST)
        {
            at.WriteHtonU32(nonce);
        }
    }

    uint32_t Deserialize(Buffer::Iterator at) override
    {
        kind = static_cast<Kind>(at.ReadU8());
        name.prefix = at.ReadNtohU32();
        name.segment = at.ReadNtohU64();
        nonce = kind == INTEREST ? at.ReadNtohU32() : 0;
        return GetSerializedSize();
    }

    void Print(std::ostream& out) const override
    {
        out << (kind == INTEREST ? "Interest" : "Data") << " /" << name.prefix << "/"
            << name.segment;
    }

    Kind kind = INTEREST;
    Name name;
    uint32_t nonce = 0;

  private:
    NdnHeader(Kind kind, Name name, uint32_t nonce)
        : kind(kind),
          name(name),
          nonce(nonce)
    {
    }
};

/// A packet of `size` bytes, PPP's two not among them.
Ptr<Packet>
MakePacket(const NdnHeader& header, uint32_t size)
{
    Ptr<Packet> packet = Create<Packet>(size - header.GetSerializedSize());
    packet->AddHeader(header);
    return packet;
}

// --------------------------------------------------------------- forwarder

/// A way out of a forwarder: the index of a device on the node, or `LOCAL`.
using Face = uint32_t;

/// The node's one application.
constexpr Face LOCAL = UINT32_MAX;

class Forwarder : public Object
{
  public:
    using Deliver = std::function<void(const NdnHeader&)>;

    static TypeId GetTypeId()
    {
        static TypeId id = TypeId("windtunnel::Forwarder").SetParent<Object>();
        return id;
    }

    explicit Forwarder(Counters& counters)
        : m_counters(counters)
    {
    }

    Face AddDevice(Ptr<PointToPointNetDevice> device)
    {
        device->SetReceiveCallback(MakeCallback(&Forwarder::ReceiveFromDevice, this));
        m_devices.push_back(device);
        m_broadcast = device->GetBroadcast();
        return m_devices.size() - 1;
    }

    void AddRoute(uint32_t prefix, Face face)
    {
        m_fib[prefix] = face;
    }

    /// Hands the application whatever leaves by `LOCAL`.
    void SetApplication(Deliver deliver)
    {
        m_deliver = std::move(deliver);
    }

    /// An Interest from this node's application.
    void SendInterest(const NdnHeader& header, Ptr<Packet> packet)
    {
        if (const auto face = AcceptInterest(LOCAL, header))
        {
            Transmit(*face, packet);
        }
    }

    /// Satisfies the pending Interest: the Data goes wherever that came from.
    void ForwardData(const NdnHeader& header, Ptr<const Packet> packet)
    {
        const auto found = m_pit.find(header.name);
        if (found == m_pit.end())
        {
            ++m_counters.drops;
            return;
        }
        // Erased first, because the application may answer with an Interest.
        const PitEntry entry = std::move(found->second);
        m_pit.erase(found);
        SendDataTo(entry.first.face, header, packet);
        for (const InRecord& record : entry.others)
        {
            SendDataTo(record.face, header, packet);
        }
    }

  private:
    struct InRecord
    {
        Face face;
        uint32_t nonce;
    };

    /// The first record is inline: most entries never have another.
    struct PitEntry
    {
        InRecord first;
        std::vector<InRecord> others;
    };

    bool ReceiveFromDevice(Ptr<NetDevice> device,
                           Ptr<const Packet> packet,
                           uint16_t /* protocol */,
                           const Address& /* from */)
    {
        ++m_counters.packetHops;
        NdnHeader header;
        packet->PeekHeader(header);
        if (header.kind == NdnHeader::DATA)
        {
            ForwardData(header, packet);
        }
        else if (const auto face = AcceptInterest(device->GetIfIndex(), header))
        {
            if (*face == LOCAL)
            {
                m_deliver(header);
            }
            else
            {
                Transmit(*face, packet->Copy());
            }
        }
        return true;
    }

    /// Records the Interest in the PIT and looks up where it goes next;
    /// nowhere if it was aggregated or dropped.
    std::optional<Face> AcceptInterest(Face from, const NdnHeader& header)
    {
        const InRecord arrival{from, header.nonce};
        const auto [found, isNew] = m_pit.try_emplace(header.name, PitEntry{arrival, {}});
        if (!isNew && !AggregateInto(found->second, arrival))
        {
            return std::nullopt;
        }
        const auto route = m_fib.find(header.name.prefix);
        if (route == m_fib.end())
        {
            ++m_counters.drops;
            return std::nullopt;
        }
        return route->second;
    }

    /// Aggregates an Interest into the pending entry of its name. True if it is
    /// to be forwarded all the same: a face asks again, with a new nonce.
    bool AggregateInto(PitEntry& entry, InRecord arrival)
    {
        InRecord* sameFace = nullptr;
        const auto repeatsNonce = [&](InRecord& record) {
            if (record.face == arrival.face)
            {
                sameFace = &record;
            }
            return record.nonce == arrival.nonce;
        };
        bool looped = repeatsNonce(entry.first);
        for (InRecord& record : entry.others)
        {
            looped |= repeatsNonce(record);
        }
        if (looped)
        {
            ++m_counters.drops;
            return false;
        }
        if (sameFace)
        {
            sameFace->nonce = arrival.nonce;
            return true;
        }
        entry.others.push_back(arrival);
        return false;
    }

    void SendDataTo(Face face, const NdnHeader& header, const Ptr<const Packet>& packet)
    {
        if (face == LOCAL)
        {
            m_deliver(header);
        }
        else
        {
            Transmit(face, packet->Copy());
        }
    }

    void Transmit(Face face, const Ptr<Packet>& packet)
    {
        if (!m_devices[face]->Send(packet, m_broadcast, NDN_ETHERTYPE))
        {
            ++m_counters.drops;
        }
    }

    void DoDispose() override
    {
        m_devices.clear();
        m_deliver = nullptr;
        Object::DoDispose();
    }

    Counters& m_counters;
    std::vector<Ptr<PointToPointNetDevice>> m_devices;
    Address m_broadcast;
    std::unordered_map<uint32_t, Face> m_fib;
    std::unordered_map<Name, PitEntry, NameHash> m_pit;
    Deliver m_deliver;
};

// --------------------------------------------------------------- endpoints

/// Keeps `window` Interests in flight: each Data sends the next Interest.
class Consumer : public Application
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId id = TypeId("windtunnel::Consumer").SetParent<Application>();
        return id;
    }

    Consumer(Ptr<Forwarder> forwarder,
             Counters& counters,
             uint32_t prefix,
             uint32_t window,
             uint32_t interestSize)
        : m_forwarder(forwarder),
          m_counters(counters),
          m_prefix(prefix),
          m_window(window),
          m_interestSize(interestSize),
          m_nonces(prefix + 1)
    {
        forwarder->SetApplication([this](const NdnHeader&) {
            ++m_counters.dataReceived;
            SendNext();
        });
    }

  private:
    void StartApplication() override
    {
        for (uint32_t i = 0; i < m_window; ++i)
        {
            SendNext();
        }
    }

    void SendNext()
    {
        const auto header = NdnHeader::Interest({m_prefix, m_nextSegment++}, m_nonces());
        m_forwarder->SendInterest(header, MakePacket(header, m_interestSize));
    }

    void DoDispose() override
    {
        m_forwarder = nullptr;
        Application::DoDispose();
    }

    Ptr<Forwarder> m_forwarder;
    Counters& m_counters;
    uint32_t m_prefix;
    uint32_t m_window;
    uint32_t m_interestSize;
    uint64_t m_nextSegment = 0;
    /// A nonce only has to differ: a cheap generator will do.
    std::minstd_rand m_nonces;
};

/// Answers each Interest at once.
class Producer : public Application
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId id = TypeId("windtunnel::Producer").SetParent<Application>();
        return id;
    }

    Producer(Ptr<Forwarder> forwarder, uint32_t prefix, uint32_t dataSize)
        : m_forwarder(forwarder),
          m_dataSize(dataSize)
    {
        forwarder->AddRoute(prefix, LOCAL);
        forwarder->SetApplication([this](const NdnHeader& interest) {
            const auto header = NdnHeader::Data(interest.name);
            m_forwarder->ForwardData(header, MakePacket(header, m_dataSize));
        });
    }

  private:
    void DoDispose() override
    {
        m_forwarder = nullptr;
        Application::DoDispose();
    }

    Ptr<Forwarder> m_forwarder;
    uint32_t m_dataSize;
};

// ----------------------------------------------------------------- network

/// What a Data's size has of content, which is what the consumer wants.
constexpr uint32_t PAYLOAD_BYTES = 1024;

/// Sizes are those of the network layer; PPP adds 2 bytes on every link.
struct Options
{
    uint32_t interestSize = 46;
    uint32_t dataSize = PAYLOAD_BYTES + 75;
    uint32_t paths = 1000;
};

struct LinkSpec
{
    DataRate rate;
    Time delay;
    /// Of the queue in front of the link, the same in both directions.
    uint32_t queuePackets;
};

class Network
{
  public:
    Network(const Options& options, Counters& counters)
        : m_options(options),
          m_counters(counters)
    {
    }

    Ptr<Node> AddNode()
    {
        Ptr<Node> node = CreateObject<Node>();
        node->AggregateObject(CreateObject<Forwarder>(m_counters));
        return node;
    }

    /// Joins two nodes; the answer is the face of `near` that leads to `far`.
    Face Connect(Ptr<Node> near, Ptr<Node> far, const LinkSpec& link)
    {
        Ptr<PointToPointChannel> channel = CreateObject<PointToPointChannel>();
        channel->SetAttribute("Delay", TimeValue(link.delay));
        const Face face = Attach(near, channel, link);
        Attach(far, channel, link);
        return face;
    }

    void Route(Ptr<Node> node, uint32_t prefix, Face face)
    {
        node->GetObject<Forwarder>()->AddRoute(prefix, face);
    }

    void AddConsumer(Ptr<Node> node, uint32_t prefix, uint32_t window)
    {
        node->AddApplication(CreateObject<Consumer>(node->GetObject<Forwarder>(),
                                                    m_counters,
                                                    prefix,
                                                    window,
                                                    m_options.interestSize));
    }

    void AddProducer(Ptr<Node> node, uint32_t prefix)
    {
        node->AddApplication(
            CreateObject<Producer>(node->GetObject<Forwarder>(), prefix, m_options.dataSize));
    }

    /// consumer – router – router – producer, of three equal links.
    void AddPath(uint32_t prefix, uint32_t window, const LinkSpec& link)
    {
        Ptr<Node> node = AddNode();
        AddConsumer(node, prefix, window);
        for (int hop = 0; hop < 3; ++hop)
        {
            Ptr<Node> next = AddNode();
            Route(node, prefix, Connect(node, next, link));
            node = next;
        }
        AddProducer(node, prefix);
    }

  private:
    Face Attach(Ptr<Node> node, Ptr<PointToPointChannel> channel, const LinkSpec& link)
    {
        Ptr<DropTailQueue<Packet>> queue = CreateObject<DropTailQueue<Packet>>();
        queue->SetMaxSize(QueueSize(QueueSizeUnit::PACKETS, link.queuePackets));
        Ptr<PointToPointNetDevice> device = CreateObject<PointToPointNetDevice>();
        device->SetAddress(Mac48Address::Allocate());
        device->SetDataRate(link.rate);
        device->SetQueue(queue);
        device->Attach(channel);
        node->AddDevice(device);
        // After the node, which installs a receive callback of its own.
        return node->GetObject<Forwarder>()->AddDevice(device);
    }

    const Options& m_options;
    Counters& m_counters;
};

// --------------------------------------------------------------- workloads

DataRate
Mbps(uint64_t value)
{
    return DataRate(value * 1000000);
}

void
BuildChain(const Options& options, Counters& counters)
{
    Network(options, counters).AddPath(0, 1500, {Mbps(1000), MilliSeconds(2), 2000});
}

/// C1..C6 – R1 – R2 – P1..P6; consumer i asks producer i for its own content.
void
BuildDumbbell(const Options& options, Counters& counters)
{
    constexpr uint32_t PAIRS = 6;
    constexpr uint32_t QUEUE_PACKETS = 1000;
    constexpr uint32_t WINDOW = 60;
    constexpr int CONSUMER_DELAY_MS[PAIRS] = {1, 10, 15, 20, 25, 30};
    constexpr int PRODUCER_DELAY_MS[PAIRS] = {10, 10, 5, 5, 1, 1};
    constexpr int PRODUCER_RATE_MBPS[PAIRS] = {20, 10, 20, 10, 20, 10};

    Network network(options, counters);
    Ptr<Node> left = network.AddNode();
    Ptr<Node> right = network.AddNode();
    const Face bottleneck =
        network.Connect(left, right, {Mbps(50), MilliSeconds(15), QUEUE_PACKETS});

    for (uint32_t i = 0; i < PAIRS; ++i)
    {
        Ptr<Node> consumer = network.AddNode();
        Ptr<Node> producer = network.AddNode();
        const LinkSpec consumerLink{Mbps(100), MilliSeconds(CONSUMER_DELAY_MS[i]), QUEUE_PACKETS};
        const LinkSpec producerLink{Mbps(PRODUCER_RATE_MBPS[i]),
                                    MilliSeconds(PRODUCER_DELAY_MS[i]),
                                    QUEUE_PACKETS};
        network.Route(consumer, i, network.Connect(consumer, left, consumerLink));
        network.Route(left, i, bottleneck);
        network.Route(right, i, network.Connect(right, producer, producerLink));
        network.AddConsumer(consumer, i, WINDOW);
        network.AddProducer(producer, i);
    }
}

void
BuildDisjoint(const Options& options, Counters& counters)
{
    Network network(options, counters);
    for (uint32_t path = 0; path < options.paths; ++path)
    {
        network.AddPath(path, 40, {Mbps(10), MilliSeconds(5), 100});
    }
}

struct Workload
{
    const char* name;
    double defaultDurationSeconds;
    void (*build)(const Options&, Counters&);
};

constexpr Workload WORKLOADS[] = {
    {"ndn-chain", 30, BuildChain},
    {"ndn-dumbbell", 30, BuildDumbbell},
    {"ndn-disjoint-1000", 10, BuildDisjoint},
};

// -------------------------------------------------------------------- main

/// The point-to-point device states this MTU and does not enforce it.
constexpr uint32_t MTU = 1500;

/// Keeps a slip of the keyboard from filling the memory.
constexpr uint32_t MAX_PATHS = 100000;

int
Refuse(const std::string& message)
{
    std::cerr << "ndn_workloads: " << message << "\n";
    return 2;
}

} // namespace

int
main(int argc, char* argv[])
{
    Options options;
    const std::string workloadNames = windtunnel::NamesOf(WORKLOADS);

    windtunnel::ChooseScheduler();
    std::string workloadName;
    double durationSeconds = 0;
    CommandLine arguments;
    arguments.AddValue("workload", workloadNames, workloadName);
    arguments.AddValue("duration",
                       "simulated seconds; 0 takes the workload's own",
                       durationSeconds);
    arguments.AddValue("interest-size", "bytes of an Interest, without PPP", options.interestSize);
    arguments.AddValue("data-size", "bytes of a Data, without PPP", options.dataSize);
    arguments.AddValue("paths", "paths of ndn-disjoint-1000", options.paths);
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
    const auto outside = [](uint32_t value, uint32_t least, uint32_t most) {
        return value < least || value > most;
    };
    if (outside(options.interestSize, NdnHeader::INTEREST_SIZE, MTU))
    {
        return Refuse("--interest-size must be from " + std::to_string(NdnHeader::INTEREST_SIZE) +
                      " to " + std::to_string(MTU));
    }
    if (outside(options.dataSize, NdnHeader::DATA_SIZE, MTU))
    {
        return Refuse("--data-size must be from " + std::to_string(NdnHeader::DATA_SIZE) + " to " +
                      std::to_string(MTU));
    }
    if (outside(options.paths, 1, MAX_PATHS))
    {
        return Refuse("--paths must be from 1 to " + std::to_string(MAX_PATHS));
    }

    Counters counters;
    const auto run = windtunnel::BuildAndRun([&] { workload->build(options, counters); },
                                             durationSeconds);
    windtunnel::PrintRun(workload->name,
                         run,
                         {counters.packetHops,
                          counters.dataReceived * PAYLOAD_BYTES,
                          counters.drops});
    Simulator::Destroy();

    if (counters.drops != 0)
    {
        std::cerr << "ndn_workloads: " << counters.drops
                  << " packets were dropped where none should be\n";
        return 1;
    }
    return 0;
}
