// SPDX-License-Identifier: MIT

import Testing
@testable import WPClient
import WPCore
import WPModel
import WPTestKit

@Suite("Paging")
struct DeviceListTests {
    private func page(_ ids: some Sequence<Int>, watts: Double? = nil, skipped: Int = 0, total: Int?) -> DevicePage {
        DevicePage(
            readings: ids.map { id in
                DeviceReading(
                    device: Device(id: DeviceID("d\(id)")),
                    time: TestClock().timeSource.now,
                    load: .init(watts: watts)
                )
            },
            skipped: skipped,
            total: total
        )
    }

    private func list(maxDevices: Int = 1_000, maxPages: Int = 100) -> DeviceList {
        DeviceList(maxDevices: maxDevices, maxPages: maxPages)
    }

    @Test func onePageWithTheTotalIsComplete() throws {
        var list = list()
        #expect(list.nextPage == 1)
        #expect(try list.add(page(1...3, total: 3)))
        #expect(list.readings.count == 3)
    }

    @Test func continuesUntilTheTotalWithSmallPages() throws {
        var list = list()
        #expect(try !list.add(page(1...20, total: 45)))
        #expect(list.nextPage == 2)
        #expect(try !list.add(page(21...40, total: 45)))
        #expect(try list.add(page(41...45, total: 45)))
        #expect(list.readings.map(\.device.id) == (1...45).map { DeviceID("d\($0)") })
    }

    @Test func usesTheLatestTotal() throws {
        var growing = list()
        #expect(try !growing.add(page(1...2, total: 3)))
        #expect(try !growing.add(page(3...4, total: 5)))
        #expect(try growing.add(page(5...5, total: 5)))
        var shrinking = list()
        #expect(try !shrinking.add(page(1...2, total: 5)))
        #expect(try shrinking.add(page([], total: 2)))
    }

    @Test(arguments: [3, nil, 0] as [Int?])
    func failsIfAPageBeforeTheTotalIsEmpty(totalOfEmptyPage: Int?) throws {
        var list = list()
        #expect(try !list.add(page(1...2, total: 3)))
        #expect(throws: ReplyFault.incomplete("page 2 had no new devices after 2 of 3 devices")) {
            try list.add(page([], total: totalOfEmptyPage))
        }
    }

    @Test func failsIfAPageRepeatsBeforeTheTotal() throws {
        var list = list()
        #expect(try !list.add(page(1...2, total: 3)))
        #expect(throws: ReplyFault.self) { try list.add(page(1...2, total: 3)) }
    }

    @Test func endsWithAPageWithoutNewDevicesIfThereIsNoTotal() throws {
        var empty = list()
        #expect(try !empty.add(page(1...2, total: nil)))
        #expect(try empty.add(page([], total: nil)))
        var repeating = list()
        #expect(try !repeating.add(page(1...2, total: nil)))
        #expect(try repeating.add(page(1...2, total: nil)))
        #expect(repeating.readings.count == 2)
        #expect(repeating.repeated == 2)
    }

    @Test func mergesADeviceOnTwoPages() throws {
        var list = list()
        #expect(try !list.add(page(1...2, watts: 1, total: 4)))
        #expect(try !list.add(page(2...3, watts: 2, total: 4)))
        #expect(list.readings.map(\.device.id.rawValue) == ["d1", "d2", "d3"])
        #expect(list.readings.map(\.load.watts) == [1, 2, 2])
        #expect(try list.add(page(4...4, total: 4)))
    }

    @Test func countsADuplicateOnOnePageTowardsTheTotal() throws {
        var list = list()
        #expect(try list.add(page([1, 2, 2], total: 3)))
        #expect(list.readings.count == 2)
    }

    @Test func countsElementsWithoutAnIDAsRows() throws {
        var list = list()
        #expect(try list.add(page(1...2, skipped: 1, total: 3)))
        #expect(list.skipped == 1)
    }

    @Test func failsIfNoElementHasAnID() {
        var list = list()
        #expect(throws: ReplyFault.unexpected("none of its 3 devices has an identifier (assetDevice.id)")) {
            try list.add(page([], skipped: 3, total: 3))
        }
    }

    @Test func rejectsAListBeyondTheLimits() throws {
        var claiming = list(maxDevices: 10)
        #expect(throws: ReplyFault.tooLong("the server lists more than 10 devices, the limit")) {
            try claiming.add(page(1...2, total: 11))
        }
        var sending = list(maxDevices: 10)
        #expect(throws: ReplyFault.self) { try sending.add(page(1...11, total: nil)) }
        var endless = list(maxPages: 2)
        #expect(try !endless.add(page(1...1, total: 9)))
        #expect(throws: ReplyFault.tooLong("the list was not complete after 2 pages, the limit")) {
            try endless.add(page(2...2, total: 9))
        }
    }

    @Test func acceptsAListAtTheLimits() throws {
        var claiming = list(maxDevices: 10)
        #expect(try !claiming.add(page(1...2, total: 10)))
        var sending = list(maxDevices: 10)
        #expect(try sending.add(page(1...10, total: 10)))
        var skipping = list(maxDevices: 10)
        #expect(try skipping.add(page(1...9, skipped: 1, total: 10)))
        var skippingMore = list(maxDevices: 10)
        #expect(throws: ReplyFault.self) { try skippingMore.add(page(1...9, skipped: 2, total: nil)) }
        var paged = list(maxPages: 2)
        #expect(try !paged.add(page(1...1, total: 2)))
        #expect(try paged.add(page(2...2, total: 2)))
    }

    @Test func computesTheLastPageFromTheTotalAndTheLargestPage() throws {
        var full = list(maxPages: 100)
        #expect(full.lastExpectedPage == 1)
        _ = try full.add(page(1...20, total: 1_000))
        #expect(full.lastExpectedPage == 50)
        _ = try full.add(page(21...40, total: 41))
        #expect(full.lastExpectedPage == 3)
        var uneven = list()
        _ = try uneven.add(page(1...20, total: 61))
        #expect(uneven.lastExpectedPage == 4)
        _ = try uneven.add(page(21...22, total: 61))
        #expect(uneven.lastExpectedPage == 4)
        var unknown = list()
        _ = try unknown.add(page(1...20, total: nil))
        #expect(unknown.lastExpectedPage == 2)
        var bounded = list(maxPages: 7)
        _ = try bounded.add(page(1...1, total: 1_000))
        #expect(bounded.lastExpectedPage == 7)
        var empty = list()
        _ = try empty.add(page([], skipped: 0, total: nil))
        #expect(empty.lastExpectedPage == 2)
        var skipping = list()
        _ = try skipping.add(page(1...1, skipped: 4, total: 10))
        #expect(skipping.lastExpectedPage == 2)
    }
}
