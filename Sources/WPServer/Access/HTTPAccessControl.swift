// SPDX-License-Identifier: MIT

import WPHTTP

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Decides whether a request has valid credentials: a user's name and password (RFC 7617) or a bearer token (RFC 6750).
/// Either suffices if both are configured.
///
/// Use it for a router (``HTTPRouter/accessControl``) or a single handler (``guarding(_:problems:)``). It checks only
/// the head, so the body of a rejected request is never read.
public struct HTTPAccessControl: Sendable {
    /// The current checks of credentials.
    ///
    /// Compare secrets with ``ConstantTime/equal(_:_:)``. Without a check, every request is rejected.
    public struct Credentials: Sendable {
        /// Checks a user name and password; nil to reject all. Must not block; throws ``Busy`` if it cannot decide now.
        package var basic: (@Sendable (_ username: String, _ password: String) async throws(Busy) -> Bool)?
        /// Checks a bearer token; nil to reject all. Must not block.
        package var bearer: (nonisolated(nonsending) @Sendable (_ token: String) async -> Bool)?

        /// Creates the checks.
        public init(
            basic: (@Sendable (_ username: String, _ password: String) async throws(Busy) -> Bool)? = nil,
            bearer: (nonisolated(nonsending) @Sendable (_ token: String) async -> Bool)? = nil
        ) {
            self.basic = basic
            self.bearer = bearer
        }
    }

    /// The credentials cannot be checked now; the client should retry.
    public struct Busy: Error, Sendable, Hashable {
        /// Creates the error.
        public init() {}
    }

    private let realm: String
    private let exemptPaths: Set<String>
    private let credentials: @Sendable () -> Credentials

    /// Creates an access control.
    /// - Parameters:
    ///   - realm: the name of the protected area. Quotation marks, backslashes and characters beyond printable ASCII
    ///     are removed.
    ///   - exemptPaths: paths that need no credentials, such as `/health`; compared exactly with the decoded path.
    ///   - credentials: called for each request that needs credentials, so that they can change; must not block.
    public init(
        realm: String = "Restricted",
        exemptPaths: Set<String> = [],
        credentials: @escaping @Sendable () -> Credentials
    ) {
        self.realm = String(realm.filter { $0.isASCII && (" "..."~").contains($0) && $0 != "\"" && $0 != "\\" })
        self.exemptPaths = exemptPaths
        self.credentials = credentials
    }

    /// A handler that forwards authorized requests to another one, and answers others with 401 and WWW-Authenticate
    /// (RFC 9110, section 15.5.2), or with 503 if the check is busy.
    /// - Parameters:
    ///   - handler: answers authorized requests.
    ///   - problems: creates the responses to rejected requests.
    public func guarding(
        _ handler: any HTTPHandler,
        problems: @escaping HTTPProblem.Renderer = HTTPProblem.plainText
    ) -> some HTTPHandler {
        ClosureHTTPHandler { request in
            if let rejection = await rejection(of: request, path: HTTPPath.canonical(request.path), problems) {
                return rejection
            }
            return try await handler.respond(to: request)
        }
    }

    /// The response to an unauthorized request; nil if it is authorized.
    /// - Parameter path: the decoded path; nil if it cannot be decoded.
    nonisolated(nonsending) func rejection(
        of request: HTTPRequest,
        path: String?,
        _ render: HTTPProblem.Renderer
    ) async -> HTTPResponse? {
        if let path, exemptPaths.contains(path) { return nil }
        let credentials = credentials()
        do throws(Busy) {
            guard try await isAuthorized(request.headers, credentials) else {
                var response = render(HTTPProblem(.unauthorized, "unauthorized", path: request.path))
                challenge(credentials, isScript: request.headers["X-Requested-With"] != nil, &response)
                return response
            }
            return nil
        } catch {
            var response = render(HTTPProblem(.serviceUnavailable, "busy", path: request.path))
            response.headers["Retry-After"] = "1"
            return response
        }
    }

    private nonisolated(nonsending) func isAuthorized(
        _ headers: HTTPFields,
        _ credentials: Credentials
    ) async throws(Busy) -> Bool {
        // Two Authorization fields are ambiguous.
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
            return await check(text)
        default: return false
        }
    }

    /// - Parameter isScript: whether a script made the request: with the scheme `Basic`, the browser would prompt for a
    ///   password and block the script.
    private func challenge(_ credentials: Credentials, isScript: Bool, _ response: inout HTTPResponse) {
        if credentials.basic != nil || credentials.bearer == nil {
            let scheme = isScript ? "X-Basic" : "Basic"
            response.headers.append(name: "WWW-Authenticate", value: "\(scheme) realm=\"\(realm)\", charset=\"UTF-8\"")
        }
        if credentials.bearer != nil {
            response.headers.append(name: "WWW-Authenticate", value: "Bearer realm=\"\(realm)\"")
        }
    }
}
