// SPDX-License-Identifier: MIT

import Synchronization
import WPClient
import WPCore
import WPHTTP
import WPTestKit

/// A transport with scripted responses that records its requests.
final class ScriptedTransport: WinPowerTransport {
    /// The scripted behavior for one request.
    struct Answer: Sendable {
        let give: @Sendable (HTTPRequest) async throws -> HTTPResponse

        static func reply(_ body: String, status: Int = 200, type: String = "application/json") -> Answer {
            bytes(Array(body.utf8), status: status, type: type)
        }

        static func bytes(_ body: [UInt8], status: Int = 200, type: String = "application/json") -> Answer {
            Answer { _ in
                HTTPResponse(status: HTTPStatus(code: status), headers: ["Content-Type": type], body: .bytes(body))
            }
        }

        static func failure(_ code: HTTPClientError.Code, _ message: String = "It did not work.") -> Answer {
            Answer { _ in throw HTTPClientError(code: code, message: message) }
        }

        /// Answers after the clock has advanced this far.
        static func late(_ span: Duration, on clock: TestClock, _ answer: Answer) -> Answer {
            Answer { request in
                try await clock.sleep(for: span)
                return try await answer.give(request)
            }
        }

        /// Advances the clock by the duration of the exchange, then answers.
        static func taking(_ span: Duration, on clock: TestClock, _ answer: Answer) -> Answer {
            Answer { request in
                clock.advance(by: span)
                return try await answer.give(request)
            }
        }
    }

    /// A request with its timeout.
    struct TimedRequest: Sendable {
        let request: HTTPRequest
        let timeout: Duration

        var isLogin: Bool { request.method == .post }

        /// The value of a query parameter.
        func parameter(_ name: String) -> String? {
            (request.query ?? "").split(separator: "&").first { $0.hasPrefix(name + "=") }
                .map { String($0.dropFirst(name.count + 1)) }
        }
    }

    let maxConcurrentRequests: Int

    init(maxConcurrentRequests: Int = 1) {
        self.maxConcurrentRequests = maxConcurrentRequests
    }

    private struct State {
        var requests: [TimedRequest] = []
        var login: [Answer] = [.reply(Samples.login(token: "token-1"))]
        var devices: [Answer] = [.reply(Samples.deviceList)]
    }

    private let state = Mutex(State())

    /// All requests in order.
    var requests: [TimedRequest] { state.withLock { $0.requests } }
    /// The login requests.
    var logins: [TimedRequest] { requests.filter(\.isLogin) }
    /// The page requests.
    var pages: [TimedRequest] { requests.filter { !$0.isLogin } }

    /// Scripts the following logins; the last answer is repeated.
    func onLogin(_ answers: Answer...) {
        state.withLock { $0.login = answers }
    }

    /// Scripts the following pages; the last answer is repeated.
    func onDevices(_ answers: Answer...) {
        state.withLock { $0.devices = answers }
    }

    /// Scripts the following pages.
    func onDevices(_ answers: [Answer]) {
        state.withLock { $0.devices = answers }
    }

    func send(_ request: HTTPRequest, timeout: Duration) async throws -> HTTPResponse {
        let sent = TimedRequest(request: request, timeout: timeout)
        let answer = state.withLock { state in
            state.requests.append(sent)
            return sent.isLogin ? Self.next(&state.login) : Self.next(&state.devices)
        }
        return try await answer.give(request)
    }

    private static func next(_ answers: inout [Answer]) -> Answer {
        answers.count > 1 ? answers.removeFirst() : answers.first ?? .failure(.connect, "Nothing is scripted.")
    }
}
