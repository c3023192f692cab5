/// The options of `simulate`.
struct SimulateOptions: Equatable {
    /// The storage of the store and the apps.
    enum Storage: String { case memory, sqlite, postgres }

    /// The transport between queues and stores.
    enum Transport: String { case direct, socket, both }

    var seed: UInt64 = 1
    var runs = 1000
    var operations = 50
    /// The number of threads; the number of the machine's cores, if nil.
    var jobs: Int?
    var transport = Transport.both
    var storage = Storage.memory
    /// Whether the tables are printed too.
    var printsCoverage = false
    /// Whether the report is printed as JSON.
    var isJSON = false
    /// The file of the page of a run that breaks a rule; none is written, if nil.
    var page: String?
}

extension Command {
    /// Parses the arguments behind `simulate`.
    static func simulation(_ arguments: ArraySlice<String>) throws(Mistake) -> Command {
        if arguments.contains(where: isHelp) { return .help }
        var options = SimulateOptions()
        var arguments = arguments
        while let option = arguments.popFirst() {
            switch option {
            case "--seed": options.seed = try number(for: option, &arguments)
            case "--runs": options.runs = try count(for: option, &arguments)
            case "--operations": options.operations = try count(for: option, &arguments)
            case "--jobs":
                let jobs = try count(for: option, &arguments)
                guard jobs > 0 else { throw Mistake(sentence: "--jobs has to be 1 at the least") }
                options.jobs = jobs
            case "--transport":
                guard let transport = arguments.popFirst().flatMap({ SimulateOptions.Transport(rawValue: $0) }) else {
                    throw Mistake(sentence: "--transport is direct, socket or both")
                }
                options.transport = transport
            case "--storage":
                guard let storage = arguments.popFirst().flatMap({ SimulateOptions.Storage(rawValue: $0) }) else {
                    throw Mistake(sentence: "--storage is memory, sqlite or postgres")
                }
                options.storage = storage
            case "--page":
                guard let file = arguments.popFirst() else { throw Mistake(sentence: "--page needs a file") }
                options.page = file
            case "--coverage": options.printsCoverage = true
            case "--json": options.isJSON = true
            default: throw Mistake(sentence: "\"\(option)\" is not an option of simulate")
            }
        }
        return .simulate(options)
    }

    private static func count(for option: String, _ arguments: inout ArraySlice<String>) throws(Mistake) -> Int {
        let number = try number(for: option, &arguments)
        guard number <= Int32.max else { throw Mistake(sentence: "\(option) can be \(Int32.max) at the most") }
        return Int(number)
    }

    private static func number(for option: String, _ arguments: inout ArraySlice<String>) throws(Mistake) -> UInt64 {
        guard let text = arguments.popFirst(), let number = UInt64(text) else {
            throw Mistake(sentence: "\(option) needs a whole number that is not negative")
        }
        return number
    }
}
