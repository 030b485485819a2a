// SPDX-License-Identifier: MIT

/// Reads Fibre Channel host bus adapters: `/sys/class/fc_host`.
struct FibreChannelCollector: PlainCollector {
    static let name = "fibrechannel"

    private static let texts = [
        "speed", "port_state", "port_type", "port_id", "port_name", "fabric_name", "symbolic_name", "supported_classes",
        "supported_speeds", "dev_loss_tmo",
    ]
    private static let counters = NumberFile.list(
        in: "statistics",
        [
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
    )

    mutating func collect(_ context: inout CollectionContext) -> HostFamilies? {
        guard let hosts = context.names(context.sys, in: "class/fc_host") else { return nil }
        var families = HostFamilies()
        let files = Self.texts + Self.counters.map(\.file)
        for (host, values) in context.readAttributes(of: hosts, in: "class/fc_host", files) {
            let info = zip(Self.texts, values).flatMap { name, value in
                // Names and numbers of ports are hexadecimal.
                [name, (value ?? "").hasPrefix("0x") ? String((value ?? "").dropFirst(2)) : value ?? ""]
            }
            families.add("fibrechannel_info", "A Fibre Channel port.", labels: ["fc_host", host] + info, 1)
            let contents = values.dropFirst(Self.texts.count)
            families.add(
                Self.counters,
                prefix: "fibrechannel_",
                contents: contents,
                labels: ["fc_host", host],
                number: Self.number
            )
        }
        return families.isEmpty ? nil : families
    }

    /// Parses a counter; nil for all ones, which means that the adapter does not support it.
    private static func number(_ text: String) -> Double? {
        let number = text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
        return number == .max ? nil : number.map { Double($0) }
    }
}
