internal import Injectle

/// Which cars there are.
protocol Fleet: Sendable {
    /// The seats of the largest car.
    var mostSeats: Int { get }
    /// The smallest kind of car with so many seats, or else the largest.
    func kind(seating heads: Int) -> CarKind
}

/// A car of each kind, as often as it is needed.
struct Garage: Fleet {
    // For reading only. A ride gets its own car.
    @Inject(CarKind.compact) private var compact: Car
    @Inject(CarKind.van) private var van: Car

    var mostSeats: Int { max(compact.seats, van.seats) }

    func kind(seating heads: Int) -> CarKind {
        let bySize = [compact, van].sorted { $0.seats < $1.seats }
        return (bySize.first { $0.seats >= heads } ?? bySize[1]).kind
    }
}
