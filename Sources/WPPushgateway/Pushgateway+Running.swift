// SPDX-License-Identifier: MIT

public import WPMetrics

extension Pushgateway {
    /// Runs some work and removes the group when the work has ended, whether it returned, threw or was cancelled, so
    /// that a gateway does not show it for ever.
    ///
    /// The removal itself is not cancelled with the task; attempts and timeout bound its time.
    /// - Parameters:
    ///   - onFailure: called when the removal failed; the work's own outcome is kept.
    ///   - work: runs before the removal.
    /// - Returns: what the work returned.
    /// - Throws: what the work threw.
    public func deletingAtEnd<Outcome: Sendable>(
        onFailure: @Sendable (any Error) -> Void = { _ in },
        _ work: () async throws -> Outcome
    ) async rethrows -> Outcome {
        do {
            let outcome = try await work()
            await deleteEvenIfCancelled(onFailure)
            return outcome
        } catch {
            await deleteEvenIfCancelled(onFailure)
            throw error
        }
    }

    /// Pushes now and then once per interval, until the task is cancelled; then removes the group.
    ///
    /// A push that fails does not end it: the next one carries newer numbers anyway.
    /// - Parameters:
    ///   - gatherer: what is pushed; it replaces the group.
    ///   - interval: the time from the end of one push to the next, at least a second.
    ///   - deletesAtEnd: whether the group is removed at the end.
    ///   - onFailure: called for each push, or removal, that failed.
    public func run(
        pushing gatherer: any MetricGatherer,
        every interval: Duration,
        deletesAtEnd: Bool = true,
        onFailure: @Sendable (any Error) -> Void = { _ in }
    ) async {
        while !Task.isCancelled {
            do {
                try await push(gatherer)
            } catch is CancellationError {
                break
            } catch {
                onFailure(error)
            }
            do {
                try await clock.sleep(for: max(interval, .seconds(1)))
            } catch {
                break
            }
        }
        if deletesAtEnd { await deleteEvenIfCancelled(onFailure) }
    }

    private func deleteEvenIfCancelled(_ onFailure: @Sendable (any Error) -> Void) async {
        // A task of its own, since everything in a cancelled one ends at once.
        let outcome = await Task { try await delete() }.result
        if case .failure(let error) = outcome { onFailure(error) }
    }
}
