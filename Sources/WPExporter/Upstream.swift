// SPDX-License-Identifier: MIT

package import WPCollector
import WPConfig
import WPCore
import WPLogging
package import WPModel
package import WPProgram
import WPService
import WPSettings

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The client of the WinPower server, and its replacement on reload.
///
/// A reload keeps the client, its token and its backoff after rejected credentials, unless an input of the client has
/// changed: a setting, the password, or the CA file.
struct Upstream: Sendable {
    /// All inputs of a client.
    private struct Inputs: Equatable, Sendable {
        var settings: WinPowerSettings
        var password: Secret?
        var authorities: Data?

        /// Reads the files; blocks. An unreadable file counts as empty: the client reports it.
        init(_ settings: WinPowerSettings) {
            self.settings = settings
            // lint: compares files, which may be absent
            password = try? settings.passwordSource?.secret()
            // lint: compares files, which may be absent
            authorities = settings.caFile.flatMap { try? Data(contentsOf: URL(filePath: $0)) }
        }
    }

    let source: any DeviceSource
    let step: ReloadStep

    /// - Parameter given: a source that replaces the settings' server.
    init(
        _ settings: WinPowerSettings,
        _ given: (any DeviceSource)?,
        _ timeSource: any TimeSource,
        _ instruments: CollectionInstruments,
        _ logger: Logger
    ) async throws {
        if let given {
            source = given
            step = ReloadStep { _ in }
            return
        }
        let (inputs, client) = try await Blocking.run {
            (Inputs(settings), try Components.client(settings, timeSource, instruments, logger))
        }
        let source = Latest<any DeviceSource>(client)
        let used = Latest(inputs)
        self.source = source
        step = ReloadStep(reading: { new, _ in
            let inputs = Inputs(new.winpower)
            guard inputs != used.value else { return {} }
            let made = try Components.client(new.winpower, timeSource, instruments, logger)
            return {
                source.value = made
                used.value = inputs
                instruments.sourceReplaced(isTLSVerificationDisabled: new.winpower.skipSSLVerify)
            }
        })
    }
}

/// A reading completes with the source it started with; the next one uses the new source.
extension Latest: DeviceSource where Value == any DeviceSource {
    package func readDevices() async throws -> [DeviceReading] { try await value.readDevices() }
}
