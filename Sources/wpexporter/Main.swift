// SPDX-License-Identifier: MIT

import WPProgram
import WPService

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The entry point: finds the command, runs it, and exits with its status.
@main
enum Main {
    static func main() async {
        // Must run while there is only one thread: memory that other threads have allocated would remain in their
        // heaps.
        SharedHeap.use()
        // libpq loads libldap and GnuTLS, whose implicit initialization takes a megabyte; libldap calls
        // gnutls_global_init itself when it needs it. An existing value is kept, and setenv is safe only while there is
        // one thread.
        setenv("GNUTLS_NO_IMPLICIT_INIT", "1", 0)
        exit(await Program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
    }
}
