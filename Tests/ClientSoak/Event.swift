// SPDX-License-Identifier: MIT

import WPModel
import WPSimulator

/// What happens in one cycle, and how the reading must end.
enum Event: Sendable {
    case calm
    /// Devices behave like this, and are read.
    case devices(Scenario)
    /// The server behaves like this, and the reading fails for this reason.
    case failure(Scenario, FailureReason)
    /// No token is good any more; the reading logs in again.
    case tokensEnd
    /// The password is changed on both sides; the reading logs in again.
    case passwordChanges
    /// The server is gone, and comes back afterwards on the same port.
    case restart

    /// Those that cost a time limit come seldom.
    static let all: [Event] = Array(repeating: quick, count: 4).flatMap(\.self) + slow

    private static let quick: [Event] =
        [.tokensEnd, .passwordChanges, .restart]
        + [.onBattery, .threePhase, .alarm, .missingFields, .disconnected].map { .devices($0) }
        + [
            .failure(.serverError, .http), .failure(.garbage, .decode), .failure(.truncated, .connect),
            .failure(.oversized, .http), .failure(.gzipBomb, .http), .failure(.applicationError, .decode),
            .failure(.missingDevices, .decode), .failure(.repeatedPage, .decode), .failure(.loginRefused, .auth),
            .failure(.tokenRefused, .auth),
        ]

    private static let slow: [Event] = [.drip, .slow, .hang].map { .failure($0, .timeout) }
}
