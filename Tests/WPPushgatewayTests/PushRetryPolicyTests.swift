// SPDX-License-Identifier: MIT

import Testing

@testable import WPPushgateway

struct PushRetryPolicyTests {
    @Test func retriesOnlyTemporaryFailures() {
        #expect((100..<600).filter(PushRetryPolicy.isWorthRetrying) == [408, 429, 500, 502, 503, 504])
    }

    @Test func delaysDoubleUpToTheLongest() {
        let policy = PushRetryPolicy()
        #expect(policy.maximumAttempts == 4)
        #expect((1...7).map { policy.delay(after: $0, share: 1) } == [0.5, 1, 2, 4, 8, 15, 15].map { .seconds($0) })
        #expect((1...3).map { policy.delay(after: $0, share: 0) } == [0.25, 0.5, 1].map { .seconds($0) })
        #expect(policy.delay(after: 2, share: 0.5) == .seconds(0.75))
        #expect(policy.delay(after: 0, share: 1) == .seconds(0.5))
        #expect(policy.delay(after: 1000, share: 1) == .seconds(15))
        let negative = PushRetryPolicy(firstDelay: .seconds(-1), longestDelay: .seconds(-1))
        #expect(negative.delay(after: 1, share: 1) == .zero)
    }

    @Test(arguments: [
        ("azAZ09-._~", "/metrics/job/azAZ09-._~"), ("a/b", "/metrics/job@base64/YS9i"),
        ("~~?>", "/metrics/job@base64/fn4_Pg"),
        ("\u{FB}\u{FF}", "/metrics/job@base64/w7vDvw"), ("/~~?>>", "/metrics/job@base64/L35-Pz4-"),
        (".", "/metrics/job@base64/Lg"),
        ("..", "/metrics/job@base64/Li4"), ("...", "/metrics/job/..."), ("`", "/metrics/job@base64/YA"),
        ("{", "/metrics/job@base64/ew"), ("@", "/metrics/job@base64/QA"), ("[", "/metrics/job@base64/Ww"),
        (":", "/metrics/job@base64/Og"),
    ])
    func encodesOnlyValuesThatAProxyMightChange(_ job: String, _ path: String) throws {
        #expect(try PushGroup(job: job).description == path)
    }
}
