// SPDX-License-Identifier: MIT

import Synchronization
import WPLogging

extension History {
    /// Removes a subject with all its points. It reappears, empty, with its next sample.
    /// - Returns: whether it was known.
    /// - Throws: ``HistoryStoreError`` if the store cannot be changed.
    public func remove(_ subject: HistorySubject) async throws -> Bool {
        // Between two writes, because a write in progress would save it again.
        let result: Result<Bool, any Error> = await exclusively { [self] in
            do {
                let wasStored = try await store.remove(subject)
                let wasKnown = intake.withLock { $0.remove(subject) }
                return .success(wasStored || wasKnown)
            } catch {
                return .failure(error)
            }
        }
        guard try result.get() else { return false }
        forgetListener.withLock { $0 }?([subject])
        logger.info(
            "A subject was removed from the history",
            [
                "kind": .string(subject.kind.rawValue), "site": .string(subject.site), "name": .string(subject.name),
            ]
        )
        return true
    }
}
