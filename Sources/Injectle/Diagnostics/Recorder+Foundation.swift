// Files need Foundation.
public import Foundation

extension Locator.Recorder {
    /// Writes the ``chromeTrace`` to a file, and replaces an existing one.
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
    /// - Throws: The error of writing the file.
    /// - Complexity: That of ``chromeTrace``.
    public func writeChromeTrace(to file: URL) throws {
        try Data(chromeTrace.utf8).write(to: file, options: .atomic)
    }
}
