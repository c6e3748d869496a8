import Testing

/// Faults of user code, wherever the library calls it: the table of `FaultCase`.
@Suite(.timeLimit(.minutes(10))) struct FaultTests {
    @Test(arguments: FaultCase.all)
    func `A fault of user code has no effect but its error`(testCase: FaultCase) async throws {
        try await FaultRun(testCase).run()
    }

    @Test func `The table has each fault, site and operation`() {
        #expect(FaultCase.all.count > 500)
        #expect(Set(FaultCase.all.map(\.site)).count == FaultSite.allCases.count)
        #expect(Set(FaultCase.all.map(\.fault)).count == Fault.allCases.count)
        #expect(Set(FaultCase.all.map(\.path)).count == FaultPath.allCases.count)
    }
}
