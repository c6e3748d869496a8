import Injectle
import InjectleDiagnostics
import Testing

@Suite struct SeededFaultTests {
    private typealias Fault = SeededProgram.Fault

    private func faults(of program: SeededProgram, roots: [Locator.Identity]) -> [Fault] {
        let findings = program.request.validate(roots: roots) { for object in program.objects { object() } }
        return findings.map { Fault(kind: $0.kind, service: $0.service) }
    }

    @Test func `Of 2,000 registrations, exactly the 50 seeded faults are found`() throws {
        let program = SeededProgram(of: 2_000, faults: 50)
        #expect(program.seeded == 50 && program.faults.count == 50)
        program.app.add(Locator.DependencyRecorder())
        for fault in program.faults where fault.kind == .dependenciesDiffer {
            let root = try #require(program.roots.first { $0.description == fault.service })
            _ = try program.request.resolve(SeededProgram.Node.self, key: root.key)
        }
        let found = faults(of: program, roots: program.roots)
        #expect(found.count == 50)
        let unexpected = Set(found).subtracting(program.faults)
        #expect(unexpected.isEmpty, "\(unexpected)")
        let missed = program.faults.subtracting(found)
        #expect(missed.isEmpty, "\(missed)")
    }

    @Test func `Without roots, all faults but those of roots are found`() {
        let program = SeededProgram(of: 500, faults: 14)
        let findings = program.request.validate().map(\.kind)
        let isOfRoot: Set<Locator.Finding.Kind> = [.unreachable, .locatorNotFound, .dependenciesDiffer]
        #expect(Set(program.faults.map(\.kind)).subtracting(isOfRoot).isSubset(of: findings))
    }
}
