internal import Injectle

/// Tells of a start, a line for each step.
struct StartLog {
    private var began: Set<ServiceKey> = []
    private var made = 0

    /// What is new, and how far the start has come.
    mutating func line(for progress: Locator.StartProgress) -> String {
        let counts = [
            "\(progress.completed.count) made", "\(progress.running.count) in the making",
            "\(progress.pending.count) to go",
        ]
        return "\(step(progress)): \(counts.joined(separator: ", "))"
    }

    private mutating func step(_ progress: Locator.StartProgress) -> String {
        if let last = progress.completed.last, progress.completed.count > made {
            made = progress.completed.count
            return "made \(last.identity) in \(seconds(last.duration))"
        }
        if let next = progress.running.first(where: { !began.contains($0.identity) }) {
            began.insert(next.identity)
            return "making \(next.identity)"
        }
        return "starting"
    }

    private func seconds(_ duration: Duration) -> String {
        let tenths = Int((duration / .milliseconds(100)).rounded())
        return "\(tenths / 10).\(tenths % 10) s"
    }
}
