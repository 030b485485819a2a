// SPDX-License-Identifier: MIT

import Synchronization
import WPHTTP

/// The last response, for other scrapes that were in flight together with it: a crowd of scrapes costs one exposition,
/// and none gets numbers older than its own request.
final class SharedScrape: Sendable {
    private struct Kept {
        let arrival: UInt64
        let variant: ScrapeVariant
        let response: HTTPResponse
    }

    private let last = Mutex<Kept?>(nil)

    /// The response to another request of the same arrival that asked for the same variant. Otherwise what is kept is
    /// released, so that its parts belong to the exposition alone again, which can then be changed in place.
    func response(to arrival: UInt64, _ variant: ScrapeVariant) -> HTTPResponse? {
        last.withLock { last in
            if let last, arrival != 0, last.arrival == arrival, last.variant.format == variant.format,
                last.variant.takesGzip == variant.takesGzip
            {
                return last.response
            }
            last = nil
            return nil
        }
    }

    /// Keeps a response that was made after requests of this arrival had arrived.
    func keep(_ response: HTTPResponse, _ arrival: UInt64, _ variant: ScrapeVariant) {
        guard arrival != 0 else { return }
        last.withLock { $0 = Kept(arrival: arrival, variant: variant, response: response) }
    }
}
