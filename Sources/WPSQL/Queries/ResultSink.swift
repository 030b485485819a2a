// SPDX-License-Identifier: MIT

import Synchronization

/// The destination of results, which each reload replaces while unchanged queries continue.
final class ResultSink: Sendable {
    struct Target: Sendable {
        let families: QueryFamilies
        let instruments: QueryInstruments
    }

    private let target: Mutex<Target>

    init(_ families: QueryFamilies, _ instruments: QueryInstruments) {
        target = Mutex(Target(families: families, instruments: instruments))
    }

    var families: QueryFamilies { target.withLock(\.families) }

    /// Calls a function with the target. No reload happens in the meantime, so no result is lost between two targets.
    func use<Value, Failure: Error>(_ body: (Target) throws(Failure) -> sending Value) throws(Failure) -> sending Value
    {
        try target.withLock { (target) throws(Failure) in try body(target) }
    }

    /// Replaces the target.
    /// - Parameter adopt: takes over the contents of the previous target.
    func replace(with next: Target, adopt: (_ earlier: Target) -> Void) {
        target.withLock { target in
            adopt(target)
            target = next
        }
    }
}
