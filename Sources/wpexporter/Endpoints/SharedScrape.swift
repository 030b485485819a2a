// SPDX-License-Identifier: MIT

import Synchronization
import WPHTTP

/// The last scrape, for others that were in flight together with it: whoever scrapes in crowds costs one exposition, and
/// none gets numbers older than its own request.
final class SharedScrape: Sendable {
    private struct Kept {
        let arrival: UInt64
        let wish: ScrapeNegotiation.Wish
        let response: HTTPResponse
    }

    private let last = Mutex<Kept?>(nil)

    /// The response to another request of the same arrival that takes the same. Otherwise what is kept is let go, so that
    /// its parts are the exposition's alone again, which can then be changed in place.
    func response(to arrival: UInt64, _ wish: ScrapeNegotiation.Wish) -> HTTPResponse? {
        last.withLock { last in
            if let last, arrival != 0, last.arrival == arrival, last.wish.format == wish.format,
                last.wish.takesGzip == wish.takesGzip
            {
                return last.response
            }
            last = nil
            return nil
        }
    }

    /// Keeps a response that was made after requests of this arrival had arrived.
    func keep(_ response: HTTPResponse, _ arrival: UInt64, _ wish: ScrapeNegotiation.Wish) {
        guard arrival != 0 else { return }
        last.withLock { $0 = Kept(arrival: arrival, wish: wish, response: response) }
    }
}
