// SPDX-License-Identifier: MIT

import WPCore
import WPHTTP

/// The outcome of one attempt to send a report.
enum SendOutcome: Sendable, Hashable {
    /// The hub has accepted it.
    case accepted
    /// The hub will never accept this report.
    case rejected(SendFailure)
    /// The attempt failed. The report is kept, and retried if `isTransient`.
    case failed(SendFailure, isTransient: Bool)
}

/// Why a report was not accepted.
struct SendFailure: Error, Sendable, Hashable {
    /// The value of a metric's label.
    enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The connection failed or was lost.
        case unreachable
        /// The time limit passed.
        case timeout
        /// A TLS failure, such as an untrusted certificate.
        case tls
        /// The hub answered with 401 or 403.
        case unauthorized
        /// Another status of 300 to 499.
        case rejected = "refused"
        /// A status of 500 or more, or no HTTP.
        case server
        /// The token could not be read.
        case token
    }

    let reason: Reason
    let message: String
    /// The delay requested by the hub (`Retry-After`, in seconds); nil for none.
    var retryAfter: Duration?
}

extension SendOutcome {
    /// The outcome of a response.
    /// - Parameter secret: a string that is never quoted.
    init(_ response: HTTPResponse, hiding secret: String?) {
        guard !response.status.isSuccess else {
            self = .accepted
            return
        }
        let code = response.status.code
        let retryAfter = response.headers["Retry-After"].flatMap { UInt32($0) }.map { Duration.seconds($0) }
        let message = "the hub answered \(response.status)\(Self.quotation(response, hiding: secret))"
        switch code {
        case 400, 411, 413, 415: self = .rejected(SendFailure(reason: .rejected, message: message))
        case 401, 403:
            self = .failed(
                SendFailure(reason: .unauthorized, message: message, retryAfter: retryAfter),
                isTransient: false
            )
        case ..<500:
            self = .failed(SendFailure(reason: .rejected, message: message, retryAfter: retryAfter), isTransient: false)
        default:
            self = .failed(SendFailure(reason: .server, message: message, retryAfter: retryAfter), isTransient: true)
        }
    }

    /// The outcome of a request without a response.
    init(_ error: HTTPClientError) {
        let reason: SendFailure.Reason
        let isTransient: Bool
        switch error.code {
        case .resolve, .connect, .closed: (reason, isTransient) = (.unreachable, true)
        case .timeout: (reason, isTransient) = (.timeout, true)
        case .tls: (reason, isTransient) = (.tls, false)
        case .malformed, .headersTooLarge, .bodyTooLarge, .invalidRequest: (reason, isTransient) = (.server, false)
        }
        self = .failed(SendFailure(reason: reason, message: error.message), isTransient: isTransient)
    }

    /// The start of a body, for diagnosis.
    private static func quotation(_ response: HTTPResponse, hiding secret: String?) -> String {
        var text = String(decoding: response.bytes, as: UTF8.self)
        if let secret { text = Secret(secret).redacted(in: text) }
        let line = text.prefix(200).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return line.isEmpty ? "" : ": \(line)"
    }
}
