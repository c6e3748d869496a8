#if os(macOS) || os(Linux)
import Foundation

/// The toolchain's compiler and the library as built for the running tests.
package struct Toolchain: Sendable {
    private let root: Root
    private let compiler: URL
    /// The folder of the library's module.
    private let modules: URL
    private let platformArguments: [String]

    /// The folder of the build products.
    private var products: URL { modules.lastPathComponent == "Modules" ? modules.deletingLastPathComponent() : modules }

    /// A tool or a module is missing.
    struct NotFound: Error, CustomStringConvertible {
        let description: String
    }

    package init(root: Root) async throws {
        self.root = root
        compiler = try await Self.findCompiler()
        modules = try Self.findModules()
        platformArguments = try await Self.findPlatformArguments(of: compiler)
    }

    // MARK: Compiling

    /// The compiler's result for the files of one module.
    package struct Verdict: Sendable {
        package let isAccepted: Bool
        /// One line for each error: file, line, column and text.
        package let errors: [String]
        package let output: String

        init(of run: Run) {
            let lines = run.output.split(separator: "\n").map(String.init)
            isAccepted = run.status == 0
            errors = lines.filter { $0.contains(": error: ") || $0.hasPrefix("error: ") }
            output = run.output
        }

        /// The complaint about files that should compile.
        package var complaint: String { errors.isEmpty ? output : errors.joined(separator: "\n") }
    }

    /// The status and output of a program.
    package struct Run: Sendable {
        package let status: Int32
        package let output: String
    }

    /// Compiles files as one module in a language mode.
    package func check(_ files: [String: String], languageMode: String = "6") async throws -> Verdict {
        try await inTemporaryDirectory { directory in
            // Not `-typecheck`, which stops before the data race diagnostics.
            let output = ["-emit-sil", "-o", "/dev/null"]
            let arguments = try arguments(for: files, in: directory, languageMode: languageMode)
            return try await compile(files, in: directory, output + arguments)
        }
    }

    /// Compiles files with `main.swift` or an `@main` type into a program and runs it.
    ///
    /// - Returns: No run if the program does not compile.
    package func run(_ files: [String: String]) async throws -> (verdict: Verdict, run: Run?) {
        try await inTemporaryDirectory { directory in
            let output = try ["-o", "program"] + objects(for: files) + Self.sanitizers()
            let verdict = try await compile(files, in: directory, output + arguments(for: files, in: directory))
            guard verdict.isAccepted else { return (verdict, nil) }
            return (verdict, try await Self.run(directory.appendingPathComponent("program"), [], in: directory))
        }
    }

    /// Compiles the module App and its tests, and runs the tests.
    ///
    /// - Returns: No run if one of the two does not compile.
    package func test(_ sources: [String: String], with tests: [String: String]) async throws -> (Verdict, Run?) {
        try await inTemporaryDirectory { directory in
            let module =
                ["-c", "-emit-module", "-enable-testing", "-o", "App.o"]
                // The test runner has the entry point.
                + ["-Xfrontend", "-entry-point-function-name", "-Xfrontend", "App_main"]
            var verdict = try await compile(sources, in: directory, module + arguments(for: sources, in: directory))
            guard verdict.isAccepted else { return (verdict, nil) }
            var files = tests
            // The entry point of a package's tests.
            files["Runner.swift"] = """
                import Testing
                @main struct Runner { static func main() async { await Testing.__swiftPMEntryPoint() as Never } }
                """
            let output = try ["-o", "tests", "-I", ".", "App.o"] + objects(for: files) + Self.sanitizers()
            let rest = try arguments(for: files, in: directory, module: "AppTests")
            verdict = try await compile(files, in: directory, output + rest)
            guard verdict.isAccepted else { return (verdict, nil) }
            return (verdict, try await Self.run(directory.appendingPathComponent("tests"), [], in: directory))
        }
    }

    /// Lets the package manager read a manifest, without fetching.
    package func load(manifest text: String) async throws -> Verdict {
        try await inTemporaryDirectory { directory in
            try text.write(to: directory.appendingPathComponent("Package.swift"), atomically: true, encoding: .utf8)
            let swift = compiler.deletingLastPathComponent().appendingPathComponent("swift")
            return Verdict(of: try await Self.run(swift, ["package", "dump-package"], in: directory))
        }
    }

    /// Builds and runs the tests of a package in a folder of this one, one test at a time.
    ///
    /// - Parameter options: Options of `swift test`, such as `--filter`.
    package func test(packageIn folder: String, _ options: [String]) async throws -> Run {
        let swift = compiler.deletingLastPathComponent().appendingPathComponent("swift")
        let build = root.url.appendingPathComponent(".build/\((folder as NSString).lastPathComponent)")
        let package = root.url.appendingPathComponent(folder)
        let paths = ["--package-path", package.path, "--scratch-path", build.path]
        return try await Self.run(swift, ["test", "--no-parallel"] + paths + options)
    }

    /// A module to compile, with its files by name.
    package struct Module: Sendable {
        package let name: String
        let files: [String: String]
        let options: [String]

        package init(_ name: String, _ files: [String: String], options: [String] = []) {
            (self.name, self.files, self.options) = (name, files, options)
        }
    }

    /// Compiles modules one after the other, each of which can import those before it.
    ///
    /// - Returns: The verdict on the first module that does not compile, or on the last one.
    package func check(modules: [Module]) async throws -> Verdict {
        try await inTemporaryDirectory { try await compile(modules, in: $0) }
    }

    /// Compiles modules one after the other, and runs the program of the last one.
    ///
    /// - Returns: No run if a module does not compile.
    package func run(modules: [Module]) async throws -> (verdict: Verdict, run: Run?) {
        try await inTemporaryDirectory { directory in
            let verdict = try await compile(modules, in: directory)
            guard verdict.isAccepted else { return (verdict, nil) }
            let files = modules.map(\.files).reduce(into: [:]) { $0.merge($1) { $1 } }
            let parts = try modules.map { "\($0.name)/module.o" } + objects(for: files) + Self.sanitizers()
            let link = try await Self.run(compiler, ["-o", "program"] + parts, in: directory)
            guard link.status == 0 else { return (Verdict(of: link), nil) }
            return (verdict, try await Self.run(directory.appendingPathComponent("program"), [], in: directory))
        }
    }

    /// Compiles modules up to the first one with an error. Returns the last verdict.
    private func compile(_ modules: [Module], in directory: URL) async throws -> Verdict {
        var verdict = Verdict(of: Run(status: 0, output: ""))
        for module in modules where verdict.isAccepted {
            let folder = directory.appendingPathComponent(module.name)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let path = "../\(module.name).swiftmodule"
            let output = ["-c", "-o", "module.o", "-emit-module", "-emit-module-path", path]
            // Before the folder of the library's modules, which can have a module of the same name.
            let arguments =
                try ["-I", ".."] + arguments(for: module.files, in: folder, module: module.name) + module.options
            verdict = try await compile(module.files, in: folder, output + arguments)
        }
        return verdict
    }

    private func arguments(
        for files: [String: String],
        in directory: URL,
        module: String = "App",
        languageMode: String = "6"
    ) throws -> [String] {
        // The location of the generated module map depends on the build system.
        let map = directory.appendingPathComponent("module.modulemap")
        let header = root.url.appendingPathComponent("Sources/CInjectle/include/CInjectle.h")
        let text = "module CInjectle {\n    header \"\(header.path)\"\n    export *\n}\n"
        try text.write(to: map, atomically: true, encoding: .utf8)
        let cache = modules.deletingLastPathComponent().appendingPathComponent("ModuleCache")
        return ["-swift-version", languageMode, "-wmo", "-module-name", module, "-I", modules.path]
            + ["-Xcc", "-fmodule-map-file=\(map.path)"]
            // Only a program has top-level code.
            + (files["main.swift"] == nil ? ["-parse-as-library"] : [])
            // Reuses the build's module cache.
            + (FileManager.default.fileExists(atPath: cache.path) ? ["-module-cache-path", cache.path] : [])
            + platformArguments
    }

    private func compile(_ files: [String: String], in directory: URL, _ arguments: [String]) async throws -> Verdict {
        for (name, text) in files {
            try text.write(to: directory.appendingPathComponent(name), atomically: true, encoding: .utf8)
        }
        let options = ["-suppress-warnings", "-diagnostic-style", "llvm"]
        return Verdict(of: try await Self.run(compiler, arguments + options + files.keys.sorted(), in: directory))
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
        // /usr/bin/swiftc is a shim for the selected toolchain.
        if path == "/usr/bin/swiftc" {
            let found = try await run(URL(fileURLWithPath: "/usr/bin/xcrun"), ["--find", "swiftc"])
            return URL(fileURLWithPath: found.output.trimmingCharacters(in: .whitespacesAndNewlines))
        }
        #endif
        return URL(fileURLWithPath: path)
    }

    /// Returns the folder of the module that was built with the running tests.
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

    /// Returns the object files of the libraries that files import.
    private func objects(for files: [String: String]) throws -> [String] {
        var found: [String] = []
        let others = ["InjectleDiagnostics", "InjectleTesting"].filter { module in
            // InjectleTesting imports InjectleDiagnostics.
            files.values.contains { $0.contains("import \(module)") || $0.contains("import InjectleTesting") }
        }
        for target in ["Injectle", "CInjectle"] + others {
            let sources = try Set(
                (root.files(in: "Sources/\(target)", withExtension: "swift")
                    + root.files(in: "Sources/\(target)", withExtension: "c")).map {
                        ($0 as NSString).lastPathComponent
                    }
            )
            let folder = products.appendingPathComponent("\(target).build")
            // Skips objects of deleted sources.
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            found += names.filter { $0.hasSuffix(".o") && sources.contains(String($0.dropLast(2))) }
                .map { folder.appendingPathComponent($0).path }
            let whole = products.appendingPathComponent("\(target).o")
            if FileManager.default.fileExists(atPath: whole.path) { found.append(whole.path) }
        }
        guard !found.isEmpty else { throw NotFound(description: "There are no objects in \(products.path).") }
        return found
    }

    /// Returns the sanitizer flags of the library's build.
    private static func sanitizers() -> [String] {
        dlsym(dlopen(nil, RTLD_NOW), "__tsan_init") == nil ? [] : ["-sanitize=thread"]
    }

    /// Returns search paths for Testing and XCTest where the compiler needs them.
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
        let libraries = "\(platform)/Developer/usr/lib"
        return ["-sdk", sdk, "-F", "\(platform)/Developer/Library/Frameworks", "-I", libraries, "-L", libraries]
            + ["-plugin-path", plugins.path]
        #else
        return []
        #endif
    }

    // MARK: Running

    private func inTemporaryDirectory<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("InjectleToolchain-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        return try await body(directory)
    }

    /// Runs a product of the package.
    package func run(product name: String, _ arguments: [String]) async throws -> Run {
        try await Self.run(products.appendingPathComponent(name), arguments)
    }

    /// Runs a program to its end without blocking a thread, and returns its output.
    private static func run(
        _ program: URL,
        _ arguments: [String],
        in directory: URL? = nil
    ) async throws -> Run {
        // Writes into a file: a full pipe would block the program.
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(
            "InjectleToolchain-\(UUID().uuidString)"
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
        var environment = ProcessInfo.processInfo.environment
        // A trap prints its reason; a backtrace takes long.
        environment["SWIFT_BACKTRACE"] = "enable=no"
        // So that a program leaves no files behind.
        if let directory { environment["TMPDIR"] = directory.path }
        process.environment = environment
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
        return Run(status: status, output: String(decoding: try Data(contentsOf: file), as: UTF8.self))
    }
}
#endif
