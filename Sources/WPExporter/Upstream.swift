// SPDX-License-Identifier: MIT

import Synchronization
import WPCollector
import WPConfig
import WPLogging
import WPModel
import WPService

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The WinPower server that is read, and how another one takes its place.
///
/// A reload keeps the client, with its token and its pause after refused credentials, unless something that the client
/// uses has changed: a setting, the password, or the file of the authorities.
struct Upstream: Sendable {
    /// Everything that a client is made from.
    private struct Inputs: Equatable, Sendable {
        var settings: WinPowerSettings
        var password: Secret?
        var authorities: Data?

        /// Reads the files; it blocks. A file that can't be read counts as empty: the client reports it.
        init(_ settings: WinPowerSettings) {
            self.settings = settings
            password = try? settings.passwordSource?.secret()
            authorities = settings.caFile.flatMap { try? Data(contentsOf: URL(filePath: $0)) }
        }
    }

    let source: any DeviceSource
    let step: ReloadStep

    /// - Parameter given: a source that takes the place of the settings' server.
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
            (Inputs(settings), try Composition.client(settings, timeSource, instruments, logger))
        }
        let source = DeviceSourceSwitch(client)
        let used = Latest(inputs)
        self.source = source
        step = ReloadStep(reading: { new, _ in
            let inputs = Inputs(new.winpower)
            guard inputs != used.value else { return {} }
            let made = try Composition.client(new.winpower, timeSource, instruments, logger)
            return {
                source.replace(with: made)
                used.value = inputs
                instruments.sourceReplaced(isTLSVerificationDisabled: new.winpower.skipSSLVerify)
            }
        })
    }

    private final class Latest: Sendable {
        private let stored: Mutex<Inputs>

        init(_ inputs: Inputs) {
            stored = Mutex(inputs)
        }

        var value: Inputs {
            get { stored.withLock { $0 } }
            set { stored.withLock { $0 = newValue } }
        }
    }
}

/// A device source that can be replaced while it is in use. A reading ends with the source that it began with; the next
/// one is the other's.
final class DeviceSourceSwitch: DeviceSource {
    private let source: Mutex<any DeviceSource>

    init(_ source: any DeviceSource) {
        self.source = Mutex(source)
    }

    func readDevices() async throws -> [DeviceReading] {
        let source = source.withLock { $0 }
        return try await source.readDevices()
    }

    func replace(with source: any DeviceSource) {
        self.source.withLock { $0 = source }
    }
}
