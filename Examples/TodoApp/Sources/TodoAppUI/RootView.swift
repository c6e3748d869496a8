import Injectle
import SwiftUI
import TodoAppKit

struct RootView: View {
    let app: AppModel

    var body: some View {
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
        Resolved { (model: TodoListModel) in TodoListView(model: model) }
            .toolbar {
                Button("Log out") { Task { await app.logOut() } }
            }
            .environment(\.locator, session.locator)
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
    let mocks = Locator("preview") { locator in registerMocks(in: locator) }
    RootView(app: AppModel(locator: mocks))
}
