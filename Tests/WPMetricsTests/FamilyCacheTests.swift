// SPDX-License-Identifier: MIT

import Testing

@testable import WPMetrics

/// When a family may be given again as it was.
struct FamilyCacheTests {
    private let cache = FamilyCache()

    private func keep<Child: ExposedInstrument>(_ children: [Child], during change: () -> Void) throws -> Double {
        let descriptor = try MetricDescriptor(name: "x_total", help: "", type: Child.type)
        let given = cache.keep(
            changes: cache.changes,
            appendState: { Child.appendState(of: children, to: &$0) },
            appendShownState: { Child.appendState(shownBy: $0, to: &$1) }
        ) {
            change()
            return MetricFamily(descriptor, children.map { $0.metric(labels: .empty) })
        }
        guard case .value(let value)? = given.families.first?.metrics.first?.value else { return .nan }
        return value
    }

    @Test func whatIsUnchangedIsGivenAgain() throws {
        let gauge = Gauge()
        _ = try keep([gauge]) {}
        #expect(cache.families != nil)
        gauge.set(1)
        #expect(cache.families == nil)
        _ = try keep([gauge]) {}
        cache.noteChange()
        #expect(cache.families == nil)
    }

    /// The family shows 1 for a moment in which the gauge was 1, and must not be kept for a gauge that is 0 again.
    @Test func aGaugeThatComesBackIsNotPinned() throws {
        let gauge = Gauge()
        let shown = try keep([gauge]) { gauge.increment() }
        gauge.decrement()
        #expect(shown == 1)
        #expect(gauge.value == 0)
        #expect(cache.families == nil)
        #expect(try keep([gauge]) {} == 0)
        #expect(cache.families != nil)
    }

    @Test func aCounterThatGrowsMeanwhileIsMadeAgain() throws {
        let counter = Counter()
        _ = try keep([counter]) { counter.increment() }
        #expect(cache.families == nil)
        _ = try keep([counter]) {}
        #expect(cache.families != nil)
    }
}
