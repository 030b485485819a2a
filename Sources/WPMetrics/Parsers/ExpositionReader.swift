// SPDX-License-Identifier: MIT

/// Reads a whole exposition, strictly: a family begins with metadata or a sample, and ends at the next family.
struct ExpositionReader {
    private let syntax: ExpositionFormat.Syntax
    private let limits: ParserLimits
    private var current: FamilyAssembler?
    private var families: [MetricFamily] = []
    private var names: Set<String> = []
    private var claims = NameClaims()
    private var sampleCount = 0

    private init(_ syntax: ExpositionFormat.Syntax, _ limits: ParserLimits) {
        self.syntax = syntax
        self.limits = limits
    }

    static func parse(
        _ bytes: [UInt8],
        _ syntax: ExpositionFormat.Syntax,
        _ limits: ParserLimits
    ) throws(ExpositionParseError) -> [MetricFamily] {
        var line = 1
        do throws(ScanFault) {
            var lines = try LineReader(bytes, limits)
            var reader = ExpositionReader(syntax, limits)
            while let text = try lines.next() {
                line = lines.line
                if syntax == .openMetrics, text.elementsEqual("# EOF".utf8) {
                    guard try lines.next() == nil else {
                        throw ScanFault(.end, "text follows the end marker").at(line: lines.line)
                    }
                    return try reader.finish()
                }
                guard lines.isTerminated else { throw ScanFault(.end, "the last line has no line feed") }
                try reader.read(text, line: line)
            }
            guard syntax == .text else { throw ScanFault(.end, "the end marker '# EOF' is missing") }
            return try reader.finish()
        } catch {
            throw error.error(line: line)
        }
    }

    private mutating func read(_ text: ArraySlice<UInt8>, line: Int) throws(ScanFault) {
        var scanner = LineScanner(text, syntax, maximumLabels: limits.maximumLabels)
        let content =
            switch syntax {
            case .text: try scanner.textLine()
            case .openMetrics: try scanner.openMetricsLine()
            }
        switch content {
        case .metadata(let metadata, let name): try add(metadata, of: name, line: line)
        case .sample(let sample): try add(sample, line: line)
        case nil: break
        }
    }

    /// Adds a line of metadata.
    private mutating func add(_ metadata: ParsedLine.Metadata, of name: String, line: Int) throws(ScanFault) {
        if current?.name != name { try open(name, line: line) }
        guard var family = current else { return }
        guard !family.hasSamples else {
            throw ScanFault(.metadata, "the metadata of \(name) follows its samples")
        }
        let isRepeated: Bool
        switch metadata {
        case .type(let type):
            isRepeated = family.type != nil
            family.type = type
        case .help(let help):
            isRepeated = family.help != nil
            family.help = help
        case .unit(let unit):
            isRepeated = family.unit != nil
            family.unit = unit
        }
        guard !isRepeated else {
            throw ScanFault(.metadata, "the metadata of \(name) is repeated")
        }
        current = family
    }

    /// Adds a sample.
    private mutating func add(_ sample: ParsedSample, line: Int) throws(ScanFault) {
        sampleCount += 1
        guard sampleCount <= limits.maximumSamples else {
            throw ScanFault(.limit, "there are more than \(limits.maximumSamples) samples")
        }
        if current?.role(of: sample.name) == nil { try open(sample.name, line: line) }
        guard let role = current?.role(of: sample.name) else { return }
        try current?.add(sample, as: role)
    }

    /// Completes the last family and returns all.
    private mutating func finish() throws(ScanFault) -> [MetricFamily] {
        try close()
        return families
    }

    private mutating func open(_ name: String, line: Int) throws(ScanFault) {
        try close()
        guard families.count < limits.maximumFamilies else {
            throw ScanFault(.limit, "there are more than \(limits.maximumFamilies) families")
        }
        current = FamilyAssembler(name: name, syntax: syntax, line: line)
    }

    private mutating func close() throws(ScanFault) {
        guard let assembler = current else { return }
        current = nil
        do throws(ScanFault) {
            let family = try assembler.build()
            switch syntax {
            case .text:
                guard names.insert(family.name).inserted else {
                    throw ScanFault(.grouping, "the family \(family.name) is repeated")
                }
            case .openMetrics:
                try ScanFault.wrapping(.grouping) { () throws(MetricError) in try claims.claim(family.descriptor) }
            }
            families.append(family)
        } catch {
            throw error.at(line: assembler.line)
        }
    }
}
