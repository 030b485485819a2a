// SPDX-License-Identifier: MIT

import CPostgres

/// The system's libpq, loaded on initialization.
package final class PostgresLibrary: @unchecked Sendable {
    // Unchecked because of the function pointers, which are immutable after initialization.
    let functions: cpostgres_functions
    /// The poller of all sessions of this library.
    let poller: SocketPoller

    /// Loads the library. It stays loaded.
    /// - Parameter names: the file names to try.
    /// - Throws: ``PostgresError`` with ``PostgresError/Code/libraryMissing``, with the package to install, or why the
    ///   library cannot be loaded.
    package init(names: [String] = PostgresLibrary.names) throws(PostgresError) {
        for name in names {
            // Lazy, because its thirty dependencies are rarely called.
            guard let library = dlopen(name, RTLD_LAZY | RTLD_LOCAL) else {
                let reason = dlerror().map { String(cString: $0) } ?? ""
                if Self.isAbsent(name, reason) { continue }
                throw PostgresError(
                    .libraryMissing,
                    "PostgreSQL's client library (libpq) is installed but cannot be loaded: \(reason)"
                )
            }
            var functions = cpostgres_functions()
            if let missing = cpostgres_find(library, &functions) {
                throw PostgresError(
                    .libraryMissing,
                    "\(name) has no \(String(cString: missing)): install PostgreSQL's client library in version 12 or later"
                )
            }
            self.functions = functions
            poller = try SocketPoller()
            return
        }
        throw PostgresError(
            .libraryMissing,
            "PostgreSQL's client library (libpq) is not installed: install the package libpq5 (Debian, Ubuntu) "
                + "or libpq (Homebrew)"
        )
    }

    /// Whether the loader reports a missing file, rather than a defective file or dependency.
    static func isAbsent(_ name: String, _ reason: String) -> Bool {
        #if canImport(Darwin)
        reason.contains("no such file")
        #else
        // The messages of glibc and musl.
        reason.hasPrefix("\(name): cannot open shared object file: No such file")
            || reason.hasPrefix("Error loading shared library \(name): No such file")
        #endif
    }

    /// The paths of the library on Linux and macOS.
    package static let names = [
        "libpq.so.5", "libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib",
        "/usr/local/opt/libpq/lib/libpq.5.dylib",
    ]
}
