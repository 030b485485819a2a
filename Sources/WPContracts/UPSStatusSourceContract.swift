// SPDX-License-Identifier: MIT

import WPModel
public import WPNUT

/// The requirements of every source of observations for a NUT server. Each check needs a source that already has an
/// observation.
public enum UPSStatusSourceContract {
    /// All checks.
    public static let checks: [ContractCheck<any UPSStatusSource>] = [
        ContractCheck("the stream begins with the latest observation") { source in
            var iterator = source.observations().makeAsyncIterator()
            try expect(await iterator.next() != nil, "the stream ended without an observation")
        },
        ContractCheck("every run of a server gets a stream of its own") { source in
            for _ in 0..<3 {
                var iterator = source.observations().makeAsyncIterator()
                try expect(await iterator.next() != nil, "a later stream ended without an observation")
            }
        },
        ContractCheck("a reader that is cancelled ends") { source in
            let reader = Task {
                for await _ in source.observations() {}
            }
            reader.cancel()
            await reader.value
        },
        ContractCheck("no device occurs twice in an observation") { source in
            var iterator = source.observations().makeAsyncIterator()
            guard let observation = await iterator.next() else { throw ContractViolation("there is no observation") }
            let identifiers = (observation.readings ?? []).map { Array($0.device.id.rawValue.utf8) }
            try expect(Set(identifiers).count == identifiers.count, "an identifier occurs twice")
        },
    ]
}
