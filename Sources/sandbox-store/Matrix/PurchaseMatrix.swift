import Foundation
import StoreScenario

/// The table of what a server makes of the same purchases in each form, in each environment, before and after the app's
/// first release.
struct PurchaseMatrix {
    /// A column of the table.
    ///
    /// There is no production before a release, since nobody can buy there.
    enum Column: CaseIterable {
        case sandboxBeforeRelease, sandbox, production

        var isReleased: Bool { self != .sandboxBeforeRelease }
        var environment: String { self == .production ? "Production" : "Sandbox" }
        /// The words for the column in a sentence.
        var sentence: String { isReleased ? environment : "\(environment) before the release" }
    }

    /// A question with its reply.
    struct Cell {
        let kind: String
        let product: String
        let form: MatrixForm
        let column: Column
        let reply: MatrixReply
        let differences: [String]

        var agrees: Bool { reply.outcome == .accepted && differences.isEmpty }
        var text: String { differences.isEmpty ? reply.cell : "differs" }
    }

    private(set) var cells: [Cell] = []
    private let forms: [MatrixForm]

    /// Asks all questions.
    ///
    /// - Throws: ``MatrixClient/Unreachable`` if the server does not listen at the first question.
    init(_ stores: MatrixStores, _ client: MatrixClient, forms: [MatrixForm]) throws {
        self.forms = forms
        for column in Column.allCases {
            stores.setReleased(column.isReleased)
            let store = column == .production ? stores.production : stores.sandbox
            for purchase in store.purchases {
                for form in forms {
                    guard let value = purchase.values[form] else { continue }
                    let reply = try client.ask(
                        value,
                        form,
                        column.environment,
                        isReleased: column.isReleased,
                        isFirst: cells.isEmpty
                    )
                    let cell = Cell(
                        kind: purchase.kind,
                        product: purchase.product,
                        form: form,
                        column: column,
                        reply: reply,
                        differences: reply.differences(from: purchase, isAboutPurchase: true)
                    )
                    cells.append(cell)
                }
            }
        }
    }

    /// Whether the server accepted everything, and made the same of it.
    var agrees: Bool { cells.allSatisfy(\.agrees) }

    /// The table, followed by the answers that do not agree with the purchase.
    func text(_ console: Console) -> String {
        let heading =
            Self.row("", ["before release", "after release", ""]) + Self.row("", Column.allCases.map(\.environment))
        var text = heading.split(separator: "\n").map { "\(console.emphasized(String($0), as: .heading))\n" }.joined()
        var seen: Set<String> = []
        for product in cells.map(\.product) where seen.insert(product).inserted {
            let own = cells.filter { $0.product == product }
            text += "\(product) (\(own[0].kind))\n"
            for form in forms {
                let row = Column.allCases.map { column in own.first { $0.form == form && $0.column == column } }
                let line = Self.row("  \(form.rawValue)", row.map { $0?.text ?? "" })
                let isFine = row.allSatisfy { $0?.agrees ?? true }
                text += isFine ? line : "\(console.emphasized(String(line.dropLast()), as: .failure))\n"
            }
        }
        text += "\n"
        for cell in cells where !cell.agrees {
            let what = cell.differences.isEmpty ? cell.reply.sentence : cell.differences.joined(separator: ", ")
            text += HelpText.fill("  ", "\(cell.product), \(cell.form.rawValue), \(cell.column.sentence): \(what)")
        }
        let count = cells.count(where: \.agrees)
        return text + "\(count) of \(Wording.count(cells.count, "answer")) agree with the purchase\n"
    }

    private static func row(_ title: String, _ texts: [String]) -> String {
        let count = texts.lastIndex { !$0.isEmpty } ?? 0
        let padded = texts.prefix(count).map { $0.padded(to: 18) }
        return "\(title.padded(to: 24))\(padded.joined())\(texts[count])\n"
    }

    /// The cells as JSON, one in each line.
    var json: String {
        cells.map { cell in
            let value: JSONValue = [
                "purchase": .string(cell.product), "form": .string(cell.form.rawValue),
                "environment": .string(cell.column.environment), "isReleased": .bool(cell.column.isReleased),
                "outcome": .string(cell.reply.outcome.rawValue), "status": .optional(cell.reply.status),
                "reason": .optional(cell.reply.reason), "agrees": .bool(cell.agrees),
                "differences": .array(cell.differences.map(JSONValue.string)),
            ]
            return "\(value.encoded)\n"
        }.joined()
    }
}
