#if os(macOS) || os(Linux)
import Foundation

/// The toolchain's compiler, with the library as it was built for the running tests.
struct DocumentCompiler {
    private let compiler: URL
    /// Where the library's module lies, and the header that it needs.
    private let modules: URL
    private let header: URL
    private let platformArguments: [String]

    /// What is needed to compile is not where it is expected.
    struct NotFound: Error, CustomStringConvertible {
        let description: String
    }

    init(root: URL) async throws {
        compiler = try await Self.findCompiler()
        modules = try Self.findModules()
        header = root.appendingPathComponent("Sources/CInjectle/include/CInjectle.h")
        platformArguments = try await Self.findPlatformArguments(of: compiler)
    }

    // MARK: Compiling

    /// What the compiler says of some files of one module.
    struct Verdict {
        let isAccepted: Bool
        /// One line for each error, with file and line, and nothing else.
        let errors: [String]
        let output: String
    }

    /// Checks files against the library, as one module.
    func check(_ files: [String: String]) async throws -> Verdict {
        try await inTemporaryDirectory { directory in
            // The one that the build generates has another place with each build system.
            let map = directory.appendingPathComponent("module.modulemap")
            let text = "module CInjectle {\n    header \"\(header.path)\"\n    export *\n}\n"
            try text.write(to: map, atomically: true, encoding: .utf8)
            let cache = modules.deletingLastPathComponent().appendingPathComponent("ModuleCache")
            return try await compile(
                files,
                in: directory,
                // Not `-typecheck`, which stops before it is known what one thread hands to another.
                ["-emit-sil", "-o", "/dev/null", "-swift-version", "6", "-parse-as-library", "-wmo"]
                    + ["-module-name", "Document", "-I", modules.path, "-Xcc", "-fmodule-map-file=\(map.path)"]
                    // What the build has read of the system's modules need not be read again.
                    + (FileManager.default.fileExists(atPath: cache.path) ? ["-module-cache-path", cache.path] : [])
                    + platformArguments
            )
        }
    }

    /// Checks the syntax of a file.
    func parse(_ files: [String: String]) async throws -> Verdict {
        try await inTemporaryDirectory { try await compile(files, in: $0, ["-parse"]) }
    }

    private func compile(_ files: [String: String], in directory: URL, _ arguments: [String]) async throws -> Verdict {
        for (name, text) in files {
            try text.write(to: directory.appendingPathComponent(name), atomically: true, encoding: .utf8)
        }
        let options = ["-suppress-warnings", "-diagnostic-style", "llvm"]
        let run = try await Self.run(compiler, arguments + options + files.keys.sorted(), in: directory)
        let lines = run.output.split(separator: "\n").map(String.init)
        return Verdict(
            isAccepted: run.status == 0,
            errors: lines.filter { $0.contains(": error: ") || $0.hasPrefix("error: ") },
            output: run.output
        )
    }

    // MARK: Finding

    private static func findCompiler() async throws -> URL {
        let environment = ProcessInfo.processInfo.environment
        let named = environment["SWIFT_EXEC"].map { [$0] } ?? []
        let folders = (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/swiftc" }
        let candidates = named.filter { $0.hasSuffix("swiftc") } + folders
        guard let path = candidates.first(where: FileManager.default.isExecutableFile(atPath:)) else {
            throw NotFound(description: "There is no `swiftc` in PATH (\(environment["PATH"] ?? "not set")).")
        }
        #if os(macOS)
        // That in /usr/bin only stands for the one that is selected.
        if path == "/usr/bin/swiftc" {
            let found = try await run(URL(fileURLWithPath: "/usr/bin/xcrun"), ["--find", "swiftc"])
            return URL(fileURLWithPath: found.output.trimmingCharacters(in: .whitespacesAndNewlines))
        }
        #endif
        return URL(fileURLWithPath: path)
    }

    /// The folder with the module that was built together with the running tests, wherever that was.
    private static func findModules() throws -> URL {
        let executables = CommandLine.arguments.filter { $0.hasPrefix("/") || $0.contains(".xctest") }
        let bundles = (Bundle.allBundles + [Bundle.main]).map(\.bundlePath)
        let starts = executables + [Bundle.main.executablePath].compactMap(\.self) + bundles
        for start in starts {
            var folder = URL(fileURLWithPath: start).resolvingSymlinksInPath()
            while folder.path != "/" {
                folder.deleteLastPathComponent()
                for modules in [folder.appendingPathComponent("Modules"), folder] {
                    let module = modules.appendingPathComponent("Injectle.swiftmodule")
                    if FileManager.default.fileExists(atPath: module.path) { return modules }
                }
            }
        }
        throw NotFound(description: "There is no Injectle.swiftmodule above any of: \(starts.joined(separator: ", ")).")
    }

    /// Where Testing and XCTest are, if not where the compiler looks by itself.
    private static func findPlatformArguments(of compiler: URL) async throws -> [String] {
        #if os(macOS)
        func path(_ option: String) async throws -> String {
            let xcrun = URL(fileURLWithPath: "/usr/bin/xcrun")
            let found = try await run(xcrun, ["--sdk", "macosx", option])
            guard found.status == 0 else { throw NotFound(description: "xcrun \(option) failed: \(found.output)") }
            return found.output.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        let (sdk, platform) = (try await path("--show-sdk-path"), try await path("--show-sdk-platform-path"))
        let plugins = compiler.deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("lib/swift/host/plugins/testing")
        return ["-sdk", sdk, "-F", "\(platform)/Developer/Library/Frameworks", "-I", "\(platform)/Developer/usr/lib"]
            + ["-plugin-path", plugins.path]
        #else
        return []
        #endif
    }

    // MARK: Running

    private func inTemporaryDirectory<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("InjectleDocument-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        return try await body(directory)
    }

    /// Runs a program to its end, without holding a thread meanwhile, and returns what it printed.
    private static func run(
        _ program: URL,
        _ arguments: [String],
        in directory: URL? = nil
    ) async throws -> (status: Int32, output: String) {
        // Into a file: a pipe that is full would stop the program.
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(
            "InjectleDocument-\(UUID().uuidString)"
        )
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let handle = try FileHandle(forWritingTo: file)
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.currentDirectoryURL = directory
        process.standardOutput = handle
        process.standardError = handle
        process.standardInput = FileHandle.nullDevice
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
        try handle.close()
        return (status, String(decoding: try Data(contentsOf: file), as: UTF8.self))
    }
}
#endif
