import StoreScenario

/// The table of what a server makes of values that it may not know yet, or that it must not trust.
struct FutureMatrix {
    /// A case with the server's reply.
    struct Row {
        let question: FutureCase
        let reply: MatrixReply
        let differences: [String]

        var isMet: Bool { question.isMet(by: reply, differences) }
    }

    private(set) var rows: [Row] = []

    /// Asks all questions, in the sandbox of a released app.
    ///
    /// - Throws: ``MatrixClient/Unreachable`` if the server does not listen at the first question.
    init(_ cases: [FutureCase], _ client: MatrixClient) throws {
        for question in cases {
            let reply = try client.ask(
                question.value,
                question.part.form,
                "Sandbox",
                isReleased: true,
                isFirst: rows.isEmpty
            )
            let differences = question.purchase.map { reply.differences(from: $0, isAboutPurchase: false) } ?? []
            rows.append(Row(question: question, reply: reply, differences: differences))
        }
    }

    /// Whether the server did everything as expected.
    var isMet: Bool { rows.allSatisfy(\.isMet) }

    /// The table, in which an exclamation mark precedes what is not as expected.
    func text(_ console: Console) -> String {
        var text = "\(console.emphasized(Self.line("", "expected", "got"), as: .heading))\n"
        for part in FutureCase.Part.allCases {
            let own = rows.filter { $0.question.part == part }
            if own.isEmpty { continue }
            text += "\(part.rawValue)\n"
            for row in own {
                let got = row.differences.isEmpty ? row.reply.cell : "differs"
                let title = "\(row.isMet ? " " : "!") \(row.question.name)"
                let line = Self.line(title, row.question.expectation.rawValue, got)
                text += "\(row.isMet ? line : console.emphasized(line, as: .failure))\n"
            }
        }
        text += "\n"
        for row in rows where !row.isMet && !(row.differences.isEmpty && row.reply.reason == nil) {
            let what = row.differences.isEmpty ? row.reply.sentence : row.differences.joined(separator: ", ")
            text += HelpText.fill("  ", "\(row.question.part.rawValue), \(row.question.name): \(what)")
        }
        let count = rows.count { $0.isMet }
        return text + "\(count) of \(Wording.count(rows.count, "answer")) are as expected\n"
    }

    private static func line(_ title: String, _ expected: String, _ got: String) -> String {
        title.padded(to: 44) + expected.padded(to: 12) + got
    }

    /// The rows as JSON, one in each line.
    var json: String {
        rows.map { row in
            let value: JSONValue = [
                "part": .string(row.question.part.rawValue), "name": .string(row.question.name),
                "form": .string(row.question.part.form.rawValue),
                "expected": .string(row.question.expectation.rawValue),
                "outcome": .string(row.reply.outcome.rawValue), "status": .optional(row.reply.status),
                "reason": .optional(row.reply.reason), "isExpected": .bool(row.isMet),
                "differences": .array(row.differences.map(JSONValue.string)),
            ]
            return "\(value.encoded)\n"
        }.joined()
    }
}
