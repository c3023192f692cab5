/// The options of `simulate-server`.
struct SimulateServerOptions: Equatable {
    /// The simulation's JSON file.
    var file: String
    /// The number of lives; nil for that of the file.
    var runs: Int?
    /// The first life's seed.
    var seed: UInt64 = 1
    /// The number of steps in each life; nil for that of the file.
    var steps: Int?
    /// The maximum number of servers at the same time; nil for the number of cores.
    var jobs: Int?
}

extension SimulateServerOptions {
    init(_ arguments: CommandArguments) throws {
        func number(_ option: String) throws -> Int? {
            try arguments.value(of: option) { Int($0).flatMap { $0 > 0 ? $0 : nil } }
        }
        self.init(file: arguments.words[0])
        let life = try arguments.value(of: "--life") { UInt64($0) }
        seed = try life ?? arguments.value(of: "--seed") { UInt64($0) } ?? seed
        runs = try life == nil ? number("--runs") : 1
        steps = try number("--steps")
        jobs = try number("--jobs")
    }
}
