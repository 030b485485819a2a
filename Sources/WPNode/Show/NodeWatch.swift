// SPDX-License-Identifier: MIT

import Synchronization
import WPHost
import WPService
package import WPTerminal

/// Samples this machine and shows the samples until a key or a signal ends it.
package struct NodeWatch: Sendable {
    private let settings: NodeSettings

    package init(_ settings: NodeSettings) {
        self.settings = settings
    }

    /// Shows the latest sample on the full screen. A key or a signal ends it.
    /// - Throws: if the terminal is lost.
    package func run(on screen: LiveScreen, glyphs: Glyphs) async throws {
        let events = screen.events(Signals.stream(of: Signals.ending + LiveScreen.signals))
        let sampler = HostSampler(settings.host)
        defer {
            screen.close()
            Signals.restoreDefaults(Signals.ending)
        }
        try await sampling(sampler, { _ in }) {
            for await event in events {
                switch event {
                case .end: return
                case .suspend: screen.suspend()
                case .redraw: break
                }
                let size = screen.size
                let lines = view(sampler.current, size, glyphs, screen.endsByKey)
                try screen.show(lines, size: size)
            }
        }
    }

    /// Writes one JSON document per interval. A signal ends it.
    /// - Throws: the output's error.
    package func run(writingTo write: @escaping @Sendable (String) throws(OutputError) -> Void) async throws {
        let signals = Signals.stream(of: Signals.ending)
        let sampler = HostSampler(settings.host)
        let (documents, continuation) = AsyncStream.makeStream(of: String?.self)
        let name = settings.node.name
        let listening = Task {
            for await _ in signals { continuation.yield(nil) }
        }
        defer {
            listening.cancel()
            Signals.restoreDefaults(Signals.ending)
        }
        let earlier = Mutex<HostSample?>(nil)
        try await sampling(sampler) { group in
            let sample = sampler.current
            guard group == .system, sample.isComplete else { return }
            let before = earlier.withLock { earlier in
                defer { earlier = sample }
                return earlier
            }
            // lint: a non-finite number from outside costs one line
            if let text = try? NodeSnapshot(sample, nodeName: name, since: before).json() { continuation.yield(text) }
        } until: {
            for await document in documents {
                guard let document else { return }
                try write(document)
            }
        }
    }

    private func sampling(
        _ sampler: HostSampler,
        _ onSample: @escaping @Sendable (HostSampleGroup) -> Void,
        until end: @escaping @Sendable () async throws -> Void
    ) async throws {
        let collect = settings.collect
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                await sampler.run(
                    cpu: collect.cpuInterval,
                    processes: collect.processInterval,
                    system: collect.interval
                ) { group, _ in onSample(group) }
            }
            group.addTask { try await end() }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    func view(_ sample: HostSample, _ size: TerminalSize, _ glyphs: Glyphs, _ endsByKey: Bool) -> [StyledText] {
        guard sample.isComplete else { return ["Sampling this machine"] }
        let view = SnapshotView(NodeSnapshot(sample, nodeName: settings.node.name), width: size.columns, glyphs: glyphs)
        var lines = view.lines(rows: max(size.rows - 1, 1))
        lines += Array(repeating: "", count: max(size.rows - 1 - lines.count, 0))
        return lines + [StyledText(endsByKey ? "q: quit" : "Ctrl-C: quit", .dim)]
    }
}
