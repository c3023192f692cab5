import Foundation
import Testing

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// An element of XML, with its text and that of the elements in it.
final class MarkupElement {
    let name: String
    let attributes: [String: String]
    fileprivate(set) var text = ""
    fileprivate(set) var children: [MarkupElement] = []

    init(_ name: String, _ attributes: [String: String]) { (self.name, self.attributes) = (name, attributes) }

    /// The elements of a name at any depth, in their order.
    func all(_ name: String) -> [MarkupElement] { children.flatMap { ($0.name == name ? [$0] : []) + $0.all(name) } }

    /// The elements with an attribute of a value at any depth, in their order.
    func all(_ attribute: String, _ value: String) -> [MarkupElement] {
        children.flatMap { ($0.attributes[attribute] == value ? [$0] : []) + $0.all(attribute, value) }
    }

    /// Reads a document; throws where it is not well-formed.
    static func read(_ text: String) throws -> MarkupElement {
        let reader = Reader()
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = reader
        guard parser.parse() else {
            throw MarkupError(reason: "line \(parser.lineNumber): \(parser.parserError.map { "\($0)" } ?? "")")
        }
        return try #require(reader.root)
    }

    private final class Reader: NSObject, XMLParserDelegate {
        var root: MarkupElement?
        private var open: [MarkupElement] = []

        func parser(
            _ parser: XMLParser,
            didStartElement name: String,
            namespaceURI: String?,
            qualifiedName: String?,
            attributes: [String: String]
        ) {
            let element = MarkupElement(name, attributes)
            open.last?.children.append(element)
            if root == nil { root = element }
            open.append(element)
        }

        func parser(_ parser: XMLParser, didEndElement: String, namespaceURI: String?, qualifiedName: String?) {
            open.removeLast()
        }

        func parser(_ parser: XMLParser, foundCharacters text: String) { for element in open { element.text += text } }

        func parser(_ parser: XMLParser, foundCDATA block: Data) {
            for element in open { element.text += String(decoding: block, as: UTF8.self) }
        }
    }
}

struct MarkupError: Error { let reason: String }
