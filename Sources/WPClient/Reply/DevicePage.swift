// SPDX-License-Identifier: MIT

import WPModel

/// One page of the device list.
struct DevicePage {
    /// The readings of the devices that have an identifier, in the server's order.
    var readings: [DeviceReading] = []
    /// How many elements have no usable identifier.
    var skipped = 0
    /// How many elements came after so many that nobody wants more; they have not been kept.
    var excess = 0
    /// `total`, how many devices there are on all pages; nil when the server does not say.
    var total: Int?
    /// Fields of `realtime` and `config` that no reading has a place for, with the part's name before them.
    var unknownFields: Set<String> = []
}
