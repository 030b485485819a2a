// SPDX-License-Identifier: MIT

import Testing
import WPCore
import WPPostgres
@testable import WPSQL

@Suite struct QueryFileTests {
    static let sample = """
        databases:
          shop:
            dsn: !env SHOP_DSN
            connection-pool: {size: 2, max-overflow: 1}
            connect-sql: [SET search_path = shop]
            labels: {region: eu}
          stock:
            dsn: {dialect: postgresql, user: monitor, password: !file stock.password, host: db, port: 5433, database: stock}
            labels: {region: us}
        metrics:
          orders:
            type: gauge
            description: Orders by state.
            labels: [state]
          sold: {type: counter, increment: true}
          mood: {type: enum, states: [good, bad], expiration: 10m, on_null: zero}
          size: {type: histogram, buckets: [1, 2.5, 10]}
        queries:
          orders:
            databases: [shop, stock]
            metrics: [orders, sold]
            sql: SELECT state, count(*) AS orders, 1 AS sold FROM orders WHERE kind = :kind AND age > :age GROUP BY 1
            interval: 1m
            jitter: 5s
            timeout: 2.5
            parameters: [{kind: a, age: 5}, {kind: b, age: 6}]
          mood:
            databases: [shop]
            metrics: [mood, size]
            sql: SELECT mood, size FROM people
            schedule: "*/5 8-18 * * mon-fri"
        """

    private func read(_ text: String, _ environment: [String: String] = ["SHOP_DSN": "postgresql://u:hunter22@h/d"])
        throws
        -> QueryFile
    {
        try QueryFileReader.read(Secret(text), otherKeys: ["server"], environment: environment) { path in
            path == "stock.password" ? "  secret\n" : nil
        }
    }

    private func faults(_ text: String) -> [String] {
        do {
            _ = try read(text)
            return []
        } catch let faults as QueryFileReader.Faults {
            return faults.faults.map(\.description)
        } catch {
            return ["\(error)"]
        }
    }

    @Test func `reads a whole file`() throws {
        let file = try read(Self.sample)
        #expect(file.databases.map(\.name) == ["shop", "stock"])
        #expect(file.databases[0].maximumSessions == 3)
        #expect(file.databases[0].connectSQL == ["SET search_path = shop"])
        #expect(file.databases[1].labels.map(\.value) == ["us"])
        #expect(file.databases.map(\.isReadOnly) == [true, true])
        #expect(file.metrics.map(\.exposedName) == ["orders", "sold_total", "mood", "size"])
        #expect(file.metrics[2].expiration == .seconds(600))
        #expect(file.metrics.map(\.onNull) == [.skip, .skip, .zero, .skip])
        #expect(file.metrics[3].buckets == [1, 2.5, 10])
        #expect(file.queries[0].schedule == .every(.seconds(60), isAligned: false))
        #expect(file.queries[0].jitter == .seconds(5))
        #expect(file.queries[0].timeout == .milliseconds(2500))
        #expect(file.queries[0].statements.count == 2)
        #expect(file.queries[0].statements[0].contains("kind = 'a' AND age > 5 GROUP"))
        #expect(file.queries[0].statements[1].contains("kind = 'b' AND age > 6 GROUP"))
        #expect(try file.queries[1].schedule == .cron(CronExpression("*/5 8-18 * * mon-fri")))
        #expect(file.warnings.isEmpty)
    }

    @Test func `reports all faults with their locations`() {
        let found = faults(
            """
            databases:
              shop: {dsn: "mysql://u:hunter22@h/d", lables: {a: b}}
            metrics:
              orders: {type: guage}
              9x: {type: gauge}
              sold: {type: gauge, increment: true}
              queries: {type: gauge}
            queries:
              a:
                databases: [shopp]
                metrics: [orders]
                sql: SELECT 1 WHERE a = :a
                interval: soon
              b: {databases: [shop], metrics: [sold], sql: SELECT 1, interval: 5, schedule: "61 * * * *"}
            querys: {}
            """
        )
        let expected = [
            "2:15: databases.shop.dsn: ", "2:41: databases.shop: there is no key `lables` here; did you mean labels?",
            "4:18: metrics.orders.type: found `guage`, expected one of counter, gauge, histogram, summary, enum; did you mean gauge?",
            "5:3: metrics.9x: ", "6:9: metrics.sold.increment: only a counter can be incremented",
            "7:3: metrics.queries: the program has a family of this name",
            "10:17: queries.a.databases: `shopp` is not defined",
            "12:10: queries.a.sql: it has the parameters a", "13:15: queries.a.interval: expected",
            "14:81: queries.b.schedule: a query has an interval or a schedule",
            "14:81: queries.b.schedule: invalid minute",
            "15:1: there is no key `querys` here; did you mean queries?",
        ]
        #expect(found.count == expected.count)
        for (line, start) in zip(found, expected) { #expect(line.hasPrefix(start), "\(line)") }
        #expect(!found.joined().contains("hunter22"))
    }

    @Test func `rejects unset variables and unreadable files`() {
        let text = "databases: {a: {dsn: !env NOWHERE}, b: {dsn: !file nothing}}\nmetrics: {}\nqueries: {}\n"
        let found = faults(text)
        #expect(found.count == 2)
        #expect(found.first?.contains("`NOWHERE` is not set") == true)
        #expect(found.last?.contains("`nothing` cannot be read") == true)
    }

    @Test func `requires the same labels for all databases and none of them on metrics`() {
        let found = faults(
            """
            databases: {a: {dsn: "postgresql://h/d", labels: {x: "1"}}, b: {dsn: "postgresql://h/d"}}
            metrics: {m: {type: gauge, labels: [x]}}
            queries: {q: {databases: [a], metrics: [m], sql: SELECT 1}}
            """
        )
        #expect(found.count == 2)
    }

    @Test func `expands a parameter matrix to all combinations`() throws {
        let file = try read(
            """
            databases: {a: {dsn: "postgresql://h/d"}}
            metrics: {m: {type: gauge}}
            queries:
              q:
                databases: [a]
                metrics: [m]
                sql: SELECT :x__p + :y__q AS m
                parameters: {x: [{p: 1}, {p: 2}], y: [{q: 0.5}, {q: true}, {q: null}]}
            """
        )
        #expect(file.queries[0].statements.count == 6)
        #expect(file.queries[0].statements.first == "SELECT 1 + 0.5 AS m")
        #expect(file.queries[0].statements.last == "SELECT 2 + NULL AS m")
    }

    @Test func `rejects conflicting family names with their locations`() {
        let found = faults(
            """
            databases: {a: {dsn: "postgresql://h/d"}}
            metrics:
              size: {type: histogram}
              size_count: {type: gauge}
              query_wait_seconds: {type: gauge}
              database_up: {type: gauge}
            queries: {q: {databases: [a], metrics: [size, size_count, query_wait_seconds, database_up], sql: SELECT 1}}
            """
        )
        #expect(found.count == 3)
        #expect(found.first?.hasPrefix("4:3: metrics.size_count: size_count and size both use the name") == true)
        #expect(found.dropFirst().first?.hasPrefix("5:3: metrics.query_wait_seconds: ") == true)
        #expect(found.last?.hasPrefix("6:3: metrics.database_up: ") == true)
    }

    @Test func `supports merge keys and lists as parameters`() throws {
        let file = try read(
            """
            databases: {a: &a {dsn: "postgresql://h/d", read_only: false}, b: {<<: *a, read_only: true}}
            metrics: {m: {type: gauge}}
            queries:
              q: &q
                databases: [a]
                metrics: [m]
                sql: SELECT m FROM t WHERE id = ANY(:ids) AND day > date :day AND x - :n > interval :span
                parameters: [{ids: [1, -2], day: "2026-01-01", n: -1, span: 5 min}]
                interval: 5
              r:
                <<: [{interval: 7, timeout: 9}, *q]
            """
        )
        #expect(file.databases.map(\.isReadOnly) == [false, true])
        #expect(
            file.queries[0].statements == [
                "SELECT m FROM t WHERE id = ANY(ARRAY[1,  -2]) AND day > date '2026-01-01' "
                    + "AND x -  -1 > interval '5 min'"
            ]
        )
        #expect(file.queries[1].statements == file.queries[0].statements)
        #expect(file.queries[1].schedule == .every(.seconds(7), isAligned: false))
        #expect(file.queries[1].timeout == .seconds(9))
    }

    @Test(arguments: [
        (SQLLiteral.text("a'; DROP TABLE x; --"), "'a''; DROP TABLE x; --'"), (.text("\\'"), " E'\\\\'''"),
        (.number(-0.5), " -0.5"), (.number(.nan), "'NaN'::float"), (.null, "NULL"), (.boolean(true), "true"),
        (.list([]), "'{}'"), (.list([.text("a"), .null]), "ARRAY['a', NULL]"),
    ])
    func `escapes values as literals`(value: SQLLiteral, sql: String) {
        #expect(value.sql == sql)
    }

    @Test(arguments: [
        ("a = :a AND b=:b OR :a", "a = <a> AND b=<b> OR <a>", ["a", "b"]),
        ("x::int, ':no', \":no\", E'\\':no'", "x::int, ':no', \":no\", E'\\':no'", []),
        ("1 -- :no\n/* :no /* :no */ :no */ :yes", "1 -- :no\n/* :no /* :no */ :no */ <yes>", ["yes"]),
        ("$t$ :no $t$ $$ :no $$ a[1:2] \\:no", "$t$ :no $t$ $$ :no $$ a[1:2] :no", []),
        ("'it''s :no' :yes", "'it''s :no' <yes>", ["yes"]), ("'open :no", "'open :no", []),
    ])
    func `replaces only named parameters`(sql: String, text: String, names: [String]) {
        let found = NamedParameters(sql)
        #expect(found.text { "<\($0)>" } == text)
        #expect(found.names == names)
    }
}
