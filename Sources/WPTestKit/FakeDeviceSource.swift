// SPDX-License-Identifier: MIT

import Synchronization
public import WPModel

/// A device source that returns queued results.
public final class FakeDeviceSource: DeviceSource {
    private let answers: Mutex<[@Sendable () async throws -> [DeviceReading]]>
    private let repeatsLast: Bool

    /// Creates a source with an empty queue.
    /// - Parameter repeatLast: whether the last queued result is repeated; otherwise an exhausted queue returns no
    ///   devices.
    public init(repeatLast: Bool = false) {
        answers = Mutex([])
        repeatsLast = repeatLast
    }

    /// Queues readings.
    public func answer(_ readings: [DeviceReading]) {
        answer { readings }
    }

    /// Queues a failure.
    public func fail(_ error: any Error & Sendable) {
        answer { throw error }
    }

    /// Queues a function, which may suspend.
    public func answer(_ make: @escaping @Sendable () async throws -> [DeviceReading]) {
        answers.withLock { $0.append(make) }
    }

    /// Returns the next queued result; when the queue is exhausted, no devices or the last result.
    public func readDevices() async throws -> [DeviceReading] {
        let next = answers.withLock { answers in
            repeatsLast && answers.count == 1 ? answers[0] : answers.isEmpty ? nil : answers.removeFirst()
        }
        return try await next?() ?? []
    }
}
