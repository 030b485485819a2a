// SPDX-License-Identifier: MIT

import Synchronization
import WPModel

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
