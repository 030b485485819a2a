// SPDX-License-Identifier: MIT

import Dispatch
import WPCore
import WPModel

/// Reads credentials outside Swift's thread pool and with a deadline, because a file system may hang.
///
/// One call runs at a time, so that a hanging file system blocks only one thread.
struct CredentialsReader: Sendable {
    let read: @Sendable () throws -> WinPowerCredentials
    let timeSource: any TimeSource

    private let flight = SingleFlight<WinPowerCredentials>()

    init(
        read: @escaping @Sendable () throws -> WinPowerCredentials,
        timeSource: any TimeSource
    ) {
        self.read = read
        self.timeSource = timeSource
    }

    /// Reads the credentials.
    /// - Parameter deadline: the deadline on the monotonic clock.
    /// - Throws: `DeviceSourceError` if they cannot be read in time, `CancellationError`.
    func credentials(before deadline: Duration) async throws -> WinPowerCredentials {
        let outcome = try await withThrowingTaskGroup(of: Result<WinPowerCredentials, any Error>?.self) { group in
            group.addTask {
                do { return .success(try await flight.run(readOnQueue)) } catch { return .failure(error) }
            }
            group.addTask {
                try await timeSource.sleep(until: deadline)
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
