// SPDX-License-Identifier: MIT

import Testing

@testable import WPHost

@Suite struct NamePatternTests {
    @Test(arguments: [
        ("^sd[a-z]$", "sda", true), ("^sd[a-z]$", "sda1", false), ("sd", "xsdx", true), ("^$", "", true),
        ("a|b", "xb", true), ("^(a|b)$", "ab", false), ("^a*$", "aaa", true), ("^a+$", "", false),
        ("^(ab)?c$", "abc", true), ("^a{2,3}$", "a", false), ("^a{2,3}$", "aaa", true), ("^a{2,3}$", "aaaa", false),
        ("^a{2}$", "aa", true), ("^a{2,}$", "aaaaa", true), ("^[^0-9]+$", "ab", true),
        ("^[^0-9]+$", "a1", false), (#"^\d+\.\d+$"#, "3.14", true), (#"^\w+$"#, "a b", false),
        (#"\bfoo\b"#, "a foo b", true),
        (#"\bfoo\b"#, "afoob", false), ("(?i)^ETH", "eth0", true), ("(?:veth|docker).*", "docker0", true),
        ("(?P<kind>x)y", "xy", true), ("^..$", "é", true), ("[[:digit:]]", "a7", true),
        ("^[]a]+$", "]a", true), (#"^[\d-]+$"#, "1-2", true), ("^[a\\]]$", "]", true), (#"\x41"#, "A", true),
        ("^a*?$", "aa", true), ("^(a*)*$", "aaab", false), (#"\Aab\z"#, "ab", true),
        (#"^[\^a]$"#, "^", true), (#"^[\^a]$"#, "b", false), (#"^[^\]^-]$"#, "-", false), (#"^[^\]^-]$"#, "x", true),
        (#"^[\^]$"#, "^", true), (#"^[\^-]$"#, "-", true), (#"^a\.b$"#, "axb", false), (#"^\S\D\W$"#, "a!-", true),
        ("^[a-c-]+$", "b-", true), ("^[-a]+$", "-a", true), (#"^[^\d]$"#, "1", false), (#"^[\w]+$"#, "a_1", true),
        (#"^[\s]$"#, " ", true), (#"^[\x41]$"#, "A", true), (#"^\x7f$"#, "\u{7F}", true), (#"^\x2e$"#, "a", false),
        (#"a\Bb"#, "ab", true), (#"^\s$"#, " ", true), ("(?P<a_1>x)", "x", true), ("(?<a>x)", "x", true),
        ("^[[:alpha:]_]+$", "a_", true), ("^a+?$", "aa", true), ("^ab??$", "a", true), (#"^[\-a]+$"#, "-a", true),
        ("^[^]a]$", "]", false),
    ])
    func matchesLikeRE2(_ pattern: String, _ name: String, _ isMatch: Bool) throws {
        #expect(try NamePattern(pattern).matches(name) == isMatch)
    }

    @Test(arguments: [
        "(", "[a", "(?=x)", "(?<a-b>x)", #"\8"#, #"\pL"#, #"[\p]"#, "a{2,1}", "a{99999}", "[z-a]", "\\", "[[:foo:]]",
        #"\x4"#, #"\x00"#, #"\x80"#, "(?<>x)", "(?P", "[[:alpha", "[[:alpha:", "a\\", #"[\"#, "x(?i)",
    ])
    func rejectsInvalidExpressions(_ pattern: String) {
        #expect(throws: NamePatternError.self) { try NamePattern(pattern) }
    }

    @Test func namesThePositionOfAnError() {
        let error = #expect(throws: NamePatternError.self) { try NamePattern("ab(?=c)") }
        #expect(error?.description.hasSuffix("at character 5") == true)
    }

    @Test(arguments: [("(?=a)", 3), (#"a\p"#, 3), (#"ab\"#, 3), (#"\x4"#, 3), ("a[b", 2), ("[[:a", 4), (#"[\p]"#, 3)])
    func namesThePositionOfEachError(_ pattern: String, _ position: Int) {
        let error = #expect(throws: NamePatternError.self) { try NamePattern(pattern) }
        #expect(error?.description.hasSuffix("at character \(position)") == true, "\(String(describing: error))")
    }

    @Test func anEmptyPatternMatchesNothing() throws {
        #expect(try !NamePattern("").matches(""))
        #expect(try !NamePattern("").matches("sda"))
    }

    @Test func rejectsAnExpressionThatIsTooLong() {
        #expect(throws: NamePatternError.self) { try NamePattern(String(repeating: "a", count: 4097)) }
        #expect(throws: Never.self) { _ = try NamePattern(String(repeating: "a", count: 4096)) }
    }

    @Test func matchesWithoutBacktracking() throws {
        let pattern = try NamePattern("^(a+)+$")
        #expect(!pattern.matches(String(repeating: "a", count: 2000) + "b"))
    }

    @Test(arguments: [
        ("sda1", true), ("sda", false), ("nvme0n1p2", true), ("nvme0n1", false), ("dm-0", false), ("loop7", true),
        ("zram0", true), ("xvdb3", true), ("md127", false),
    ])
    func theDefaultForDisksExcludesPartitions(_ device: String, _ isExcluded: Bool) {
        #expect(HostConfiguration.defaultExcludedDisks.matches(device) == isExcluded)
    }

    @Test(arguments: [
        ("/", false), ("/dev", true), ("/dev/shm", true), ("/device", false), ("/proc/fs", true),
        ("/var/lib/docker", false),
        ("/var/lib/docker/overlay2/x", true), ("/run/credentials/x", true), ("/run/user", false),
    ])
    func theDefaultForMountPointsExcludesSystemMounts(_ path: String, _ isExcluded: Bool) {
        #expect(HostConfiguration.defaultExcludedMountPoints.matches(path) == isExcluded)
    }

    @Test func theDefaultForTypesExcludesVirtualFileSystems() {
        let pattern = HostConfiguration.defaultExcludedFilesystemTypes
        #expect(pattern.matches("cgroup2") && pattern.matches("tracefs") && pattern.matches("overlay"))
        #expect(!pattern.matches("ext4") && !pattern.matches("tmpfs") && !pattern.matches("zfs"))
    }
}
