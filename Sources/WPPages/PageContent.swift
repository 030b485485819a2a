// SPDX-License-Identifier: MIT

import WPGzip
import WPHTTP

/// The files of the page as they are sent, with the version that their content makes.
struct PageContent: Sendable {
    /// One file.
    struct Asset: Sendable {
        let type: String
        let bytes: [UInt8]
        /// The same in gzip; nil when that is no smaller.
        let compressed: [UInt8]?

        init(type: String, bytes: [UInt8]) {
            self.type = type
            self.bytes = bytes
            compressed = (try? Gzip.compress(bytes, level: 9)).flatMap { $0.count < bytes.count ? $0 : nil }
        }
    }

    /// What stands in the document where the version belongs.
    private static let placeholder = Array("{{version}}".utf8)

    /// A digest of all files.
    let version: String
    let document: Asset
    let assets: [String: Asset]

    /// The files that are built in. Making it compresses them, which takes some milliseconds.
    static let standard = PageContent(
        document: PackageResources.index_html,
        assets: [
            "detail.js": PackageResources.detail_js, "main.js": PackageResources.main_js,
            "style.css": PackageResources.style_css, "theme.js": PackageResources.theme_js,
            "zh.js": PackageResources.zh_js,
        ]
    )

    /// - Parameters:
    ///   - document: the page, with `{{version}}` in the addresses of its assets.
    ///   - assets: by name; each ends in `.js` or `.css`.
    init(document: [UInt8], assets: [String: [UInt8]]) {
        let files = assets.sorted { $0.key < $1.key }.flatMap { Array($0.key.utf8) + $0.value }
        let version = EntityTag.content(of: document + files)
        self.version = version
        self.document = Asset(
            type: "text/html; charset=utf-8",
            bytes: Self.replacing(Self.placeholder, by: Array(version.utf8), in: document)
        )
        self.assets = assets.reduce(into: [:]) { made, file in
            let isStyle = file.key.hasSuffix(".css")
            let type = isStyle ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8"
            made[file.key] = Asset(type: type, bytes: file.value)
        }
    }

    private static func replacing(_ old: [UInt8], by new: [UInt8], in bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index...].starts(with: old) {
                result += new
                index += old.count
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }
}
