// SPDX-License-Identifier: MIT

import Testing
import WPCore

@testable import WPSQL

/// The ranges and defaults of the values of a query file.
@Suite struct QueryFileLimitsTests {
    private func read(
        dsn: String = "\"postgresql://h/d\"",
        database: String = "",
        metric: String = "type: gauge",
        query: String = "",
        sql: String = "SELECT 1"
    ) throws -> QueryFile {
        let text = """
            databases: {d: {dsn: \(dsn)\(database)}}
            metrics: {m: {\(metric)}}
            queries: {q: {databases: [d], metrics: [m], sql: "\(sql)"\(query)}}
            """
        return try QueryFileReader.read(Secret(text), environment: [:]) { _ in nil }
    }

    private func faults(_ read: () throws -> QueryFile) -> [String] {
        do {
            _ = try read()
            return []
        } catch let faults as QueryFileReader.Faults {
            return faults.faults.map { "\($0.key): \($0.message)" }
        } catch {
            return ["\(error)"]
        }
    }

    @Test func `has defaults`() throws {
        let file = try read()
        #expect(file.keep == .seconds(300) && file.durationBuckets == nil && file.warnings.isEmpty)
        let database = try #require(file.databases.first)
        #expect(database.maximumSessions == 1 && database.isReadOnly && database.lockTimeout == nil)
        #expect(database.connectSQL.isEmpty && database.labels.isEmpty)
        let metric = try #require(file.metrics.first)
        #expect(metric.onNull == .skip && !metric.increments && metric.expiration == nil && metric.help == "")
        let query = try #require(file.queries.first)
        #expect(query.schedule == .onScrape && query.jitter == .zero && query.timeout == .seconds(30))
        let settings = SQLSettings()
        #expect(settings.keep == .seconds(300) && settings.onNull == .skip)
        #expect(settings.timezone == "" && settings.zone == .utc)
    }

    @Test(
        arguments: [
            ("size: 2", 2), ("max-overflow: 2", 3), ("size: 0", 1), ("size: 0, max-overflow: 0", 1),
            ("size: 100, max-overflow: 100", 200), ("size: 0, max-overflow: 1", nil), ("size: 101", nil),
            ("max-overflow: 101", nil), ("size: -1", nil), ("size: 1.5", nil),
        ] as [(String, Int?)]
    )
    func `a pool has up to 200 sessions`(_ pool: String, _ sessions: Int?) throws {
        let database = ", connection-pool: {\(pool)}"
        guard let sessions else {
            #expect(faults({ try read(database: database) }).count == 1)
            return
        }
        #expect(try read(database: database).databases.first?.maximumSessions == sessions)
    }

    @Test(
        arguments: [
            ("1", 1), ("0", nil), ("5m", 300), ("1h", 3600), ("1d", 86_400), ("90", 90), ("19s", 19),
            ("366d", 31_622_400), ("31622400", 31_622_400), ("31622401", nil), ("367d", nil), ("+5", nil), ("-5", nil),
            ("5/", nil), ("5:", nil), ("s", nil), ("1.5", nil), ("9223372036854775807d", nil),
        ] as [(String, Int?)]
    )
    func `an interval is a whole number of seconds up to a year`(_ text: String, _ seconds: Int?) throws {
        let query = ", interval: '\(text)'"
        guard let seconds else {
            let message = "expected a whole number of seconds above 0, or a duration such as 10s, 5m, 1h or 1d"
            #expect(faults({ try read(query: query) }) == ["queries.q.interval: \(message)"])
            return
        }
        #expect(try read(query: query).queries.first?.schedule == .every(.seconds(seconds), isAligned: false))
    }

    @Test(
        arguments: [
            ("0.001", 1), ("0.0009", nil), ("2.5004", 2500), ("2.5006", 2501), ("10s", 10_000), ("86400", 86_400_000),
            ("86399.5", 86_399_500), ("86400.5", nil), ("0", nil), ("-1", nil), ("nan", nil), ("x", nil),
        ] as [(String, Int?)]
    )
    func `a timeout is from a millisecond to a day`(_ text: String, _ milliseconds: Int?) throws {
        for (name, key) in [("timeout", "queries.q.timeout"), ("lock_timeout", "databases.d.lock_timeout")] {
            let more = ", \(name): '\(text)'"
            let (database, query) = name == "timeout" ? ("", more) : (more, "")
            guard let milliseconds else {
                #expect(
                    faults({ try read(database: database, query: query) }).map { $0.hasPrefix("\(key): expected") } == [
                        true
                    ]
                )
                continue
            }
            let file = try read(database: database, query: query)
            let found = name == "timeout" ? file.queries.first?.timeout : file.databases.first?.lockTimeout
            #expect(found == .milliseconds(milliseconds))
        }
    }

    @Test(arguments: [("4", true), ("5", false), ("6", false)])
    func `jitter is shorter than the interval`(_ jitter: String, _ isValid: Bool) {
        let found = faults({ try read(query: ", interval: 5, jitter: \(jitter)") })
        #expect(found == (isValid ? [] : ["queries.q.jitter: it must be shorter than the interval"]))
    }

    @Test func `aligns an interval if asked`() throws {
        let query = try #require(try read(query: ", interval: 5, align: true").queries.first)
        #expect(query.schedule == .every(.seconds(5), isAligned: true))
    }

    @Test(arguments: [
        ("type: gauge, buckets: [1]", "metrics.m.buckets: only a histogram has buckets"),
        ("type: gauge, states: [a]", "metrics.m.states: only an enum has states"),
        ("type: enum", "metrics.m.states: an enum needs its states"),
        ("type: gauge, increment: true", "metrics.m.increment: only a counter can be incremented"),
        ("type: histogram, buckets: [1, 1]", "metrics.m.buckets: the numbers must ascend"),
        ("type: histogram, buckets: [2, 1]", "metrics.m.buckets: the numbers must ascend"),
        ("type: histogram, buckets: [inf]", "metrics.m.buckets: expected a number"),
        ("type: histogram, buckets: []", "metrics.m.buckets: expected a list of numbers"),
        ("type: gauge, labels: [a, a]", "metrics.m.labels: `a` appears twice"),
        ("type: gauge, labels: []", "metrics.m.labels: expected a list that is not empty"),
        ("type: gauge, labels: [database]", "metrics.m.labels: the label database is added by the program"),
        ("help: x", "metrics.m: the key type is missing"),
    ])
    func `rejects an invalid metric`(_ metric: String, _ fault: String) {
        let found = faults({ try read(metric: metric) })
        #expect(found.contains { $0.hasPrefix(fault) }, "\(found)")
    }

    @Test(arguments: [
        "type: counter, increment: true", "type: counter, increment: false", "type: gauge, increment: false",
    ])
    func `only a counter can be incremented`(_ metric: String) throws {
        #expect(try read(metric: metric).metrics.first?.increments == metric.contains("true"))
    }

    @Test(
        arguments: [
            ("{dialect: postgres, host: h}", nil), ("{dialect: postgresql+psycopg2, host: h, port: 65535}", nil),
            ("{dialect: postgresql, port: 1, options: {sslmode: require}}", nil),
            ("{dialect: mysql}", "databases.d.dsn.dialect: found `mysql`, expected postgresql"),
            ("{host: h}", "databases.d.dsn: the key dialect is missing"),
            ("{dialect: postgres, port: 0}", "databases.d.dsn.port: expected a whole number from 1 to 65535"),
            ("{dialect: postgres, port: 65536}", "databases.d.dsn.port: expected a whole number from 1 to 65535"),
        ] as [(String, String?)]
    )
    func `a data source may be a map`(_ dsn: String, _ fault: String?) {
        #expect(faults({ try read(dsn: dsn) }) == (fault.map { [$0] } ?? []))
    }

    private func parameters(_ count: Int) -> String {
        "[" + (0..<count).map { "{p: \($0)}" }.joined(separator: ", ") + "]"
    }

    @Test(arguments: [(1000, true), (1001, false), (0, false)])
    func `a query has up to a thousand sets of parameters`(_ count: Int, _ isValid: Bool) {
        let found = faults({ try read(query: ", parameters: \(parameters(count))", sql: "SELECT :p") })
        #expect(found.isEmpty == isValid, "\(found.first ?? "")")
        if !isValid { #expect(found.first == "queries.q.parameters: expected 1 to 1000 maps") }
    }

    @Test(arguments: [(40, 25, true), (143, 7, false)])
    func `a query has up to a thousand combinations`(_ first: Int, _ second: Int, _ isValid: Bool) {
        let query = ", parameters: {a: \(parameters(first)), b: \(parameters(second))}"
        let found = faults({ try read(query: query, sql: "SELECT :a__p + :b__p") })
        #expect(found == (isValid ? [] : ["queries.q.parameters: there are more than 1000 combinations"]))
    }

    @Test(arguments: [
        ("[{p: 99999999999999999999}]", "queries.q.parameters.p: the number is too large"),
        ("[{p: \"a\\0b\"}]", "queries.q.parameters.p: PostgreSQL text cannot contain a zero byte"),
        ("[{p: [1, {}]}]", "queries.q.parameters.p: found a map, expected a single value"),
        ("{a: 1}", "queries.q.parameters.a: expected a list of maps"),
        ("1", "queries.q.parameters: expected a list of maps, or a map of such lists"),
        ("[{r: 1}]", "queries.q.parameters: the sets give r, and the statement has p"),
    ])
    func `rejects invalid parameters`(_ parameters: String, _ fault: String) {
        let found = faults({ try read(query: ", parameters: \(parameters)", sql: "SELECT :p") })
        #expect(found.contains(fault), "\(found)")
    }

    @Test func `warns about unused databases and metrics`() throws {
        let text = """
            databases: {d: {dsn: "postgresql://h/d"}, e: {dsn: "postgresql://h/d"}}
            metrics: {m: {type: gauge}, n: {type: gauge}}
            queries: {q: {databases: [d], metrics: [m], sql: SELECT 1}}
            """
        let file = try QueryFileReader.read(Secret(text), environment: [:]) { _ in nil }
        #expect(file.warnings == ["the database e is used by no query", "the metric n is used by no query"])
    }

    @Test(arguments: [
        (SQLLiteral.integer(0), "0"), (.integer(-1), " -1"), (.number(0), "0.0"),
        (.number(-.infinity), "'-Infinity'::float"),
        (.number(.infinity), "'Infinity'::float"), (.boolean(false), "false"), (.text("it's"), "'it''s'"),
    ])
    func `writes values as literals`(value: SQLLiteral, sql: String) {
        #expect(value.sql == sql)
    }

    @Test(arguments: [
        (":aZ_09é-:b.", "<aZ_09é>-<b>.", ["aZ_09é", "b"]), (":zA-:A0z.", "<zA>-<A0z>.", ["zA", "A0z"]),
        ("a:b 1:b _:b é:b", "a:b 1:b _:b é:b", []),
        ("(:a):b", "(<a>)<b>", ["a", "b"]), ("e'\\' :no' :yes", "e'\\' :no' <yes>", ["yes"]),
        ("'\\:x' :yes", "':x' <yes>", ["yes"]), ("\"a\"\"b :no\" :yes", "\"a\"\"b :no\" <yes>", ["yes"]),
        ("/ * :yes - - :yes", "/ * <yes> - - <yes>", ["yes"]), ("/* :no", "/* :no", []), ("-- :no", "-- :no", []),
        ("-- :no\n:yes", "-- :no\n<yes>", ["yes"]), ("-- :no.\n:yes", "-- :no.\n<yes>", ["yes"]),
        ("$t$ :no $T$ :no $t$ :yes", "$t$ :no $T$ :no $t$ <yes>", ["yes"]), ("$1 :yes $1", "$1 <yes> $1", ["yes"]),
        ("$1$ :yes $1$", "$1$ <yes> $1$", ["yes"]), ("a$b$ :yes", "a$b$ <yes>", ["yes"]),
        ("$a :yes", "$a <yes>", ["yes"]),
        ("$$ :no", "$$ :no", []), ("a:", "a:", []), ("\\", "\\", []), (": ::a", ": ::a", []), ("E'\\", "E'\\", []),
        (":@ :[ :` :{ :/ ::", ":@ :[ :` :{ :/ ::", []), ("/**/:yes", "/**/<yes>", ["yes"]),
        ("\\::yes '\\:' :yes", ":<yes> ':' <yes>", ["yes"]),
    ])
    func `recognizes parameters at every boundary`(sql: String, text: String, names: [String]) {
        let found = NamedParameters(sql)
        #expect(found.text { "<\($0)>" } == text)
        #expect(found.names == names)
    }

    @Test func `summarizes a check`() {
        let check = SQLCheck([.init(.matches, "a"), .init(.unreachable, "b")])
        #expect(check.lines == ["ok    a", "skip  b"] && check.unknownCount == 1 && check.isValid)
        let failed = SQLCheck([.init(.mismatch, "c")])
        #expect(failed.lines == ["FAIL  c"] && failed.unknownCount == 0 && !failed.isValid)
    }
}
