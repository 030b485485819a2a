// SPDX-License-Identifier: MIT

import WPCore
import WPSockets
import WPHTTP

/// Reads and writes the bytes of one connection, with deadlines.
///
/// Unchecked because it is used only on its loop's thread.
final class ConnectionStream: @unchecked Sendable {
    /// The outcome of waiting for input.
    enum ReceiveOutcome {
        case bytes
        case ended
        case timedOut
        case interrupted
    }

    /// The minimum rate at which a peer must read a response, in bytes per second.
    static let minimumWriteRate: UInt64 = 16 << 10
    /// The maximum total size of the parts that are joined into one buffer before writing, in bytes.
    private static let joinLimit = 16 << 10
    /// The time and byte limits for draining input after the last response.
    private static let lingerTime = Duration.seconds(1)
    private static let lingerBytes = 8 << 20
    /// The number of requests or writes before yielding to other connections.
    private static let stepsPerTurn = 16

    let channel: Channel
    let loop: EventLoop
    private let transport: any Transport
    /// The timeout of a stalled write; updated from the configuration for each request.
    var writeTimeout: Duration
    private let readSize: Int
    private var stepsWithoutWaiting = 0

    var input = InputBuffer()
    /// The deadline of the current read: of the TLS handshake, a request's head or its body.
    var readDeadline = Duration.never

    /// - Parameter readSize: the maximum size of a read, up to ``EventLoop/scratchBytes``.
    init(
        _ channel: Channel,
        _ transport: any Transport,
        _ loop: EventLoop,
        _ writeTimeout: Duration,
        readSize: Int
    ) {
        self.channel = channel
        self.transport = transport
        self.loop = loop
        self.writeTimeout = writeTimeout
        self.readSize = readSize
    }

    /// Completes the handshake. A peer that fails it is dropped without an answer.
    nonisolated(nonsending) func handshake() async throws(ConnectionEnd) {
        if transport.needsPreparation { try await prepare() }
        while true {
            guard channel.isOpen else { throw .lost }
            let step = try handshakeStep()
            switch step {
            case .done: return
            case .closed: throw .handshake("the peer closed the connection")
            case .wantsRead, .wantsWrite: break
            }
            switch await wait(after: step, until: readDeadline) {
            case .ready, .interrupted: break
            case .timedOut: throw .handshake("it was not completed in time")
            case .closed: throw .lost
            }
        }
    }

    /// Loads the certificate on another thread, and gives up at the deadline.
    private nonisolated(nonsending) func prepare() async throws(ConnectionEnd) {
        let preparation = Preparation()
        loop.spawn { [self] in
            await transport.prepare()
            preparation.isDone = true
            channel.interrupt()
        }
        while !preparation.isDone {
            switch await channel.wait(for: .interrupt, until: readDeadline) {
            case .ready, .interrupted: break
            case .timedOut: throw .handshake("the certificate was not loaded in time")
            case .closed: throw .lost
            }
        }
    }

    /// Unchecked because it is used only on the loop's thread.
    private final class Preparation: @unchecked Sendable {
        var isDone = false
    }

    private func handshakeStep() throws(ConnectionEnd) -> SocketStep {
        do throws(TLSError) {
            return try transport.handshake()
        } catch {
            throw .handshake(error.message)
        }
    }

    /// Yields regularly. Otherwise a fast peer whose operations never wait would monopolize the loop's thread.
    nonisolated(nonsending) func yieldIfNeeded() async {
        stepsWithoutWaiting += 1
        guard stepsWithoutWaiting >= Self.stepsPerTurn else { return }
        stepsWithoutWaiting = 0
        await loop.yield()
    }

    /// Waits for the first bytes of a request.
    nonisolated(nonsending) func receiveFirst(until deadline: Duration) async throws(ConnectionEnd) -> ReceiveOutcome {
        while true {
            let step = readStep()
            switch step {
            case .done: return .bytes
            case .closed: return .ended
            case .wantsRead, .wantsWrite: break
            }
            switch await wait(after: step, until: deadline) {
            case .ready: break
            case .timedOut: return .timedOut
            case .interrupted: return .interrupted
            case .closed: throw .lost
            }
        }
    }

    /// Reads available bytes, without waiting.
    /// - Returns: whether bytes were read.
    func receiveAvailable() -> Bool {
        channel.isReadable = true
        if case .done = readStep() { return true }
        return false
    }

    /// Waits for further bytes of a request.
    nonisolated(nonsending) func receive() async throws(ConnectionEnd) {
        while true {
            switch try await receiveFirst(until: readDeadline) {
            case .bytes: return
            case .interrupted: continue
            case .ended: throw .lost
            case .timedOut: throw .requestTimeout
            }
        }
    }

    nonisolated(nonsending) func readBody(length: Int) async throws(ConnectionEnd) -> [UInt8] {
        var body: [UInt8] = []
        while true {
            input.move(upTo: length - body.count, to: &body)
            if body.count == length { return body }
            try await receive()
        }
    }

    nonisolated(nonsending) func readChunkedBody(limits: HTTPLimits) async throws(ConnectionEnd) -> [UInt8] {
        var decoder = ChunkedDecoder(limits: limits)
        var body: [UInt8] = []
        while true {
            do throws(HTTPWireError) {
                let consumed = try input.withBytes { bytes throws(HTTPWireError) in
                    try decoder.decode(bytes, into: &body)
                }
                input.consume(consumed)
            } catch {
                throw .rejected(error)
            }
            if decoder.isFinished { return body }
            try await receive()
        }
    }

    /// Sends all bytes.
    nonisolated(nonsending) func send(_ output: OutputBuffer) async throws(ConnectionEnd) {
        var output = output
        if transport.prefersJoinedOutput { output.join(upTo: Self.joinLimit) }
        let allowance = UInt64(clamping: output.remaining) / Self.minimumWriteRate
        var progress = loop.timeSource.now.monotonic
        let last = progress.advanced(by: writeTimeout).advanced(by: .seconds(Int64(clamping: allowance)))
        while output.remaining > 0 {
            guard channel.isOpen else { throw .lost }
            let step = transport.write(output)
            switch step {
            case .done(let count):
                output.advance(by: count)
                progress = loop.now
                continue
            case .closed: throw .lost
            case .wantsRead, .wantsWrite: break
            }
            switch await wait(after: step, until: min(last, progress.advanced(by: writeTimeout))) {
            case .ready, .interrupted: break
            case .timedOut: throw .tooSlow
            case .closed: throw .lost
            }
        }
    }

    /// Closes the connection so that the peer can read the whole response: closing with unread input would reset it
    /// (RFC 9112, section 9.6).
    /// - Parameter isHurried: whether to skip waiting for the peer.
    nonisolated(nonsending) func finish(isHurried: Bool) async {
        guard channel.isOpen else { return }
        transport.endSending()
        let deadline = loop.now.advanced(by: isHurried ? .zero : Self.lingerTime)
        var discarded = 0
        channel.isReadable = true
        while discarded < Self.lingerBytes {
            // Input after the last response is discarded.
            switch PlainTransport(descriptor: channel.descriptor).read(into: loop.scratch) {
            case .done(let count): discarded += count
            case .closed: return
            case .wantsRead, .wantsWrite:
                guard await wait(after: .wantsRead, until: deadline) == .ready else { return }
            }
        }
    }

    /// Waits until a call that would have blocked can be retried.
    private nonisolated(nonsending) func wait(after step: SocketStep, until deadline: Duration) async
        -> Channel.Outcome
    {
        if step == .wantsWrite { channel.isWritable = false } else { channel.isReadable = false }
        stepsWithoutWaiting = 0
        return await channel.wait(for: step == .wantsWrite ? .write : .read, until: deadline)
    }

    private func readStep() -> SocketStep {
        guard channel.isOpen else { return .closed }
        guard channel.isReadable || transport.buffersInput else { return .wantsRead }
        let step = transport.read(into: UnsafeMutableRawBufferPointer(rebasing: loop.scratch[..<readSize]))
        switch step {
        case .done(let count):
            input.append(UnsafeRawBufferPointer(rebasing: loop.scratch[..<count]))
            // A short read has drained the socket. The next event reports new data, but does not repeat the end of the
            // stream.
            if count < readSize, !channel.isHungUp, !transport.buffersInput { channel.isReadable = false }
        case .wantsRead, .wantsWrite, .closed: break
        }
        return step
    }
}
