// SPDX-License-Identifier: MIT

import CPostgres

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The system's libpq, loaded when this is made and never by a program that makes none.
package final class PostgresLibrary: @unchecked Sendable {
    // Unchecked because of the pointers to functions, which do not change after the initializer.
    let functions: cpostgres_functions

    /// Loads the library. It stays loaded.
    /// - Parameter names: the file names to try.
    /// - Throws: ``PostgresError`` with ``PostgresError/Code/libraryMissing``, which names the package to install.
    package init(names: [String] = PostgresLibrary.names) throws(PostgresError) {
        // libpq brings libldap, and that GnuTLS, which makes all of itself ready when it is loaded: a megabyte that only a
        // look-up of a service in LDAP would need, for which libldap calls gnutls_global_init itself. What the
        // administrator has set stays.
        setenv("GNUTLS_NO_IMPLICIT_INIT", "1", 0)
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
