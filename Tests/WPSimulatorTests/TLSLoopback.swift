// SPDX-License-Identifier: MIT

import WPHTTP
import WPSockets

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A TLS handshake between two ends of a socket pair.
enum TLSLoopback {
    struct SocketFailure: Error {}

    /// Why the client rejects the server; nil if the handshake succeeds.
    static func fault(
        client clientContext: TLSContext,
        server serverContext: TLSContext,
        host: String
    ) throws -> HTTPClientError.TLSFault? {
        var ends: [Int32] = [-1, -1]
        #if canImport(Darwin)
        let kind = SOCK_STREAM
        #else
        let kind = Int32(SOCK_STREAM.rawValue)
        #endif
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw SocketFailure() }
        defer { ends.forEach { close($0) } }
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        let client = try TLSSession(client: clientContext, host: host, descriptor: ends[0])
        let server = try TLSSession(server: serverContext, descriptor: ends[1])
        // A full handshake takes two flights per side.
        for _ in 0..<10 {
            do {
                if case .done = try client.handshake() { return nil }
            } catch {
                return error.fault
            }
            _ = try server.handshake()
        }
        throw SocketFailure()
    }
}
