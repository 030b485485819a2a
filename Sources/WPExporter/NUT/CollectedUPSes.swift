// SPDX-License-Identifier: MIT

import Synchronization
import WPCollector
import WPModel
import WPNUT

/// What was collected, for a NUT server. It keeps the last observation for a server that starts later.
final class CollectedUPSes: UPSStatusSource {
    private struct State {
        var last: UPSObservation?
        var continuation: AsyncStream<UPSObservation>.Continuation?
    }

    private let state = Mutex(State())

    /// Takes what a collection came to. One that failed says nothing new: what was read before grows old by itself.
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
