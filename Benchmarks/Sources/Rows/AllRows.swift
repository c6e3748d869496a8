extension Row {
    /// The whole table, in its order.
    public static let all: [Row] =
        singletons + properties + volatiles + keys + threads + registering + memory + overrides + lifetimes + requests
        + writers + forms + dependencies + starts + behaviors + validation + growth

    /// The row of a name, or of the number it begins with.
    public static func named(_ name: String) -> Row? {
        all.first { $0.name == name || $0.name.hasPrefix(name + "-") }
    }
}
