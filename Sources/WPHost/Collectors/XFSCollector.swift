// SPDX-License-Identifier: MIT

/// Reads the counters of XFS file systems by device: `/sys/fs/xfs/*/stats/stats`.
struct XFSCollector: PlainCollector {
    static let name = "xfs"

    /// The columns of each line of the file, in order.
    private static let lines: [String: [(name: String, help: String)]] = [
        "extent_alloc": [
            ("extent_allocation_extents_allocated_total", "Extents that were allocated."),
            ("extent_allocation_blocks_allocated_total", "Blocks that were allocated."),
            ("extent_allocation_extents_freed_total", "Extents that were freed."),
            ("extent_allocation_blocks_freed_total", "Blocks that were freed."),
        ],
        "abt": [
            ("allocation_btree_lookups_total", "Look-ups in the B-tree of free space."),
            ("allocation_btree_compares_total", "Comparisons in the B-tree of free space."),
            ("allocation_btree_records_inserted_total", "Records added to the B-tree of free space."),
            ("allocation_btree_records_deleted_total", "Records removed from the B-tree of free space."),
        ],
        "blk_map": [
            ("block_mapping_reads_total", "Block mappings for reads."),
            ("block_mapping_writes_total", "Block mappings for writes."),
            ("block_mapping_unmaps_total", "Blocks that were unmapped."),
            ("block_mapping_extent_list_insertions_total", "Insertions into lists of extents."),
            ("block_mapping_extent_list_deletions_total", "Deletions from lists of extents."),
            ("block_mapping_extent_list_lookups_total", "Look-ups in lists of extents."),
            ("block_mapping_extent_list_compares_total", "Comparisons in lists of extents."),
        ],
        "bmbt": [
            ("block_map_btree_lookups_total", "Look-ups in the B-tree of mapped blocks."),
            ("block_map_btree_compares_total", "Comparisons in the B-tree of mapped blocks."),
            ("block_map_btree_records_inserted_total", "Records added to the B-tree of mapped blocks."),
            ("block_map_btree_records_deleted_total", "Records removed from the B-tree of mapped blocks."),
        ],
        "dir": [
            ("directory_operation_lookup_total", "Names that were looked up in a directory."),
            ("directory_operation_create_total", "Entries that were added to a directory."),
            ("directory_operation_remove_total", "Entries that were removed from a directory."),
            ("directory_operation_getdents_total", "Reads of a directory."),
        ],
        "ig": [
            ("inode_operation_attempts_total", "Look-ups in the cache of inodes."),
            ("inode_operation_found_total", "Look-ups that found the inode in the cache."),
            ("inode_operation_recycled_total", "Look-ups that found an inode that was being recycled."),
            ("inode_operation_missed_total", "Look-ups that did not find the inode in the cache."),
            ("inode_operation_duplicates_total", "Inodes that another task had added to the cache meanwhile."),
            ("inode_operation_reclaims_total", "Inodes that were removed from the cache to free memory."),
            ("inode_operation_attribute_changes_total", "Changes of attributes of an inode."),
        ],
        "rw": [
            ("write_calls_total", "Calls of write(2)."), ("read_calls_total", "Calls of read(2)."),
        ],
        "vnodes": [
            ("vnode_active_total", "Vnodes that are in use."), ("vnode_allocate_total", "Vnodes that were allocated."),
            ("vnode_get_total", "Calls of vn_get."), ("vnode_hold_total", "Calls of vn_hold."),
            ("vnode_release_total", "Calls of vn_rele."), ("vnode_reclaim_total", "Calls of vn_reclaim."),
            ("vnode_remove_total", "Calls of vn_remove."),
        ],
    ]

    mutating func collect(_ context: inout CollectionContext) -> HostFamilies? {
        guard let devices = context.names(context.sys, in: "fs/xfs") else { return HostFamilies() }
        var families = HostFamilies()
        for (device, values) in context.readAttributes(of: devices, in: "fs/xfs", ["stats/stats"]) {
            guard let text = values[0] else { continue }
            for line in text.split(separator: "\n") {
                let fields = line.split(separator: " ")
                guard let title = fields.first, let columns = Self.lines[String(title)] else { continue }
                for (column, field) in zip(columns, fields.dropFirst()) {
                    let value = UInt64(field)
                    if value == nil { context.malformed(context.sys, "fs/xfs/\(device)/stats/stats", String(line)) }
                    families.add("xfs_" + column.name, column.help, labels: ["device", device], value)
                }
            }
        }
        return families
    }
}
