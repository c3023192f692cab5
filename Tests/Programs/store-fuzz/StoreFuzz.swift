import Foundation

/// A program that feeds malformed input to the readers of untrusted input, by coverage (libFuzzer), else by chance.
///
///     store-fuzz TARGET [--seconds 20] [--seed 1] [--folder .build-fuzz/store-fuzz]
///     store-fuzz TARGET [--folder .build-fuzz/store-fuzz] FILE...
///
/// The second form reads each file once, as when an input has failed. `.ci/fuzz` builds the program with libFuzzer if the
/// toolchain has it; without it a ``Mutator`` changes the seeds.
enum StoreFuzz {
    /// Returns the target, or ends the process: with the advice and code 0 where its library is missing.
    static func begin() -> (options: Options, target: any Target) {
        do {
            let options = try Options(CommandLine.arguments.dropFirst())
            if let advice = options.target.advice {
                complain(advice)
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
                var limits = try InputLimits(options.target, target)
                if options.files.isEmpty {
                    var mutator = Mutator(seed: options.seed, seeds: try target.seeds)
                    let place = URL(fileURLWithPath: options.folder.failurePrefix(options.target) + "last")
                    try FileManager.default.createDirectory(at: options.folder.url, withIntermediateDirectories: true)
                    let count = try mutator.run(seconds: options.seconds, keepingInputAt: place) { limits.test($0) }
                    complain("\(options.target): \(count) inputs by chance, from the seed \(options.seed)")
                }
                for file in options.files { limits.test([UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))) }
            } catch {
                end(error)
            }
        }
    }
#endif
