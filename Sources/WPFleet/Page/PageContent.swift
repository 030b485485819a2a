// SPDX-License-Identifier: MIT

import WPGzip
import WPHTTP

/// The files of the page, with a version derived from their content.
struct PageContent: Sendable {
    /// One file.
    struct Asset: Sendable {
        let type: String
        let bytes: [UInt8]
        /// The content in gzip; nil if that is not smaller.
        let compressed: [UInt8]?

        init(type: String, bytes: [UInt8]) {
            self.type = type
            self.bytes = bytes
            // lint: zlib may be out of memory; the page is sent uncompressed
            compressed = (try? Gzip.compress(bytes, level: 9)).flatMap { $0.count < bytes.count ? $0 : nil }
        }
    }

    /// A digest of all files.
    let version: String
    let document: Asset
    let assets: [String: Asset]

    /// The embedded files. Compressing them takes some milliseconds.
    static let standard = {
        let file = EmbeddedFiles.bytes
        let code =
            ["base.js", "chart.js", "fleet.js"].map(file) + [PageQuantities.module]
            + ["detail.js", "main.js"].map(file)
        return PageContent(
            document: file("index.html"),
            assets: [
                "app.js": joined(code),
                "style.css": stripped(file("style.css"), as: .style),
                "theme.js": stripped(file("theme.js")),
                "zh.js": stripped(
                    file("zh.js").replacing("export default {".utf8, with: PageQuantities.chinese)
                ),
            ]
        )
    }()

    /// - Parameters:
    ///   - document: the page, with `{{version}}` in the addresses of its assets.
    ///   - assets: the assets by name; each ends in `.js` or `.css`.
    init(document: [UInt8], assets: [String: [UInt8]]) {
        let files = assets.sorted { $0.key < $1.key }.flatMap { Array($0.key.utf8) + $0.value }
        let version = EntityTag.content(of: document + files)
        self.version = version
        self.document = Asset(
            type: "text/html; charset=utf-8",
            bytes: document.replacing("{{version}}".utf8, with: version.utf8)
        )
        self.assets = assets.reduce(into: [:]) { made, file in
            let isStyle = file.key.hasSuffix(".css")
            let type = isStyle ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8"
            made[file.key] = Asset(type: type, bytes: file.value)
        }
    }

    /// Joins modules into one without imports, which is a fifth smaller in gzip. Each module must follow those that it
    /// imports, and declarations must be unique.
    static func joined(_ modules: [[UInt8]]) -> [UInt8] {
        modules.flatMap { stripped($0) { !$0.starts(with: "import ".utf8) } }
    }

    /// The syntax of a file.
    enum Syntax {
        case code, style

        /// Spaces next to these are insignificant. In style sheets, spaces next to others may be descendant
        /// combinators.
        var marks: Set<UInt8> { Set((self == .code ? "=,;:?(){}<>*&|[]" : "{};,").utf8) }
        /// Line breaks after these are insignificant. In code, one after a brace may end a statement.
        var joints: Set<UInt8> { Set((self == .code ? "{;," : "{};,").utf8) }
    }

    /// Removes indentation, empty lines, full-line comments, and insignificant spaces and line breaks.
    static func stripped(
        _ source: [UInt8],
        as syntax: Syntax = .code,
        where isWanted: (ArraySlice<UInt8>) -> Bool = { _ in true }
    ) -> [UInt8] {
        let (marks, joints) = (syntax.marks, syntax.joints)
        return source.split(separator: UInt8(ascii: "\n")).flatMap { line -> [UInt8] in
            let text = line.drop { $0 == UInt8(ascii: " ") }
            let isBlock = text.starts(with: "/*".utf8) && text.suffix(2).elementsEqual("*/".utf8)
            let isComment = isBlock || text.starts(with: "//".utf8)
            guard !text.isEmpty, !isComment, isWanted(text) else { return [] }
            let line = squeezed(text, marks)
            // A comment ends with its line.
            let hasComment = String(decoding: line, as: UTF8.self).contains("//")
            let isJoined = !hasComment && line.last.map(joints.contains) == true
            return isJoined ? line : line + [UInt8(ascii: "\n")]
        }
    }

    /// Removes the spaces next to punctuation outside of string literals. Lines with templates or regular expressions,
    /// in which spaces may be significant, are unchanged.
    private static func squeezed(_ line: ArraySlice<UInt8>, _ marks: Set<UInt8>) -> [UInt8] {
        guard !line.contains(where: { "`/'".utf8.contains($0) }) else { return Array(line) }
        var squeezed: [UInt8] = []
        var isString = false
        for (index, byte) in zip(line.indices, line) {
            if byte == UInt8(ascii: "\""), squeezed.last != UInt8(ascii: "\\") { isString.toggle() }
            if !isString, byte == UInt8(ascii: " ") {
                if squeezed.last.map(marks.contains) == true { continue }
                if index + 1 < line.endIndex, marks.contains(line[index + 1]) { continue }
            }
            squeezed.append(byte)
        }
        return squeezed
    }
}
