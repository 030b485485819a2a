// SPDX-License-Identifier: MIT

/// The files to which other programs write metrics.
package struct TextFiles: Sendable, Hashable {
    /// The readable files, sorted by path.
    package var files: [TextFile] = []
    /// Whether some files could not be read.
    package var hasFailures = false
}

/// Reads the `.prom` files of a directory. ``TextFamilies`` parses them.
struct TextFileCollector: HostCollector {
    static let name = "textfile"

    /// The maximum number of files, and their maximum total size in bytes.
    static let maximumFiles = 1000
    static let maximumBytes = 16 << 20

    /// Nil if none is configured.
    private let directory: String?

    init(_ configuration: HostConfiguration) {
        directory = configuration.textFileDirectory
    }

    mutating func collect(_ context: inout CollectionContext) -> TextFiles? {
        var result = TextFiles()
        guard var directory else { return result }
        while directory.utf8.count > 1, directory.hasSuffix("/") { directory.removeLast() }
        func fail(_ reason: HostFault.Reason, _ path: String) {
            // node_textfile_scrape_error reports it, and the other files are still exposed.
            context.visibleFaults.append(HostFault(reason, path))
            result.hasFailures = true
        }
        let paths: [String]
        switch context.texts.perform([.list(directory)])[0] {
        case .names(let names): paths = names.filter { $0.hasSuffix(".prom") }.map { "\(directory)/\($0)" }
        case .failed(let reason):
            fail(reason, directory)
            return result
        default: return result
        }
        if paths.count > Self.maximumFiles { fail(.tooLong, directory) }
        let kept = paths.prefix(Self.maximumFiles)
        var bytes = 0
        for (path, outcome) in zip(kept, context.texts.perform(kept.map { .text($0) })) {
            switch outcome {
            case .text(let file):
                bytes += file.content.count
                guard bytes <= Self.maximumBytes else {
                    fail(.tooLong, directory)
                    return result
                }
                result.files.append(file)
            case .failed(let reason): fail(reason, path)
            default: break
            }
        }
        return result
    }
}
