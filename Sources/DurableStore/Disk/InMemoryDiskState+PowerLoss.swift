extension InMemoryDiskState {
    /// The unit in which a write is torn, in bytes.
    private static let sectorByteCount = 512

    /// What is found when the power returns. See ``InMemoryDisk/afterPowerLoss(seed:)``.
    func afterPowerLoss(seed: UInt64?) -> InMemoryDiskState {
        var random = seed.map(SeededGenerator.init(seed:))
        var survivors = nodes
        // One choice per change, so that a move between two folders happens in both or in neither.
        var choices: [UInt64: Bool] = [:]
        for number in nodes.keys.sorted() {
            guard let node = nodes[number] else { continue }
            var content = node.durableContent
            for change in node.changes {
                if let part = change.surviving(&random, sector: Self.sectorByteCount) { content.apply(part) }
            }
            var entries = node.durableEntries
            for change in node.nameChanges {
                let survives = choices[change.number] ?? random?.nextChoice() ?? false
                choices[change.number] = survives
                guard survives else { continue }
                if let removed = change.removed { entries[removed] = nil }
                if let added = change.added { entries[added.name] = added.node }
            }
            survivors[number]?.content = content
            survivors[number]?.durableContent = content
            survivors[number]?.changes = []
            survivors[number]?.entries = entries
            survivors[number]?.durableEntries = entries
            survivors[number]?.nameChanges = []
        }
        var result = self
        result.handles = [:]
        result.locks = [:]
        result.nodes = survivors
        result.keepReachableNodes()
        return result
    }

    private mutating func keepReachableNodes() {
        var linkCounts: [NodeNumber: UInt64] = [Self.rootNode: 1]
        var waiting = [Self.rootNode]
        while let number = waiting.popLast() {
            for child in nodes[number, default: .missing].entries.values {
                if linkCounts[child] == nil { waiting.append(child) }
                linkCounts[child, default: 0] += 1
            }
        }
        nodes = nodes.filter { linkCounts[$0.key] != nil }
        for (number, count) in linkCounts { nodes[number]?.linkCount = count }
    }
}

extension InMemoryDiskState.Change {
    /// The part of an unsynced change that reached the disk: all, nothing, or some leading sectors.
    fileprivate func surviving(_ random: inout SeededGenerator?, sector: Int) -> Self? {
        guard var generator = random else { return nil }
        defer { random = generator }
        switch (self, Int.random(in: 0..<3, using: &generator)) {
        case (_, 0): return nil
        case (.write(let offset, let bytes), 1):
            let sectors = Int.random(in: 0...(bytes.count / sector), using: &generator)
            return .write(offset: offset, bytes: Array(bytes.prefix(sectors * sector)))
        default: return self
        }
    }
}

/// SplitMix64: the same seed gives the same run.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func nextChoice() -> Bool {
        next() & 1 == 1
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
