import FromSwinject

extension ObjectScope {
    static let session = ObjectScope(storageFactory: PermanentStorage.init, description: "session")
}

final class TokenStore {
    private let secrets: any SecretStore
    init(secrets: any SecretStore) { self.secrets = secrets }
    var token: String? {
        get { secrets.secret }
        set { secrets.secret = newValue }
    }
}
final class Session { var user: String? }
final class AccountEvents { var logins = 0 }
final class LoginService {
    let session: Session
    private let tokens: TokenStore
    private let events: AccountEvents
    init(session: Session, tokens: TokenStore, events: AccountEvents) {
        (self.session, self.tokens, self.events) = (session, tokens, events)
    }
    func logIn(_ user: String) {
        (session.user, tokens.token) = (user, "token of \(user)")
        events.logins += 1
    }
}
final class LogoutService {
    private let tokens: TokenStore
    init(tokens: TokenStore) { self.tokens = tokens }
    func logOut() { tokens.token = nil }
}
final class ProfileStore {
    let session: Session
    init(session: Session) { self.session = session }
}
final class AvatarLoader {
    let cache: ImageCache
    init(cache: ImageCache) { self.cache = cache }
}
struct PasswordRules { let length = 12 }
final class TwoFactor {
    private let ids: () -> IDGenerator
    init(ids: @escaping () -> IDGenerator) { self.ids = ids }
    func code() -> Int { ids().next() }
}
final class Biometrics {}
final class BiometricGate {
    let biometrics: Biometrics?
    init(biometrics: Biometrics?) { self.biometrics = biometrics }
}
final class ConsentStore { var isGiven = false }
final class DeletionService {
    let login: LoginService
    let consent: ConsentStore
    init(login: LoginService, consent: ConsentStore) { (self.login, self.consent) = (login, consent) }
}

/// 12 registrations.
struct AccountAssembly: Assembly {
    func assemble(container: Container) {
        container.register(TokenStore.self) { r in
            TokenStore(secrets: r.resolve((any SecretStore).self, name: "tokens")!)
        }.inObjectScope(.container)
        container.register(Session.self) { _ in Session() }.inObjectScope(.session)
        container.register(AccountEvents.self) { _ in AccountEvents() }.inObjectScope(.container)
        container.register(LoginService.self) { r in
            LoginService(
                session: r.resolve(Session.self)!,
                tokens: r.resolve(TokenStore.self)!,
                events: r.resolve(AccountEvents.self)!
            )
        }
        container.register(LogoutService.self) { r in LogoutService(tokens: r.resolve(TokenStore.self)!) }
        container.register(ProfileStore.self) { r in ProfileStore(session: r.resolve(Session.self)!) }
            .inObjectScope(.session)
        container.register(AvatarLoader.self) { r in AvatarLoader(cache: r.resolve(ImageCache.self)!) }
        container.register(PasswordRules.self) { _ in PasswordRules() }.inObjectScope(.transient)
        container.register(TwoFactor.self) { r in
            let ids = r.resolve(Provider<IDGenerator>.self)!
            return TwoFactor { ids.instance }
        }
        container.register(BiometricGate.self) { r in BiometricGate(biometrics: r.resolve(Biometrics.self)) }
        container.register(ConsentStore.self) { _ in ConsentStore() }.inObjectScope(.container)
        container.register(DeletionService.self) { r in
            DeletionService(login: r.resolve(LoginService.self)!, consent: r.resolve(ConsentStore.self)!)
        }
    }
}
