internal import CMachine
internal import Foundation
internal import Injectle

extension Row {
    /// Row 11: what a registration of a lazy service takes that is not made. All that is allocated counts, with what
    /// the runtime allocates for the generic types of the library, but not the types of the services themselves.
    static let memory: [Row] = [
        Row("11a-bytes-of-registration-by-type") {
            let registrars = Registrars(tenThousand).closures
            return bytes { locator in
                for register in registrars { register(locator) }
            }
        },
        Row("11b-bytes-of-registration-by-string-key") {
            // Long enough to have storage of its own, which the registration shares with the array.
            let keys = (0..<tenThousand).map { "the garage number \($0)" }
            return bytes { locator in
                for key in keys {
                    locator.register(.lazy(.anywhere) { makeService() }, for: (any Service).self, key: key)
                }
            }
        },
        Row("11c-bytes-of-registration-without-captures") {
            let closures = ListingRegistrars(tenThousand).closures
            return bytes { locator in
                for register in closures { register(locator) }
            }
        },
    ]
}

private let tenThousand = 10_000

/// The bytes of each of 10,000 registrations. The locator itself is not counted.
private func bytes(_ register: (Locator) -> Void) -> Int {
    let locator = Locator("benchmark")
    let before = allocatedBytes()
    register(locator)
    let after = allocatedBytes()
    return withExtendedLifetime(locator) { (after - before) / tenThousand }
}

/// The bytes that this process has allocated at this moment.
private func allocatedBytes() -> Int {
    #if canImport(Glibc)
    return Int(allocated_bytes())
    #elseif canImport(Darwin)
    var statistics = malloc_statistics_t()
    malloc_zone_statistics(nil, &statistics)
    return Int(statistics.size_in_use)
    #else
    #error("How many bytes are allocated is not known here.")
    #endif
}
