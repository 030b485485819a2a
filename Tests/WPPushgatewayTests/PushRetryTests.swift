// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPHTTP
import WPMetrics
import WPPushgateway
import WPTestKit

/// Which failures are retried, how often, and the final error.
struct PushRetryTests {
    private let clock = TestClock()

    private func pushgateway(
        _ gateway: FakeGateway,
        retry: PushRetryPolicy = PushRetryPolicy(maximumAttempts: 3, firstDelay: .seconds(1)),
        credentials: PushCredentials? = nil
    ) throws -> Pushgateway {
        Pushgateway(
            transport: gateway,
            group: try PushGroup(job: "backup"),
            credentials: credentials,
            retry: retry,
            timeSource: clock
        )
    }

    @Test(
        arguments: [
            .status(408), .status(429), .status(500), .status(502), .status(503), .status(504), .failure(.connect),
            .failure(.resolve), .failure(.timeout), .failure(.closed),
        ] as [FakeGateway.Answer]
    )
    func retriesTemporaryFailures(_ answer: FakeGateway.Answer) async throws {
        let gateway = FakeGateway(answer)
        let pushgateway = try pushgateway(gateway)
        async let outcome: Void = pushgateway.add(Registry())
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        try await outcome
        #expect(gateway.requests.map(\.method) == [.post, .post])
    }

    @Test(
        arguments: [
            .status(400), .status(401), .status(403), .status(404), .status(413), .status(301), .status(501),
            .failure(.tls(.unknownAuthority)), .failure(.malformed), .failure(.invalidRequest),
        ] as [FakeGateway.Answer]
    )
    func doesNotRetryPermanentFailures(_ answer: FakeGateway.Answer) async throws {
        let gateway = FakeGateway(answer)
        let error = await #expect(throws: PushError.self) { try await pushgateway(gateway).push(Registry()) }
        #expect(error?.attempts == 1)
        #expect(gateway.requests.count == 1)
    }

    /// The delays double, and each is at least half of its maximum.
    @Test func limitsAttemptsWithGrowingDelays() async throws {
        let gateway = FakeGateway(.failure(.connect), .status(503), .status(502, "no\nupstream"))
        let pushgateway = try pushgateway(gateway)
        let outcome = Task { try await pushgateway.push(Registry()) }
        for (attempt, delay) in [(1, 1.0), (2, 2.0)] {
            try await clock.waitForSleepers()
            clock.advance(by: .seconds(delay) * 0.499)
            #expect(gateway.requests.count == attempt)
            clock.advance(by: .seconds(delay) * 0.501)
        }
        let error = await #expect(throws: PushError.self) { try await outcome.value }
        #expect(error?.code == .rejected(status: 502))
        #expect(error?.attempts == 3)
        #expect(
            error?.description
                == #"PUT /metrics/job/backup was rejected with 502 Bad Gateway (attempt 3): "no upstream"."#
        )
        #expect(gateway.requests.count == 3)
    }

    @Test func reportsAnUnreachableGateway() async throws {
        let gateway = FakeGateway(.failure(.connect))
        let error = await #expect(throws: PushError.self) {
            try await pushgateway(gateway, retry: .never).delete()
        }
        #expect(error?.code == .unreachable)
        #expect(
            error?.description == "DELETE /metrics/job/backup received no response. The gateway was not there."
        )
    }

    @Test func truncatesAndSanitizesALongReply() async throws {
        let gateway = FakeGateway(.status(400, String(repeating: "\u{1B}[31mé", count: 1000)))
        let error = await #expect(throws: PushError.self) { try await pushgateway(gateway).push(Registry()) }
        let description = try #require(error?.description)
        #expect(description.utf8.count < 500)
        #expect(!description.unicodeScalars.contains("\u{1B}"))
        let plain = FakeGateway(.status(400, String(repeating: "x", count: 1000)))
        let second = await #expect(throws: PushError.self) { try await pushgateway(plain).push(Registry()) }
        let quotation = String(repeating: "x", count: 200)
        #expect(second?.description == "PUT /metrics/job/backup was rejected with 400 Bad Request: \"\(quotation)\".")
    }

    /// A proxy may echo a request in its error page.
    @Test(arguments: ["password is hunter2", "Authorization: Basic YWRtaW46aHVudGVyMg=="])
    func doesNotQuoteAReplyThatEchoesCredentials(_ reply: String) async throws {
        let gateway = FakeGateway(.status(401, reply))
        let credentials = PushCredentials.basic(username: "admin", password: "hunter2")
        let error = await #expect(throws: PushError.self) {
            try await pushgateway(gateway, credentials: credentials).push(Registry())
        }
        #expect(error?.description == "PUT /metrics/job/backup was rejected with 401 Unauthorized.")
    }

    @Test func cancellationEndsTheDelay() async throws {
        let gateway = FakeGateway(.status(503))
        let pushgateway = try pushgateway(gateway)
        let outcome = Task { try await pushgateway.push(Registry()) }
        try await clock.waitForSleepers()
        outcome.cancel()
        await #expect(throws: CancellationError.self) { try await outcome.value }
        #expect(gateway.requests.count == 1)
    }

    @Test(
        arguments: [(0, 1), (-5, 1), (7, 7), (1000, 100)]
    )
    func limitsTheConfiguredAttempts(_ given: Int, _ counted: Int) {
        #expect(PushRetryPolicy(maximumAttempts: given).maximumAttempts == counted)
    }
}
