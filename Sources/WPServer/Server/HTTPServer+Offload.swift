// SPDX-License-Identifier: MIT

extension HTTPServer {
    /// Runs work that takes longer than a few milliseconds aside from the server's thread, such as encoding or
    /// compressing a large body, so that other connections don't wait for it. A handler calls it; what it runs may
    /// compute for as long as it likes, but must not block. An actor alone is no such place: a handler's calls of its
    /// methods run on the server's thread, too.
    ///
    /// Work that takes less is better done in place: going to another thread and back costs some ten microseconds.
    /// - Throws: what the work throws. It is not interrupted when the task is cancelled.
    public static func offload<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withTaskExecutorPreference(globalConcurrentExecutor) {
            do throws(Failure) {
                return .success(try await work())
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
