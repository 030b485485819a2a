// SPDX-License-Identifier: MIT

import Synchronization
import WPCore
import WPLogging
import WPModel

/// Logs changes between cycles, and a summary of cycle durations once a minute.
final class CollectionJournal: Sendable {
    /// The maximum number of device lines per cycle; one line summarizes the rest.
    static let lineLimit = 50
    /// How often the durations of successful cycles are summarized at level info.
    static let summaryInterval = Duration.seconds(60)

    private let logger: Logger
    private let durations = Mutex(Durations())

    init(logger: Logger) {
        self.logger = logger
    }

    /// The durations of successful cycles since the last summary.
    private struct Durations {
        var count = 0
        var least = Duration.zero
        var most = Duration.zero
        var sum = Duration.zero
        /// When the last summary was logged, on the monotonic clock.
        var lastSummary: Duration?

        mutating func add(_ duration: Duration) {
            least = count == 0 ? duration : min(least, duration)
            most = max(most, duration)
            sum += duration
            count += 1
        }
    }

    /// - Parameter hasNewReadings: whether the devices were read, even if saving the totals failed.
    func record(
        before: CollectionSnapshot,
        after: CollectionSnapshot,
        hasNewReadings: Bool,
        duration: Duration,
        now: TimePoint
    ) {
        recordFailure(before: before, after: after, duration: duration, now: now)
        guard hasNewReadings else { return }
        let isStateChange = before.lastSuccess == nil || (before.failure != nil && after.failure == nil)
        recordDuration(duration, devices: after.readings.count, isStateChange: isStateChange, now: now.monotonic)
        recordDevices(before: before, after: after)
    }

    /// Logs one line per cycle at level debug. Once a minute, and for a cycle that changed the state, the line is at
    /// level info and summarizes the cycles since the previous one.
    private func recordDuration(_ duration: Duration, devices: Int, isStateChange: Bool, now: Duration) {
        let summary: Durations? = durations.withLock { durations in
            durations.add(duration)
            if !isStateChange, let last = durations.lastSummary, now - last < Self.summaryInterval { return nil }
            defer { durations = Durations(lastSummary: now) }
            return durations
        }
        var fields: LogFields = ["devices": .int(devices), "duration_ms": .milliseconds(duration)]
        if let summary {
            fields.append([
                "cycles": .int(summary.count), "duration_min_ms": .milliseconds(summary.least),
                "duration_avg_ms": .milliseconds(summary.sum / summary.count),
                "duration_max_ms": .milliseconds(summary.most),
            ])
        }
        logger.log(summary == nil ? .debug : .info, "Device data collected", fields)
    }

    private func recordFailure(
        before: CollectionSnapshot,
        after: CollectionSnapshot,
        duration: Duration,
        now: TimePoint
    ) {
        if let failure = after.failure {
            if before.failure?.reason != failure.reason {
                logger.error(
                    "Collection failed",
                    [
                        "reason": .string(failure.reason.rawValue), "error": .string(failure.message),
                        "duration_ms": .milliseconds(duration),
                    ]
                )
            } else {
                logger.debug(
                    "Collection still fails",
                    ["reason": .string(failure.reason.rawValue), "count": .int(failure.count)]
                )
            }
        }
        if let ended = before.failure, after.failure == nil {
            logger.info(
                "Collection recovered",
                [
                    "reason": .string(ended.reason.rawValue), "failed_cycles": .int(ended.count),
                    "outage_s": .double(now.since(ended.since).inSeconds.rounded()),
                ]
            )
        }
    }

    private func recordDevices(before: CollectionSnapshot, after: CollectionSnapshot) {
        let old = Dictionary(before.readings.map { ($0.device.id, $0) }) { first, _ in first }
        var lines = Lines(logger: logger)
        for reading in after.readings {
            record(reading, old[reading.device.id], isFirst: before.lastSuccess == nil, &lines)
        }
        let present = Set(after.readings.map(\.device.id))
        for reading in before.readings where !present.contains(reading.device.id) {
            lines.add(.warn, "Device left the list", reading.device)
        }
        lines.finish()
    }

    private func record(_ new: DeviceReading, _ old: DeviceReading?, isFirst: Bool, _ lines: inout Lines) {
        let device = new.device
        guard let old else {
            // In the first collection every device is new, so a line for each is redundant.
            if !isFirst { lines.add(.info, "Device appeared", device) }
            if new.isConnected == false { lines.add(.warn, "Device disconnected", device) }
            for alarm in new.alarms { lines.add(.warn, "Device alarm raised", device, Self.fields(alarm)) }
            return
        }
        if old.device.alias != device.alias {
            lines.add(.info, "Device renamed", device, ["old_name": .string(old.device.alias)])
        }
        if old.isConnected != false, new.isConnected == false { lines.add(.warn, "Device disconnected", device) }
        if old.isConnected == false, new.isConnected == true { lines.add(.info, "Device connected", device) }
        if let from = old.mode?.state, let to = new.mode?.state, from != to {
            let isUrgent = to == .battery || to == .fault || to == .bypass
            lines.add(
                isUrgent ? .warn : .info,
                "Device mode changed",
                device,
                ["from": .string(from.rawValue), "to": .string(to.rawValue)]
            )
        }
        if old.faultCode != new.faultCode, let code = new.faultCode {
            lines.add(.error, "Device fault", device, ["fault_code": .string(code)])
        }
        if old.alarms != new.alarms {
            for alarm in new.alarms where !old.alarms.contains(alarm) {
                lines.add(.warn, "Device alarm raised", device, Self.fields(alarm))
            }
            for alarm in old.alarms where !new.alarms.contains(alarm) {
                lines.add(.info, "Device alarm cleared", device, Self.fields(alarm))
            }
        }
    }

    private static func fields(_ alarm: DeviceReading.Alarm) -> LogFields {
        ["alarm_id": .string(alarm.id), "alarm": .string(alarm.text)]
    }

    /// Logs device lines up to the limit, and counts the others.
    private struct Lines {
        let logger: Logger
        private var count = 0

        init(logger: Logger) {
            self.logger = logger
        }

        mutating func add(_ level: LogLevel, _ message: String, _ device: Device, _ more: LogFields = [:]) {
            count += 1
            guard count <= CollectionJournal.lineLimit else { return }
            var fields: LogFields = [
                "device_id": .string(device.id.rawValue), "device_name": .string(device.alias),
            ]
            fields.append(more)
            logger.log(level, message, fields)
        }

        func finish() {
            guard count > CollectionJournal.lineLimit else { return }
            logger.warn(
                "More device changes than are logged in one cycle",
                ["not_logged": .int(count - CollectionJournal.lineLimit)]
            )
        }
    }
}
