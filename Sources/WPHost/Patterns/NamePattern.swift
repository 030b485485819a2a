// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A regular expression that matches anywhere in a name, like node_exporter's flags.
///
/// The system's `regcomp` matches, without backtracking. `RegularExpressionText` translates RE2's syntax, in which
/// node_exporter's flags are written, to POSIX. Matching is by bytes: `.` is one byte of a name.
public struct NamePattern: Sendable, Hashable, CustomStringConvertible {
    /// The original expression.
    public let description: String
    /// Nil if the expression is empty.
    private let compiled: CompiledExpression?

    /// Creates a pattern.
    /// - Parameter text: a regular expression of at most 4,096 bytes; an empty one matches nothing, which switches an
    ///   exclusion off.
    /// - Throws: ``NamePatternError`` with the problem of the expression.
    public init(_ text: String) throws(NamePatternError) {
        description = text
        compiled = text.isEmpty ? nil : try CompiledExpression(RegularExpressionText(text))
    }

    /// Creates one of this library's own patterns.
    init(known text: String) {
        do throws(NamePatternError) {
            try self.init(text)
        } catch {
            preconditionFailure("\(text): \(error)")
        }
    }

    /// The pattern that matches nothing.
    package static let nothing = NamePattern(known: "")

    /// Whether the expression matches somewhere in a name.
    public func matches(_ name: String) -> Bool {
        compiled?.matches(name) ?? false
    }

    /// Whether both have the same text.
    public static func == (left: NamePattern, right: NamePattern) -> Bool {
        left.description.utf8.elementsEqual(right.description.utf8)
    }

    /// Hashes the expression's text.
    public func hash(into hasher: inout Hasher) {
        for byte in description.utf8 { hasher.combine(byte) }
    }
}

/// An error in a regular expression.
public struct NamePatternError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The problem, and its position if known.
    public let description: String

    init(_ description: String) {
        self.description = description
    }

    init(_ problem: String, at index: Int) {
        description = "\(problem) at character \(index + 1)"
    }
}

/// An expression compiled by the system.
///
/// Sendable, which the compiler cannot check: the value does not change after `init`, and `regexec` is thread-safe
/// (POSIX).
private final class CompiledExpression: @unchecked Sendable {
    private var value = regex_t()

    init(_ text: RegularExpressionText) throws(NamePatternError) {
        let code = regcomp(&value, text.posix, REG_EXTENDED | REG_NOSUB | (text.ignoresCase ? REG_ICASE : 0))
        guard code == 0 else {
            throw NamePatternError(
                withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { message in
                    regerror(code, &value, message.baseAddress, message.count)
                    return message.baseAddress.map { String(cString: $0) } ?? "invalid expression"
                }
            )
        }
    }

    deinit {
        regfree(&value)
    }

    func matches(_ name: String) -> Bool {
        regexec(&value, name, 0, nil, 0) == 0
    }
}
