import Testing

@testable import HTTPService

@Suite("Descriptor budget")
struct DescriptorBudgetTests {
    @Test(
        "connections get what is left of the descriptors when files, lingering clients and the rest have theirs",
        arguments: [
            // wanted, soft, hard, soft limit asked for, connections
            (1_024, 1_024, 1_048_576, 2_560, 1_024),
            (1_024, 20_000, 20_000, 20_000, 1_024),
            (1_024, 1_024, 1_024, 1_024, 256),
            (1_024, 1_024, 2_559, 2_559, 1_023),
            (1_024, 256, 256, 256, 16),
            (10, 64, .max, 532, 10),
            (1_024, .max, .max, .max, 1_024),
        ])
    func shares(wanted: Int, soft: Int, hard: Int, asked: Int, connections: Int) {
        let budget = DescriptorBudget(wanted: wanted, softLimit: soft, hardLimit: hard)
        #expect(budget.softLimit == asked && budget.connectionCount == connections)
    }
}
