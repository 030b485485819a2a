// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
import WPCore
import WPFleet
import WPHTTP
import WPHistory
import WPLogging
import WPServer

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Bytes as the body of a report of a node and of an exporter: the hub must accept or reject any input, and keep
/// serving the accepted reports.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzReport(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let body = [UInt8](UnsafeBufferPointer(start: start, count: count))
    let hub = FuzzedHub.shared
    for take in [{ try hub.intake.ingestNode($0) }, { try hub.intake.ingestUPSes($0) }]
        as [([UInt8]) throws -> ReportIntake.Receipt]
    {
        do {
            if try take(body).recorded > 0 { hub.check() }
        } catch {
            precondition("\(error)".utf8.count < 2000)
        }
    }
    return 0
}

/// A hub with an in-memory history, for the lifetime of the process. Its clock advances with each report.
private final class FuzzedHub: Sendable {
    static let shared = FuzzedHub()

    let intake: ReportIntake
    private let api: FleetAPI

    private init() {
        let time = FixedTime()
        let fleet: Fleet = Self.wait {
            let history = try await History(MemoryHistoryStore(), timeSource: time, logger: .silent)
            return Fleet(history, timeSource: time)
        }
        intake = ReportIntake(fleet, timeSource: time, logger: .silent)
        api = FleetAPI(fleet, takesReports: true)
    }

    /// Requests the data that the web page shows.
    func check() {
        let api = api
        for path in ["node-metrics", "ups"] {
            let status: Int = Self.wait {
                try await api.respond(to: HTTPRequest(target: "/api/v2/clusters/default/" + path)).status.code
            }
            precondition(status == 200, "\(path): \(status)")
        }
    }

    private static func wait<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) -> Value {
        let result = Mutex<Value?>(nil)
        let done = DispatchSemaphore(value: 0)
        Task {
            do {
                let value = try await body()
                result.withLock { $0 = value }
            } catch {
                fatalError("\(error)")
            }
            done.signal()
        }
        done.wait()
        guard let value = result.withLock({ $0 }) else { fatalError("no value") }
        return value
    }
}

/// A clock that always returns the time of the seeds.
private struct FixedTime: TimeSource {
    var now: TimePoint { TimePoint(wall: Date(timeIntervalSince1970: 1_767_323_045), monotonic: .seconds(1000)) }

    func sleep(until monotonic: Duration, tolerance: Duration?) async throws {}
}
