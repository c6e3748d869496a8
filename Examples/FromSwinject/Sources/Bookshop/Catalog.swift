import FromSwinject

protocol BookRepository: AnyObject { func title(of id: Int) -> String }
final class BookStore: BookRepository {
    private let database: Database
    init(database: Database) { self.database = database }
    func title(of id: Int) -> String { database.rows["book \(id)", default: "Book \(id)"] }
}
final class SearchIndex {
    private let books: any BookRepository
    init(books: any BookRepository) { self.books = books }
    func first() -> String { books.title(of: 1) }
}
final class Recommendations {
    let index: SearchIndex
    init(index: SearchIndex) { self.index = index }
}
struct PriceFormatter {
    let settings: Settings
    func format(_ cents: Int) -> String { "\(cents / 100) \(settings.currency)" }
}
final class CoverLoader {
    let cache: ImageCache
    init(cache: ImageCache) { self.cache = cache }
}
final class Ratings { var stars: [Int: Int] = [:] }
final class Wishlist { var ids: [Int] = [] }
struct Publisher { let name: String }
struct Filter {
    let text: String
    let index: SearchIndex
}
struct Sorting { let isAscending = true }
final class CatalogService {
    let books: any BookRepository
    let ratings: Ratings
    private(set) lazy var recommendations = makeRecommendations()
    private let makeRecommendations: () -> Recommendations
    init(books: any BookRepository, ratings: Ratings, recommendations: @escaping () -> Recommendations) {
        (self.books, self.ratings, makeRecommendations) = (books, ratings, recommendations)
    }
}

/// 12 registrations.
struct CatalogAssembly: Assembly {
    func assemble(container: Container) {
        container.register((any BookRepository).self) { r in BookStore(database: r.resolve(Database.self)!) }
            .inObjectScope(.container)
        container.register(SearchIndex.self) { r in SearchIndex(books: r.resolve((any BookRepository).self)!) }
            .inObjectScope(.container)
        container.register(Recommendations.self) { r in Recommendations(index: r.resolve(SearchIndex.self)!) }
        container.register(PriceFormatter.self) { r in
            PriceFormatter(settings: r.resolve(Settings.self, name: "shop")!)
        }.inObjectScope(.transient)
        container.register(CoverLoader.self) { r in CoverLoader(cache: r.resolve(ImageCache.self)!) }
        container.register(Ratings.self) { _ in Ratings() }.inObjectScope(.container)
        container.register(Wishlist.self) { _ in Wishlist() }.inObjectScope(.session)
        container.register(Publisher.self, name: "novels") { _ in Publisher(name: "Novels & Co") }
        container.register(Publisher.self, name: "manuals") { _ in Publisher(name: "Manuals Ltd") }
        container.register(Filter.self) { r, text in Filter(text: text, index: r.resolve(SearchIndex.self)!) }
            .inObjectScope(.transient)
        container.register(Sorting.self) { _ in Sorting() }.inObjectScope(.transient)
        container.register(CatalogService.self) { r in
            let recommendations = r.resolve(Lazy<Recommendations>.self)!
            return CatalogService(
                books: r.resolve((any BookRepository).self)!,
                ratings: r.resolve(Ratings.self)!,
                recommendations: { recommendations.instance }
            )
        }
    }
}
