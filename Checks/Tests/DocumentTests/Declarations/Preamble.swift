// The types that blocks with views use without declaring them, beside the types of the other preamble.

import Injectle
import InjectleSwiftUI
import Observation
import SwiftUI

@Observable final class Feed {
    func refresh() {}
}
@Observable final class PageModel {
    let title: String
    init(title: String) { self.title = title }
}
@Observable final class Selection {}
@MainActor @Observable final class CartModel { let title = "Cart" }
final class Cart {}
final class Pool: Sendable {
    static func open() async throws -> Pool { Pool() }
}
struct ProfileView: View {
    @InjectedState private var model: ProfileModel
    var body: some View { TextField("Name", text: $model.name) }
}
