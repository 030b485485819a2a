// SPDX-License-Identifier: MIT

/// Shared by both parsers: a family begins with metadata or a sample, and ends at the next family.
struct ExpositionReader {
    private let dialect: FamilyAssembler.Dialect
    private let limits: ParserLimits
    private var current: FamilyAssembler?
    private var families: [MetricFamily] = []
    private var names: Set<String> = []
    private var claims = NameClaims()
    private var sampleCount = 0

    init(_ dialect: FamilyAssembler.Dialect, _ limits: ParserLimits) {
        self.dialect = dialect
        self.limits = limits
    }

    /// The content of a metadata line.
    enum Metadata {
        case type(MetricType)
        case help(String)
        case unit(String)
    }

    /// Adds a line of metadata.
    mutating func add(_ metadata: Metadata, of name: String, line: Int) throws(ScanFault) {
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
    mutating func add(_ sample: ParsedSample, line: Int) throws(ScanFault) {
        sampleCount += 1
        guard sampleCount <= limits.maximumSamples else {
            throw ScanFault(.limit, "there are more than \(limits.maximumSamples) samples")
        }
        if current?.role(of: sample.name) == nil { try open(sample.name, line: line) }
        guard let role = current?.role(of: sample.name) else { return }
        try current?.add(sample, as: role)
    }

    /// Completes the last family and returns all.
    mutating func finish() throws(ScanFault) -> [MetricFamily] {
        try close()
        return families
    }

    private mutating func open(_ name: String, line: Int) throws(ScanFault) {
        try close()
        guard families.count < limits.maximumFamilies else {
            throw ScanFault(.limit, "there are more than \(limits.maximumFamilies) families")
        }
        current = FamilyAssembler(name: name, dialect: dialect, line: line)
    }

    private mutating func close() throws(ScanFault) {
        guard let assembler = current else { return }
        current = nil
        do throws(ScanFault) {
            let family = try assembler.build()
            switch dialect {
            case .text:
                guard names.insert(family.name).inserted else {
                    throw ScanFault(.grouping, "the family \(family.name) is repeated")
                }
            case .openMetrics:
                try ScanFault.wrapping(.grouping) { () throws(MetricError) in try claims.claim(family.descriptor) }
            }
            families.append(family)
        } catch {
            throw error.about(line: assembler.line)
        }
    }
}
