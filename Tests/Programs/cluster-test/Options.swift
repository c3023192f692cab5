import Foundation

/// The program's options.
struct Options {
    enum Failover: String, CaseIterable { case synchronous, asynchronous }

    var seconds = 60
    var seed = UInt64.random(in: 0...UInt64(Int64.max))
    var servers = 3
    var clients = 8
    var failover: Failover?
    /// The folder for messages and logs, which is kept; nil for one that is not.
    var folder: URL?

    struct Mistake: Error {
        let description: String
    }

    init(_ arguments: ArraySlice<String>) throws {
        var rest = arguments
        while let option = rest.popFirst() {
            let value = rest.popFirst()
            switch option {
            case "--seconds": seconds = Int(clamping: try Self.number(value, for: option))
            case "--seed": seed = try Self.number(value, for: option)
            case "--servers": servers = Int(clamping: try Self.number(value, for: option))
            case "--clients": clients = Int(clamping: try Self.number(value, for: option))
            case "--folder": folder = value.map { URL(filePath: $0) }
            case "--failover":
                failover = value.flatMap { Failover(rawValue: $0) }
                if failover == nil { throw Mistake(description: "--failover is synchronous or asynchronous") }
            default:
                let options = "--seconds, --seed, --servers, --clients, --failover and --folder"
                throw Mistake(description: "\(option) is not an option; there are \(options)")
            }
        }
        guard 1...100 ~= servers, 1...100 ~= clients, 1...86_400 ~= seconds else {
            throw Mistake(description: "there are from 1 to 100 servers and clients, for up to a day")
        }
    }

    private static func number(_ value: String?, for option: String) throws -> UInt64 {
        guard let number = value.flatMap({ UInt64($0) }) else { throw Mistake(description: "\(option) needs a number") }
        return number
    }
}
