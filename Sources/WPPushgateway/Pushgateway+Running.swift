// SPDX-License-Identifier: MIT

public import WPMetrics
import WPScheduler

extension Pushgateway {
    /// Runs some work and deletes the group when the work returns, throws or is cancelled, so that the gateway does not
    /// keep it forever.
    ///
    /// Cancelling the task does not cancel the deletion; the number of attempts and the timeout limit its duration.
    /// - Parameters:
    ///   - onFailure: called if the deletion fails; the outcome of the work is kept.
    ///   - work: runs before the deletion.
    /// - Returns: the result of the work.
    /// - Throws: the error of the work.
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

    /// Pushes immediately and then once per interval until the task is cancelled; then deletes the group.
    ///
    /// A failed push does not end it; the next one has newer values.
    /// - Parameters:
    ///   - gatherer: the source of the metrics, which replace the group.
    ///   - interval: the time between the end of a push and the next one, at least a second.
    ///   - deletesAtEnd: whether to delete the group at the end.
    ///   - onFailure: called for each failed push or deletion.
    public func run(
        pushing gatherer: any MetricGatherer,
        every interval: Duration,
        deletesAtEnd: Bool = true,
        onFailure: @escaping @Sendable (any Error) -> Void = { _ in }
    ) async {
        await Ticker(interval: max(interval, .seconds(1)), timeSource: timeSource).run {
            do {
                try await push(gatherer)
            } catch is CancellationError {
            } catch {
                onFailure(error)
            }
        }
        if deletesAtEnd { await deleteEvenIfCancelled(onFailure) }
    }

    private func deleteEvenIfCancelled(_ onFailure: @Sendable (any Error) -> Void) async {
        // A separate task, because the current one is cancelled.
        let outcome = await Task { try await delete() }.result
        if case .failure(let error) = outcome { onFailure(error) }
    }
}
