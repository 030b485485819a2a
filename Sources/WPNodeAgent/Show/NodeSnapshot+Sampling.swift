// SPDX-License-Identifier: MIT

package import WPHost
import WPModel

extension HostSampler {
    /// Samples twice, so that there are rates.
    /// - Parameter span: the time between the two samples.
    /// - Throws: `CancellationError` when the task was cancelled meanwhile.
    package func snapshot(over span: Duration = .seconds(1), nodeName: String?) async throws -> NodeSnapshot {
        let earlier = await sample()
        try await Task.sleep(for: span)
        return NodeSnapshot(await sample(), nodeName: nodeName, since: earlier)
    }
}

extension NodeSnapshot {
    /// One line of JSON, as it is pushed to a hub. Nothing in it controls a terminal.
    package func json() throws -> String { try JSONDocument.text(self) }
}
