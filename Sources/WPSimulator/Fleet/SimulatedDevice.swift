// SPDX-License-Identifier: MIT

import WPModel

/// A simulated device: its properties, and the history of its load and battery.
struct SimulatedDevice: Sendable {
    let index: Int
    let id: DeviceID
    let kind: Kind
    let model: String
    let areaID: String
    let comPort: String
    let firmwareVersion: String
    let createTime: String
    let ratedVoltAmperes: Double
    let powerFactor: Double
    /// The phase of the device's slow variations, in turns.
    let phase: Double
    var alias: String
    var load: LoadHistory
    var battery: SimulatedBattery
    /// When WinPower lost the device, in seconds of the simulation; nil while it is connected.
    var unreachableSince: Double?
    var isListed = true

    /// `assetDevice.deviceType`.
    enum Kind: Int, Sendable {
        case ups = 1
        /// Any other device; the vendor's other codes are unknown.
        case other = 2
    }

    /// The root of the area tree, which the vendor's page requests.
    static let rootAreaID = "00000000-0000-0000-0000-000000000000"
    /// An area below the root, with every fourth device.
    static let subAreaID = "00000000-0000-0000-0000-000000000001"

    private static let plates: [(model: String, voltAmperes: Double, blocks: Int)] = [
        ("ON-LINE", 3000, 6), ("ON-LINE", 6000, 16), ("LINE-INTERACTIVE", 1000, 2), ("ON-LINE", 10_000, 16),
        ("ON-LINE", 2000, 6), ("ON-LINE", 20_000, 20),
    ]

    /// - Parameters:
    ///   - origin: time 0 of the simulation, in seconds since 1970.
    init(index: Int, kind: Kind, seed: UInt64, alias: String?, origin: Double) {
        var generator = SeededGenerator(seed: seed, stream: UInt64(index.magnitude))
        self.index = index
        self.kind = kind
        id = DeviceID(generator.uuid())
        let plate = Self.plates[generator.integer(below: Self.plates.count)]
        model = plate.model
        ratedVoltAmperes = plate.voltAmperes
        areaID = index % 4 == 3 ? Self.subAreaID : Self.rootAreaID
        comPort = "COM\(1 + index % 64)"
        firmwareVersion = "0\(1 + generator.integer(below: 4)).\(Self.twoDigits(generator.integer(below: 40)))"
        createTime = Self.createTime(using: &generator)
        powerFactor = generator.number(in: 0.9...0.99)
        phase = generator.number(in: 0...1)
        self.alias = alias ?? Self.alias(index)
        battery = SimulatedBattery(
            blocks: plate.blocks,
            ratedVoltAmperes: plate.voltAmperes,
            charge: generator.number(in: 85...100).rounded()
        )
        let ratedWatts = plate.voltAmperes * 0.9
        load = LoadHistory(.rack(ratedWatts: ratedWatts, origin: origin, using: &generator))
    }

    private static func alias(_ index: Int) -> String {
        let rack = Character(Unicode.Scalar(UInt8(ascii: "A") + UInt8(index % 26)))
        return "UPS-\(twoDigits(index + 1)) Rack \(rack)"
    }

    /// A local time without a zone and with microseconds, in WinPower's format.
    private static func createTime(using generator: inout SeededGenerator) -> String {
        let month = twoDigits(1 + generator.integer(below: 12))
        let day = twoDigits(1 + generator.integer(below: 28))
        let hour = twoDigits(generator.integer(below: 24))
        let minute = twoDigits(generator.integer(below: 60))
        let second = twoDigits(generator.integer(below: 60))
        let fraction = String(1_000_000 + generator.integer(below: 1_000_000)).dropFirst()
        return "2025-\(month)-\(day)T\(hour):\(minute):\(second).\(fraction)"
    }

    private static func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : String(number)
    }
}
