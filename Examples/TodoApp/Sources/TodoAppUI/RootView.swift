import Injectle
import InjectleSwiftUI
import SwiftUI
import TodoAppKit

public struct RootView: View {
    private let app: AppModel

    public init(app: AppModel) { self.app = app }

    public var body: some View {
        if let session = app.session {
            SessionView(app: app, session: session)
                // A new login is a new view, with new state.
                .id(session.id)
        } else if app.isStarted {
            LoginView(app: app)
        } else {
            ProgressView().task { await app.start() }
        }
    }
}

struct SessionView: View {
    let app: AppModel
    let session: Session

    var body: some View {
        TodoListView()
            .toolbar {
                Button("Log out") { Task { await app.logOut() } }
            }
            .locator(session.locator)
    }
}

struct LoginView: View {
    let app: AppModel
    @State private var name = ""

    var body: some View {
        Form {
            TextField("Name", text: $name)
            Button("Log in") { app.logIn(as: User(name: name)) }.disabled(name.isEmpty)
            ForEach(app.errors, id: \.self) { Text($0) }
        }
    }
}

#Preview("Login, then the list") {
    RootView(app: AppModel(locator: Locator("preview") { locator in registerMocks(in: locator) }))
}
