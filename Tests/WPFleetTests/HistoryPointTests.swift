// SPDX-License-Identifier: MIT

import Testing
import WPHistory

@testable import WPFleet

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct HistoryPointTests {
    private struct Point: Decodable {
        let timestamp: String
        let samples: Int
        let load_watts, load_watts_min, load_watts_max: Float?
        let energy_watt_hours: Double?
    }

    @Test(
        arguments: [
            (230, 230, 230), (230, 229.5, 230), (230, 230, 231.25), (-0.001, -12_345.67, 9_999_999), (0, 0, 0),
            (1e-9, 1e-9, 1e12), (0.1, 0.1, 0.1),
        ] as [(Double, Double, Double)]
    )
    func `formats minimum and maximum independently of the mean`(_ mean: Double, _ low: Double, _ high: Double)
        throws
    {
        let bucket = HistoryBucket(
            start: 1_700_000_100,
            seconds: 300,
            samples: 60,
            aggregates: [
                .init(.loadWatts, count: 60, average: mean, minimum: low, maximum: high), .init(.energy, 7.5),
            ]
        )
        let json = FleetDocuments.points([bucket], members: "")
        let point = try #require(try JSONDecoder().decode([Point].self, from: Data(json)).first)
        #expect(point.timestamp == "2023-11-14T22:15:00Z")
        #expect(point.samples == 60)
        // Values have seven significant digits.
        for (found, expected) in [(point.load_watts, mean), (point.load_watts_min, low), (point.load_watts_max, high)] {
            let found = Double(try #require(found))
            #expect(abs(found - expected) <= abs(expected) * 1e-6)
        }
        if low == mean { #expect(point.load_watts_min == point.load_watts) }
        if high == mean { #expect(point.load_watts_max == point.load_watts) }
        #expect(point.energy_watt_hours == 7.5)
    }
}
