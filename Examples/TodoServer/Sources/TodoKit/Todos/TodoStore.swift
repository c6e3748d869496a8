import Foundation

/// The todos of the user of a request.
///
/// Reads return committed todos. Changes become visible when the request's ``UnitOfWork`` commits them.
package protocol TodoStore: Sendable {
    /// Returns at most `limit` todos, in order of creation.
    func todos(limit: Int, offset: Int) async throws -> [Todo]
    func todo(_ id: UUID) async throws -> Todo?
    func insert(_ todo: Todo) throws
    func update(_ todo: Todo) throws
    func delete(_ id: UUID) throws
}
