#if os(Linux)
import Foundation
import Testing
import ToolchainSupport

/// `InjectleSwiftUI`, the example app and the documents compile with declarations of SwiftUI, with the signatures of
/// Apple's documentation. No view runs: that needs SwiftUI itself, with which a job of the workflow builds all of this
/// on macOS.
@Suite struct ViewTests {
    private let root: Root
    private let toolchain: Toolchain

    init() async throws {
        root = try Root()
        toolchain = try await Toolchain(root: root)
    }

    // MARK: Modules

    private static let declarations = "Checks/Tests/DocumentTests/Declarations"

    /// Returns a module with the files of a folder, in which previews are values.
    private func module(_ name: String, in folder: String, options: [String]) throws -> Toolchain.Module {
        let files = try root.files(in: folder, withExtension: "swift").map { file in
            let text = Self.withPreviewValues(try root.text(of: file), "@MainActor private let")
            return ((file as NSString).lastPathComponent, text)
        }
        return Toolchain.Module(name, Dictionary(uniqueKeysWithValues: files), options: options)
    }

    /// Returns the declarations of the system's modules, and the product that is compiled with them.
    private func product() throws -> [Toolchain.Module] {
        // As in Package.swift.
        let options = [
            "ExistentialAny", "MemberImportVisibility", "InternalImportsByDefault", "NonisolatedNonsendingByDefault",
        ].flatMap { ["-enable-upcoming-feature", $0] }
        let system = try ["SwiftUI", "os"].map { name in
            let text = try root.text(of: "\(Self.declarations)/\(name).swift")
            return Toolchain.Module(name, ["\(name).swift": text], options: options)
        }
        return try system + [module("InjectleSwiftUI", in: Root.views, options: options)]
    }

    private func example() throws -> [Toolchain.Module] {
        try ["TodoAppKit", "TodoAppUI", "TodoApp"].map { name in
            let folder = "Examples/TodoApp/Sources/\(name)"
            return try module(name, in: folder, options: ["-default-isolation", "MainActor"])
        }
    }

    /// Returns a module of blocks.
    private func blocks(_ blocks: [Block]) throws -> Toolchain.Module {
        var files = ["Preamble.swift": try root.text(of: "Checks/Tests/DocumentTests/Preamble.swift")]
        files["Views.swift"] = try root.text(of: "\(Self.declarations)/Preamble.swift")
        for (number, block) in blocks.enumerated() {
            let text = block.source(number: number).replacing("@main\n", with: "\n")
            files["Block\(number).swift"] = Self.withPreviewValues(text, block.isFile ? "@MainActor static let" : "let")
        }
        return Toolchain.Module("App", files)
    }

    /// Replaces the macro of a preview, which only Apple's compiler expands, by the value that it declares there.
    private static func withPreviewValues(_ text: String, _ declaration: String) -> String {
        text.components(separatedBy: "#Preview").enumerated()
            .map { index, part in index == 0 ? part : "\(declaration) preview\(index) = Preview\(part)" }
            .joined()
    }

    // MARK: Tests

    @Test func `The product and the example compile with declarations of SwiftUI`() async throws {
        let verdict = try await toolchain.check(modules: product() + example())
        #expect(verdict.isAccepted, "\(verdict.complaint)")
    }

    @Test func `The blocks with views compile with declarations of SwiftUI`() async throws {
        let found = try root.documents().flatMap(\.blocks).filter { $0.kind == .view }
        #expect(found.count > 10)
        let verdict = try await toolchain.check(modules: product() + [blocks(found)])
        #expect(verdict.isAccepted, "\(verdict.complaint)")
    }

    /// The declarations keep the values of properties, so that the wrapper itself can run outside of a view.
    @Test func `The property of a view resolves once, binds, and is found by a check`() async throws {
        let program = """
            import Foundation
            import Injectle
            import InjectleDiagnostics
            import InjectleSwiftUI
            import Observation
            import SwiftUI

            @Observable final class Model { var name = "Ada" }
            struct ModelView: View {
                @InjectedState var model: Model
                init() {}
                init(_ model: Model) { _model = InjectedState(wrappedValue: model) }
                var body: some View { TextField("Name", text: $model.name) }
            }
            @Observable final class Page {
                let number: Int
                init(number: Int) { self.number = number }
            }
            struct PageView: View {
                @InjectedState var page: Page
                init(number: Int) { _page = InjectedState(arguments: number) }
                var body: some View { Text("\\(page.number)") }
            }

            struct GuestView: View {
                @InjectedState("guest") var name: String
                var body: some View { Text(name) }
            }

            @main @MainActor struct Main {
                static func main() throws {
                    let locator = Locator("app")
                    // A view can create its model, which only the object shows.
                    do { try locator.check(.strict, roots: ModelView.self) } catch { print(error) }
                    do { try locator.check { ModelView() } } catch { print(error.findings.map(\\.kind)) }
                    try locator.check(.strict) { ModelView(Model()) }
                    locator.register(.volatile { Model() })
                    try locator.check(.strict) { ModelView() }
                    locator.register(.volatile { (locator, number: Int) in Page(number: number) }.depending())
                    try locator.check(roots: ModelView.self, PageView.self)
                    try locator.check(.strict) { ModelView(); PageView(number: 8) }
                    Locator.$shared.withValue(locator) {
                        let (view, other) = (ModelView(), ModelView())
                        print(view.model === view.model, view.model === other.model)
                        view.$model.name.wrappedValue = "Grace"
                        print(view.model.name, view.$model.name.wrappedValue, other.model.name)
                        locator.register(.eager("Edsger"), key: "guest")
                        print(PageView(number: 8).page.number, GuestView().name)
                    }
                    fflush(nil)
                    print(ModelView().model.name)
                }
            }
            """
        let app = Toolchain.Module("App", ["App.swift": program])
        let (verdict, run) = try await toolchain.run(modules: product() + [app])
        let output = try #require(run, "\(verdict.complaint)").output
        #expect(output.contains("`model` of App.ModelView needs App.Model, which is not registered; maybe the view"))
        #expect(output.contains("[missing]"))
        #expect(output.contains("\ntrue false\nGrace Grace Ada\n8 Edsger\n"), "\(output)")
        // The last view has no locator: the property traps at its own line.
        #expect(run?.status != 0)
        #expect(output.contains("App.swift:10: Fatal error: No service is registered as App.Model."), "\(output)")
    }

    private static let imports = "import Injectle\nimport InjectleSwiftUI\nimport SwiftUI\n\n"

    private func verdict(on text: String) async throws -> Toolchain.Verdict {
        let document = try Document(name: "Wrong.md", text: "```swift\n\(Self.imports)\(text)\n```")
        #expect(document.blocks.map(\.kind) == [.view])
        return try await toolchain.check(modules: product() + [blocks(document.blocks)])
    }

    @Test(
        arguments: [
            ("@InjectedState var model: ProfileModel", "Text($model.name)", "Binding<String>"),
            ("@InjectedState var model: ProfileModel", "Text(model.nmae)", "nmae"),
            ("@InjectedState(.archive) var user: User", "Text(user.name)", "archive"),
            ("let session = \"session\"", "ProfileView().locator(session)", "Locator"),
        ]
    )
    func `A mistake in a view is reported`(property: String, body: String, text: String) async throws {
        let view = "struct WrongView: View {\n\(property)\nvar body: some View { \(body) }\n}"
        let verdict = try await verdict(on: view)
        #expect(verdict.errors.contains { $0.contains("Wrong.md:") && $0.contains(text) }, "\(verdict.output)")
    }

    @Test func `A preview with a misspelt trait is reported`() async throws {
        let verdict = try await verdict(on: "#Preview(traits: .loactor { _ in }) { ProfileView() }")
        #expect(verdict.errors.contains { $0.contains("Wrong.md:6:") && $0.contains("loactor") }, "\(verdict.output)")
    }
}
#endif
