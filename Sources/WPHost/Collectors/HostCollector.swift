// SPDX-License-Identifier: MIT

package import WPCore

/// Reads one aspect of a host and creates its metric families.
///
/// A collector is one file in `Collectors/` and one line of ``HostCollectors/all``. Between calls, it keeps only the
/// values needed to compute differences.
package protocol HostCollector: Sendable {
    /// The type of its values: ``HostFamilies``, or a custom type if snapshots also need the values.
    associatedtype Value: Sendable
    /// Its name, which settings and flags also use.
    static var name: String { get }
    /// The group with which it is sampled. Default ``HostSampleGroup/system``.
    static var group: HostSampleGroup { get }
    /// Whether it runs by default. Default true.
    static var isOnByDefault: Bool { get }

    /// Creates the collector of a configuration.
    init(_ configuration: HostConfiguration)

    /// Reads the value; nil if this machine does not have it, or if reading it fails, which adds a fault to the
    /// context. A fault of a line or file affects only the values that depend on it.
    mutating func collect(_ context: inout CollectionContext) -> Value?

    /// Adds the families of a value. By default, adds nothing, or the value itself if it consists of families.
    static func addFamilies(of value: Value, to families: inout HostFamilies)
}

/// A collector without settings.
protocol PlainCollector: HostCollector {
    init()
}

extension PlainCollector {
    package init(_ configuration: HostConfiguration) { self.init() }
}

extension HostCollector {
    package static var group: HostSampleGroup { .system }
    package static var isOnByDefault: Bool { true }
    package static func addFamilies(of value: Value, to families: inout HostFamilies) {}

    /// Runs the collector and stores its value and report in a sample.
    /// - Parameter timeSource: the clock that measures the duration in the report.
    mutating func collect(
        into sample: inout HostSample,
        _ context: inout CollectionContext,
        timeSource: any TimeSource = .system
    ) {
        let start = timeSource.now
        (context.faults, context.visibleFaults) = ([], [])
        let value = collect(&context)
        sample[Self.self] = value
        sample.reports[HostCollectorName(of: Self.self)] = CollectorReport(
            isAvailable: value != nil,
            isSuccess: value != nil && context.faults.isEmpty,
            faults: context.faults + context.visibleFaults,
            seconds: timeSource.now.since(start).inSeconds
        )
    }

    /// Adds the families of the collector's value in a sample.
    static func addFamilies(of sample: HostSample, to families: inout HostFamilies) {
        if let value = sample[Self.self] { addFamilies(of: value, to: &families) }
    }
}

extension HostCollector where Value == HostFamilies {
    package static func addFamilies(of value: HostFamilies, to families: inout HostFamilies) {
        families.add(contentsOf: value)
    }
}

/// The environment of a collector: files, guarded calls, the time, and its faults.
package struct CollectionContext {
    /// Files below the procfs root.
    let proc: FileReader
    /// Files below the procfs root about the host's network.
    let network: FileReader
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
    /// Reads of text files, whose file system may hang.
    let texts: CallGuard
    /// The time of the sample.
    package var now: TimePoint
    /// The faults so far.
    package var faults: [HostFault] = []
    /// Faults that are part of the value, such as a file system that did not answer. They do not fail the collector.
    package var visibleFaults: [HostFault] = []

    package init(_ configuration: HostConfiguration, now: TimePoint) {
        proc = FileReader(root: configuration.procfs)
        // In any procfs other than this program's own, `net` links to this program's namespace, while process 1 is in
        // the host's.
        network = proc.root == "/proc" ? proc : FileReader(root: configuration.procfs, preferring: "1")
        sys = FileReader(root: configuration.sysfs)
        root = FileReader(root: configuration.rootfs)
        udev = FileReader(root: configuration.udevRoot)
        calls = CallGuard(deadline: configuration.callDeadline)
        // An unreachable server may have hundreds of mounts; other calls must still be made.
        mounts = CallGuard(deadline: configuration.mountDeadline, maximumStuck: 256)
        texts = CallGuard(deadline: configuration.callDeadline, maximumStuck: 8)
        self.now = now
    }

    /// Reads a file; nil, with a fault, if that fails. An absent file is nil without a fault.
    mutating func read<Outcome>(_ reader: FileReader, _ name: String, _ body: (Bytes) -> Outcome) -> Outcome? {
        do {
            return try reader.read(name, body)
        } catch {
            if !error.isAbsence { faults.append(error) }
            return nil
        }
    }

    /// Passes the lines of a file to a function. A line for which it returns false is malformed, which is a fault.
    /// - Parameter headings: the number of lines to skip.
    /// - Returns: whether the file could be read.
    mutating func readLines(
        _ reader: FileReader,
        _ name: String,
        headings: Int = 0,
        _ body: (Bytes) -> Bool
    ) -> Bool {
        var malformed: [String] = []
        let isRead: Void? = read(reader, name) { bytes in
            for line in bytes.lines.dropFirst(headings) where !body(line) { malformed.append(line.string) }
        }
        for line in malformed { self.malformed(reader, name, line) }
        return isRead != nil
    }

    /// The sorted names in a directory; nil if it does not exist.
    mutating func names(_ reader: FileReader, in name: String) -> [String]? {
        do {
            return try reader.names(in: name).sorted()
        } catch {
            if !error.isAbsence { faults.append(error) }
            return nil
        }
    }

    /// Records a malformed line by its first word: the rest may change with each sample.
    mutating func malformed(_ reader: FileReader, _ name: String, _ line: String) {
        let word = line.split(whereSeparator: \.isWhitespace).first.map { ": " + $0.prefix(40) } ?? ""
        faults.append(HostFault(.malformed, reader.path(name) + word))
    }

    /// Reads some small sysfs files in each of several directories, without surrounding white space; nil for a file
    /// that does not exist or that the driver cannot provide.
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

    /// Reads small sysfs files, each with its own deadline. A file that does not exist, or that the driver currently
    /// cannot provide, is nil without a fault.
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

extension CollectionContext {
    /// The number in a procfs file; nil if the file is absent or invalid.
    mutating func readNumber(_ name: String) -> UInt64? {
        let number = read(proc, name) { $0.trimmed.unsigned }
        if case .some(.none) = number { malformed(proc, name, "") }
        return number ?? nil
    }
}

extension [String] {
    /// The names that consist of a prefix and a number, sorted by number.
    func numbered(_ prefix: String) -> [String] {
        compactMap { name in
            name.hasPrefix(prefix) ? Int(name.dropFirst(prefix.count)).map { ($0, name) } : nil
        }.sorted { $0.0 < $1.0 }.map(\.1)
    }
}

extension TimePoint {
    /// The seconds since an earlier time; nil if there is none or no time passed.
    func seconds(since earlier: TimePoint?) -> Double? {
        guard let earlier else { return nil }
        let seconds = since(earlier).inSeconds
        return seconds > 0 ? seconds : nil
    }
}

/// The rate of a counter per second; nil if it was reset or one of the two values is missing.
func rate(_ new: UInt64?, _ old: UInt64?, _ seconds: Double) -> Double? {
    guard let new, let old, new >= old else { return nil }
    return Double(new - old) / seconds
}
