// SPDX-License-Identifier: MIT

/// Opens sessions of libpq, all configured alike.
package struct PostgresConnector: PostgresConnecting {
    package let library: PostgresLibrary
    package let address: PostgresAddress
    /// What `pg_stat_activity` shows, unless the address says otherwise.
    package var applicationName = "wpexporter"
    /// How long opening a session may take on each host, from the look-up of the name to the last statement of
    /// ``connectSQL``. The address' `connect_timeout` wins.
    package var connectTimeout = Duration.seconds(10)
    /// Whether the server refuses statements that write. It is no sandbox: a statement can change the setting.
    package var isReadOnly = true
    /// How long a statement waits for a lock.
    package var lockTimeout = Duration.seconds(5)
    /// The time zone of the session, a name of the IANA database; nil for the server's.
    package var timeZone: String?
    /// Statements to run in each new session.
    package var connectSQL: [String] = []

    package init(library: PostgresLibrary, address: PostgresAddress) {
        self.library = library
        self.address = address
    }

    package func open(onEnd: @escaping @Sendable () -> Void) async throws -> any PostgresSessioning {
        try await SessionAttempt(connector: self, place: PostgresPlace(onEnd: onEnd)).run()
    }

    /// How long opening a session on one host may take.
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
