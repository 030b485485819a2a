// SPDX-License-Identifier: MIT

/// A line of text, or part of one, whose pieces have styles. It holds printable text only, whatever it is made from.
package struct StyledText: Sendable, Hashable, ExpressibleByStringLiteral {
    private struct Span: Sendable, Hashable {
        var text: String
        var style: TextStyle
    }

    private var spans: [Span] = []
    /// The cells that it takes.
    package private(set) var width = 0

    /// Creates a text.
    /// - Parameters:
    ///   - text: made ``TerminalText/printable(_:)``.
    ///   - style: how it looks.
    package init(_ text: String, _ style: TextStyle = .plain) {
        append(Span(text: TerminalText.printable(text), style: style))
    }

    /// Creates a text without style.
    package init(stringLiteral text: String) {
        self.init(text)
    }

    /// The text without styles.
    package var text: String { spans.map(\.text).joined() }

    /// One text after the other.
    package static func + (left: StyledText, right: StyledText) -> StyledText {
        var result = left
        for span in right.spans { result.append(span) }
        return result
    }

    /// The same with one style for all of it.
    package func styled(_ style: TextStyle) -> StyledText {
        var result = self
        for index in result.spans.indices { result.spans[index].style = style }
        return result
    }

    /// The start of it that fits, with a mark at the end if something is missing.
    /// - Parameters:
    ///   - limit: the most cells.
    ///   - mark: one cell wide.
    package func cut(to limit: Int, mark: String) -> StyledText {
        guard width > limit else { return self }
        guard limit > 0 else { return StyledText("") }
        var result = StyledText("")
        for span in spans {
            let room = limit - 1 - result.width
            let (start, width) = TerminalText.prefix(span.text, width: room)
            result.append(Span(text: start, style: span.style), width: width)
            if start.utf8.count < span.text.utf8.count {
                result.append(Span(text: mark, style: span.style))
                break
            }
        }
        return result
    }

    /// The same with spaces up to a width.
    package func padded(to width: Int, _ alignment: TextAlignment = .left) -> StyledText {
        guard width > self.width else { return self }
        let spaces = StyledText(String(repeating: " ", count: width - self.width))
        return alignment == .left ? self + spaces : spaces + self
    }

    /// What is written to a stream.
    /// - Parameter withStyles: whether the stream shows styles; if not, it is ``text``.
    package func rendered(withStyles: Bool) -> String {
        guard withStyles else { return text }
        return spans.map { span in
            let start = span.style.sequence
            return start.isEmpty ? span.text : start + span.text + "\u{1b}[0m"
        }.joined()
    }

    private mutating func append(_ span: Span, width: Int? = nil) {
        guard !span.text.isEmpty else { return }
        self.width += width ?? TerminalText.width(span.text)
        if let last = spans.last, last.style == span.style {
            spans[spans.count - 1].text += span.text
        } else {
            spans.append(span)
        }
    }
}

/// The side of its cells that a text stands on.
package enum TextAlignment: Sendable, Hashable {
    /// For words.
    case left
    /// For numbers.
    case right
}
