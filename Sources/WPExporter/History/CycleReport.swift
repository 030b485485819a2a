// SPDX-License-Identifier: MIT

import WPCollector
import WPCore
import WPModel

/// The readings of a collection as reports, built once for the history and the hub.
struct CycleReport: Sendable {
    /// The end of the last successful collection; nil if this one failed.
    let success: TimePoint?
    let devices: [(time: TimePoint, snapshot: UPSSnapshot)]

    init(_ snapshot: CollectionSnapshot) {
        success = snapshot.failure == nil || snapshot.failure?.reason == .storage ? snapshot.lastSuccess : nil
        devices = snapshot.readings.map { ($0.time, UPSSnapshot($0, total: snapshot.totals[$0.device.id])) }
    }
}
