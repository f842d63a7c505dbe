// What the programs of this folder share: workloads found by name, the measured
// run, the JSON document.

#ifndef WINDTUNNEL_MEASURED_RUN_H
#define WINDTUNNEL_MEASURED_RUN_H

#include <ns3/global-value.h>
#include <ns3/nstime.h>
#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/version.h>

#include <sys/resource.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

namespace windtunnel
{

/// The names in a program's table of workloads, for its messages.
template <typename Workload, std::size_t COUNT>
std::string
NamesOf(const Workload (&workloads)[COUNT])
{
    std::string names;
    for (const Workload& workload : workloads)
    {
        names += (names.empty() ? "" : ", ") + std::string(workload.name);
    }
    return names;
}

/// The workload of a name, or nothing.
template <typename Workload, std::size_t COUNT>
const Workload*
FindWorkload(const Workload (&workloads)[COUNT], const std::string& name)
{
    for (const Workload& workload : workloads)
    {
        if (name == workload.name)
        {
            return &workload;
        }
    }
    return nullptr;
}

/// Takes the fastest of ns-3's schedulers on these workloads (README.md), unless
/// ns-3's own option --SchedulerType says otherwise.
inline void
ChooseScheduler()
{
    ns3::GlobalValue::Bind("SchedulerType", ns3::StringValue("ns3::PriorityQueueScheduler"));
}

inline bool
IsPositive(double seconds)
{
    return seconds > 0 && std::isfinite(seconds);
}

/// User and system time of this process so far.
inline double
CpuSeconds()
{
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) { return time.tv_sec + time.tv_usec * 1e-6; };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

inline uint64_t
PeakResidentBytes()
{
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return uint64_t(usage.ru_maxrss) * 1024;
}

struct Counted
{
    /// Packets that crossed one queue and one link, counted on arrival.
    uint64_t packetHops;
    /// Of content, at the applications that wanted it.
    uint64_t receivedBytes;
    uint64_t drops;
};

struct MeasuredRun
{
    double durationSeconds;
    double setupCpuSeconds;
    /// Of `Simulator::Run` alone.
    double cpuSeconds;
};

/// Builds a network and runs it. `Simulator::Destroy` is left to the caller.
template <typename Build>
MeasuredRun
BuildAndRun(Build build, double durationSeconds)
{
    const double started = CpuSeconds();
    build();
    ns3::Simulator::Stop(ns3::Seconds(durationSeconds));
    const double built = CpuSeconds();
    ns3::Simulator::Run();
    return {durationSeconds, built - started, CpuSeconds() - built};
}

/// Prints the JSON document.
inline void
PrintRun(const char* workload, const MeasuredRun& run, const Counted& counted)
{
    ns3::StringValue scheduler;
    ns3::GlobalValue::GetValueByName("SchedulerType", scheduler);
    std::printf("{\"simulator\":\"ns-3\",\"version\":\"%u.%u\",\"workload\":\"%s\","
                "\"duration_s\":%g,\"packet_hops\":%llu,\"cpu_s\":%.6f,\"setup_cpu_s\":%.6f,"
                "\"packet_hops_per_cpu_s\":%.0f,\"peak_rss_bytes\":%llu,\"events\":%llu,"
                "\"goodput_bps\":%.0f,\"drops\":%llu,\"scheduler\":\"%s\"}\n",
                ns3::Version::Major(),
                ns3::Version::Minor(),
                workload,
                run.durationSeconds,
                static_cast<unsigned long long>(counted.packetHops),
                run.cpuSeconds,
                run.setupCpuSeconds,
                run.cpuSeconds > 0 ? counted.packetHops / run.cpuSeconds : 0.0,
                static_cast<unsigned long long>(PeakResidentBytes()),
                static_cast<unsigned long long>(ns3::Simulator::GetEventCount()),
                counted.receivedBytes * 8 / run.durationSeconds,
                static_cast<unsigned long long>(counted.drops),
                scheduler.Get().c_str());
}

} // namespace windtunnel

#endif // WINDTUNNEL_MEASURED_RUN_H
