// SPDX-License-Identifier: MIT

/// An error within a line; the parser adds the line number.
struct ScanFault: Error {
    let code: ExpositionParseError.Code
    let reason: String
    /// The line of the error, if it is not the current one.
    private var line: Int?

    init(_ code: ExpositionParseError.Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// The same error, with another line number.
    func at(line: Int) -> ScanFault {
        var fault = self
        fault.line = line
        return fault
    }

    /// The parser's error for a line.
    func error(line: Int) -> ExpositionParseError {
        ExpositionParseError(code: code, line: self.line ?? line, reason: reason)
    }

    /// Creates a value of the data model; converts its errors to parse errors.
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
