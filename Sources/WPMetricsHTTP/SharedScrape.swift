// SPDX-License-Identifier: MIT

import Synchronization
import WPHTTP

/// The last response, shared with concurrent scrapes. Many scrapes then cost one exposition, but none gets values older
/// than its request.
final class SharedScrape: Sendable {
    private struct SharedResponse {
        let arrival: UInt64
        let variant: ScrapeVariant
        let response: HTTPResponse
    }

    private let last = Mutex<SharedResponse?>(nil)

    /// The stored response, if its arrival and variant match those of a request. Otherwise nil, and the stored response
    /// is released, so that the exposition can be changed in place.
    func response(to arrival: UInt64, _ variant: ScrapeVariant) -> HTTPResponse? {
        last.withLock { last in
            if let last, last.arrival == arrival, last.variant.format == variant.format,
                last.variant.acceptsGzip == variant.acceptsGzip
            {
                return last.response
            }
            last = nil
            return nil
        }
    }

    /// Stores a response that was created after the requests with this arrival number arrived.
    func store(_ response: HTTPResponse, for arrival: UInt64, _ variant: ScrapeVariant) {
        guard arrival != 0 else { return }
        last.withLock { $0 = SharedResponse(arrival: arrival, variant: variant, response: response) }
    }
}
