// SPDX-License-Identifier: MIT

import Synchronization
import WPHTTP
import WPPushgateway

/// Answers pushes with given responses, and records them.
final class FakeGateway: PushTransport {
    enum Answer: Sendable {
        case status(Int, String = "")
        case failure(HTTPClientError.Code)
    }

    private struct State {
        var answers: [Answer]
        var requests: [HTTPRequest] = []
        var timeouts: [Duration] = []
    }

    private let state: Mutex<State>

    /// - Parameter answers: one per request; later requests are accepted.
    init(_ answers: Answer...) {
        state = Mutex(State(answers: answers))
    }

    var requests: [HTTPRequest] { state.withLock { $0.requests } }
    var timeouts: [Duration] { state.withLock { $0.timeouts } }

    func send(_ request: HTTPRequest, timeout: Duration) async throws -> HTTPResponse {
        try Task.checkCancellation()
        let answer = state.withLock { state -> Answer in
            state.requests.append(request)
            state.timeouts.append(timeout)
            return state.answers.isEmpty ? .status(202) : state.answers.removeFirst()
        }
        switch answer {
        case .status(let code, let text):
            return HTTPResponse(status: HTTPStatus(code: code), body: .bytes(Array(text.utf8)))
        case .failure(let code):
            throw HTTPClientError(code: code, message: "The gateway was not there.")
        }
    }
}
