// SPDX-License-Identifier: MIT

public import WPCore
public import WPModel

/// The requirements of every device source. Each check needs a source whose server responds.
public enum DeviceSourceContract {
    /// A source, and the clock of its readings.
    public struct Subject: Sendable {
        let source: any DeviceSource
        let timeSource: any TimeSource

        /// Creates a subject.
        public init(_ source: any DeviceSource, timeSource: any TimeSource) {
            self.source = source
            self.timeSource = timeSource
        }
    }

    /// All checks.
    public static let checks: [ContractCheck<Subject>] = [
        ContractCheck("each device is read once") { subject in
            let identifiers = try await subject.source.readDevices().map { Array($0.device.id.rawValue.utf8) }
            try expect(Set(identifiers).count == identifiers.count, "an identifier occurs twice")
        },
        ContractCheck("a reading is as old as the call at most") { subject in
            for _ in 0..<2 {
                let start = subject.timeSource.now.monotonic
                let readings = try await subject.source.readDevices()
                let end = subject.timeSource.now.monotonic
                for reading in readings {
                    let time = reading.time.monotonic
                    try expect(
                        (start...end).contains(time),
                        "\(reading.device.id) was read at \(time), not between \(start) and \(end)"
                    )
                }
            }
        },
        ContractCheck("numbers are finite") { subject in
            for reading in try await subject.source.readDevices() {
                for quantity in UPSQuantity.all {
                    try expect(
                        quantity.value(of: reading)?.isFinite != false,
                        "\(reading.device.id): \(quantity.help) is not a finite number"
                    )
                }
            }
        },
        ContractCheck("calls at the same time are answered") { subject in
            let counts = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<4 { group.addTask { try await subject.source.readDevices().count } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            try expect(Set(counts).count == 1, "the same fleet has \(counts) devices")
        },
        ContractCheck("a cancelled call ends with CancellationError, or with its readings") { subject in
            let task = Task { try await subject.source.readDevices() }
            task.cancel()
            do {
                _ = try await task.value
            } catch is CancellationError {
            } catch {
                throw ContractViolation("expected CancellationError, found \(error)")
            }
            // The source remains usable.
            _ = try await subject.source.readDevices()
        },
    ]

    /// Checks of a source whose server does not respond, or responds incorrectly.
    public static let failureChecks: [ContractCheck<any DeviceSource>] = [
        ContractCheck("a failure is a DeviceSourceError that says what to do, and no reading") { source in
            let error = try await expectError(DeviceSourceError.self, "a server that fails") {
                _ = try await source.readDevices()
            }
            try expect(!error.message.isEmpty, "the message is empty")
            try expect(
                error.reachedServer || !error.wasAuthenticated,
                "a server that did not answer cannot have accepted the credentials"
            )
        }
    ]
}
