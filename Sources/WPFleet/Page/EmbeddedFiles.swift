// SPDX-License-Identifier: MIT

import CPageAssets

/// The files of the page and the API description in the program.
enum EmbeddedFiles {
    /// The content of a file.
    /// - Precondition: CPageAssets embeds it.
    static func bytes(of name: String) -> [UInt8] {
        var next = wp_page_assets()
        while let asset = next?.pointee, let known = asset.name {
            if String(cString: known) == name {
                return Array(UnsafeBufferPointer(start: asset.bytes, count: asset.count))
            }
            next = next?.successor()
        }
        preconditionFailure("There is no embedded file \(name)")
    }
}
