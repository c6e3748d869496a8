internal import Injectle

/// The log of a start, one line per step.
struct StartLog {
    private var began: Set<Locator.Identity> = []
    private var completed = 0

    /// Returns the line of a step: its event and the progress of the start.
    mutating func line(for progress: Locator.StartProgress) -> String {
        let counts = [
            "\(progress.completed.count) created", "\(progress.running.count) creating",
            "\(progress.pending.count) pending",
        ]
        return "\(step(progress)): \(counts.joined(separator: ", "))"
    }

    private mutating func step(_ progress: Locator.StartProgress) -> String {
        if let last = progress.completed.last, progress.completed.count > completed {
            completed = progress.completed.count
            return "created \(last.identity) in \(seconds(last.duration))"
        }
        if let next = progress.running.first(where: { !began.contains($0.identity) }) {
            began.insert(next.identity)
            return "creating \(next.identity)"
        }
        return "starting"
    }

    private func seconds(_ duration: Duration) -> String {
        let tenths = Int((duration / .milliseconds(100)).rounded())
        return "\(tenths / 10).\(tenths % 10) s"
    }
}
