// SPDX-License-Identifier: MIT

package import WPConfig
package import WPHubClient
import WPModel
import WPService

extension HubTarget {
    /// - Parameter source: where the token is, nil for a hub that admits everybody; a file is read again for each attempt.
    package init(address: String, transport: any HubTransport, source: SecretSource?) {
        self.init(address: address, transport: transport, token: source.map(Self.token))
    }

    /// The same hub with another token.
    package func with(_ source: SecretSource?) -> HubTarget {
        HubTarget(address: address, transport: transport, source: source)
    }

    private static func token(in source: SecretSource) -> @Sendable () async throws -> Secret {
        { try await Blocking.run { () throws -> Secret in try source.secret() } }
    }
}
