// SPDX-License-Identifier: MIT

import CPostgres

/// The system's libpq, loaded when this is made and never by a program that makes none.
package final class PostgresLibrary: @unchecked Sendable {
    // Unchecked because of the pointers to functions, which do not change after the initializer.
    let functions: cpostgres_functions

    /// Loads the library. It stays loaded.
    /// - Parameter names: the file names to try.
    /// - Throws: ``PostgresError`` with ``PostgresError/Code/libraryMissing``, which names the package to install.
    package init(names: [String] = PostgresLibrary.names) throws(PostgresError) {
        for name in names {
            // Lazily: the thirty libraries that come with it are hardly called, and their symbols not resolved.
            guard let library = dlopen(name, RTLD_LAZY | RTLD_LOCAL) else { continue }
            var functions = cpostgres_functions()
            if let missing = cpostgres_find(library, &functions) {
                throw PostgresError(
                    .libraryMissing,
                    "\(name) has no \(String(cString: missing)): install PostgreSQL's client library in version 12 or later"
                )
            }
            self.functions = functions
            return
        }
        throw PostgresError(
            .libraryMissing,
            "PostgreSQL's client library (libpq) is not installed: install the package libpq5 (Debian, Ubuntu) "
                + "or libpq (Homebrew)"
        )
    }

    /// Where the library is on Linux and macOS.
    package static let names = [
        "libpq.so.5", "libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib",
        "/usr/local/opt/libpq/lib/libpq.5.dylib",
    ]
}
