internal import Foundation

/// Where the bookings come from.
protocol BookingSource: Sendable {
    /// - Parameter today: The day of those who name none.
    func read(on today: Day) throws(FileError) -> BookingList
}

/// Bookings in a file.
struct BookingFile: BookingSource {
    let path: String
    /// What messages call it.
    let name: String

    init(_ path: String, name: String? = nil) {
        self.path = path
        self.name = name ?? path
    }

    /// The bookings that come with the program.
    static var sample: BookingFile {
        // The package declares the resource: without it, the program was not built.
        BookingFile(Bundle.module.path(forResource: "bookings", ofType: "csv")!, name: "bookings.csv")
    }

    func read(on today: Day) throws(FileError) -> BookingList {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            throw FileError(name: name, reason: "no such file")
        }
        guard !isDirectory.boolValue else { throw FileError(name: name, reason: "is a directory, not a file") }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw FileError(name: name, reason: "the file is not readable")
        }
        return BookingList(reading: String(decoding: data, as: UTF8.self), from: name, on: today)
    }
}

/// Why a file that the user has named is of no use.
struct FileError: Error, CustomStringConvertible {
    let name: String
    let reason: String

    var description: String { "\(name): \(reason)" }
}
