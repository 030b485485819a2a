// SPDX-License-Identifier: MIT

import WPCommandLine
package import WPCore
package import WPMetrics
import WPPostgres
import WPYAML

/// Parses a file of queries and reports all faults.
package struct QueryFileReader {
    /// The tags allowed in the file.
    package static let localTags: Set<String> = ["!env", "!file"]
    /// The program's own families, whose names the file must not use.
    static let ownNames: Set<String> = [
        "queries", "queries_total", "database_errors", "database_errors_total", "query_duration_seconds", "query_rows",
        "query_last_success_timestamp_seconds", "query_duplicate_rows", "database_up", "database_connections",
        "query_latency", "query_timestamp", "query_interval",
    ]

    private let context: FileContext
    private let onNull: QueryFile.NullPolicy
    private var file = QueryFile()
    /// The registered family names.
    private let names = Registry()

    /// All faults of a file.
    package struct Faults: Error, Sendable {
        package let faults: [QueryFileFault]
    }

    private init(_ context: FileContext, _ onNull: QueryFile.NullPolicy) {
        self.context = context
        self.onNull = onNull
    }

    /// Parses a file.
    /// - Parameters:
    ///   - text: the document; may contain passwords.
    ///   - otherKeys: top-level keys that another reader handles; nil if all unknown keys are handled elsewhere.
    ///   - onNull: the meaning of NULL for metrics that do not specify it.
    ///   - keep: how long the last result of a failing query is kept.
    ///   - environment: the variables for `!env`.
    ///   - reserve: registers the program's own families, whose names are reserved.
    ///   - readFile: returns the text of a file for `!file`; nil if it cannot be read. May block.
    package static func read(
        _ text: Secret,
        otherKeys: [String]? = [],
        onNull: QueryFile.NullPolicy = .skip,
        keep: Duration = .seconds(300),
        environment: [String: String],
        reserve: (Registry) throws -> Void = { _ in },
        readFile: @escaping (String) -> String?
    ) throws(Faults) -> QueryFile {
        let context = FileContext(environment: environment, readFile: readFile)
        var reader = QueryFileReader(context, onNull)
        do {
            try reserve(reader.names)
            _ = try QueryInstruments(reader.names, QueryFile())
            try reader.names.register(DatabaseStatus.collector(QueryFile()) { _ in .init(isUp: nil, sessions: 0) })
        } catch {
            preconditionFailure("the program's own families clash: \(error)")
        }
        reader.file.keep = keep
        do throws(YAMLFault) {
            let root = try YAMLReader.parse(
                text.reveal(),
                limits: YAMLLimits(depth: 16, localTags: localTags, mergesKeys: true)
            )
            if let root {
                reader.read(root, otherKeys)
            } else {
                context.add(YAMLPosition(line: 1, column: 1), "", "the file is empty")
            }
        } catch {
            context.add(error.position, "", error.message)
        }
        guard context.faults.isEmpty else { throw Faults(faults: context.sorted) }
        return reader.file
    }

    private mutating func read(_ root: YAMLNode, _ otherKeys: [String]?) {
        guard var map = FileNode(root, "", context) else { return }
        if let node = map.take("builtin-metrics") { readBuiltin(node) }
        let (databases, metrics) = (map.require("databases"), map.require("metrics"))
        let queries = map.require("queries")
        if let otherKeys {
            map.ignore(otherKeys)
            map.end()
        }
        if let databases { readDatabases(databases) }
        if let metrics { readMetrics(metrics) }
        if let queries { readQueries(queries) }
        checkDatabaseLabels(databases?.position ?? root.position)
        warnAboutUnused()
    }

    private mutating func readBuiltin(_ node: YAMLNode) {
        guard var map = FileNode(node, "builtin-metrics", context) else { return }
        if let latency = map.take("query_latency"), var inner = FileNode(latency, map.path("query_latency"), context) {
            file.durationBuckets = inner.numbers("buckets")
            inner.end()
        }
        map.end()
    }

    // MARK: Databases

    private mutating func readDatabases(_ node: YAMLNode) {
        guard var map = FileNode(node, "databases", context) else { return }
        for entry in map.takeAll() {
            guard var inner = FileNode(entry.value, map.path(entry.key), context) else { continue }
            let address = readAddress(&inner)
            var database = QueryFile.Database(name: entry.key, address: address ?? PostgresAddress([]))
            if let node = inner.take("connection-pool"),
                var pool = FileNode(node, inner.path("connection-pool"), context)
            {
                let size = pool.integer("size", in: 0...100) ?? 1
                let overflow = pool.integer("max-overflow", in: 0...100) ?? 0
                if size == 0 && overflow > 0 {
                    pool.fault("max-overflow", nil, "there can be no overflow without a pool")
                }
                database.maximumSessions = max(1, size + overflow)
                pool.end()
            }
            database.connectSQL = inner.texts("connect-sql", isUnique: false)?.map(\.value) ?? []
            database.labels = readLabels(&inner)
            database.isReadOnly = inner.boolean("read_only") ?? true
            database.lockTimeout = inner.timeout("lock_timeout")
            inner.end()
            file.databases.append(database)
        }
        if file.databases.isEmpty { map.fault("", nil, "there is no database") }
    }

    private func readAddress(_ map: inout FileNode) -> PostgresAddress? {
        guard let node = map.require("dsn") else { return nil }
        guard case .mapping = node.content else {
            guard let scalar = context.scalar(node, map.path("dsn")) else { return nil }
            do throws(PostgresError) {
                return try PostgresAddress(parsing: Secret(scalar.text))
            } catch {
                map.fault("dsn", node.position, error.message)
                return nil
            }
        }
        guard var inner = FileNode(node, map.path("dsn"), context) else { return nil }
        if let (dialect, position) = inner.text("dialect") {
            let base = dialect.split(separator: "+", omittingEmptySubsequences: false)[0]
            if base != "postgresql" && base != "postgres" {
                inner.fault("dialect", position, "found \(Quoted.text(dialect)), expected postgresql")
            }
        } else {
            inner.fault("", nil, "the key dialect is missing")
        }
        var parameters: [(name: String, value: String)] = []
        for (key, name) in [("host", "host"), ("user", "user"), ("password", "password"), ("database", "dbname")] {
            if let value = inner.text(key)?.value, !value.isEmpty { parameters.append((name, value)) }
        }
        if let port = inner.integer("port", in: 1...65535) { parameters.append(("port", String(port))) }
        if let node = inner.take("options"), var options = FileNode(node, inner.path("options"), context) {
            for entry in options.takeAll() {
                guard let scalar = context.scalar(entry.value, options.path(entry.key)) else { continue }
                parameters.append((entry.key, scalar.text))
            }
        }
        inner.end()
        return PostgresAddress(parameters)
    }

    private func readLabels(_ map: inout FileNode) -> [(name: String, value: String)] {
        guard let node = map.take("labels"), var inner = FileNode(node, map.path("labels"), context) else { return [] }
        var labels: [(name: String, value: String)] = []
        for entry in inner.takeAll() {
            checkLabel(entry.key, inner.path(entry.key), entry.keyPosition)
            if let scalar = context.scalar(entry.value, inner.path(entry.key)) {
                labels.append((entry.key, scalar.text))
            }
        }
        return labels.sorted { $0.name < $1.name }
    }

    private func checkLabel(_ name: String, _ key: String, _ position: YAMLPosition) {
        do throws(MetricError) {
            _ = try LabelSet([Label(name, "")])
        } catch {
            context.add(position, key, error.description)
        }
        if name == "database" {
            context.add(position, key, "the label database is added by the program: rename this one")
        }
    }

    private func checkDatabaseLabels(_ position: YAMLPosition) {
        guard let first = file.databases.first else { return }
        for other in file.databases.dropFirst() where other.labels.map(\.name) != first.labels.map(\.name) {
            context.add(
                position,
                "databases.\(other.name).labels",
                "all databases must have the same labels, and \(first.name) has "
                    + (first.labels.isEmpty ? "none" : first.labels.map(\.name).joined(separator: ", "))
            )
        }
        for metric in file.metrics {
            for label in metric.labels where first.labels.contains(where: { $0.name == label }) {
                context.add(
                    position,
                    "metrics.\(metric.name).labels",
                    "the label \(label) is also a label of the databases"
                )
            }
        }
    }

    // MARK: Metrics

    private mutating func readMetrics(_ node: YAMLNode) {
        guard var map = FileNode(node, "metrics", context) else { return }
        var exposed: Set<String> = []
        for entry in map.takeAll() {
            guard var inner = FileNode(entry.value, map.path(entry.key), context) else { continue }
            guard let metric = readMetric(entry, &inner) else { continue }
            if Self.ownNames.contains(metric.name) {
                context.add(
                    entry.keyPosition,
                    inner.key,
                    "the program has a family of this name itself: rename this one"
                )
            } else if !exposed.insert(metric.exposedName).inserted {
                context.add(entry.keyPosition, inner.key, "another metric is exposed as \(metric.exposedName) too")
            } else if let fault = claim(metric) {
                context.add(entry.keyPosition, inner.key, fault)
            }
            file.metrics.append(metric)
        }
    }

    /// Reserves the names of a metric's samples, such as `x_bucket`; returns the conflict, or nil.
    private func claim(_ metric: QueryFile.Metric) -> String? {
        // Invalid names and labels have already been reported.
        // lint: a name in the file whose fault was reported
        guard let descriptor = try? FamilyShape.descriptor(metric, databaseLabels: []) else { return nil }
        do throws(MetricError) {
            try names.register(NameHolder(descriptors: [descriptor]))
            return nil
        } catch {
            return error.description
        }
    }

    /// Reserves names without returning metrics.
    private struct NameHolder: ImmediateCollector {
        let descriptors: [MetricDescriptor]
        func collectNow() -> [MetricFamily] { [] }
    }

    private func readMetric(_ entry: YAMLEntry, _ map: inout FileNode) -> QueryFile.Metric? {
        let kind = map.choice("type", QueryFile.Metric.Kind.self)
        var metric = QueryFile.Metric(name: entry.key, kind: kind ?? .gauge)
        if kind == nil { map.reportMissing("type") }
        metric.help = map.text("description")?.value ?? ""
        for label in map.texts("labels") ?? [] {
            checkLabel(label.value, map.path("labels"), label.position)
            metric.labels.append(label.value)
        }
        metric.buckets = map.numbers("buckets")
        if metric.buckets != nil, let kind, kind != .histogram {
            map.fault("buckets", nil, "only a histogram has buckets")
        }
        metric.states = map.texts("states")?.map(\.value) ?? []
        if kind == .enumeration, metric.states.isEmpty { map.fault("states", nil, "an enum needs its states") }
        if let kind, kind != .enumeration, !metric.states.isEmpty {
            map.fault("states", nil, "only an enum has states")
        }
        metric.expiration = map.interval("expiration")
        metric.increments = map.boolean("increment") ?? false
        if metric.increments, let kind, kind != .counter {
            map.fault("increment", nil, "only a counter can be incremented")
        }
        metric.onNull = map.choice("on_null", QueryFile.NullPolicy.self) ?? onNull
        map.end()
        do throws(MetricError) {
            _ = try MetricDescriptor(
                name: metric.exposedName,
                help: metric.help,
                type: FamilyShape.type(of: metric.kind),
                labelNames: metric.labels
            )
        } catch {
            context.add(entry.keyPosition, map.key, error.description)
        }
        return metric
    }

    // MARK: Queries

    private mutating func readQueries(_ node: YAMLNode) {
        guard var map = FileNode(node, "queries", context) else { return }
        for entry in map.takeAll() {
            guard var inner = FileNode(entry.value, map.path(entry.key), context) else { continue }
            var query = QueryFile.Query(name: entry.key, databases: [], metrics: [])
            query.databases = references("databases", &inner, file.databases.map(\.name))
            query.metrics = references("metrics", &inner, file.metrics.map(\.name))
            readSchedule(&inner, &query)
            if let timeout = inner.timeout("timeout") { query.timeout = timeout }
            readStatement(&inner, &query)
            inner.end()
            file.queries.append(query)
        }
    }

    private func references(_ name: String, _ map: inout FileNode, _ known: [String]) -> [String] {
        guard let found = map.texts(name) else {
            map.reportMissing(name)
            return []
        }
        for item in found where !known.contains(item.value) {
            let nearest = NearestName.find(item.value, in: known).map { "; did you mean \($0)?" } ?? ""
            map.fault(name, item.position, "\(Quoted.text(item.value)) is not defined under \(name)\(nearest)")
        }
        return found.map(\.value)
    }

    private func readSchedule(_ map: inout FileNode, _ query: inout QueryFile.Query) {
        let interval = map.interval("interval")
        let isAligned = map.boolean("align") ?? false
        if let jitter = map.interval("jitter") {
            query.jitter = jitter
            if let interval, jitter >= interval { map.fault("jitter", nil, "it must be shorter than the interval") }
        }
        if let interval { query.schedule = .every(interval, isAligned: isAligned) }
        guard let (text, position) = map.text("schedule") else { return }
        if interval != nil { map.fault("schedule", position, "a query has an interval or a schedule, not both") }
        do throws(CronExpression.Malformed) {
            query.schedule = .cron(try CronExpression(text))
        } catch {
            map.fault("schedule", position, error.description)
        }
    }

    private func readStatement(_ map: inout FileNode, _ query: inout QueryFile.Query) {
        let parameters = map.take("parameters")
        guard let (sql, position) = map.text("sql") else {
            map.reportMissing("sql")
            return
        }
        let statement = NamedParameters(sql)
        let names = statement.names
        query.statements = [statement.text { ":" + $0 }]
        guard let parameters else {
            if !names.isEmpty {
                map.fault(
                    "sql",
                    position,
                    "it has the parameters \(names.joined(separator: ", ")), but no values for them; "
                        + "set parameters, or write \\: for a literal colon"
                )
            }
            return
        }
        let sets = ParameterSets(context, map.path("parameters")).read(parameters)
        var statements: [String] = []
        for set in sets {
            guard Set(set.map(\.name)) == Set(names) else {
                map.fault(
                    "parameters",
                    parameters.position,
                    "the sets give \(set.map(\.name).sorted().joined(separator: ", ")), and the statement has "
                        + (names.isEmpty ? "none" : names.sorted().joined(separator: ", "))
                )
                return
            }
            let values = Dictionary(set.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
            statements.append(statement.text { values[$0, default: .null].sql })
        }
        query.statements = statements
    }

    private mutating func warnAboutUnused() {
        let usedDatabases = Set(file.queries.flatMap(\.databases))
        let usedMetrics = Set(file.queries.flatMap(\.metrics))
        for database in file.databases where !usedDatabases.contains(database.name) {
            file.warnings.append("the database \(database.name) is used by no query")
        }
        for metric in file.metrics where !usedMetrics.contains(metric.name) {
            file.warnings.append("the metric \(metric.name) is used by no query")
        }
    }
}
