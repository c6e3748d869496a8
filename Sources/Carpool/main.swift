import CarpoolKit
import Foundation

func write(_ text: String, to file: FileHandle) { file.write(Data(text.utf8)) }

let outcome = await Program.run(Array(CommandLine.arguments.dropFirst())) { line in
    write("\(line)\n", to: .standardError)
}
write(outcome.output, to: .standardOutput)
write(outcome.errors, to: .standardError)
exit(outcome.status)
