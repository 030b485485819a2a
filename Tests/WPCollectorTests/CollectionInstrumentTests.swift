// SPDX-License-Identifier: MIT

import Testing
import WPCollector
import WPMetrics
import WPModel
import WPTestKit

@Suite struct CollectionInstrumentTests {
    private let bench: Bench

    init() throws {
        bench = try Bench()
    }

    private func bounds(_ name: String) async -> [Double]? {
        guard case .histogram(let histogram)? = await bench.metrics(name).first?.value else { return nil }
        return histogram.buckets.map(\.upperBound).filter(\.isFinite)
    }

    /// Dashboards compute quantiles from them, so the bounds are part of the contract.
    @Test func keepsHistogramBounds() async {
        let common = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
        #expect(await bounds("winpower_api_response_time_seconds") == common)
        #expect(await bounds("winpower_exporter_collection_duration_seconds") == common + [30])
    }

    @Test func reportsNoConnectionBeforeTheFirstCollection() async throws {
        #expect(try await bench.value("winpower_connection_status") == 0)
        #expect(try await bench.value("winpower_auth_status") == 0)
        #expect(try await bench.value("winpower_exporter_tls_verification_disabled") == 0)
        #expect(bench.collector.snapshot.generation == 0)
    }

    @Test func reportsTheStateOfTheLastCollection() async throws {
        bench.source.answer([bench.reading("a"), bench.reading("b")])
        await bench.collector.collect()
        let values: KeyValuePairs<String, Double> = [
            "winpower_exporter_up": 1, "winpower_exporter_device_count": 2, "winpower_connection_status": 1,
            "winpower_auth_status": 1, "winpower_exporter_last_success_timestamp_seconds": 1_750_000_000,
            "winpower_exporter_last_save_timestamp_seconds": 1_750_000_000,
        ]
        for (name, expected) in values {
            #expect(try await bench.value(name) == expected, "\(name)")
        }
    }

    @Test func countsWhatTheSourceReports() async throws {
        bench.instruments.recordsRejected(3)
        bench.instruments.cyclesSkipped(2)
        bench.instruments.loginEnded(.success)
        bench.instruments.tokenChanged(expiry: .seconds(60))
        #expect(try await bench.value("winpower_exporter_device_records_rejected_total") == 3)
        #expect(try await bench.value("winpower_exporter_collections_skipped_total") == 2)
        #expect(try await bench.value("winpower_exporter_logins_total", ["result": "success"]) == 1)
        #expect(try await bench.value("winpower_token_expiry_seconds") == 60)
        bench.clock.advance(by: .seconds(61))
        #expect(try await bench.value("winpower_token_expiry_seconds") == 0)
        bench.instruments.tokenChanged(expiry: .seconds(600))
        bench.instruments.sourceReplaced(isTLSVerificationDisabled: true)
        #expect(try await bench.value("winpower_token_expiry_seconds") == 0)
        #expect(try await bench.value("winpower_exporter_tls_verification_disabled") == 1)
        bench.instruments.sourceReplaced(isTLSVerificationDisabled: false)
        #expect(try await bench.value("winpower_exporter_tls_verification_disabled") == 0)
    }
}
