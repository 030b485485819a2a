// SPDX-License-Identifier: MIT

/// A line of printable text whose parts have styles.
package struct StyledText: Sendable, Hashable, ExpressibleByStringLiteral {
    private struct Span: Sendable, Hashable {
        var text: String
        var style: TextStyle
    }

    private var spans: [Span] = []
    /// Its width in cells.
    package private(set) var width = 0

    /// Creates styled text.
    /// - Parameters:
    ///   - text: the text; converted by ``TerminalText/printable(_:)``.
    ///   - style: its style.
    package init(_ text: String, _ style: TextStyle = .plain) {
        append(Span(text: TerminalText.printable(text), style: style))
    }

    /// Creates unstyled text.
    package init(stringLiteral text: String) {
        self.init(text)
    }

    /// The text without styles.
    package var text: String { spans.map(\.text).joined() }

    /// Concatenates two strings.
    package static func + (left: StyledText, right: StyledText) -> StyledText {
        var result = left
        for span in right.spans { result.append(span) }
        return result
    }

    /// The text in a single style.
    package func styled(_ style: TextStyle) -> StyledText {
        var result = self
        for index in result.spans.indices { result.spans[index].style = style }
        return result
    }

    /// The text truncated to a width, with a mark at the end if it is cut.
    /// - Parameters:
    ///   - limit: the maximum width in cells.
    ///   - mark: the mark; one cell wide.
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

    /// The text padded with spaces to a width.
    package func padded(to width: Int, _ alignment: TextAlignment = .left) -> StyledText {
        guard width > self.width else { return self }
        let spaces = StyledText(String(repeating: " ", count: width - self.width))
        return alignment == .left ? self + spaces : spaces + self
    }

    /// The text with control sequences.
    /// - Parameter withStyles: whether the stream supports styles; if not, returns ``text``.
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

/// The alignment of text in a column.
package enum TextAlignment: Sendable, Hashable {
    /// For words.
    case left
    /// For numbers.
    case right
}
