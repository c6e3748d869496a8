// The one thing here that Foundation has: files.
public import Foundation

extension Locator.Recorder {
    /// Writes the ``chromeTrace`` to a file, in the place of one that is there.
    ///
    /// ```swift
    /// import Foundation
    /// import Injectle
    ///
    /// func writeTrace(of recorder: Locator.Recorder) throws {
    ///     try recorder.writeChromeTrace(to: URL(fileURLWithPath: "start.json"))
    /// }
    /// ```
    ///
    /// - Parameter file: The file's URL.
    /// - Throws: What writing the file throws.
    /// - Complexity: That of ``chromeTrace``.
    public func writeChromeTrace(to file: URL) throws {
        try Data(chromeTrace.utf8).write(to: file, options: .atomic)
    }
}
