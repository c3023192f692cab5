import Foundation
import StoreCrypto

/// A program that writes what our stores issue, for programs of others to judge: `sign-samples FOLDER`.
///
/// The folder gets the root certificate, a file for each form and each defect of its chain, and `manifest.json`, which lists
/// them. `.ci/judges` calls it.
@main enum SignSamples {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 2 else { end("usage: sign-samples FOLDER", code: 2) }
        guard Libcrypto.isAvailable else { end(Libcrypto.advice, code: 1) }
        do {
            var samples = try SampleFolder(URL(fileURLWithPath: arguments[1]), at: Date())
            try samples.addSamples()
            try samples.writeManifest()
        } catch {
            end("\(error)", code: 1)
        }
    }

    private static func end(_ line: String, code: CInt) -> Never {
        try? FileHandle.standardError.write(contentsOf: Data("sign-samples: \(line)\n".utf8))
        exit(code)
    }
}
