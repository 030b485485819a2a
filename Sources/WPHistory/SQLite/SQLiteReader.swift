// SPDX-License-Identifier: MIT

import Dispatch
import WPCore
import WPModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The actor that owns the read connection. It is opened on the first query, so that a history without queries needs
/// only one connection.
package actor SQLiteReader: HistoryReader {
    private let executor = QueueExecutor("winpower-history-read", qos: .utility)
    private let path: String
    private var connection: SQLiteConnection?

    /// The actor's queue.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameter path: the path of the database, to which another process may be writing.
    package init(_ path: String) {
        self.path = path
    }

    /// Every subject, sorted.
    package func subjects() throws(HistoryStoreError) -> [HistorySubjectState] {
        let connection = try opened()
        // A file written only by an earlier version lacks these columns.
        let identities = try SQLiteHistoryFile.hasIdentities(connection) ? "stream, sequence" : "0, 0"
        let rows = try connection.statement(
            "SELECT kind, site, name, last_sample, counters, document, \(identities) FROM subject "
                + "ORDER BY kind, site, name"
        )
        defer { rows.reset() }
        var subjects: [HistorySubjectState] = []
        while try rows.next() {
            guard let kind = HistorySubject.Kind(rawValue: rows.text(0)) else { continue }
            subjects.append(
                HistorySubjectState(
                    subject: HistorySubject(kind: kind, site: rows.text(1), name: rows.text(2)),
                    lastSample: rows.double(3),
                    identity: HistoryIdentity(stream: rows.int64(6), sequence: rows.int64(7)),
                    counters: rows.withBytes(4, CounterBytes.counters),
                    document: rows.withBytes(5) { Array($0) }
                )
            )
        }
        return subjects
    }

    /// Reads the buckets of a subject.
    package func read(
        of subject: HistorySubject,
        from: Int64,
        to: Int64,
        into reduction: HistoryReduction
    ) throws(HistoryStoreError) {
        reduction.begin()
        let rows = try opened().statement(
            "SELECT start, seconds, samples, quantities FROM bucket WHERE subject = "
                + "(SELECT id FROM subject WHERE kind = ?1 AND site = ?2 AND name = ?3) AND start >= ?4 AND start < ?5 "
                + "ORDER BY start"
        )
        defer { rows.reset() }
        rows.bind(1, subject.kind.rawValue)
        rows.bind(2, subject.site)
        rows.bind(3, subject.name)
        rows.bind(4, from)
        rows.bind(5, to)
        while try rows.next() {
            if let bucket = HistoryBucket(rows) { reduction.add(bucket) }
        }
    }

    /// The statistics of the content.
    package func statistics() throws(HistoryStoreError) -> HistoryStatistics {
        let connection = try opened()
        let rows = try connection.statement("SELECT count(*), min(start), max(start) FROM bucket")
        defer { rows.reset() }
        _ = try rows.next()
        let files = [path] + SQLiteHistoryFile.companions.map { path + $0 }
        return HistoryStatistics(
            subjects: Int(try connection.number("SELECT count(*) FROM subject WHERE kind <> 'fleet'")),
            buckets: Int(rows.int64(0)),
            first: rows.isNull(1) ? nil : rows.int64(1),
            last: rows.isNull(2) ? nil : rows.int64(2),
            bytes: files.compactMap(SQLiteHistoryFile.size).reduce(0, +)
        )
    }

    /// Writes a copy of the current database to a new file, even while another process writes to it.
    /// - Throws: ``HistoryStoreError``, including when the file already exists.
    package func backUp(to file: String) throws(HistoryStoreError) {
        guard SQLiteHistoryFile.size(file) ?? 0 == 0 else {
            throw HistoryStoreError(code: .failed, message: "\(file) exists: remove it, or choose another name")
        }
        let connection = try opened()
        // The copy is another database, to which query_only would prevent writes.
        try connection.execute("PRAGMA query_only = 0")
        // The copy has a temporary name until it is complete: a partial file must not look like a backup.
        let partial = "\(file).partial-\(getpid())"
        do throws(HistoryStoreError) {
            let copy = try connection.statement("VACUUM INTO ?1")
            copy.bind(1, partial)
            try copy.run()
            guard rename(partial, file) == 0 else {
                let reason = String(cString: strerror(errno))
                throw HistoryStoreError(code: .failed, message: "\(file) cannot be written: \(reason)")
            }
        } catch {
            unlink(partial)
            throw error
        }
        try connection.execute("PRAGMA query_only = 1")
    }

    /// Closes the connection; the next query opens another.
    package func close() {
        connection = nil
    }

    func opened() throws(HistoryStoreError) -> SQLiteConnection {
        if let connection { return connection }
        let connection = try SQLiteHistoryFile.openReader(path)
        self.connection = connection
        return connection
    }
}

/// Counters in stored form: for each, a byte with the quantity's number and a 64-bit float.
package enum CounterBytes {
    package static func bytes(_ counters: [HistoryQuantity: Double]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (quantity, value) in counters.sorted(by: { $0.key < $1.key }) {
            bytes.append(quantity.rawValue)
            bytes.appendLittleEndian(value.bitPattern)
        }
        return bytes
    }

    package static func counters(_ bytes: UnsafeRawBufferPointer) -> [HistoryQuantity: Double] {
        var reader = BytesReader(bytes)
        var counters: [HistoryQuantity: Double] = [:]
        while let number = reader.byte(), let value = reader.uint64() {
            if let quantity = HistoryQuantity(rawValue: number) { counters[quantity] = Double(bitPattern: value) }
        }
        return counters
    }
}
