// SPDX-License-Identifier: MIT

extension HTTPServer {
    /// Runs work that takes more than a few milliseconds, such as compressing a large body, off the server's thread, so
    /// that it does not delay other connections. The work must not block. An actor is not enough: its methods also run
    /// on the server's thread when a handler calls them.
    ///
    /// Do shorter work inline: switching threads costs about ten microseconds.
    /// - Throws: the error that the work throws. Cancellation does not interrupt it.
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
