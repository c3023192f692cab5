import Foundation
import StoreCrypto

/// A program that feeds malformed input to the readers of untrusted input, by coverage (libFuzzer).
///
///     store-fuzz TARGET [--seconds 20] [--seed 1] [--folder .build-fuzz/store-fuzz]
///     store-fuzz TARGET [--folder .build-fuzz/store-fuzz] FILE...
///
/// The second form reads each file once, as when an input has failed. `.ci/fuzz` builds the program with libFuzzer; without
/// it there is the second form only.
enum StoreFuzz {
    /// Returns the target, or ends the process: with the advice and code 0 where libcrypto is missing.
    static func begin() -> (options: Options, target: any Target) {
        do {
            let options = try Options(CommandLine.arguments.dropFirst())
            guard Libcrypto.isAvailable || !options.target.needsLibcrypto else {
                complain(Libcrypto.advice)
                exit(0)
            }
            return (options, try options.target.target(options.folder))
        } catch {
            end(error)
        }
    }

    static func end(_ error: any Error) -> Never {
        complain("\(error)")
        exit(error is Options.Mistake ? 2 : 1)
    }

    static func complain(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data("store-fuzz: \(line)\n".utf8))
    }
}

#if !LIBFUZZER
    @main extension StoreFuzz {
        static func main() {
            let (options, target) = begin()
            do {
                guard !options.files.isEmpty else {
                    throw Options.Mistake(description: "this is built without libFuzzer: run .ci/fuzz, or name files")
                }
                for file in options.files { target.read([UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))) }
            } catch {
                end(error)
            }
        }
    }
#endif
