// SPDX-License-Identifier: MIT

import WPCore
package import WPHost

extension HostSampler {
    /// Samples twice, to compute rates.
    /// - Parameter span: the interval between the two samples.
    /// - Throws: `CancellationError` if the task was cancelled.
    package func snapshot(over span: Duration = .seconds(1), nodeName: String?) async throws -> NodeSnapshot {
        let earlier = await sample()
        try await timeSource.sleep(for: span)
        return NodeSnapshot(await sample(), nodeName: nodeName, since: earlier)
    }
}

extension NodeSnapshot {
    /// One line of JSON, as pushed to a hub. Contains no control characters.
    package func json() throws -> String { try JSONDocument.text(self) }
}
