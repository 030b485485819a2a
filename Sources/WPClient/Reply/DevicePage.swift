// SPDX-License-Identifier: MIT

import WPModel

/// One page of the device list.
struct DevicePage {
    /// The readings of devices with an identifier, in the server's order.
    var readings: [DeviceReading] = []
    /// The number of elements without a valid identifier.
    var skipped = 0
    /// The names of unknown fields, prefixed with their part; limited in number and length.
    var unknownFields: Set<String> = []
    /// Whether bytes that are not UTF-8 were replaced in its strings.
    let isRepaired: Bool
    /// `total`, the number of devices on all pages; nil if missing.
    var total: Int?

    /// The page in a reply.
    init(_ reply: JSONObject, _ context: DeviceRecord.Context) throws(ReplyFault) {
        isRepaired = context.isRepaired
        try ReplyHeader(reply).requireSuccess()
        total = reply.code("total")
        switch reply["data"] {
        case nil, .null:
            guard total != nil else { throw .unexpected("it has neither devices nor their number") }
        case .array(let elements):
            for element in elements {
                let record = DeviceRecord(element.object ?? JSONObject(), context)
                if unknownFields.count < UnknownFields.maximumNames { unknownFields.formUnion(record.unknownFields) }
                if let reading = record.reading {
                    readings.append(reading)
                } else {
                    skipped += 1
                }
            }
        default: throw .unexpected("its data is not a list")
        }
    }

    /// Creates a page for tests.
    init(readings: [DeviceReading], skipped: Int = 0, total: Int?, isRepaired: Bool = false) {
        self.isRepaired = isRepaired
        self.readings = readings
        self.skipped = skipped
        self.total = total
    }
}
