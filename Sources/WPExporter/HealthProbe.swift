// SPDX-License-Identifier: MIT

package import WPConfig
package import WPHTTP
import WPSockets

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Asks a running exporter or agent for its health.
package struct HealthProbe: Sendable {
    /// The answer, as far as an exporter and a node's agent have it in common; only the first has devices.
    package struct Answer: Decodable, Sendable, CustomStringConvertible {
        package var status: HealthReport.Status
        package var reason: String?
        package var devices: Int?

        /// `ok, 3 devices` or `degraded (timeout)`.
        package var description: String {
            status.rawValue + (reason.map { " (\($0))" } ?? "") + (devices.map { ", \($0) devices" } ?? "")
        }
    }

    /// Why there is no such answer.
    package struct Failure: Error, CustomStringConvertible {
        package var description: String
    }

    private let url: String
    private let client: HTTPClient

    /// - Parameters:
    ///   - url: the address, with or without `/health`.
    ///   - verification: how the certificate is checked over https.
    ///   - identity: the files of a client certificate.
    /// - Throws: what is wrong with the address or the files.
    package init(url: String, verification: TLSVerification, identity: TLSIdentityFiles?) throws {
        self.url = url
        client = try HTTPClient(
            HTTPClient.Configuration(
                origin: try HTTPOrigin(parsing: url.hasSuffix("/health") ? String(url.dropLast(7)) : url),
                verification: verification,
                identity: identity,
                maxBodyBytes: 64 << 10,
                userAgent: "\(Version.program)/\(Version.number)"
            )
        )
    }

    /// The address of the exporter with these settings, on its own computer.
    package static func localURL(of server: ServerSettings) -> String {
        let place = HostPort(host: server.host, port: server.port).forLocalClient
        return "\(server.tls.certFile == nil ? "http" : "https")://\(place)/health"
    }

    /// Asks once. The probe is used up afterwards.
    /// - Throws: ``Failure`` for an answer that is not one; `HTTPClientError` when none came within the time.
    package func ask(timeout: Duration) async throws -> Answer {
        defer { client.close() }
        let response = try await client.send(HTTPRequest(target: "/health"), timeout: timeout)
        guard response.status == .ok else { throw Failure(description: "\(url) answered \(response.status)") }
        guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(response.bytes)) else {
            throw Failure(description: "\(url) answered, but not as an exporter or agent does")
        }
        return answer
    }
}
