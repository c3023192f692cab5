/// The options of `demo`.
struct DemoOptions: Equatable {
    /// The `.storekit` file; the one in the package, if nil.
    var file: String?
    /// Whether to ask before each charge.
    var asks = false
    /// Whether each line is JSON.
    var isJSON = false
}

extension Command {
    /// Makes the command of the arguments behind `demo`, sorted.
    static func demonstration(_ options: [String], _ files: [String]) throws(Mistake) -> Command {
        guard files.count <= 1 else {
            throw Mistake(sentence: "demo plays on one file; \(files.count) were given")
        }
        let choice = DemoOptions(
            file: files.first,
            asks: options.contains("--ask"),
            isJSON: options.contains("--json")
        )
        guard !choice.asks || !choice.isJSON else {
            throw Mistake(sentence: "a question is for people to read: --ask and --json do not go together")
        }
        return .demo(choice)
    }
}
