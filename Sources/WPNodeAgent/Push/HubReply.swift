// SPDX-License-Identifier: MIT

import WPHTTP

/// What came of one attempt to push a snapshot.
enum PushOutcome: Sendable, Hashable {
    /// The hub has it.
    case accepted
    /// The hub will never take this snapshot.
    case refused(PushFailure)
    /// The hub does not take it now. The snapshot is kept; whether it is sent again at once is `mayPass`.
    case failed(PushFailure, mayPass: Bool)
}

/// Why a snapshot was not taken.
struct PushFailure: Error, Sendable, Hashable {
    /// The value of a metric's label.
    enum Reason: String, Sendable, Hashable, CaseIterable {
        /// No connection, or it broke.
        case unreachable
        /// The time limit passed.
        case timeout
        /// The certificate is not trusted, or the like.
        case tls
        /// The hub answered with 401 or 403.
        case unauthorized
        /// Another status of 300 to 499.
        case refused
        /// A status of 500 or more, or no HTTP.
        case server
        /// The token could not be read.
        case token
    }

    let reason: Reason
    let message: String
}

extension PushOutcome {
    /// What a response means.
    /// - Parameter secret: never quoted, even if the hub does.
    init(_ response: HTTPResponse, hiding secret: String?) {
        guard !response.status.isSuccess else {
            self = .accepted
            return
        }
        let code = response.status.code
        let message = "the hub answered \(response.status)\(Self.quotation(response, hiding: secret))"
        switch code {
        case 400, 411, 413, 415, 422: self = .refused(PushFailure(reason: .refused, message: message))
        case 401, 403: self = .failed(PushFailure(reason: .unauthorized, message: message), mayPass: false)
        case ..<500: self = .failed(PushFailure(reason: .refused, message: message), mayPass: false)
        default: self = .failed(PushFailure(reason: .server, message: message), mayPass: true)
        }
    }

    /// What it means that there is no response.
    init(_ error: HTTPClientError) {
        let reason: PushFailure.Reason
        let mayPass: Bool
        switch error.code {
        case .resolve, .connect, .closed: (reason, mayPass) = (.unreachable, true)
        case .timeout: (reason, mayPass) = (.timeout, true)
        case .tls: (reason, mayPass) = (.tls, false)
        case .malformed, .headersTooLarge, .bodyTooLarge, .invalidRequest: (reason, mayPass) = (.server, false)
        }
        self = .failed(PushFailure(reason: reason, message: error.message), mayPass: mayPass)
    }

    /// The start of a body, for a reader who looks for the reason.
    private static func quotation(_ response: HTTPResponse, hiding secret: String?) -> String {
        var text = String(decoding: response.bytes, as: UTF8.self)
        if let secret, !secret.isEmpty { text = text.split(separator: secret).joined(separator: "<REDACTED>") }
        let line = text.prefix(200).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return line.isEmpty ? "" : ": \(line)"
    }
}
