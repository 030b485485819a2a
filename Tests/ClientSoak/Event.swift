// SPDX-License-Identifier: MIT

import WPModel
import WPSimulator

/// An event of one cycle, and the expected result of the poll.
enum Event: Sendable {
    case calm
    /// Devices in this scenario, polled successfully.
    case devices(Scenario)
    /// The server in this scenario; the poll fails for this reason.
    case failure(Scenario, FailureReason)
    /// All tokens expire; the poll logs in again.
    case tokensExpire
    /// The password changes on both sides; the poll logs in again.
    case passwordChanges
    /// The server stops, and restarts later on the same port.
    case restart

    /// Events that wait for a timeout are rare.
    static let all: [Event] = Array(repeating: quick, count: 4).flatMap(\.self) + slow

    private static let quick: [Event] =
        [.tokensExpire, .passwordChanges, .restart]
        + [.onBattery, .threePhase, .alarm, .missingFields, .disconnected].map { .devices($0) }
        + [
            .failure(.serverError, .http), .failure(.garbage, .decode), .failure(.truncated, .connect),
            .failure(.oversized, .http), .failure(.gzipBomb, .http), .failure(.applicationError, .decode),
            .failure(.missingDevices, .decode), .failure(.repeatedPage, .decode), .failure(.loginRefused, .auth),
            .failure(.tokenRefused, .auth),
        ]

    private static let slow: [Event] = [.drip, .slow, .hang].map { .failure($0, .timeout) }
}
