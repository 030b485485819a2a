// SPDX-License-Identifier: MIT

import WPCollector
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

        /// Reads the files; blocks. An unreadable file is treated as missing, because the client reports it.
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

    /// - Parameter replacement: a source that replaces the server in the settings.
    init(
        _ context: ProgramContext<ExporterSettings>,
        replacement: (any DeviceSource)?,
        instruments: CollectionInstruments
    ) async throws {
        if let replacement {
            source = replacement
            step = ReloadStep { _ in }
            return
        }
        let make: @Sendable (WinPowerSettings) throws -> any DeviceSource = { settings in
            try Components.client(
                settings,
                userAgent: context.userAgent(Version.program),
                timeSource: context.timeSource,
                observer: instruments,
                logger: context.logger
            )
        }
        let (inputs, client) = try await Blocking.run { [settings = context.settings.winpower] in
            (Inputs(settings), try make(settings))
        }
        let source = Latest<any DeviceSource>(client)
        let used = Latest(inputs)
        self.source = source
        step = ReloadStep(reading: { new, _ in
            let inputs = Inputs(new.winpower)
            guard inputs != used.value else { return {} }
            let made = try make(new.winpower)
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
