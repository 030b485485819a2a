// SPDX-License-Identifier: MIT

package import WPCore
import WPService
package import WPSettings

extension SecretSource {
    /// Returns the secret on each call, off the cooperative threads; a file is reread.
    package var reader: @Sendable () async throws -> Secret {
        { [self] in try await Blocking.run { () throws -> Secret in try secret() } }
    }
}
