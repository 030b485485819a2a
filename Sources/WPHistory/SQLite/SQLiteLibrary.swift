// SPDX-License-Identifier: MIT

import CSQLite

/// The system's SQLite, loaded on first use.
struct SQLiteLibrary: @unchecked Sendable {
    // Function pointers of a library that is never unloaded.
    let calls: CSQLiteCalls

    #if canImport(Darwin)
    private static let names = ["libsqlite3.dylib", "/usr/lib/libsqlite3.dylib"]
    #else
    private static let names = ["libsqlite3.so.0", "libsqlite3.so"]
    #endif

    private static let loaded = Result { () throws(HistoryStoreError) in try load() }

    /// The library.
    /// - Throws: ``HistoryStoreError`` with code `library`, which names the package to install.
    static func shared() throws(HistoryStoreError) -> SQLiteLibrary {
        try loaded.get()
    }

    private static func load() throws(HistoryStoreError) -> SQLiteLibrary {
        for name in names {
            guard let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) else { continue }
            var calls = CSQLiteCalls()
            if let missing = csqlite_load(library, &calls) {
                throw HistoryStoreError(
                    code: .library,
                    message: "\(name) lacks \(String(cString: missing)): SQLite 3.37 or later is needed"
                )
            }
            // STRICT tables need version 3.37.
            let version = calls.libversion().map { String(cString: $0) } ?? ""
            let parts = version.split(separator: ".").compactMap { Int($0) }
            guard parts.count >= 2, (parts[0], parts[1]) >= (3, 37) else {
                throw HistoryStoreError(
                    code: .library,
                    message: "\(name) is \(version): SQLite 3.37 or later is needed"
                )
            }
            csqlite_start_small(library)
            return SQLiteLibrary(calls: calls)
        }
        throw HistoryStoreError(
            code: .library,
            message: "SQLite is not installed: \(names[0]) was not found. Install it (Debian: libsqlite3-0), or switch "
                + "the history off with history.enabled: false"
        )
    }
}
