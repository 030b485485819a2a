// SPDX-License-Identifier: MIT

import WPService

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The program: finds the command, runs it, and ends with its exit status.
@main
enum Main {
    static func main() async {
        // While there is one thread only: what others have begun to use by then would stay beside it.
        SharedHeap.use()
        // libpq brings libldap, and that GnuTLS, which makes all of itself ready when it is loaded: a megabyte that only a
        // look-up of a service in LDAP would need, for which libldap calls gnutls_global_init itself. What the
        // administrator has set stays. Later, another thread might be reading the environment.
        setenv("GNUTLS_NO_IMPLICIT_INIT", "1", 0)
        exit(await Program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
    }
}
