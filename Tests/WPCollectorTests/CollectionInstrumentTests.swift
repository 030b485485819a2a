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
}
