// SPDX-License-Identifier: MIT

import Testing

/// A fault of a store, and the check that must detect it, whatever the others do.
struct Fault<Store>: Sendable, CustomTestStringConvertible {
    let check: String
    let apply: @Sendable (inout Store) -> Void

    init(_ check: String, _ apply: @escaping @Sendable (inout Store) -> Void) {
        self.check = check
        self.apply = apply
    }

    var testDescription: String { check }
}

/// Changes every element that a store returns.
func each<Element>(_ change: @escaping @Sendable (inout Element) -> Void) -> @Sendable ([Element]) -> [Element] {
    { $0.map(changed(change)) }
}

/// Changes a copy of a value.
func changed<Value>(_ change: @escaping @Sendable (inout Value) -> Void) -> @Sendable (Value) -> Value {
    { value in
        var value = value
        change(&value)
        return value
    }
}
