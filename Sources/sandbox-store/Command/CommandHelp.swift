import StoreScenario

extension CommandRow {
    /// Returns the command's part of the help, in lines of at most 80 columns, without the descriptions of some
    /// options.
    func help(leavingOut described: [CommandOption] = []) -> String {
        let options = options.filter { !described.contains($0) }
        let width = options.map(\.usage.count).max() ?? 0
        return HelpText.fill("\(line) ", usage) + HelpText.fill("    ", summary)
            + options.map { HelpText.fill("    \($0.usage.padded(to: width))  ", $0.summary) }.joined()
    }

    /// The words of the command line, with no-break spaces between words that belong together.
    private var usage: String {
        let words = parameters.map(\.placeholder).map { name in
            count.lowerBound == 0 ? "[\(name)]" : count.upperBound > 1 ? "\(name)..." : name
        }
        let usages = { presence in options.filter { $0.presence == presence }.map(\.usage) }
        let alternatives = usages(.alternative).joined(separator: " | ")
        let parts =
            words + usages(.required) + (alternatives.isEmpty ? [] : ["(\(alternatives))"])
            + usages(.optional).map { "[\($0)]" }
        return parts.map { $0.replacing(" ", with: "\u{A0}") }.joined(separator: " ")
    }
}

extension CommandTable {
    /// The text of `--help`.
    static var help: String {
        // Describes the options of a store only once, in the tool's own part.
        let parts = own.map { $0.help(leavingOut: storeOptions) } + [tool.help()]
        return """
            sandbox-store: a store for testing in-app purchases, on Xcode's .storekit files

            \(parts.joined())\
            sandbox-store [COMMAND] --help
                Prints this, or what concerns one command, as sandbox-store help COMMAND
                does.
            sandbox-store --version
                Prints the version.

            An option may stand before or behind other words. What follows -- is no option.

            A terminal shows colors, unless NO_COLOR is set, tables in lines of its width,
            and the progress of what takes longer than a second.

            Exit codes: 0 for success, 1 for a file that cannot be used, a receipt that is
            not valid, a command that the store refuses, a server that does not answer,
            output that cannot be written, or SQLite, libcrypto or libmicrohttpd where it is
            missing, 2 for a command line or a scenario that makes no sense, or names a file
            that does not exist, or a receipt, key, root or list that cannot be read.

            """
    }
}
