// SPDX-License-Identifier: MIT

import WPModel

/// Combines the pages of a poll and detects when the list is complete.
///
/// The server may return smaller pages than requested, the list may change between pages, and a server that ignores the
/// page number repeats the same page. So completeness depends on the received rows and the latest `total`:
/// - complete, if `total` rows were received;
/// - complete, if a page contains nothing new and the server never sent a `total`;
/// - a failure, if a page contains nothing new before `total` is reached.
///
/// A row is a device, or an element without an identifier. A device repeated on the same page counts as two rows,
/// because `total` counts both. A device repeated on a later page counts once: the list has shifted, and another device
/// may be missing.
struct DeviceList {
    /// The readings so far, one per device, in the server's order; the latest one of a repeated device.
    private(set) var readings: [DeviceReading] = []
    /// The number of elements without a valid identifier.
    private(set) var skipped = 0
    /// The number of duplicate elements.
    private(set) var repeated = 0
    /// The names of unknown fields; limited in number.
    private(set) var unknownFields: Set<String> = []
    /// Whether bytes that are not UTF-8 were replaced in strings of any page.
    private(set) var isRepaired = false
    /// The number of added pages.
    private(set) var pages = 0

    private static let maximumUnknownFields = 1000

    private let maxDevices: Int
    private let maxPages: Int
    private var indices: [DeviceID: Int] = [:]
    private var rows = 0
    private var largestPage = 0
    private var total: Int?

    init(maxDevices: Int, maxPages: Int) {
        self.maxDevices = maxDevices
        self.maxPages = maxPages
    }

    /// The number of the next page, from 1.
    var nextPage: Int { pages + 1 }

    /// The expected number of the last page, from the latest `total` and the largest page; at least ``nextPage``. Pages
    /// up to it can be requested concurrently.
    var lastExpectedPage: Int {
        guard let total, total > rows, largestPage > 0 else { return nextPage }
        return max(nextPage, min(maxPages, pages + (total - rows - 1) / largestPage + 1))
    }

    /// Adds a page.
    /// - Returns: whether the list is complete.
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
        recordTotal(of: page, rowsBefore: rowsBefore)
        guard max(rows, total ?? 0) <= maxDevices else {
            throw .tooLong("the server lists more than \(maxDevices) devices, the limit")
        }
        if try !isComplete(hasNothingNew: readings.count == start) { return false }
        if readings.isEmpty, skipped > 0 {
            throw .unexpected("none of its \(skipped) devices has an identifier (assetDevice.id)")
        }
        return true
    }

    private mutating func add(_ reading: DeviceReading, pageStart: Int) {
        guard let index = indices.updateValue(readings.count, forKey: reading.device.id) else {
            readings.append(reading)
            rows += 1
            return
        }
        indices[reading.device.id] = index
        readings[index] = reading
        repeated += 1
        if index >= pageStart { rows += 1 }
    }

    /// An empty page with a total of 0 after pages with devices does not change the total: servers may return such a
    /// page beyond the end of the list.
    private mutating func recordTotal(of page: DevicePage, rowsBefore: Int) {
        guard let claimed = page.total else { return }
        let isEmpty = page.readings.isEmpty && page.skipped == 0
        if isEmpty, claimed == 0, rowsBefore > 0 { return }
        total = claimed
    }

    private func isComplete(hasNothingNew: Bool) throws(ReplyFault) -> Bool {
        if let total, rows >= total { return true }
        if hasNothingNew {
            guard let total else { return true }
            throw .incomplete("page \(pages) had no new devices after \(rows) of \(total) devices")
        }
        guard pages < maxPages else {
            throw .tooLong("the list was not complete after \(maxPages) pages, the limit")
        }
        return false
    }
}
