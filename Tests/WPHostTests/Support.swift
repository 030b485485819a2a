// SPDX-License-Identifier: MIT

import HostFixtures
import Synchronization
import WPTestKit

@testable import WPHost

/// A tree in a directory that goes away with it, and what reads it.
final class TreeHost {
    let directory: TemporaryDirectory
    let tree: HostTree
    var context: CollectionContext

    init(_ fixture: HostFixture? = nil, deadline: Duration = .seconds(5)) throws {
        directory = try TemporaryDirectory()
        tree = try fixture?.write(to: directory.path) ?? HostTree(directory.path)
        var configuration = HostConfiguration()
        configuration.procfs = tree.proc
        configuration.sysfs = tree.sys
        configuration.rootfs = tree.root
        configuration.callDeadline = deadline
        configuration.mountDeadline = deadline
        context = CollectionContext(configuration, now: HostTime(wall: 1000, monotonic: .seconds(1)))
    }

    var configuration: HostConfiguration {
        var configuration = HostConfiguration()
        configuration.procfs = tree.proc
        configuration.sysfs = tree.sys
        configuration.rootfs = tree.root
        return configuration
    }

    /// Lets time pass between two samples.
    func advance(_ duration: Duration) {
        context.now.monotonic += duration
        context.now.wall += duration.inSeconds
    }

    /// Runs a collector, and gives its value and report.
    func run<Collector: HostCollector>(_ collector: inout Collector) -> (
        value: Collector.Value?, report: CollectorReport?
    ) {
        var sample = HostSample()
        collector.collect(into: &sample, &context)
        return (sample[keyPath: Collector.part], sample.reports[Collector.name])
    }
}

/// A clock that stands still until it is moved, and that a sleep moves.
final class SteppingClock: Sendable {
    private let time = Mutex(HostTime(wall: 1000, monotonic: .zero))

    var hostClock: HostClock {
        HostClock(
            now: { self.time.withLock { $0 } },
            sleep: { duration in
                try Task.checkCancellation()
                self.advance(duration)
                await Task.yield()
            }
        )
    }

    func advance(_ duration: Duration) {
        time.withLock { time in
            time.monotonic += duration
            time.wall += duration.inSeconds
        }
    }
}
