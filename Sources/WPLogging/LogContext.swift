// SPDX-License-Identifier: MIT

/// Task-local fields: every record logged in the task contains them, regardless of the logger.
///
/// ```swift
/// await LogContext.with(["cycle": 42]) {
///     await collect()  // and everything that it awaits
/// }
/// ```
///
/// Child tasks and `Task { }` inherit the fields; `Task.detached` and the blocks of a Dispatch queue do not.
public enum LogContext {
    @TaskLocal private static var carried: LogFields?

    /// The fields of the current task; empty outside ``with(_:isolation:_:)``.
    package static var fields: LogFields { carried ?? LogFields() }

    /// Runs a function whose records have these fields, after the task's existing ones.
    public static func with<Result>(
        _ fields: LogFields,
        isolation: isolated (any Actor)? = #isolation,
        _ operation: () async throws -> Result
    ) async rethrows -> Result {
        try await $carried.withValue(Self.fields.followed(by: fields), operation: operation, isolation: isolation)
    }

    /// Runs a function whose records have these fields, after the task's existing ones.
    public static func with<Result>(_ fields: LogFields, _ operation: () throws -> Result) rethrows -> Result {
        try $carried.withValue(Self.fields.followed(by: fields), operation: operation)
    }

    /// Puts the task's fields after a logger's own.
    static func joined(_ context: LogFields, _ fields: LogFields) -> LogFields {
        guard let carried else { return context.followed(by: fields) }
        return context.followed(by: carried).followed(by: fields)
    }
}
