// SPDX-License-Identifier: MIT

// Numbers from the kernel and from files may be implausibly large: a result that overflows is unknown.

/// The sum; nil on overflow.
func sum<Value: FixedWidthInteger>(_ terms: Value...) -> Value? {
    var result: Value = 0
    for term in terms {
        let (next, overflow) = result.addingReportingOverflow(term)
        if overflow { return nil }
        result = next
    }
    return result
}

/// The product; nil on overflow.
func product<Value: FixedWidthInteger>(_ left: Value, _ right: Value) -> Value? {
    let (result, overflow) = left.multipliedReportingOverflow(by: right)
    return overflow ? nil : result
}
