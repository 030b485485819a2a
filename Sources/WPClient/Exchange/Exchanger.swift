// SPDX-License-Identifier: MIT

import WPCore
import WPHTTP
import WPModel

/// Sends calls: limits them to the remaining time, reports durations to the observer, and converts transport errors.
struct Exchanger: Sendable {
    let transport: any WinPowerTransport
    let timeSource: any TimeSource
    let observer: (any DeviceSourceObserver)?
    let apiTimeout: Duration

    /// A response and the time of its completion.
    struct Reply: Sendable {
        let response: HTTPResponse
        let time: TimePoint
    }

    /// Sends one call and returns the response, whatever its status.
    /// - Parameter deadline: the deadline of the poll on the monotonic clock.
    /// - Throws: `DeviceSourceError` if there is no response, `CancellationError` if the task is cancelled.
    func send(_ call: APICall, before deadline: Duration) async throws -> Reply {
        try Task.checkCancellation()
        let start = timeSource.now
        let left = deadline - start.monotonic
        guard left > .zero else {
            throw call.failure(
                .timeout,
                "the time for the whole collection was used up before this request",
                hint: .raiseReadingTimeout,
                reachedServer: false
            )
        }
        let outcome: Result<HTTPResponse, any Error>
        do {
            outcome = .success(try await transport.send(call.request, timeout: min(apiTimeout, left)))
        } catch {
            outcome = .failure(error)
        }
        let end = timeSource.now
        observer?.exchangeEnded(call.endpoint, duration: end.since(start))
        try Task.checkCancellation()
        switch outcome {
        case .success(let response):
            return Reply(response: response, time: end)
        case .failure(let error as HTTPClientError):
            throw call.failure(error, boundByReading: left < apiTimeout)
        case .failure(let error):
            throw call.failure(
                .internal,
                "the transport threw an undocumented error (\(type(of: error)))",
                hint: .reportFault,
                reachedServer: false
            )
        }
    }
}
