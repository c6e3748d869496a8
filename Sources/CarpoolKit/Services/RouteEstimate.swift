/// How far it is, and how long that takes.
struct Route: Hashable, Sendable {
    let kilometres: Int
    let minutes: Int
}

/// The estimated distance and time between two places.
protocol RouteEstimate: Sendable {
    func route(from pickup: String, to destination: String) -> Route
}

/// The places of a town, whose streets run along a grid.
struct TownMap: RouteEstimate {
    /// What a way is taken for if one of its ends is not on the map.
    private static let typicalKilometres = 10
    private static let minutesPerKilometre = 2

    /// Kilometres to the east and north of the main square.
    private let places: [String: (east: Int, north: Int)]

    init() {
        places = [
            "airport": (14, 9), "central station": (1, 0), "harbour": (-4, 2), "mill lane": (-3, -5),
            "market, north": (0, 1), "old town": (-1, 1), "riverside": (-6, -2), "science park": (5, 6),
            "stadium": (4, -3),
        ]
    }

    func route(from pickup: String, to destination: String) -> Route {
        let kilometres = distance(from: pickup.lowercased(), to: destination.lowercased()) ?? Self.typicalKilometres
        return Route(kilometres: kilometres, minutes: kilometres * Self.minutesPerKilometre)
    }

    private func distance(from pickup: String, to destination: String) -> Int? {
        guard let start = places[pickup], let end = places[destination] else { return nil }
        return abs(start.east - end.east) + abs(start.north - end.north)
    }
}
