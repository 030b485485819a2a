// SPDX-License-Identifier: MIT

import WPHTTP

/// Streams a body, chunked or raw. The head is sent with the first bytes.
///
/// Unchecked because its state is used only on the loop's thread, to which ``write(_:)`` switches.
final class StreamedBodyWriter: HTTPBodyWriter, @unchecked Sendable {
    private enum State {
        case open
        case busy
        case ended
    }

    private let stream: ConnectionStream
    private let isChunked: Bool
    private var pendingHead: [UInt8]
    private var state = State.open

    /// Whether anything was sent.
    private(set) var hasSentHead = false
    /// Why the connection cannot continue.
    private(set) var end: ConnectionEnd?

    init(_ stream: ConnectionStream, head: [UInt8], isChunked: Bool) {
        self.stream = stream
        self.isChunked = isChunked
        pendingHead = head
    }

    func write(_ bytes: [UInt8]) async throws {
        guard !stream.loop.isCurrent else { return try await writeOnLoop(bytes) }
        try await withTaskExecutorPreference(stream.loop) { try await writeOnLoop(bytes) }
    }

    private func writeOnLoop(_ bytes: [UInt8]) async throws {
        // An empty chunk would end the body.
        guard !bytes.isEmpty else { return }
        if isChunked {
            let size = Array(String(bytes.count, radix: 16).utf8) + [0x0D, 0x0A]
            try await send(OutputBuffer([takeHead() + size, bytes, [0x0D, 0x0A]]))
        } else {
            try await send(OutputBuffer([takeHead(), bytes]))
        }
    }

    /// Writes the end of the body.
    func finish() async throws {
        try await send(OutputBuffer(takeHead() + (isChunked ? Array("0\r\n\r\n".utf8) : [])))
        invalidate()
    }

    /// Rejects further writes.
    func invalidate() {
        state = .ended
    }

    private func takeHead() -> [UInt8] {
        defer { pendingHead = [] }
        return pendingHead
    }

    private func send(_ output: OutputBuffer) async throws {
        switch state {
        case .open: break
        case .busy:
            throw HTTPBodyMisuse(
                description: "a body was written to during an earlier write; await one write before the next"
            )
        case .ended: throw HTTPBodyMisuse(description: "a body was written to after its end")
        }
        state = .busy
        hasSentHead = true
        do throws(ConnectionEnd) {
            try await stream.send(output)
            await stream.yieldIfNeeded()
            if state == .busy { state = .open }
        } catch {
            state = .ended
            end = error
            throw error
        }
    }
}
