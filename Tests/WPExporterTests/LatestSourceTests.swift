// SPDX-License-Identifier: MIT

import Testing
import WPCore
@testable import WPExporter
import WPModel
import WPProgram
import WPTestKit

/// A device source that a reload replaces.
@Suite(.timeLimit(.minutes(1))) struct LatestSourceTests {
    @Test func completesAReadingWithItsInitialSource() async throws {
        let gate = AsyncStream<Void>.makeStream()
        let begun = AsyncStream<Void>.makeStream()
        let (old, new) = (FakeDeviceSource(), FakeDeviceSource())
        let time = TestClock().timeSource.now
        old.answer {
            begun.continuation.yield()
            for await _ in gate.stream { break }
            return [.sample(id: "old", alias: "UPS", watts: 1, time: time)]
        }
        new.answer([.sample(id: "new", alias: "UPS", watts: 1, time: time)])
        let source = Latest<any DeviceSource>(old)
        async let first = source.readDevices()
        for await _ in begun.stream { break }
        source.value = new
        let second = try await source.readDevices()
        gate.continuation.yield()
        #expect(second.map(\.device.id.rawValue) == ["new"])
        #expect(try await first.map(\.device.id.rawValue) == ["old"])
    }
}
