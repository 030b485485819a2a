// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import WPModel

/// One page of the device list.
struct DevicePage: DecodableWithConfiguration {
    /// The readings of the devices that have an identifier, in the server's order.
    var readings: [DeviceReading] = []
    /// How many elements have no usable identifier.
    var skipped = 0
    /// The names of fields that are not known, with the part before them; bounded in number and length.
    var unknownFields: Set<String> = []
    /// Whether bytes that are not UTF-8 were replaced in its texts.
    let isRepaired: Bool
    /// `total`, how many devices there are on all pages; nil when the server does not say.
    var total: Int?

    private enum Key: String, CodingKey { case total, data }

    init(from decoder: any Decoder, configuration context: DeviceRecord.Context) throws {
        isRepaired = context.isRepaired
        try ReplyHeader(from: decoder).requireSuccess()
        let container = try decoder.container(keyedBy: Key.self)
        total = container.code(.total, likely: .number)
        guard container.contains(.data), try !container.decodeNil(forKey: .data) else {
            guard total != nil else { throw ReplyFault.unexpected("it has neither devices nor their number") }
            return
        }
        guard var list = try? container.nestedUnkeyedContainer(forKey: .data) else {
            throw ReplyFault.unexpected("its data is no list")
        }
        while !list.isAtEnd {
            let record = try list.decode(DeviceRecord.self, configuration: context)
            if unknownFields.count < UnknownFields.maximumNames { unknownFields.formUnion(record.unknownFields) }
            if let reading = record.reading {
                readings.append(reading)
            } else {
                skipped += 1
            }
        }
    }

    /// For a page made by hand.
    init(readings: [DeviceReading], skipped: Int = 0, total: Int?, isRepaired: Bool = false) {
        self.isRepaired = isRepaired
        self.readings = readings
        self.skipped = skipped
        self.total = total
    }
}
