// SPDX-License-Identifier: MIT

/// Reads one aspect of a host. What it keeps between two calls is what it needs to know differences.
package protocol HostCollector: Sendable {
    /// What it reads.
    associatedtype Value: Sendable
    /// Its name.
    static var name: HostCollectorName { get }
    /// Where its value goes.
    static var part: HostPart<Value> { get }

    /// Reads the value; nil when this machine does not have it, or when it cannot be read, which is then a fault of the
    /// context. A fault of one line or file costs what depends on it and nothing else.
    mutating func collect(_ context: inout CollectionContext) -> Value?
}

/// Where a collector's value goes.
package typealias HostPart<Value> = any WritableKeyPath<HostSample, Value?> & Sendable

extension HostCollector {
    /// Runs the collector and enters value and report into a sample.
    mutating func collect(into sample: inout HostSample, _ context: inout CollectionContext) {
        let start = ContinuousClock.now
        (context.faults, context.visibleFaults) = ([], [])
        let value = collect(&context)
        sample[keyPath: Self.part] = value
        sample.reports[Self.name] = CollectorReport(
            isAvailable: value != nil,
            isSuccess: value != nil && context.faults.isEmpty,
            faults: context.faults + context.visibleFaults,
            seconds: start.duration(to: .now).inSeconds
        )
    }
}

extension HostCollector {
    /// Removes the collector's value from a sample.
    fileprivate static func clear(_ sample: inout HostSample) { sample[keyPath: part] = nil }
}

extension HostSample {
    /// The sample as it would be if only these collectors had run.
    package func keeping(_ names: Set<HostCollectorName>) -> HostSample {
        var sample = self
        for name in HostCollectorName.allCases where !names.contains(name) {
            type(of: name.collector(HostConfiguration())).clear(&sample)
            sample.reports[name] = nil
        }
        return sample
    }
}

/// What a collector works with.
package struct CollectionContext {
    /// Files below the procfs root.
    let proc: FileReader
    /// Files below the sysfs root.
    let sys: FileReader
    /// Files below the root directory of the host.
    let root: FileReader
    /// Files of udev's data directory.
    let udev: FileReader
    /// Reads of sysfs, which may hang.
    let calls: CallGuard
    /// Calls on mounted file systems, which may hang.
    let mounts: CallGuard
    /// Reads of text files, whose directory may be on a file system that hangs.
    let texts: CallGuard
    /// The time of the sample.
    package var now: HostTime
    /// What went wrong so far.
    package var faults: [HostFault] = []
    /// What went wrong and is seen in the value itself, such as a file system that did not answer. The collector has not
    /// failed.
    package var visibleFaults: [HostFault] = []

    package init(_ configuration: HostConfiguration, now: HostTime) {
        proc = FileReader(root: configuration.procfs)
        sys = FileReader(root: configuration.sysfs)
        root = FileReader(root: configuration.rootfs)
        udev = FileReader(root: configuration.udevRoot)
        calls = CallGuard(deadline: configuration.callDeadline)
        // A server that is away may have hundreds of mounts; each of the others is asked all the same.
        mounts = CallGuard(deadline: configuration.mountDeadline, maximumStuck: 256)
        texts = CallGuard(deadline: configuration.callDeadline, maximumStuck: 8)
        self.now = now
    }

    /// Reads a file; nil, and a fault, when that fails. A file that is absent is no fault: nil alone.
    mutating func read<Outcome>(_ reader: FileReader, _ name: String, _ body: (Bytes) -> Outcome) -> Outcome? {
        do {
            return try reader.read(name, body)
        } catch {
            if !error.isAbsence { faults.append(error) }
            return nil
        }
    }

    /// Reads a file about the host's network. Below another procfs than this program's own, `net` is a link to this
    /// program's namespace, while process 1 is in the host's.
    mutating func readNetwork<Outcome>(_ name: String, _ body: (Bytes) -> Outcome) -> Outcome? {
        if proc.root != "/proc", let outcome = try? proc.read("1/" + name, body) { return outcome }
        return read(proc, name, body)
    }

    /// The names in a directory, sorted; nil when there is none.
    mutating func names(_ reader: FileReader, in name: String) -> [String]? {
        do {
            return try reader.names(in: name).sorted()
        } catch {
            if !error.isAbsence { faults.append(error) }
            return nil
        }
    }

    /// Notes a line that is not as documented, by its first word: the rest may change from sample to sample.
    mutating func malformed(_ reader: FileReader, _ name: String, _ line: String) {
        let word = line.split(whereSeparator: \.isWhitespace).first.map { ": " + $0.prefix(40) } ?? ""
        faults.append(HostFault(.malformed, reader.path(name) + word))
    }

    /// The given small files of each of some directories below a directory of sysfs, without white space around them; nil
    /// for what a driver does not have.
    mutating func readAttributes(
        of names: [String],
        in directory: String,
        _ files: [String]
    ) -> [(name: String, values: [String?])] {
        let (sys, count) = (sys, files.count)
        let contents = readAttributes(names.flatMap { name in files.map { sys.path("\(directory)/\(name)/\($0)") } })
        return names.enumerated().map { index, name in
            (name, contents[(index * count)..<((index + 1) * count)].map { $0?.scanned { $0.trimmed.string } })
        }
    }

    /// Reads small files of sysfs, each with its deadline. What a driver does not have or cannot say at the moment is nil
    /// and no fault.
    mutating func readAttributes(_ paths: [String]) -> [[UInt8]?] {
        zip(paths, calls.perform(paths.map { .read($0) })).map { path, outcome in
            switch outcome {
            case .bytes(let bytes): return bytes
            case .space, .text, .names: return nil
            case .failed(let reason):
                if !reason.isUnsupported { faults.append(HostFault(reason, path)) }
                return nil
            }
        }
    }
}

/// One moment: the wall clock, and a clock that never goes back.
package struct HostTime: Sendable, Hashable {
    /// Seconds since 1970.
    package var wall: Double
    /// Since an origin that is fixed while the process lives.
    package var monotonic: Duration

    package init(wall: Double, monotonic: Duration) {
        self.wall = wall
        self.monotonic = monotonic
    }

    /// The seconds that passed since an earlier moment; nil when there is none, or no time passed.
    func seconds(since earlier: HostTime?) -> Double? {
        guard let earlier else { return nil }
        let seconds = (monotonic - earlier.monotonic).inSeconds
        return seconds > 0 ? seconds : nil
    }
}

extension Duration {
    var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }
}

/// How fast a counter grew; nil when it was reset, or one of its two values is missing.
func rate(_ new: UInt64?, _ old: UInt64?, _ seconds: Double) -> Double? {
    guard let new, let old, new >= old else { return nil }
    return Double(new - old) / seconds
}
