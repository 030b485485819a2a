// SPDX-License-Identifier: MIT

import WPSockets
import WPHTTP

/// The bytes of one connection in both directions, under deadlines.
///
/// Unchecked because it belongs to its loop's thread.
final class ConnectionStream: @unchecked Sendable {
    /// How waiting for the first byte of a request ended.
    enum First {
        case bytes
        case ended
        case timedOut
        case interrupted
    }

    /// The slowest reader of a response that is accepted, in bytes per second.
    static let leastWriteRate: UInt64 = 16 << 10
    /// Up to here, the parts of an output are copied together rather than written one by one.
    private static let joinLimit = 16 << 10
    /// How long, and over how many bytes, a peer that still sends is listened to after the last response.
    private static let lingerTime = Duration.seconds(1)
    private static let lingerBytes = 8 << 20
    /// How many requests, or writes of a streamed body, are served before others get their turn.
    private static let turn = 16

    let channel: Channel
    let loop: EventLoop
    private let transport: any Transport
    /// How long a write may get nowhere; taken again from the configuration with each request.
    var writeTimeout: Duration
    private let readSize: Int
    private var stepsWithoutWaiting = 0

    var input = InputBuffer()
    /// When the request being read must be complete.
    var readDeadline = MonotonicInstant.never

    convenience init(
        _ channel: Channel,
        _ transport: any Transport,
        _ loop: EventLoop,
        _ configuration: HTTPServer.Configuration
    ) {
        self.init(channel, transport, loop, configuration.writeTimeout, readSize: configuration.maxPipelinedBytes)
    }

    /// - Parameter readSize: how many bytes are read at a time, up to ``EventLoop/scratchBytes``.
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

    /// Completes what comes before the first byte. A peer that does not get through it is dropped without an answer.
    nonisolated(nonsending) func handshake() async throws(ConnectionEnd) {
        if transport.needsPreparation { try await prepare() }
        while true {
            guard channel.isOpen else { throw .lost }
            let interest: Channel.Interest
            switch try handshakeStep() {
            case .done: return
            case .closed: throw .handshake("the peer left")
            case .wantsRead: interest = .read
            case .wantsWrite: interest = .write
            }
            switch await wait(for: interest, until: readDeadline) {
            case .ready, .interrupted: break
            case .timedOut: throw .handshake("it was not complete in time")
            case .closed: throw .lost
            }
        }
    }

    /// The deadline holds for what reads files, too: it runs aside, and is left alone when it takes too long.
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
            case .timedOut: throw .handshake("the certificate was not there in time")
            case .closed: throw .lost
            }
        }
    }

    /// Unchecked because it belongs to the loop's thread.
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

    /// Lets other tasks have their turn now and then. A peer that is fast enough would otherwise keep the loop: what never
    /// has to wait never leaves the loop's thread.
    nonisolated(nonsending) func takeTurns() async {
        stepsWithoutWaiting += 1
        guard stepsWithoutWaiting >= Self.turn else { return }
        stepsWithoutWaiting = 0
        await loop.yield()
    }

    /// Waits for the first bytes of a request.
    nonisolated(nonsending) func receiveFirst(until deadline: MonotonicInstant) async throws(ConnectionEnd) -> First {
        while true {
            let interest: Channel.Interest
            switch readStep() {
            case .done: return .bytes
            case .closed: return .ended
            case .wantsRead: interest = .read
            case .wantsWrite: interest = .write
            }
            switch await wait(for: interest, until: deadline) {
            case .ready: break
            case .timedOut: return .timedOut
            case .interrupted: return .interrupted
            case .closed: throw .lost
            }
        }
    }

    /// Takes what has arrived, without waiting.
    /// - Returns: whether there was something.
    func receiveWhatIsThere() -> Bool {
        channel.isReadable = true
        if case .done = readStep() { return true }
        return false
    }

    /// Waits for more of a request.
    /// - Returns: how many bytes came.
    nonisolated(nonsending) func receive() async throws(ConnectionEnd) -> Int {
        while true {
            let interest: Channel.Interest
            switch readStep() {
            case .done(let count): return count
            case .closed: throw .lost
            case .wantsRead: interest = .read
            case .wantsWrite: interest = .write
            }
            switch await wait(for: interest, until: readDeadline) {
            case .ready, .interrupted: break
            case .timedOut: throw .requestTimeout
            case .closed: throw .lost
            }
        }
    }

    nonisolated(nonsending) func readBody(length: Int) async throws(ConnectionEnd) -> [UInt8] {
        var body: [UInt8] = []
        while true {
            input.move(upTo: length - body.count, to: &body)
            if body.count == length { return body }
            _ = try await receive()
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
                throw .refused(error)
            }
            if decoder.isFinished { return body }
            _ = try await receive()
        }
    }

    /// Sends all of it.
    nonisolated(nonsending) func send(_ output: OutputBuffer) async throws(ConnectionEnd) {
        var output = output
        if transport.prefersJoinedOutput { output.join(upTo: Self.joinLimit) }
        let allowance = UInt64(clamping: output.remaining) / Self.leastWriteRate
        var progress = loop.clock.now
        let last = progress.advanced(by: writeTimeout).advanced(by: .seconds(Int64(clamping: allowance)))
        while output.remaining > 0 {
            guard channel.isOpen else { throw .lost }
            let interest: Channel.Interest
            switch transport.write(output) {
            case .done(let count):
                output.advance(by: count)
                progress = loop.now
                continue
            case .closed: throw .lost
            case .wantsRead: interest = .read
            case .wantsWrite: interest = .write
            }
            switch await wait(for: interest, until: min(last, progress.advanced(by: writeTimeout))) {
            case .ready, .interrupted: break
            case .timedOut: throw .tooSlow
            case .closed: throw .lost
            }
        }
    }

    /// Ends the connection so that the peer can read all of the last response: closing while unread bytes are left
    /// would reset it (RFC 9112, section 9.6).
    /// - Parameter isHurried: does not wait for the peer.
    nonisolated(nonsending) func finish(isHurried: Bool) async {
        guard channel.isOpen else { return }
        transport.endSending()
        let deadline = loop.now.advanced(by: isHurried ? .zero : Self.lingerTime)
        var discarded = 0
        channel.isReadable = true
        while discarded < Self.lingerBytes {
            // What comes after the last response is of no interest, encrypted or not.
            switch PlainTransport(descriptor: channel.descriptor).read(into: loop.scratch) {
            case .done(let count): discarded += count
            case .closed: return
            case .wantsRead, .wantsWrite:
                guard await wait(for: .read, until: deadline) == .ready else { return }
            }
        }
    }

    /// Waits after the system said to.
    private nonisolated(nonsending) func wait(for interest: Channel.Interest, until deadline: MonotonicInstant) async
        -> Channel.Outcome
    {
        switch interest {
        case .read: channel.isReadable = false
        case .write: channel.isWritable = false
        case .interrupt: break
        }
        stepsWithoutWaiting = 0
        return await channel.wait(for: interest, until: deadline)
    }

    private func readStep() -> SocketStep {
        guard channel.isOpen else { return .closed }
        guard channel.isReadable || transport.buffersInput else { return .wantsRead }
        let step = transport.read(into: UnsafeMutableRawBufferPointer(rebasing: loop.scratch[..<readSize]))
        switch step {
        case .done(let count):
            input.append(UnsafeRawBufferPointer(rebasing: loop.scratch[..<count]))
            // A short read has emptied the socket; the next event reports more; not the end, if that has been reported.
            if count < readSize, !channel.isHungUp, !transport.buffersInput { channel.isReadable = false }
        case .wantsRead, .wantsWrite, .closed: break
        }
        return step
    }
}
