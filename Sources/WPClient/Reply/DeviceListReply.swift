// SPDX-License-Identifier: MIT

import WPModel

/// The reply that lists devices.
struct DeviceListReply {
    private enum Content {
        case missing, list, other
    }

    let header: ReplyHeader
    private let content: Content
    private let found: DevicePage

    /// - Parameters:
    ///   - time: when the reply was complete.
    ///   - maximumCount: the most devices that are kept.
    init(from reader: inout JSONReader, time: TimePoint, maximumCount: Int) throws(JSONFault) {
        var content = Content.missing
        var page = DevicePage()
        var parser = DeviceParser(time: time)
        header = try ReplyHeader(from: &reader) { (field, reader) throws(JSONFault) in
            if field == .total {
                page.total = try reader.readCode()
            } else if try reader.skipNull() {
                return
            } else if try reader.enterArray() {
                content = .list
                while try reader.nextElement() {
                    if page.readings.count >= maximumCount {
                        try reader.skipValue()
                        page.excess += 1
                    } else if let reading = try parser.parse(&reader) {
                        page.readings.append(reading)
                    } else {
                        page.skipped += 1
                    }
                }
            } else {
                try reader.skipValue()
                content = .other
            }
        }
        page.unknownFields = parser.unknownFields
        self.content = content
        found = page
    }

    /// The page.
    func page() throws(ReplyFault) -> DevicePage {
        switch content {
        case .list: break
        case .other: throw .unexpected("its data is no list")
        case .missing:
            guard found.total != nil else { throw .unexpected("it has neither devices nor their number") }
        }
        return found
    }
}
