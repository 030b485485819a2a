// SPDX-License-Identifier: MIT

/// Reads ports of InfiniBand and RDMA adapters: `/sys/class/infiniband`.
struct InfinibandCollector: PlainCollector {
    static let name = "infiniband"

    private static let states = ["state", "phys_state", "rate", "hw_counters/lifespan"]
    /// Data is counted in words of four bytes.
    private static let counters =
        NumberFile.list(in: "counters", port)
        + NumberFile.list(in: "counters", factor: 4, portData)
        + NumberFile.list(in: "counters_ext", legacy)
        + NumberFile.list(in: "counters_ext", factor: 4, legacyData)
        + NumberFile.list(in: "hw_counters", hardware)
    private static let port: [NumberFile.Row] = [
        ("excessive_buffer_overrun_errors", "excessive_buffer_overrun_errors_total", "Overruns of buffers."),
        ("link_downed", "link_downed_total", "Times that the link went down."),
        ("link_error_recovery", "link_error_recovery_total", "Times that the link recovered from an error."),
        (
            "local_link_integrity_errors", "local_link_integrity_errors_total",
            "Times that there were too many local errors."
        ),
        ("multicast_rcv_packets", "multicast_packets_received_total", "Multicast packets received."),
        ("multicast_xmit_packets", "multicast_packets_transmitted_total", "Multicast packets sent."),
        (
            "port_rcv_constraint_errors", "port_constraint_errors_received_total",
            "Received packets that a switch discarded."
        ),
        (
            "port_xmit_constraint_errors", "port_constraint_errors_transmitted_total",
            "Packets that a switch did not send."
        ),
        ("port_rcv_discards", "port_discards_received_total", "Received packets that the port discarded."),
        (
            "port_xmit_discards", "port_discards_transmitted_total",
            "Packets that the port discarded instead of sending."
        ),
        ("port_rcv_errors", "port_errors_received_total", "Packets received with an error."),
        ("port_rcv_packets", "port_packets_received_total", "Packets received."),
        ("port_xmit_packets", "port_packets_transmitted_total", "Packets sent."),
        ("port_xmit_wait", "port_transmit_wait_total", "Ticks in which data waited to be sent."),
        ("unicast_rcv_packets", "unicast_packets_received_total", "Unicast packets received."),
        ("unicast_xmit_packets", "unicast_packets_transmitted_total", "Unicast packets sent."),
        (
            "port_rcv_remote_physical_errors", "port_receive_remote_physical_errors_total",
            "Packets received that were marked as bad."
        ),
        (
            "port_rcv_switch_relay_errors", "port_receive_switch_relay_errors_total",
            "Packets that a switch could not forward."
        ),
        ("symbol_error", "symbol_error_total", "Minor errors of the link."),
        ("VL15_dropped", "vl15_dropped_total", "Management packets that were dropped."),
    ]
    private static let portData: [NumberFile.Row] = [
        ("port_rcv_data", "port_data_received_bytes_total", "Bytes received."),
        ("port_xmit_data", "port_data_transmitted_bytes_total", "Bytes sent."),
    ]
    private static let legacy: [NumberFile.Row] = [
        (
            "port_multicast_rcv_packets", "legacy_multicast_packets_received_total",
            "Multicast packets received, by legacy counters."
        ),
        (
            "port_multicast_xmit_packets", "legacy_multicast_packets_transmitted_total",
            "Multicast packets sent, by legacy counters."
        ),
        ("port_rcv_packets_64", "legacy_packets_received_total", "Packets received, by legacy counters."),
        (
            "port_unicast_rcv_packets", "legacy_unicast_packets_received_total",
            "Unicast packets received, by legacy counters."
        ),
        (
            "port_unicast_xmit_packets", "legacy_unicast_packets_transmitted_total",
            "Unicast packets sent, by legacy counters."
        ),
        ("port_xmit_packets_64", "legacy_packets_transmitted_total", "Packets sent, by legacy counters."),
    ]
    private static let legacyData: [NumberFile.Row] = [
        ("port_rcv_data_64", "legacy_data_received_bytes_total", "Bytes received, by legacy counters."),
        ("port_xmit_data_64", "legacy_data_transmitted_bytes_total", "Bytes sent, by legacy counters."),
    ]
    private static let hardware: [NumberFile.Row] = [
        ("duplicate_request", "duplicate_requests_packets_total", "Requests that were received twice."),
        ("implied_nak_seq_err", "implied_nak_seq_errors_total", "Responses with a sequence number that is too large."),
        ("local_ack_timeout_err", "local_ack_timeout_errors_total", "Acknowledgements that did not come in time."),
        ("np_cnp_sent", "np_cnp_packets_sent_total", "Congestion notifications that were sent."),
        (
            "np_ecn_marked_roce_packets", "np_ecn_marked_roce_packets_received_total",
            "Packets received that were marked by congestion."
        ),
        ("out_of_buffer", "out_of_buffer_drops_total", "Packets dropped for lack of a receive request."),
        ("out_of_sequence", "out_of_sequence_packets_received_total", "Packets received out of sequence."),
        ("packet_seq_err", "packet_sequence_errors_total", "Sequence errors that the receiver reported."),
        ("req_cqe_error", "req_cqes_errors_total", "Completions with an error at the requester."),
        ("req_cqe_flush_error", "req_cqes_flush_errors_total", "Completions that were flushed at the requester."),
        ("req_remote_access_errors", "req_remote_access_errors_total", "Remote access errors at the requester."),
        (
            "req_remote_invalid_request", "req_remote_invalid_request_errors_total",
            "Requests that the remote side called invalid."
        ),
        ("resp_cqe_error", "resp_cqes_errors_total", "Completions with an error at the responder."),
        ("resp_cqe_flush_error", "resp_cqes_flush_errors_total", "Completions that were flushed at the responder."),
        ("resp_local_length_error", "resp_local_length_errors_total", "Local length errors at the responder."),
        ("resp_remote_access_errors", "resp_remote_access_errors_total", "Remote access errors at the responder."),
        (
            "rnr_nak_retry_err", "rnr_nak_retry_packets_received_total",
            "Requests to retry because the receiver was not ready."
        ),
        ("roce_adp_retrans", "roce_adp_retransmits_total", "Adaptive retransmissions."),
        ("roce_adp_retrans_to", "roce_adp_retransmits_timeout_total", "Timeouts by adaptive retransmission."),
        ("roce_slow_restart", "roce_slow_restart_used_total", "Times that slow restart was used."),
        ("roce_slow_restart_cnps", "roce_slow_restart_cnps_total", "Congestion notifications by slow restart."),
        ("roce_slow_restart_trans", "roce_slow_restart_total", "Changes to slow restart."),
        ("rp_cnp_handled", "rp_cnp_packets_handled_total", "Congestion notifications that slowed sending down."),
        ("rp_cnp_ignored", "rp_cnp_ignored_packets_received_total", "Congestion notifications that were ignored."),
        ("rx_atomic_requests", "rx_atomic_requests_total", "Atomic requests received."),
        ("rx_dct_connect", "rx_dct_connect_requests_total", "Connection requests received."),
        ("rx_read_requests", "rx_read_requests_total", "Read requests received."),
        ("rx_write_requests", "rx_write_requests_total", "Write requests received."),
        ("rx_icrc_encapsulated", "rx_icrc_encapsulated_errors_total", "Packets received with a wrong checksum."),
    ]

    mutating func collect(_ context: inout CollectionContext) -> HostFamilies? {
        let directory = "class/infiniband"
        guard let devices = context.names(context.sys, in: directory) else { return nil }
        var families = HostFamilies()
        for (device, values) in context.readAttributes(of: devices, in: directory, ["board_id", "fw_ver", "hca_type"]) {
            let info = [
                "board_id", values[0] ?? "", "device", device, "firmware_version", values[1] ?? "", "hca_type",
                values[2] ?? "",
            ]
            families.add("infiniband_info", "An InfiniBand adapter.", labels: info, 1)
            let portDirectory = "\(directory)/\(device)/ports"
            let ports = (context.names(context.sys, in: portDirectory) ?? []).numbered("")
            let files = Self.states + Self.counters.map(\.file)
            for (port, values) in context.readAttributes(of: ports, in: portDirectory, files) {
                Self.add(values, labels: ["device", device, "port", port], to: &families)
            }
        }
        return families.isEmpty ? nil : families
    }

    private static func add(_ values: [String?], labels: [String], to families: inout HostFamilies) {
        func gauge(_ name: String, _ help: String, _ value: Double?) {
            families.add("infiniband_" + name, help, labels: labels, value)
        }
        gauge("state_id", "State of the port: 1 down, 2 init, 3 armed, 4 active, 5 act defer.", identifier(values[0]))
        gauge(
            "physical_state_id",
            "State of the link: 1 sleep, 2 polling, 3 disabled, 4 shift, 5 up, 6 error recovery, 7 test.",
            identifier(values[1])
        )
        gauge("rate_bytes_per_second", "Speed of the port.", rate(values[2]))
        gauge(
            "lifespan_seconds",
            "How long values of the counters are kept before they are read again.",
            number(values[3]).map { $0 / 1000 }
        )
        let contents = values.dropFirst(states.count)
        families.add(counters, prefix: "infiniband_", contents: contents, labels: labels)
    }

    /// Nil for text such as `N/A (no PMA)`.
    private static func number(_ text: String?) -> Double? { text.flatMap { UInt64($0) }.map { Double($0) } }

    /// The number in `4: ACTIVE`.
    private static func identifier(_ text: String?) -> Double? {
        text?.split(separator: ":").first.flatMap { UInt64($0) }.map { Double($0) }
    }

    /// Converts `40 Gb/sec (4X QDR)` to bytes per second.
    private static func rate(_ text: String?) -> Double? {
        guard let field = text?.split(separator: " ").first, field.utf8.count < 20, let gigabits = Double(field),
            gigabits.isFinite
        else { return nil }
        return gigabits * 125_000_000
    }
}
