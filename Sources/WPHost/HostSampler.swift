// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization

/// Samples this machine: one ``HostSample`` from procfs, sysfs and a few system calls.
///
/// Groups of collectors run on queues of their own, so that slow hardware delays neither the processors' figures nor the
/// processes'. Rates are differences over the monotonic time that passed, so they need two samples.
public final class HostSampler: Sendable {
    private let groups: [HostSampleGroup: GroupSampler]
    private let latest = Mutex(HostSample())
    /// By group, the refresh that is under way.
    private let refreshes = Mutex<[HostSampleGroup: Task<Void, Never>]>([:])
    private let clock: HostClock

    /// Creates a sampler; nothing is read before the first sample.
    /// - Parameter configuration: what is read, and from where.
    public convenience init(_ configuration: HostConfiguration = HostConfiguration()) {
        self.init(configuration, clock: .system)
    }

    /// Creates a sampler with a clock of its own.
    package init(_ configuration: HostConfiguration, clock: HostClock) {
        self.clock = clock
        var groups: [HostSampleGroup: GroupSampler] = [:]
        for group in HostSampleGroup.allCases {
            groups[group] = GroupSampler(group, configuration)
        }
        self.groups = groups
    }

    /// The newest values of all groups.
    public var current: HostSample { latest.withLock { $0 } }

    /// Reads groups now, concurrently, and returns the newest values of all. It does not block its thread.
    @discardableResult
    public func sample(_ wanted: Set<HostSampleGroup> = Set(HostSampleGroup.allCases)) async -> HostSample {
        await withTaskGroup(of: Void.self) { tasks in
            for (group, sampler) in groups where wanted.contains(group) {
                tasks.addTask {
                    let part = await sampler.sample(self.clock.now)
                    self.latest.withLock { $0.take(group, from: part) }
                }
            }
        }
        return current
    }

    /// Reads those groups now of which the newest values are older than a time. Calls that come together share one sample.
    /// - Parameters:
    ///   - age: how old values may be.
    ///   - limit: how long this waits at most; a sample that takes longer goes on without it.
    package func refresh(
        _ wanted: Set<HostSampleGroup>,
        olderThan age: Duration,
        waitingAtMost limit: Duration
    ) async {
        let (now, times) = (clock.now().monotonic, current.times)
        let due = wanted.filter { group in times[group].map { now - $0.monotonic > age } ?? true }
        let samples = refreshes.withLock { refreshes in
            due.map { group in
                if let known = refreshes[group] { return known }
                let task = Task { [self] in
                    await sample([group])
                    self.refreshes.withLock { $0[group] = nil }
                }
                refreshes[group] = task
                return task
            }
        }
        guard !samples.isEmpty else { return }
        let (done, signal) = AsyncStream<Void>.makeStream()
        let waiting = Task {
            for sample in samples { await sample.value }
            signal.finish()
        }
        let timer = Task { [clock] in
            if (try? await clock.sleep(limit)) != nil { signal.finish() }
        }
        for await _ in done {}
        timer.cancel()
        waiting.cancel()
    }

    /// Samples each group at an interval of its own until the task is cancelled. When a sample takes longer than its
    /// interval, the intervals that it missed are skipped.
    /// - Parameters:
    ///   - cpu: the interval of the processors' figures.
    ///   - processes: the interval of the processes.
    ///   - system: the interval of everything else.
    ///   - onSample: called after each group's sample with the newest values of all; calls of two groups may overlap.
    public func run(
        cpu: Duration = .seconds(1),
        processes: Duration = .seconds(3),
        system: Duration = .seconds(5),
        onSample: @escaping @Sendable (HostSampleGroup, HostSample) -> Void = { _, _ in }
    ) async {
        let intervals: [HostSampleGroup: Duration] = [.cpu: cpu, .processes: processes, .system: system]
        await withTaskGroup(of: Void.self) { tasks in
            for (group, interval) in intervals {
                tasks.addTask { await self.run(group, every: max(interval, .milliseconds(10)), onSample) }
            }
        }
    }

    private func run(
        _ group: HostSampleGroup,
        every interval: Duration,
        _ onSample: @Sendable (HostSampleGroup, HostSample) -> Void
    ) async {
        var due = clock.now().monotonic
        while !Task.isCancelled {
            onSample(group, await sample([group]))
            let now = clock.now().monotonic
            due += interval
            if due < now { due += interval * Int(((now - due).inSeconds / interval.inSeconds).rounded(.up)) }
            guard (try? await clock.sleep(due - now)) != nil else { return }
        }
    }
}

/// Where a sampler takes the time from, so that tests can move it.
package struct HostClock: Sendable {
    package let now: @Sendable () -> HostTime
    package let sleep: @Sendable (Duration) async throws -> Void

    package init(
        now: @escaping @Sendable () -> HostTime,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.now = now
        self.sleep = sleep
    }

    private static let origin = ContinuousClock.now

    /// The system's clocks.
    package static let system = HostClock(
        now: { HostTime(wall: SystemCalls.wallTime, monotonic: origin.duration(to: .now)) },
        sleep: { try await Task.sleep(for: $0) }
    )
}

/// The collectors of one group, and the queue that they run on: what they do blocks.
private final class GroupSampler: Sendable {
    private struct State {
        var collectors: [any HostCollector]
        var context: CollectionContext
    }

    private let group: HostSampleGroup
    private let queue: DispatchQueue
    private let state: Mutex<State>

    init(_ group: HostSampleGroup, _ configuration: HostConfiguration) {
        self.group = group
        queue = DispatchQueue(label: "host-\(group.rawValue)")
        let collectors = HostCollectorName.allCases
            .filter { $0.group == group && configuration.collectors.contains($0) }
            .map { $0.collector(configuration) }
        state = Mutex(
            State(
                collectors: collectors,
                context: CollectionContext(configuration, now: HostTime(wall: 0, monotonic: .zero))
            )
        )
    }

    func sample(_ now: @escaping @Sendable () -> HostTime) async -> HostSample {
        await withCheckedContinuation { continuation in
            queue.async {
                continuation.resume(returning: self.sampleNow(now()))
            }
        }
    }

    private func sampleNow(_ now: HostTime) -> HostSample {
        state.withLock { state in
            var sample = HostSample()
            sample.time = now.wall
            sample.times[group] = now
            state.context.now = now
            for index in state.collectors.indices {
                state.collectors[index].collect(into: &sample, &state.context)
            }
            return sample
        }
    }
}

extension HostCollectorName {
    /// The collector of this name.
    func collector(_ configuration: HostConfiguration) -> any HostCollector {
        switch self {
        case .cpu: CPUCollector()
        case .cpufreq: CPUFrequencyCollector()
        case .cpuinfo: ProcessorCollector()
        case .stat: KernelCollector()
        case .loadavg: LoadCollector()
        case .meminfo: MemoryCollector()
        case .filesystem:
            FilesystemCollector(
                mountPoints: NameFilter(configuration.excludedMountPoints, included: configuration.includedMountPoints),
                types: NameFilter(
                    configuration.excludedFilesystemTypes,
                    included: configuration.includedFilesystemTypes
                )
            )
        case .diskstats:
            DiskCollector(NameFilter(configuration.excludedDisks, included: configuration.includedDisks))
        case .netdev:
            TrafficCollector(NameFilter(configuration.excludedTraffic, included: configuration.includedTraffic))
        case .netclass: InterfaceCollector(excluded: configuration.excludedInterfaces)
        case .addresses: AddressCollector()
        case .hwmon:
            SensorCollector(
                NameFilter(configuration.excludedChips, included: configuration.includedChips),
                sensors: NameFilter(configuration.excludedSensors, included: configuration.includedSensors)
            )
        case .thermalZone: ThermalCollector()
        case .pressure: PressureCollector()
        case .vmstat: VMStatCollector(configuration.includedVMStatFields)
        case .filefd: FileHandleCollector()
        case .conntrack: ConntrackCollector()
        case .entropy: EntropyCollector()
        case .uname: UnameCollector()
        case .os: OperatingSystemCollector()
        case .timex: ClockCollector()
        case .time: ClockSourceCollector()
        case .mdadm: ArrayCollector()
        case .bonding: BondCollector()
        case .netstat: ProtocolCollector(configuration.includedNetstatFields)
        case .sockstat: SocketCollector()
        case .softnet: PacketQueueCollector()
        case .udpQueues: DatagramQueueCollector()
        case .arp:
            NeighbourCollector(
                NameFilter(configuration.excludedNeighbours, included: configuration.includedNeighbours)
            )
        case .schedstat: SchedulerCollector()
        case .edac: MemoryErrorCollector()
        case .dmi: FirmwareCollector()
        case .nvme: NVMeCollector()
        case .powersupplyclass: PowerSupplyCollector(NameFilter(configuration.excludedPowerSupplies))
        case .rapl: EnergyCollector()
        case .watchdog: WatchdogCollector()
        case .selinux: SELinuxCollector()
        case .textfile: TextFileCollector(directory: configuration.textFileDirectory)
        case .cpuState: ProcessorStateCollector()
        case .cpuVulnerabilities: VulnerabilityCollector()
        case .kernelHung: HungTaskCollector()
        case .bcache: BcacheCollector()
        case .btrfs: BtrfsCollector()
        case .dmmultipath: MultipathCollector()
        case .fibrechannel: FibreChannelCollector()
        case .infiniband: InfinibandCollector()
        case .ipvs: LoadBalancerCollector()
        case .nfs: NFSClientCollector()
        case .nfsd: NFSServerCollector()
        case .tapestats: TapeCollector(NameFilter(configuration.excludedTapes))
        case .xfs: XFSCollector()
        case .zfs: ZFSCollector()
        case .cgroup: ControlGroupCollector()
        case .processes:
            ProcessCollector(top: configuration.topProcesses, includesCommandLines: configuration.includesCommandLines)
        }
    }
}
