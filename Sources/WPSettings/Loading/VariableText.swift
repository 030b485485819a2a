// SPDX-License-Identifier: MIT

/// A value in the file that contains environment variables: `${NAME}`, or `${NAME:-default}` for one that may be unset
/// or empty. `$${` stands for `${`; any other `$` is literal.
///
/// Substituted values are plain text: they are not parsed as YAML, and `${` in them is literal.
struct VariableText {
    /// The maximum size of a value after substitution, in bytes.
    static let sizeLimit = 64 << 10

    /// The value.
    let text: String
    /// The variables in it, without duplicates, in order.
    let variables: [String]
    /// Whether part of the value is literal.
    let hasLiteral: Bool

    /// Substitutes the variables.
    /// - Throws: ``Malformed`` if a variable is not set, or if `${` is not followed by a name.
    init(_ source: String, environment: [String: String]) throws(Malformed) {
        var rest = source[...]
        var text = ""
        var variables: [String] = []
        var hasLiteral = false
        while let mark = rest.firstRange(of: "${") {
            let before = rest[..<mark.lowerBound]
            if before.last == "$" {
                text += before.dropLast() + "${"
                hasLiteral = true
                rest = rest[mark.upperBound...]
                continue
            }
            text += before
            hasLiteral = hasLiteral || !before.isEmpty
            guard let end = rest[mark.upperBound...].firstIndex(of: "}") else {
                throw Malformed("a ${ is never closed by }; write $${ for ${ itself")
            }
            let reference = try Reference(rest[mark.upperBound..<end])
            if !variables.contains(reference.name) { variables.append(reference.name) }
            if let value = environment[reference.name], !value.isEmpty || reference.standard == nil {
                text += value
            } else if let standard = reference.standard {
                text += standard
                hasLiteral = hasLiteral || !standard.isEmpty
            } else {
                throw Malformed(
                    "the environment variable \(reference.name) is not set; set it, or write ${\(reference.name):-VALUE}"
                        + " for a default"
                )
            }
            guard text.utf8.count <= Self.sizeLimit else {
                throw Malformed("after substitution the value has more than \(Self.sizeLimit) bytes")
            }
            rest = rest[rest.index(after: end)...]
        }
        self.text = text + rest
        self.variables = variables
        self.hasLiteral = hasLiteral || !rest.isEmpty
    }

    /// The text between `${` and `}`.
    private struct Reference {
        let name: String
        let standard: Substring?

        init(_ text: Substring) throws(Malformed) {
            let name = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
            let rest = text.dropFirst(name.count)
            guard let first = name.first, !first.isNumber, rest.isEmpty || rest.hasPrefix(":-") else {
                throw Malformed(
                    "between ${ and } there must be the name of an environment variable, or NAME:-VALUE; "
                        + "write $${ for ${ itself"
                )
            }
            self.name = String(name)
            standard = rest.isEmpty ? nil : rest.dropFirst(2)
        }
    }

    /// Why the variables could not be substituted. It quotes only the name of the variable.
    struct Malformed: Error {
        let description: String

        init(_ description: String) {
            self.description = description
        }
    }
}
