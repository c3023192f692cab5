import Foundation
import StoreCore
import StoreCrypto
import StoreServer

/// A program that sells and serves what it sold, for the client libraries of others to ask.
///
/// `server-samples FOLDER NOTIFICATION-URL` writes the root certificate and the API key to the folder, and one line of JSON with
/// the rest of what a client needs to standard output. Then it performs the acts that it reads from standard input, a line each,
/// and answers each with `ok` and what came of it, or with `failed` and the reason, until the input ends.
///
/// `server-samples --sell FOLDER PORT SEED` sells without end in a store in the folder, and writes a line for each sale once it is
/// committed, until it is killed or its output is closed.
@main
struct ServerSamples {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        switch (arguments.first, arguments.count) {
        case ("--sell", 4):
            guard let port = UInt16(arguments[3]), let seed = UInt64(arguments[4]) else { complain() }
            try sell(in: URL(filePath: arguments[2]), port: port, seed: seed)
        case (_, 2):
            guard let url = URL(string: arguments[2]) else { complain() }
            try perform(in: URL(filePath: arguments[1]), notifying: url)
        default: complain()
        }
    }

    private static func complain() -> Never {
        let usage = "usage: server-samples FOLDER NOTIFICATION-URL | --sell FOLDER PORT SEED\n"
        FileHandle.standardError.write(Data(usage.utf8))
        exit(2)
    }

    private static func perform(in folder: URL, notifying url: URL) throws {
        let shop = try SampleShop(notifying: url)
        try shop.authority.rootCertificate.write(to: folder.appending(path: "root.der"))
        try Data(shop.server.credentials.privateKeyPEM.utf8).write(to: folder.appending(path: "key.p8"))
        try write(json(try shop.facts()))
        while let line = readLine() {
            do {
                try write("ok \(try shop.perform(line.split(separator: " ").map(String.init)))")
            } catch {
                try write("failed \(error)")
            }
        }
        shop.server.stop()
    }

    private static func sell(in folder: URL, port: UInt16, seed: UInt64) throws {
        // Whoever stops reading ends the program.
        signal(SIGPIPE, SIG_DFL)
        let shop = try SellingShop(folder: folder, port: port, seed: seed)
        try write(json(shop.facts()))
        while true { try shop.sell { try write($0) } }
    }

    private static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// Writes a line at once: its reader waits for it.
    private static func write(_ line: String) throws {
        try FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
    }
}
