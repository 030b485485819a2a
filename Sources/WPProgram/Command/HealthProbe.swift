// SPDX-License-Identifier: MIT

package import WPHTTP
import WPSockets

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Queries the health of a running program.
package struct HealthProbe: Sendable {
    /// The members of the response that all programs share.
    package struct Answer: Decodable, Sendable, CustomStringConvertible {
        package var status: HealthStatus
        package var reason: String?
        package var summary: String?

        /// `ok, 3 devices` or `degraded (timeout), 3 devices`.
        package var description: String {
            status.rawValue + (reason.map { " (\($0))" } ?? "") + (summary.map { ", \($0)" } ?? "")
        }
    }

    /// Why there is no valid response.
    package struct Failure: Error, CustomStringConvertible {
        package var description: String
    }

    private let url: String
    private let client: HTTPClient

    /// - Parameters:
    ///   - url: the address, with or without `/health`.
    ///   - verification: how an https certificate is verified.
    ///   - identity: the files of a client certificate.
    /// - Throws: the error in the address or the files.
    package init(url: String, verification: TLSVerification, identity: TLSIdentityFiles?) throws {
        self.url = url
        client = try HTTPClient(
            HTTPClient.Configuration(
                origin: try HTTPOrigin(parsing: url.hasSuffix("/health") ? String(url.dropLast(7)) : url),
                verification: verification,
                identity: identity,
                maxBodyBytes: 64 << 10,
                userAgent: Version.product
            )
        )
    }

    /// The address of a program with these settings on this machine.
    package static func localURL(of server: ServerSettings) -> String {
        let address = HostPort(host: server.host, port: server.port).forLocalClient
        return "\(server.tls.certFile == nil ? "http" : "https")://\(address)/health"
    }

    /// Sends one request. The probe cannot be reused.
    /// - Throws: ``Failure`` for an invalid response; `HTTPClientError` if there was none in time.
    package func ask(timeout: Duration) async throws -> Answer {
        defer { client.close() }
        let response = try await client.send(HTTPRequest(target: "/health"), timeout: timeout)
        guard response.status == .ok else { throw Failure(description: "\(url) answered \(response.status)") }
        guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(response.bytes)) else {
            throw Failure(description: "\(url) answered, but not with a valid health report")
        }
        return answer
    }
}
