// SPDX-License-Identifier: MIT

import Dispatch
import WPModel

/// Reads credentials off Swift's threads and with a deadline: the function may read files, and a file system may hang.
///
/// One call of the function runs at a time. While one hangs no other is begun, so that a file system which hangs for
/// hours costs one thread.
struct CredentialsReader: Sendable {
    let read: @Sendable () throws -> WinPowerCredentials
    let timeSource: any TimeSource
    let clock: any Clock<Duration>

    private let flight = SingleFlight<WinPowerCredentials>()

    init(
        read: @escaping @Sendable () throws -> WinPowerCredentials,
        timeSource: any TimeSource,
        clock: any Clock<Duration>
    ) {
        self.read = read
        self.timeSource = timeSource
        self.clock = clock
    }

    /// Reads the credentials.
    /// - Parameter deadline: when to give up, on the time source's monotonic clock.
    /// - Throws: `DeviceSourceError` when they cannot be read or not in time, `CancellationError`.
    func credentials(before deadline: Duration) async throws -> WinPowerCredentials {
        let outcome = try await withThrowingTaskGroup(of: Result<WinPowerCredentials, any Error>?.self) { group in
            group.addTask {
                do { return .success(try await flight.run(readOnQueue)) } catch { return .failure(error) }
            }
            group.addTask {
                try await clock.sleep(for: max(.zero, deadline - timeSource.now.monotonic))
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
        try Task.checkCancellation()
        switch outcome {
        case .success(let credentials)?:
            return credentials
        case .failure(let error)?:
            let problem = ServerText.clean(String(describing: error), limit: 1_000)
            throw failure(.auth, "because the credentials could not be read: \(problem)")
        case nil:
            throw failure(.timeout, "because reading the credentials takes too long")
        }
    }

    @Sendable private func readOnQueue() async throws -> WinPowerCredentials {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try read() }) }
        }
    }

    private func failure(_ reason: FailureReason, _ problem: String) -> DeviceSourceError {
        DeviceSourceError(
            reason: reason,
            endpoint: .login,
            message: "Logging in to WinPower was not tried, \(problem).",
            reachedServer: false,
            wasAuthenticated: false,
            hint: .checkCredentialSources
        )
    }
}
