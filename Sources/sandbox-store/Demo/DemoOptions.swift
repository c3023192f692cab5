/// The options of `demo`.
struct DemoOptions: Equatable {
    /// The `.storekit` file; nil for the one in the package.
    var file: String?
    /// Whether the whole demo is played instead of the short one.
    var isWhole = false
    /// Whether the user is asked before each charge of the whole demo.
    var asks = false
    var isJSON = false
}

extension DemoOptions {
    init(_ arguments: CommandArguments) throws {
        self.init(
            file: arguments.words.first,
            isWhole: arguments.has("--all") || arguments.has("--ask"),
            asks: arguments.has("--ask"),
            isJSON: arguments.has("--json")
        )
        if asks, isJSON {
            let sentence = "a question is for people to read: --ask and --json do not go together"
            throw Command.Mistake(sentence, arguments.row)
        }
    }
}
