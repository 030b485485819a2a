// SPDX-License-Identifier: MIT

/// One sample line.
struct ParsedSample {
    let name: String
    var labels: [Label]
    let number: ParsedNumber
    let timestamp: Double?
    let exemplar: Exemplar?

    /// Removes the label that its type adds, and parses its number.
    mutating func removeBound(_ label: String, isCanonical: Bool) throws(ScanFault) -> Double {
        guard let index = labels.firstIndex(where: { $0.name == label }) else {
            throw ScanFault(.labels, "\(name) lacks the label \(label)")
        }
        let text = labels.remove(at: index).value
        guard let bound = ParsedNumber(ArraySlice(text.utf8))?.value, !bound.isNaN else {
            throw ScanFault(.labels, "the label \(label) of \(name) is not a number")
        }
        guard bound.isFinite || !isCanonical || text == "+Inf" else {
            throw ScanFault(.labels, "the label \(label) of \(name) is infinite, but not written '+Inf'")
        }
        return bound
    }

    /// The value as a number of observations.
    func count() throws(ScanFault) -> UInt64 {
        guard let count = number.count else { throw ScanFault(.value, "\(name) is a count, but not a whole number") }
        return count
    }
}
