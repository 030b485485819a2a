// SPDX-License-Identifier: MIT

import WPModel

/// Puts the pages of one reading together and knows when the list is whole.
///
/// The server may give smaller pages than asked for, the list may change between pages, and a server that does not
/// understand the page number gives the same page for ever. So the only measure is what each page really held, against
/// the latest `total`:
/// - whole, when `total` rows are in hand;
/// - whole, when a page brings nothing new and the server has never said a `total`;
/// - a failure, when a page brings nothing new before `total` is reached.
///
/// A row is a device, or an element without an identifier. A device that stands twice on one page counts as two rows,
/// because then `total` counts it twice as well. One that comes back on a later page does not: then the list has moved,
/// and another device may have slipped through.
struct DeviceList {
    /// The readings so far, one a device, in the server's order; of a repeated device, the latest.
    private(set) var readings: [DeviceReading] = []
    /// How many elements had no usable identifier.
    private(set) var skipped = 0
    /// How many elements repeated a device.
    private(set) var repeated = 0
    /// The names of fields that are not known; bounded in number.
    private(set) var unknownFields: Set<String> = []
    /// Whether bytes that are not UTF-8 were replaced in texts of any page.
    private(set) var isRepaired = false
    /// How many pages have been added.
    private(set) var pages = 0

    private static let maximumUnknownFields = 1000

    private let maxDevices: Int
    private let maxPages: Int
    private var places: [DeviceID: Int] = [:]
    private var rows = 0
    private var largestPage = 0
    private var total: Int?

    init(maxDevices: Int, maxPages: Int) {
        self.maxDevices = maxDevices
        self.maxPages = maxPages
    }

    /// The number of the page to ask for next, from 1.
    var nextPage: Int { pages + 1 }

    /// The number of the last page that the list should need, by the latest `total` and the largest page so far; never
    /// less than ``nextPage``. Pages up to it may be asked for before those ahead of them have come.
    var lastExpectedPage: Int {
        guard let total, total > rows, largestPage > 0 else { return nextPage }
        return max(nextPage, min(maxPages, pages + (total - rows - 1) / largestPage + 1))
    }

    /// Adds a page.
    /// - Returns: whether the list is whole.
    mutating func add(_ page: DevicePage) throws(ReplyFault) -> Bool {
        let start = readings.count
        let rowsBefore = rows
        pages += 1
        isRepaired = isRepaired || page.isRepaired
        largestPage = max(largestPage, page.readings.count + page.skipped)
        for reading in page.readings { add(reading, pageStart: start) }
        skipped += page.skipped
        rows += page.skipped
        if unknownFields.count < Self.maximumUnknownFields { unknownFields.formUnion(page.unknownFields) }
        noteTotal(of: page, rowsBefore: rowsBefore)
        guard max(rows, total ?? 0) <= maxDevices else {
            throw .tooLong("the server lists more than \(maxDevices) devices, the limit")
        }
        if try !isWhole(bringsNothing: readings.count == start) { return false }
        if readings.isEmpty, skipped > 0 {
            throw .unexpected("none of its \(skipped) devices has an identifier (assetDevice.id)")
        }
        return true
    }

    private mutating func add(_ reading: DeviceReading, pageStart: Int) {
        guard let place = places.updateValue(readings.count, forKey: reading.device.id) else {
            readings.append(reading)
            rows += 1
            return
        }
        places[reading.device.id] = place
        readings[place] = reading
        repeated += 1
        if place >= pageStart { rows += 1 }
    }

    /// An empty page that speaks of no devices at all, after pages that held some, is no news of the total: a server
    /// may answer so to any page beyond the end.
    private mutating func noteTotal(of page: DevicePage, rowsBefore: Int) {
        guard let claimed = page.total else { return }
        let isEmpty = page.readings.isEmpty && page.skipped == 0
        if isEmpty, claimed == 0, rowsBefore > 0 { return }
        total = claimed
    }

    private func isWhole(bringsNothing: Bool) throws(ReplyFault) -> Bool {
        if let total, rows >= total { return true }
        if bringsNothing {
            guard let total else { return true }
            throw .incomplete("page \(pages) brought nothing new when \(rows) of \(total) devices were in hand")
        }
        guard pages < maxPages else {
            throw .tooLong("the list was not whole after \(maxPages) pages, the limit")
        }
        return false
    }
}
