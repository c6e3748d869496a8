// The one thing here that Foundation has: files.
public import Foundation

extension Locator.Recorder {
    /// Writes the ``chromeTrace`` to a file, in the place of one that is there.
    ///
    /// ```swift
    /// try recorder.writeChromeTrace(to: URL(fileURLWithPath: "start.json"))
    /// ```
    ///
    /// - Parameter file: The file's URL.
    /// - Throws: What writing the file throws.
    public func writeChromeTrace(to file: URL) throws {
        try Data(chromeTrace.utf8).write(to: file, options: .atomic)
    }
}
