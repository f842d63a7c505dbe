// ns-3's controllers and recovery, each of its habits taken away by a flag, on the
// network of the comparison: what a difference is due to.
//
// Without a flag it gives the goodput and drop rate of reference.json to the last
// digit, and its queue within 0.1 %, where there is no random loss. It needs ns-3.44 and C++20, for instance
//
//   pip install ns3==3.44.post0
//   g++ -std=c++20 -O2 -I.../ns3/include variants.cc -o variants -L.../ns3/lib64
//       -lns3.44-core -lns3.44-network -lns3.44-internet -lns3.44-point-to-point
//       -lns3.44-applications -lns3.44-traffic-control -lns3.44-stats
//       -Wl,-rpath,.../ns3/lib64 -Wl,--unresolved-symbols=ignore-in-shared-libs
//
//   variants --controller=TcpCubic --rate=10 --delay=8 --buffer=33 --countOnce=1
//
// Attributes of ns-3's own are set as --ns3::TcpBic::SmoothPart=20.

#include <algorithm>
#include <any>
#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <fstream>
#include <functional>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <sstream>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

// What is private there must be put right here.
#define private public
#define protected public
#include <ns3/tcp-bbr.h>
#include <ns3/tcp-rate-ops.h>
#include <ns3/tcp-socket-base.h>
#include <ns3/tcp-veno.h>
#include <ns3/tcp-westwood-plus.h>
#undef private
#undef protected

#include <ns3/applications-module.h>
#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/network-module.h>
#include <ns3/point-to-point-module.h>
#include <ns3/traffic-control-module.h>

using namespace ns3;

namespace
{

// ------------------------------------------------------------------ changes

bool g_measuredRtt = false;     // controllers get the last round trip, not the smoothed one
bool g_bySegments = false;      // the window grows for each segment, not each acknowledgement
bool g_noExitGrowth = false;    // nothing grows by the acknowledgement that ends a recovery
bool g_window = false;          // the decrease is a share of the window, not of the pipe
bool g_halve = false;           // any decrease halves the window
bool g_keepRounds = false;      // the controller does not hear of recoveries
bool g_kelly = false;           // Scalable: Kelly's rules from 16 segments on, Reno's below
bool g_venoRounds = false;      // Veno: it has the samples that it asks for
bool g_ackedOnce = false;       // Westwood+: recovery's end does not count segments again
bool g_samplesExact = false;    // Westwood+: the first acknowledgement is before the sample
bool g_linuxWestwood = false;   // Westwood+: halved until the loss is repaired

bool g_freshSamples = false;    // BBR: no sample keeps the interval of the one before
bool g_linuxQuantum = false;    // BBR: a quantum is a millisecond of the rate, two segments or more

/// Rate samples that each begin anew.
class FreshSamples : public TcpRateLinux
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId id = TypeId("ns3::FreshSamples")
                               .SetParent<TcpRateLinux>()
                               .AddConstructor<FreshSamples>();
        return id;
    }

    const TcpRateSample& GenerateSample(uint32_t delivered,
                                        uint32_t lost,
                                        bool reneged,
                                        uint32_t inFlight,
                                        const Time& minRtt) override
    {
        m_given = TcpRateLinux::GenerateSample(delivered, lost, reneged, inFlight, minRtt);
        m_rateSample.m_priorDelivered = 0;
        m_rateSample.m_priorTime = Time(0);
        return m_given;
    }

  private:
    TcpRateSample m_given;
};

template <class Base>
class Changed : public Base
{
  public:
    static TypeId GetTypeId()
    {
        const auto name = "ns3::Changed" + Base::GetTypeId().GetName().substr(5);
        static TypeId id =
            TypeId(name).SetParent<Base>().template AddConstructor<Changed<Base>>();
        return id;
    }

    void PktsAcked(Ptr<TcpSocketState> tcb, uint32_t segments, const Time& rtt) override
    {
        if (g_ackedOnce && tcb->m_congState == TcpSocketState::CA_RECOVERY)
        {
            segments = std::min(segments, 1U);
        }
        bool starts = false;
        if constexpr (std::is_same_v<Base, TcpWestwoodPlus>)
        {
            starts = g_samplesExact && !this->m_IsCount;
        }
        Base::PktsAcked(tcb, segments, g_measuredRtt ? Last(tcb, rtt) : rtt);
        if constexpr (std::is_same_v<Base, TcpWestwoodPlus>)
        {
            this->m_ackedSegments -= starts ? segments : 0;
        }
    }

    void CongestionStateSet(Ptr<TcpSocketState> tcb,
                            const TcpSocketState::TcpCongState_t state) override
    {
        const bool recovers = tcb->m_congState == TcpSocketState::CA_RECOVERY;
        m_skip = g_noExitGrowth && state == TcpSocketState::CA_OPEN && recovers;
        if (!g_keepRounds || state == TcpSocketState::CA_LOSS)
        {
            Base::CongestionStateSet(tcb, state);
        }
    }

    void CwndEvent(Ptr<TcpSocketState> tcb, const TcpSocketState::TcpCAEvent_t event) override
    {
        if (g_linuxWestwood && event == TcpSocketState::CA_EVENT_COMPLETE_CWR)
        {
            tcb->m_ssThresh = Base::GetSsThresh(tcb, 0);
        }
        Base::CwndEvent(tcb, event);
    }

    void CongControl(Ptr<TcpSocketState> tcb,
                     const TcpRateOps::TcpRateConnection& connection,
                     const TcpRateOps::TcpRateSample& sample) override
    {
        if constexpr (std::is_same_v<Base, TcpBbr>)
        {
            if (g_linuxQuantum)
            {
                this->m_delivered = connection.m_delivered;
                this->UpdateModelAndState(tcb, sample);
                this->SetPacingRate(tcb, this->m_pacingGain);
                const double bytes = tcb->m_pacingRate.Get().GetBitRate() / 8e3;
                const double segments = bytes / tcb->m_segmentSize;
                this->m_sendQuantum = std::clamp(segments, 2.0, 45.0) * tcb->m_segmentSize;
                this->SetCwnd(tcb, sample);
                return;
            }
        }
        Base::CongControl(tcb, connection, sample);
    }

    void IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t segments) override
    {
        if (m_skip)
        {
            m_skip = false;
            return;
        }
        const bool avoids = tcb->m_cWnd >= tcb->m_ssThresh;
        if (g_kelly && avoids && tcb->GetCwndInSegments() >= 16)
        {
            m_acked += segments;
            tcb->m_cWnd += m_acked / 100 * tcb->m_segmentSize;
            m_acked %= 100;
            return;
        }
        const uint32_t times = g_bySegments || (g_venoRounds && avoids) ? segments : 1;
        for (uint32_t i = 0; i < times; ++i)
        {
            if constexpr (std::is_same_v<Base, TcpVeno>)
            {
                if (g_venoRounds)
                {
                    this->m_cntRtt = 3;
                    this->m_minRtt = Last(tcb, tcb->m_srtt);
                    this->m_baseRtt = std::min(this->m_baseRtt, this->m_minRtt);
                }
            }
            Base::IncreaseWindow(tcb, times > 1 ? 1 : segments);
        }
    }

    uint32_t GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t pipe) override
    {
        const uint32_t window = tcb->m_cWnd;
        if (pipe == 0) // Vegas asks for itself.
        {
            return Base::GetSsThresh(tcb, pipe);
        }
        if (g_kelly)
        {
            const uint32_t segments = tcb->GetCwndInSegments();
            const uint32_t kept = segments * (segments < 16 ? 0.5 : 0.875);
            return std::max(2U, kept) * tcb->m_segmentSize;
        }
        if (g_halve || g_linuxWestwood)
        {
            return std::max(2 * tcb->m_segmentSize, window / 2);
        }
        return Base::GetSsThresh(tcb, g_window ? window : pipe);
    }

    Ptr<TcpCongestionOps> Fork() override
    {
        return CopyObject<Changed<Base>>(this);
    }

  private:
    static Time Last(Ptr<TcpSocketState> tcb, const Time& otherwise)
    {
        const Time last = tcb->m_lastRtt;
        return last.IsZero() ? otherwise : last;
    }

    bool m_skip = false;
    uint32_t m_acked = 0;
};

/// Proportional rate reduction that counts what SACK reports once.
class CountingOnce : public TcpPrrRecovery
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId id = TypeId("ns3::CountingOnce")
                               .SetParent<TcpPrrRecovery>()
                               .AddConstructor<CountingOnce>();
        return id;
    }

    void DoRecovery(Ptr<TcpSocketState> tcb, uint32_t delivered, bool) override
    {
        TcpPrrRecovery::DoRecovery(tcb, delivered, false);
    }

    Ptr<TcpRecoveryOps> Fork() override
    {
        return CopyObject<CountingOnce>(this);
    }
};

template <class... Bases>
void
Register()
{
    (Changed<Bases>::GetTypeId(), ...);
}

// ------------------------------------------------------------- measurement

double g_warmup = 10;
uint64_t g_dropped = 0;
uint64_t g_sent = 0;
uint64_t g_before = 0;
uint32_t g_waiting = 0;
double g_since = 0;
double g_waited = 0;

bool
Counts()
{
    return Simulator::Now().GetSeconds() > g_warmup;
}

void
NoteWaiting(uint32_t, uint32_t packets)
{
    const double now = Simulator::Now().GetSeconds();
    g_waited += Counts() ? g_waiting * (now - std::max(g_since, g_warmup)) : 0;
    g_since = now;
    g_waiting = packets;
}

} // namespace

int
main(int argc, char** argv)
{
    double rate = 10;
    double delay = 8;
    double loss = 0;
    double duration = 60;
    double minimumTimeout = 0.2;
    double startWithin = 0;
    uint32_t flows = 1;
    uint32_t buffer = 8;
    uint32_t acknowledgeEvery = 2;
    uint32_t seed = 1;
    bool countOnce = false;
    std::string controller = "TcpNewReno";
    std::string discipline;

    Register<TcpBbr, TcpBic, TcpCubic, TcpIllinois, TcpLinuxReno, TcpNewReno>();
    Register<TcpScalable, TcpVegas, TcpVeno, TcpWestwoodPlus>();
    CountingOnce::GetTypeId();
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(64 << 20));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(64 << 20));
    Config::SetDefault("ns3::TcpSocket::DelAckTimeout", TimeValue(MilliSeconds(40)));
    CommandLine command;
    command.AddValue("controller", "such as TcpCubic, or ChangedTcpCubic", controller);
    command.AddValue("rate", "bottleneck, Mbps", rate);
    command.AddValue("delay", "bottleneck, ms", delay);
    command.AddValue("buffer", "packets", buffer);
    command.AddValue("loss", "probability", loss);
    command.AddValue("duration", "s", duration);
    command.AddValue("minimumTimeout", "s", minimumTimeout);
    command.AddValue("acknowledgeEvery", "segments", acknowledgeEvery);
    command.AddValue("seed", "of the losses", seed);
    command.AddValue("flows", "from the same sender", flows);
    command.AddValue("startWithin", "s, after which all flows have begun", startWithin);
    command.AddValue("warmup", "s, not measured", g_warmup);
    command.AddValue("discipline", "such as FqCoDelQueueDisc, with ECN", discipline);
    command.AddValue("countOnce", "recovery counts segments once", countOnce);
    command.AddValue("measuredRtt", "", g_measuredRtt);
    command.AddValue("bySegments", "", g_bySegments);
    command.AddValue("noExitGrowth", "", g_noExitGrowth);
    command.AddValue("window", "", g_window);
    command.AddValue("halve", "", g_halve);
    command.AddValue("keepRounds", "", g_keepRounds);
    command.AddValue("kelly", "", g_kelly);
    command.AddValue("venoRounds", "", g_venoRounds);
    command.AddValue("ackedOnce", "", g_ackedOnce);
    command.AddValue("samplesExact", "", g_samplesExact);
    command.AddValue("linuxWestwood", "", g_linuxWestwood);
    command.AddValue("freshSamples", "", g_freshSamples);
    command.AddValue("linuxQuantum", "", g_linuxQuantum);
    command.Parse(argc, argv);

    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(acknowledgeEvery));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(Seconds(minimumTimeout)));
    Config::SetDefault("ns3::TcpL4Protocol::SocketType",
                       TypeIdValue(TypeId::LookupByName("ns3::" + controller)));
    if (countOnce)
    {
        Config::SetDefault("ns3::TcpL4Protocol::RecoveryType",
                           TypeIdValue(CountingOnce::GetTypeId()));
    }
    RngSeedManager::SetRun(seed);

    NodeContainer nodes;
    nodes.Create(4);
    PointToPointHelper access;
    access.SetDeviceAttribute("DataRate", StringValue("10Gbps"));
    access.SetChannelAttribute("Delay", StringValue("1ms"));
    access.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue("100000p"));
    PointToPointHelper bottleneck;
    bottleneck.SetDeviceAttribute("DataRate", DataRateValue(DataRate(uint64_t(rate * 1e6))));
    bottleneck.SetChannelAttribute("Delay", TimeValue(Seconds(delay / 1e3)));
    bottleneck.SetQueue("ns3::DropTailQueue<Packet>",
                        "MaxSize",
                        StringValue(discipline.empty() ? std::to_string(buffer) + "p" : "1p"));
    const auto in = access.Install(nodes.Get(0), nodes.Get(1));
    const auto middle = bottleneck.Install(nodes.Get(1), nodes.Get(2));
    const auto out = access.Install(nodes.Get(2), nodes.Get(3));
    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    addresses.Assign(in);
    addresses.NewNetwork();
    addresses.Assign(middle);
    addresses.NewNetwork();
    const auto receiver = addresses.Assign(out).GetAddress(1);
    for (const auto& devices : {in, middle, out})
    {
        TrafficControlHelper().Uninstall(devices);
    }
    Ptr<QueueDisc> disc;
    if (!discipline.empty())
    {
        Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue("On"));
        TrafficControlHelper helper;
        helper.SetRootQueueDisc("ns3::" + discipline,
                                "MaxSize",
                                StringValue(std::to_string(buffer) + "p"),
                                "UseEcn",
                                BooleanValue(true));
        disc = helper.Install(middle.Get(0)).Get(0);
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    if (loss > 0)
    {
        auto model = CreateObject<RateErrorModel>();
        model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        model->SetRate(loss);
        middle.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(model));
    }

    // A device that is full stops the layer above, which drops.
    nodes.Get(1)->GetObject<TrafficControlLayer>()->TraceConnectWithoutContext(
        "TcDrop",
        Callback<void, Ptr<const Packet>>([](Ptr<const Packet>) { g_dropped += Counts(); }));
    const auto queue = DynamicCast<PointToPointNetDevice>(middle.Get(0))->GetQueue();
    queue->TraceConnectWithoutContext(
        "Dequeue",
        Callback<void, Ptr<const Packet>>([](Ptr<const Packet>) { g_sent += Counts(); }));
    const Ptr<Object> waiting = disc ? Ptr<Object>(disc) : Ptr<Object>(queue);
    waiting->TraceConnectWithoutContext("PacketsInQueue", MakeCallback(&NoteWaiting));

    ApplicationContainer sinks;
    const auto starts = CreateObject<UniformRandomVariable>();
    for (uint16_t port = 5000; port < 5000 + flows; ++port)
    {
        PacketSinkHelper sink("ns3::TcpSocketFactory",
                              InetSocketAddress(Ipv4Address::GetAny(), port));
        sinks.Add(sink.Install(nodes.Get(3)));
        BulkSendHelper source("ns3::TcpSocketFactory", InetSocketAddress(receiver, port));
        source.SetAttribute("SendSize", UintegerValue(14480));
        const auto sender = source.Install(nodes.Get(0));
        const Time start = Seconds(starts->GetValue(0, startWithin));
        sender.Start(start);
        if (g_freshSamples)
        {
            Simulator::Schedule(start + NanoSeconds(1), [sender] {
                const auto application = DynamicCast<BulkSendApplication>(sender.Get(0));
                const auto socket = DynamicCast<TcpSocketBase>(application->GetSocket());
                socket->m_rateOps = CreateObject<FreshSamples>();
            });
        }
    }
    const auto received = [&sinks] {
        uint64_t bytes = 0;
        for (uint32_t at = 0; at < sinks.GetN(); ++at)
        {
            bytes += DynamicCast<PacketSink>(sinks.Get(at))->GetTotalRx();
        }
        return bytes;
    };

    Simulator::Schedule(Seconds(g_warmup), [&] { g_before = received(); });
    Simulator::Stop(Seconds(duration));
    Simulator::Run();
    const double bits = (received() - g_before) * 8.0;
    std::cout << "goodput_mbps " << bits / (duration - g_warmup) / 1e6 << "\n"
              << "drop_rate " << double(g_dropped) / (g_dropped + g_sent) << "\n"
              << "queue_delay_ms " << g_waited / g_sent * 1e3 << "\n";
    Simulator::Destroy();
}
