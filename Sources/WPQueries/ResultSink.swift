// SPDX-License-Identifier: MIT

import Synchronization

/// Where results go: another place after each reload, while the queries that did not change go on.
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

    /// Hands something to the target. No reload takes place meanwhile, so that nothing is lost between two targets.
    func use<Value, Failure: Error>(_ body: (Target) throws(Failure) -> sending Value) throws(Failure) -> sending Value
    {
        try target.withLock { (target) throws(Failure) in try body(target) }
    }

    /// Changes the target.
    /// - Parameter adopt: takes over what the target before has.
    func replace(with next: Target, adopt: (_ earlier: Target) -> Void) {
        target.withLock { target in
            adopt(target)
            target = next
        }
    }
}
