protocol Clock: AnyObject { var hour: Int { get } }
final class SystemClock: Clock { let hour = 9 }
final class FixedClock: Clock {
    let hour: Int
    init(hour: Int) { self.hour = hour }
}
final class Database {}
final class UserStore {
    let database: Database
    init(database: Database) { self.database = database }
}
final class Report {
    let store: UserStore
    let database: Database
    init(store: UserStore, database: Database) { (self.store, self.database) = (store, database) }
}
struct Page: Equatable {
    var values: [Int] = []
}
/// Each refers to the other.
final class Parent {
    var child: Child?
    init(child: Child? = nil) { self.child = child }
}
final class Child { weak var parent: Parent? }
