// SPDX-License-Identifier: MIT

import Synchronization
import WPCollector
import WPModel
import WPNUT

/// The collected readings, for a NUT server. Keeps the last observation for a server that starts later.
final class CollectedUPSes: UPSStatusSource {
    private struct State {
        var last: UPSObservation?
        var continuation: AsyncStream<UPSObservation>.Continuation?
    }

    private let state = Mutex(State())

    /// Publishes a collection. A failed one is ignored: the previous readings become stale by themselves.
    func publish(_ snapshot: CollectionSnapshot) {
        let observation: UPSObservation
        if snapshot.lastSuccess == nil {
            observation = UPSObservation(readings: nil, known: snapshot.remembered)
        } else if snapshot.failure == nil || snapshot.failure?.reason == .storage {
            observation = UPSObservation(readings: snapshot.readings)
        } else {
            return
        }
        state.withLock { state in
            state.last = observation
            _ = state.continuation?.yield(observation)
        }
    }

    func observations() -> AsyncStream<UPSObservation> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: UPSObservation.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        state.withLock { state in
            state.continuation?.finish()
            state.continuation = continuation
            if let last = state.last { continuation.yield(last) }
        }
        return stream
    }
}
