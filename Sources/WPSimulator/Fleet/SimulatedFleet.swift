// SPDX-License-Identifier: MIT

import WPModel

/// The devices behind the simulated server. Times are in seconds of the simulation.
struct SimulatedFleet: Sendable {
    private(set) var scenario: Scenario
    private var scenarioStart = 0.0
    private var devices: [SimulatedDevice] = []
    private var nextIndex: Int
    private let seed: UInt64
    private let origin: Double
    private let wattDecimals: Int

    /// - Parameter origin: time 0 of the simulation, in seconds since 1970.
    init(configuration: SimulatorConfiguration, origin: Double) {
        func bounded(_ count: Int) -> Int { min(max(count, 0), SimulatorConfiguration.maximumDeviceCount) }
        let upsCount = bounded(configuration.deviceCount)
        nextIndex = upsCount + bounded(configuration.otherDeviceCount)
        seed = configuration.seed
        self.origin = origin
        wattDecimals = min(max(configuration.wattDecimals, 0), 3)
        scenario = .normal
        devices = (0..<nextIndex).map { index in
            let aliases = configuration.deviceAliases
            return SimulatedDevice(
                index: index,
                kind: index < upsCount ? .ups : .other,
                seed: configuration.seed,
                alias: aliases.indices.contains(index) ? aliases[index] : nil,
                origin: origin
            )
        }
        change(to: configuration.scenario, at: 0)
    }

    /// The listed UPSes, in the list's order.
    var deviceIDs: [DeviceID] {
        devices.lazy.filter { $0.isListed && $0.kind == .ups }.map(\.id)
    }

    func load(of id: DeviceID) -> LoadHistory? {
        devices.first { $0.id == id }?.load
    }

    func charge(of id: DeviceID, at seconds: Double) -> Double? {
        devices.first { $0.id == id }.map { $0.battery.charge(at: seconds, load: $0.load) }
    }

    func ratedWatts(of id: DeviceID) -> Double? {
        devices.first { $0.id == id }.map { $0.ratedVoltAmperes * $0.powerFactor }
    }

    /// Changes a device; does nothing if there is no such device.
    mutating func update(_ id: DeviceID, _ change: (inout SimulatedDevice) -> Void) {
        guard let index = devices.firstIndex(where: { $0.id == id }) else { return }
        change(&devices[index])
    }

    mutating func change(to scenario: Scenario, at seconds: Double) {
        self.scenario = scenario
        scenarioStart = seconds
        let mainsFailed = scenario == .onBattery
        for index in devices.indices where devices[index].battery.isDischarging != mainsFailed {
            devices[index].battery.change(isDischarging: mainsFailed, at: seconds, load: devices[index].load)
        }
    }

    mutating func add(alias: String?, at seconds: Double) -> DeviceID {
        var device = SimulatedDevice(index: nextIndex, kind: .ups, seed: seed, alias: alias, origin: origin)
        if scenario == .onBattery {
            device.battery.change(isDischarging: true, at: seconds, load: device.load)
        }
        nextIndex += 1
        devices.append(device)
        return device.id
    }

    /// The indices of the requested devices, because copying thousands of devices per page would be expensive.
    func indices(for query: DeviceListQuery) -> [Int] {
        guard scenario != .empty else { return [] }
        return devices.indices.filter { index in
            let device = devices[index]
            return device.isListed
                && (query.deviceType == nil || query.deviceType == device.kind.rawValue)
                && query.includes(areaID: device.areaID)
        }
    }

    /// A device as an element of the list.
    /// - Parameter index: one of ``indices(for:)``.
    func document(index: Int, at now: Double) -> JSON {
        let device = devices[index]
        let isAffected = device.index.isMultiple(of: 2)
        let unreachableSince =
            device.unreachableSince ?? (scenario == .disconnected && isAffected ? scenarioStart : nil)
        return DeviceDocument(
            device: device,
            state: DeviceState(
                of: device,
                at: unreachableSince ?? now,
                phaseCount: scenario == .threePhase && isAffected ? 3 : 1
            ),
            scenario: scenario,
            isConnected: unreachableSince == nil,
            wattDecimals: wattDecimals
        ).json
    }
}
