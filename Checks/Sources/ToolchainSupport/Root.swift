package import Foundation

/// The folder of the package.
package struct Root: Sendable {
    package let url: URL

    struct NotFound: Error {}

    package init() throws {
        var folder = URL(fileURLWithPath: #filePath)
        repeat {
            guard folder.path != "/" else { throw NotFound() }
            folder.deleteLastPathComponent()
        } while !FileManager.default.fileExists(atPath: folder.appendingPathComponent("PublicInterface.txt").path)
        url = folder
    }

    package func text(of file: String) throws -> String {
        try String(contentsOf: url.appendingPathComponent(file), encoding: .utf8)
    }

    package func exists(_ file: String) -> Bool {
        FileManager.default.fileExists(atPath: url.appendingPathComponent(file).path)
    }

    /// Returns the files below a folder with an extension, as sorted paths from the root.
    package func files(in folder: String, withExtension fileExtension: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: url.appendingPathComponent(folder).path)
            .filter { ($0 as NSString).pathExtension == fileExtension }
            .map { "\(folder)/\($0)" }
            .sorted()
    }

    /// Returns the names of the folders in a folder.
    package func folders(in folder: String) throws -> [String] {
        let found = try FileManager.default.contentsOfDirectory(
            at: url.appendingPathComponent(folder),
            includingPropertiesForKeys: [.isDirectoryKey],
            options: .skipsHiddenFiles
        )
        return try found.filter { try $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true }
            .map(\.lastPathComponent).sorted()
    }
}
