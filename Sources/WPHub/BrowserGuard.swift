// SPDX-License-Identifier: MIT

import WPFleet
import WPHTTP
import WPServer

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Rejects cross-site requests of browsers: those that change state (cross-site request forgery) and, for a hub without
/// a token, those for a host name under someone else's control (DNS rebinding).
///
/// Clients other than browsers send neither `Origin` nor `Sec-Fetch-Site`.
struct BrowserGuard: HTTPHandler {
    let handler: any HTTPHandler
    /// The allowed host names of the hub, besides `localhost` and IP addresses; nil for any.
    let names: [String]?

    nonisolated(nonsending) func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        if let problem = problem(request) { return APIError(HTTPStatus(code: 403), problem).response }
        return try await handler.respond(to: request)
    }

    private func problem(_ request: HTTPRequest) -> String? {
        let authority = request.headers.values(of: "Host").first?.lowercased()
        if let names, let authority, !Self.isTrusted(Self.host(of: authority), names) {
            return "this hub has no token, so it answers only for localhost, addresses and the names in hub.host_names"
        }
        switch request.method {
        case .get, .head, .options: return nil
        default: break
        }
        if let site = request.headers.values(of: "Sec-Fetch-Site").first, site != "same-origin", site != "none" {
            return "requests from pages of other sites are rejected"
        }
        for origin in request.headers.values(of: "Origin") where !Self.isSame(origin.lowercased(), authority) {
            return "requests from pages of other sites are rejected"
        }
        return nil
    }

    /// An authority without its port, and without brackets around IPv6.
    private static func host(of authority: String) -> String {
        if authority.utf8.first == UInt8(ascii: "[") {
            return String(authority.dropFirst().prefix { $0 != "]" })
        }
        return String(authority.prefix { $0 != ":" })
    }

    private static func isTrusted(_ host: String, _ names: [String]) -> Bool {
        var v4 = in_addr()
        var v6 = in6_addr()
        if inet_pton(AF_INET, host, &v4) == 1 || inet_pton(AF_INET6, host, &v6) == 1 { return true }
        // A fully qualified name may end with a dot.
        let name = host.utf8.last == UInt8(ascii: ".") ? String(host.dropLast()) : host
        return name == "localhost" || name.hasSuffix(".localhost") || names.contains { $0.lowercased() == name }
    }

    /// Whether an origin matches the request's own authority.
    private static func isSame(_ origin: String, _ authority: String?) -> Bool {
        guard let authority else { return false }
        for (scheme, port) in [("http://", ":80"), ("https://", ":443")] where origin.hasPrefix(scheme) {
            let address = origin.dropFirst(scheme.count)
            return address == authority || address + port == authority || address == authority + port
        }
        return false
    }
}
