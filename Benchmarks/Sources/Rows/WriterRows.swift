internal import Foundation
internal import Injectle

extension Row {
    /// Row 15: replacing a registration while other threads read it.
    static let writers: [Row] = [
        Row("15a-replace-while-eight-threads-read") {
            let quiet = try locatorWithSingleton(among: 10)
            let busy = try locatorWithSingleton(among: 10)
            for _ in 0..<8 {
                Thread.detachNewThread {
                    var result: (any Service)?
                    while true { try? resolve(busy, &result) }
                }
            }
            return (
                { count in repeated(count) { replace(in: quiet, &$0) } },
                { count in repeated(count) { replace(in: busy, &$0) } }
            )
        }
    ]
}

@inline(never)
private func replace(in locator: Locator, _ result: inout (any Service)?) {
    let service = makeService()
    locator.register(.eager(service), for: (any Service).self)
    result = service
}
