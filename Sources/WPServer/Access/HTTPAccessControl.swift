// SPDX-License-Identifier: MIT

public import WPHTTP

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Lets a request through to another handler when it has the right credentials: a user's name and password (RFC 7617)
/// or a bearer token (RFC 6750). Either will do when both are configured.
public struct HTTPAccessControl: HTTPHandler {
    /// What credentials are right, at the time of a request.
    ///
    /// Compare secrets with ``ConstantTime/equal(_:_:)``. When neither check is there, every request is refused.
    public struct Credentials: Sendable {
        /// Whether a user's name and password are right; nil when none will do. It must not block; it throws
        /// ``Busy`` when it can't tell for now.
        public var basic: (@Sendable (_ username: String, _ password: String) async throws(Busy) -> Bool)?
        /// Whether a bearer token is right; nil when none will do.
        public var bearer: (@Sendable (_ token: String) -> Bool)?

        /// Creates the checks.
        public init(
            basic: (@Sendable (_ username: String, _ password: String) async throws(Busy) -> Bool)? = nil,
            bearer: (@Sendable (_ token: String) -> Bool)? = nil
        ) {
            self.basic = basic
            self.bearer = bearer
        }
    }

    /// Whether credentials are right can't be said for now; the peer is to ask again.
    public struct Busy: Error, Sendable, Hashable {
        /// Creates the error.
        public init() {}
    }

    private let handler: any HTTPHandler
    private let realm: String
    private let exemptPaths: Set<String>
    private let credentials: @Sendable () -> Credentials
    private let clock: @Sendable () -> Date

    /// Puts a lock before a handler.
    /// - Parameters:
    ///   - handler: who answers those let through.
    ///   - realm: what people are asked a password for. A quotation mark, backslash or character beyond printable ASCII
    ///     is left out.
    ///   - exemptPaths: paths that need no credentials, such as `/health`; exact, and not percent-encoded.
    ///   - clock: what the time is, for the body of a refusal.
    ///   - credentials: asked at each request that needs credentials, so that they can change; must not block.
    public init(
        _ handler: any HTTPHandler,
        realm: String = "Restricted",
        exemptPaths: Set<String> = [],
        clock: @escaping @Sendable () -> Date = { Date() },
        credentials: @escaping @Sendable () -> Credentials
    ) {
        self.handler = handler
        self.realm = String(realm.filter { $0.isASCII && (" "..."~").contains($0) && $0 != "\"" && $0 != "\\" })
        self.exemptPaths = exemptPaths
        self.clock = clock
        self.credentials = credentials
    }

    /// Hands on to the handler, or answers 401 with WWW-Authenticate (RFC 9110, section 15.5.2), or 503 when the check
    /// is busy.
    public nonisolated(nonsending) func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        if let path = HTTPPath.canonical(request.path), exemptPaths.contains(path) {
            return try await handler.respond(to: request)
        }
        let credentials = credentials()
        do throws(Busy) {
            guard try await isRight(request.headers, credentials) else { return refusal(request, credentials) }
        } catch {
            let body = HTTPPath.errorJSON("busy", path: request.path, at: clock())
            var response = HTTPResponse.json(body, status: .serviceUnavailable)
            response.headers["Retry-After"] = "1"
            return response
        }
        return try await handler.respond(to: request)
    }

    /// The handler's label, so that refusals count where they belong.
    public func label(for request: HTTPRequest) -> String { handler.label(for: request) }

    private nonisolated(nonsending) func isRight(
        _ headers: HTTPFields,
        _ credentials: Credentials
    ) async throws(Busy) -> Bool {
        // Two Authorization fields could be read in two ways.
        let values = headers.values(of: "Authorization")
        guard values.count == 1, let value = values.first else { return false }
        let parts = value.split(separator: " ", maxSplits: 1)
        guard parts.count == 2 else { return false }
        let text = String(parts[1].drop { $0 == " " })
        switch parts[0].lowercased() {
        case "basic":
            guard
                let check = credentials.basic,
                let data = Data(base64Encoded: text),
                let pair = String(validating: data, as: UTF8.self),
                let colon = pair.utf8.firstIndex(of: UInt8(ascii: ":"))
            else { return false }
            return try await check(String(pair[..<colon]), String(pair[pair.utf8.index(after: colon)...]))
        case "bearer":
            guard let check = credentials.bearer else { return false }
            return check(text)
        default: return false
        }
    }

    private func refusal(_ request: HTTPRequest, _ credentials: Credentials) -> HTTPResponse {
        let body = HTTPPath.errorJSON("unauthorized", path: request.path, at: clock())
        var response = HTTPResponse.json(body, status: .unauthorized)
        if credentials.basic != nil || credentials.bearer == nil {
            response.headers.append(name: "WWW-Authenticate", value: "Basic realm=\"\(realm)\", charset=\"UTF-8\"")
        }
        if credentials.bearer != nil {
            response.headers.append(name: "WWW-Authenticate", value: "Bearer realm=\"\(realm)\"")
        }
        return response
    }
}
