// SPDX-License-Identifier: MIT

import CPostgres

/// The system's libpq, loaded when this is made and never by a program that makes none.
package final class PostgresLibrary: @unchecked Sendable {
    // Unchecked because of the pointers to functions, which do not change after the initializer.
    let functions: cpostgres_functions
    /// Where all sessions of this library wait for their sockets.
    let poller: SocketPoller

    /// Loads the library. It stays loaded.
    /// - Parameter names: the file names to try.
    /// - Throws: ``PostgresError`` with ``PostgresError/Code/libraryMissing``, which names the package to install, or says
    ///   why an installed library cannot be loaded.
    package init(names: [String] = PostgresLibrary.names) throws(PostgresError) {
        for name in names {
            // Lazily: the thirty libraries that come with it are hardly called, and their symbols not resolved.
            guard let library = dlopen(name, RTLD_LAZY | RTLD_LOCAL) else {
                let reason = dlerror().map { String(cString: $0) } ?? ""
                if Self.isAbsent(name, reason) { continue }
                throw PostgresError(
                    .libraryMissing,
                    "PostgreSQL's client library (libpq) is installed and cannot be loaded: \(reason)"
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

    /// Whether the loader says that there is no such file, and not that the file or a library that it needs is at fault.
    static func isAbsent(_ name: String, _ reason: String) -> Bool {
        #if canImport(Darwin)
        reason.contains("no such file")
        #else
        // glibc's text, then musl's.
        reason.hasPrefix("\(name): cannot open shared object file: No such file")
            || reason.hasPrefix("Error loading shared library \(name): No such file")
        #endif
    }

    /// Where the library is on Linux and macOS.
    package static let names = [
        "libpq.so.5", "libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib",
        "/usr/local/opt/libpq/lib/libpq.5.dylib",
    ]
}
