/// The program's options.
struct Options {
    var crashes = 2_000
    var seed = UInt64.random(in: 0...UInt64(Int64.max))
    var lanes = App.Lane.allCases
    var transports = App.Transport.allCases
    var faces = App.Face.allCases
    /// The configurations of the apps, in turn.
    var setups: [App.Setup] {
        transports.flatMap { transport in
            lanes.flatMap { lane in faces.map { App.Setup(lane: lane, transport: transport, face: $0) } }
        }
    }

    struct Mistake: Error {
        let description: String
    }

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let option = rest.popFirst() {
            switch option {
            case "--crashes": crashes = Int(clamping: try Self.number(rest.popFirst(), for: option))
            case "--seed": seed = try Self.number(rest.popFirst(), for: option)
            case "--lane": lanes = try Self.choice(rest.popFirst(), for: option)
            case "--transport": transports = try Self.choice(rest.popFirst(), for: option)
            case "--face": faces = try Self.choice(rest.popFirst(), for: option)
            default:
                let options = "--crashes, --seed, --lane, --transport and --face"
                throw Mistake(description: "\(option) is not an option; there are \(options)")
            }
        }
    }

    private static func number(_ value: String?, for option: String) throws -> UInt64 {
        guard let number = value.flatMap({ UInt64($0) }) else { throw Mistake(description: "\(option) needs a number") }
        return number
    }

    /// Returns one of two values, or both.
    private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ value: String?,
        for option: String
    ) throws -> [Choice] {
        let all = Array(Choice.allCases)
        if value == "both" { return all }
        guard let choice = value.flatMap({ Choice(rawValue: $0) }) else {
            let names = all.map(\.rawValue).joined(separator: ", ")
            throw Mistake(description: "\(option) is \(names) or both")
        }
        return [choice]
    }
}
