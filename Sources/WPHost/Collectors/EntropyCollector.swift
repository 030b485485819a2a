// SPDX-License-Identifier: MIT

/// Reads the kernel's entropy pool: `/proc/sys/kernel/random`.
struct EntropyCollector: PlainCollector {
    static let name = "entropy"

    mutating func collect(_ context: inout CollectionContext) -> HostFamilies? {
        var families = HostFamilies()
        let available = context.readNumber("sys/kernel/random/entropy_avail")
        families.add("entropy_available_bits", "Available entropy in bits.", available)
        let size = context.readNumber("sys/kernel/random/poolsize")
        families.add("entropy_pool_size_bits", "Size of the entropy pool in bits.", size)
        return families.isEmpty ? nil : families
    }
}
