// SPDX-License-Identifier: MIT

/// Opens libpq sessions with a common configuration.
package struct PostgresConnector: PostgresConnecting {
    package let library: PostgresLibrary
    package let address: PostgresAddress
    /// The name in `pg_stat_activity`, unless the address sets one.
    package var applicationName = "wpexporter"
    /// The timeout for opening a session on each host, including the lookup and ``connectSQL``. `connect_timeout` in
    /// the address takes precedence.
    package var connectTimeout = Duration.seconds(10)
    /// Whether the server rejects statements that write. Not a sandbox: a statement can change the setting.
    package var isReadOnly = true
    /// The lock timeout of a statement.
    package var lockTimeout = Duration.seconds(5)
    /// The time zone of the session (IANA name); nil for the server's.
    package var timeZone: String?
    /// Statements to run in each new session.
    package var connectSQL: [String] = []

    package init(library: PostgresLibrary, address: PostgresAddress) {
        self.library = library
        self.address = address
    }

    package func open(onEnd: @escaping @Sendable () -> Void) async throws -> any PostgresSessioning {
        try await SessionAttempt(connector: self, slot: PostgresSlot(onEnd: onEnd)).run()
    }

    /// The timeout for opening a session on one host.
    var hostTimeout: Duration { address.connectTimeout ?? connectTimeout }

    var sessionSettings: [(name: String, value: String)] {
        let lock = lockTimeout.components
        var settings: [(name: String, value: String)] = [
            ("default_transaction_read_only", isReadOnly ? "on" : "off"),
            ("lock_timeout", String(lock.seconds * 1000 + lock.attoseconds / 1_000_000_000_000_000)),
            ("idle_in_transaction_session_timeout", "60000"),
            ("DateStyle", "ISO"), ("IntervalStyle", "postgres"), ("extra_float_digits", "1"),
            ("bytea_output", "hex"),
        ]
        if let timeZone { settings.append(("TimeZone", timeZone)) }
        return settings
    }
}
