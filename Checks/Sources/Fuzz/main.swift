import Foundation
import Model

/// Ends with the result of a run.
func finish(_ failure: String?) {
    guard let failure else { return }
    print(failure)
    exit(1)
}

let arguments = CommandLine.arguments.dropFirst()
guard let mode = arguments.first, let seconds = arguments.last.flatMap(Int.init), arguments.count == 2 else {
    print("usage: Fuzz model|concurrent SECONDS")
    exit(2)
}
let settings = Settings(.seconds(seconds), seed: .random(in: 1...1_000_000_000))
switch mode {
case "model": finish(await compareWithModel(settings))
case "concurrent": finish(await useConcurrently(settings))
default:
    print("unknown mode: \(mode)")
    exit(2)
}
