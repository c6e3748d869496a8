internal import Injectle

/// Tells of a start, a line for each step.
struct StartLog {
    private var began: Set<ServiceKey> = []
    private var made = 0

    /// What is new, and how far the start has come.
    mutating func line(for progress: Locator.Progress) -> String {
        let counts = [
            "\(progress.made.count) made", "\(progress.inTheMaking.count) in the making",
            "\(progress.toGo.count) to go",
        ]
        return "\(step(progress)): \(counts.joined(separator: ", "))"
    }

    private mutating func step(_ progress: Locator.Progress) -> String {
        if let last = progress.made.last, progress.made.count > made {
            made = progress.made.count
            return "made \(last.identity) in \(seconds(last.duration))"
        }
        if let next = progress.inTheMaking.first(where: { !began.contains($0.identity) }) {
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
