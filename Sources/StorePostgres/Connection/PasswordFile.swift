#if canImport(CPostgres)
    import Foundation

    /// libpq's password file: a line has host, port, database, role and password, separated by colons.
    struct PasswordFile {
        let path: String
        let database: String
        let role: String

        /// Returns the passwords of the role for the database, on whatever server; none where there is no file.
        var passwords: [String] {
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
            return text.split(whereSeparator: \.isNewline).compactMap { line in
                let fields = Self.fields(line)
                guard fields.count >= 5, ["*", database].contains(fields[2]), ["*", role].contains(fields[3]) else {
                    return nil
                }
                return fields[4]
            }
        }

        /// Returns the fields of a line, in which a backslash goes before a colon or a backslash that separates nothing.
        private static func fields(_ line: Substring) -> [String] {
            var fields = [""]
            var characters = line.makeIterator()
            while let character = characters.next() {
                switch character {
                case ":": fields.append("")
                case "\\": fields[fields.count - 1].append(characters.next() ?? "\\")
                default: fields[fields.count - 1].append(character)
                }
            }
            return fields
        }
    }
#endif
