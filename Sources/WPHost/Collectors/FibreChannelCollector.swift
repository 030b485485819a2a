// SPDX-License-Identifier: MIT

/// Reads host bus adapters of Fibre Channel: `/sys/class/fc_host`.
struct FibreChannelCollector: TableCollector {
    static let name = HostCollectorName.fibrechannel

    private static let texts = [
        "speed", "port_state", "port_type", "port_id", "port_name", "fabric_name", "symbolic_name", "supported_classes",
        "supported_speeds", "dev_loss_tmo",
    ]
    private static let counters: [(file: String, name: String, help: String)] = [
        ("dumped_frames", "dumped_frames_total", "Frames that were dumped."),
        ("error_frames", "error_frames_total", "Frames with an error."),
        ("invalid_crc_count", "invalid_crc_total", "Frames with a wrong checksum."),
        ("rx_frames", "rx_frames_total", "Frames that were received."),
        ("rx_words", "rx_words_total", "Words that were received."),
        ("tx_frames", "tx_frames_total", "Frames that were sent."),
        ("tx_words", "tx_words_total", "Words that were sent."),
        ("seconds_since_last_reset", "seconds_since_last_reset_total", "Seconds since the port was reset."),
        ("invalid_tx_word_count", "invalid_tx_words_total", "Invalid words that were sent."),
        ("link_failure_count", "link_failure_total", "Failures of the link."),
        ("loss_of_sync_count", "loss_of_sync_total", "Losses of synchronization."),
        ("loss_of_signal_count", "loss_of_signal_total", "Losses of the signal."),
        ("nos_count", "nos_total", "Not-operational sequences that were received."),
        ("fcp_packet_aborts", "fcp_packet_aborts_total", "Packets that were aborted."),
    ]

    mutating func collect(_ context: inout CollectionContext) -> [HostTable]? {
        guard let hosts = context.names(context.sys, in: "class/fc_host") else { return nil }
        var tables = HostTables()
        let files = Self.texts + Self.counters.map { "statistics/" + $0.file }
        for (host, values) in context.readAttributes(of: hosts, in: "class/fc_host", files) {
            let info = zip(Self.texts, values).flatMap { name, value in
                // Names and numbers of ports are hexadecimal.
                [name, (value ?? "").hasPrefix("0x") ? String((value ?? "").dropFirst(2)) : value ?? ""]
            }
            tables.add("fibrechannel_info", "A port of Fibre Channel.", labels: ["fc_host", host] + info, 1)
            for (counter, value) in zip(Self.counters, values.dropFirst(Self.texts.count)) {
                let number = value.flatMap { text in
                    text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
                }
                // All ones: the adapter does not count it.
                guard let number, number != .max else { continue }
                tables.add(
                    "fibrechannel_" + counter.name,
                    counter.help,
                    kind: .counter,
                    labels: ["fc_host", host],
                    Double(number)
                )
            }
        }
        return tables.tables.isEmpty ? nil : tables.tables
    }
}
