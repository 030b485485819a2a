// SPDX-License-Identifier: MIT

import Testing
@testable import WPFleet
import WPHistory

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite struct EnergyCalendarTests {
    private static func label(
        _ period: EnergyCalendar.Period,
        _ zone: EnergyCalendar.Zone,
        _ seconds: Int64
    ) -> String {
        let (label, start) = EnergyCalendar(period: period, zone: zone).label(seconds)
        return "\(label) \(start)"
    }

    /// The C library has one time zone per process, so the test runs in a separate process.
    @Test func `local days and months follow the time zone of the machine`() async {
        await #expect(processExitsWith: .success) {
            setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1)
            tzset()
            // 22:30 UTC is half past midnight in summer, 23:30 UTC in winter.
            precondition(Self.label(.day, .local, 1_749_940_200) == "2025-06-15 1749938400")
            precondition(Self.label(.day, .utc, 1_749_940_200) == "2025-06-14 1749859200")
            precondition(Self.label(.month, .local, 1_738_366_200) == "2025-02 1738364400")
            precondition(Self.label(.month, .utc, 1_738_366_200) == "2025-01 1735689600")
            // The day on which daylight saving time begins starts in standard time.
            precondition(Self.label(.day, .local, 1_743_336_000) == "2025-03-30 1743289200")
            precondition(EnergyCalendar.utcOffset(at: 1_749_940_200) == 7200)
            precondition(EnergyCalendar.utcOffset(at: 1_738_366_200) == 3600)
        }
    }

    @Test func `sums the buckets of each day and ignores buckets without the counter`() {
        let day: Int64 = 86_400
        let buckets = [(0, 5.0), (300, nil), (day - 300, 7), (day, 11)].map { (start: Int64, energy: Double?) in
            let aggregates = energy.map {
                HistoryBucket.Aggregate(.energy, count: 2, average: $0, minimum: 0, maximum: 0)
            }
            return HistoryBucket(start: start, seconds: 300, samples: 2, aggregates: aggregates.map { [$0] } ?? [])
        }
        #expect(
            EnergyCalendar(period: .day, zone: .utc).entries(buckets) == [
                .init(label: "1970-01-01", start: 0, wattHours: 12, samples: 4),
                .init(label: "1970-01-02", start: day, wattHours: 11, samples: 2),
            ]
        )
    }
}
