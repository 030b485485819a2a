// SPDX-License-Identifier: MIT

/// A requirement of a protocol that can be checked for an implementation.
///
/// ```swift
/// @Test(arguments: EnergyStoreContract.checks)
/// func keepsTheContract(_ check: ContractCheck<any EnergyStore>) async throws {
///     try await check.run(on: RedisEnergyStore(…))
/// }
/// ```
///
/// Independent of any testing library: a failed check throws a ``ContractViolation``.
public struct ContractCheck<Subject: Sendable>: Sendable, CustomStringConvertible {
    /// The requirement, as a sentence without a full stop.
    public let description: String
    private let body: @Sendable (Subject) async throws -> Void

    init(_ description: String, _ body: @escaping @Sendable (Subject) async throws -> Void) {
        self.description = description
        self.body = body
    }

    /// Checks an implementation. Each check needs a new one.
    /// - Throws: ``ContractViolation``, or an unexpected error of the implementation.
    public func run(on subject: Subject) async throws {
        try await body(subject)
    }
}

/// An implementation violates a requirement.
public struct ContractViolation: Error, Sendable, CustomStringConvertible {
    /// The expected and the actual result.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

func expect(_ condition: Bool, _ message: @autoclosure () -> String) throws {
    guard condition else { throw ContractViolation(message()) }
}

func expectEqual<Value: Equatable>(_ found: Value, _ expected: Value, _ what: String) throws {
    try expect(found == expected, "\(what): expected \(expected), found \(found)")
}

/// - Returns: the error, for further checks.
@discardableResult
func expectError<Failure: Error>(
    _ type: Failure.Type,
    _ what: String,
    _ body: () async throws -> Void
) async throws -> Failure {
    do {
        try await body()
    } catch let error as Failure {
        return error
    } catch {
        throw ContractViolation("\(what): expected an error of type \(type), found \(error)")
    }
    throw ContractViolation("\(what): expected an error of type \(type), but there was none")
}
