// SPDX-License-Identifier: MIT

/// Reads the open files of the whole system: `/proc/sys/fs/file-nr`.
struct FilefdCollector: PlainCollector {
    static let name = "filefd"

    mutating func collect(_ context: inout CollectionContext) -> HostFamilies? {
        let numbers = context.read(context.proc, "sys/fs/file-nr") { $0.fields.map(\.unsigned) }
        guard let numbers else { return nil }
        guard numbers.count >= 3, !numbers.contains(nil) else {
            context.malformed(context.proc, "sys/fs/file-nr", "")
            return nil
        }
        var families = HostFamilies()
        families.add("filefd_allocated", "Open files of the system.", numbers[0])
        families.add("filefd_maximum", "Files that the system can have open.", numbers[2])
        return families
    }
}
