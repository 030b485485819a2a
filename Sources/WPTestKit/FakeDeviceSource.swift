// SPDX-License-Identifier: MIT

import Synchronization
public import WPModel

/// A device source that returns what a test has queued.
public final class FakeDeviceSource: DeviceSource {
    private let answers: Mutex<[@Sendable () async throws -> [DeviceReading]]>

    /// Creates a source with nothing queued.
    public init() {
        answers = Mutex([])
    }

    /// Queues readings.
    public func answer(_ readings: [DeviceReading]) {
        answer { readings }
    }

    /// Queues a failure.
    public func fail(_ error: any Error & Sendable) {
        answer { throw error }
    }

    /// Queues a function, which may wait.
    public func answer(_ make: @escaping @Sendable () async throws -> [DeviceReading]) {
        answers.withLock { $0.append(make) }
    }

    /// Returns what was queued next; no devices when nothing is queued.
    public func readDevices() async throws -> [DeviceReading] {
        let next = answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        return try await next?() ?? []
    }
}
