// SPDX-License-Identifier: MIT

import Synchronization
import WPModel

/// Records the calls of a source.
final class RecordingObserver: DeviceSourceObserver {
    enum Event: Equatable, Sendable {
        case exchange(SourceEndpoint, Duration)
        case login(LoginResult)
        case token(expiry: Duration?)
        case rejected(Int)
    }

    private let state = Mutex<[Event]>([])

    var events: [Event] { state.withLock { $0 } }

    var logins: [LoginResult] {
        events.compactMap { if case .login(let result) = $0 { result } else { nil } }
    }

    var exchanges: [SourceEndpoint] {
        events.compactMap { if case .exchange(let endpoint, _) = $0 { endpoint } else { nil } }
    }

    var expiries: [Duration?] {
        events.compactMap { if case .token(let expiry) = $0 { .some(expiry) } else { nil } }
    }

    func exchangeEnded(_ endpoint: SourceEndpoint, duration: Duration) {
        state.withLock { $0.append(.exchange(endpoint, duration)) }
    }

    func loginEnded(_ result: LoginResult) {
        state.withLock { $0.append(.login(result)) }
    }

    func tokenChanged(expiry: Duration?) {
        state.withLock { $0.append(.token(expiry: expiry)) }
    }

    func recordsRejected(_ count: Int) {
        state.withLock { $0.append(.rejected(count)) }
    }
}
