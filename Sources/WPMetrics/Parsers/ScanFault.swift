// SPDX-License-Identifier: MIT

/// A fault that the parts of a parser report; the parser knows on which line it reads.
struct ScanFault: Error {
    let code: ExpositionParseError.Code
    let reason: String
    /// The line that the fault is about, when it is not the one being read.
    private var line: Int?

    init(_ code: ExpositionParseError.Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// The same fault, about a line read earlier.
    func about(line: Int) -> ScanFault {
        var fault = self
        fault.line = line
        return fault
    }

    /// The error that the parser throws while it reads a line.
    func error(line: Int) -> ExpositionParseError {
        ExpositionParseError(code: code, line: self.line ?? line, reason: reason)
    }

    /// Makes something of the data model; what that does not allow is a fault of the text.
    static func wrapping<Value>(
        _ code: ExpositionParseError.Code,
        _ make: () throws(MetricError) -> Value
    ) throws(ScanFault) -> Value {
        do {
            return try make()
        } catch {
            throw ScanFault(code, error.description)
        }
    }
}
