// SPDX-License-Identifier: MIT

// Numbers of the kernel and of files may be absurd: what goes beyond the type is unknown.

/// The sum; nil beyond the type.
func sum<Value: FixedWidthInteger>(_ terms: Value...) -> Value? {
    var result: Value = 0
    for term in terms {
        let (next, overflow) = result.addingReportingOverflow(term)
        if overflow { return nil }
        result = next
    }
    return result
}

/// The product; nil beyond the type.
func product<Value: FixedWidthInteger>(_ left: Value, _ right: Value) -> Value? {
    let (result, overflow) = left.multipliedReportingOverflow(by: right)
    return overflow ? nil : result
}
