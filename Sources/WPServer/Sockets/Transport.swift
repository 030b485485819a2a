// SPDX-License-Identifier: MIT

import WPHTTP

/// Moves a connection's bytes, plain or through TLS. No call blocks: each says what it waits for.
protocol Transport {
    /// Gets what it takes to begin; called once, first.
    nonisolated(nonsending) func prepare() async throws(TLSError)
    /// Goes on with what comes before the first byte.
    func handshake() throws(TLSError) -> TLSSession.Step
    /// Reads what is there, at least one byte when done.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> TLSSession.Step
    /// Writes as much as there is room for.
    func write(_ output: OutputBuffer) -> TLSSession.Step
    /// Says that nothing more comes.
    func endSending()
    /// Whether bytes may wait inside, unseen by the poller, so that only reading tells.
    var buffersInput: Bool { get }
    /// Whether one write of a joined buffer is better than one of several parts.
    var prefersJoinedOutput: Bool { get }
}
