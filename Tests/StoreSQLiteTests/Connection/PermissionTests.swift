#if canImport(CSQLite)
    import CSQLite
    import Foundation
    import SQLiteFaults
    import StoreCore
    import StoreSQLite
    import TestSupport
    import Testing

    /// Who may read and write a database's files and their folder.
    @Suite(.sqlite, .promptly) struct PermissionTests {
        private let folder: Folder

        init() throws { folder = try Folder() }

        /// Makes this process, which has to be one of an exit test, somebody whom permissions bind.
        private static func dropPrivileges() throws {
            if geteuid() == 0 { try #require(setgid(65_534) == 0 && setuid(65_534) == 0) }
        }

        /// The permissions of the files in a folder, by name.
        private static func modes(in folder: URL) throws -> [String: mode_t] {
            let path = folder.path(percentEncoded: false)
            return try FileManager.default.contentsOfDirectory(atPath: path).reduce(into: [:]) { modes, name in
                var found = stat()
                // It may have been deleted meanwhile.
                if stat("\(path)/\(name)", &found) == 0 { modes[name] = found.st_mode & 0o777 }
            }
        }

        private func chmod(_ name: String, _ mode: mode_t) throws {
            try #require(Foundation.chmod(folder.url.appending(path: name).path(percentEncoded: false), mode) == 0)
        }

        /// Opens the database in a process that permissions bind, and expects it to be refused.
        private func expectRefusal(_ sentence: String) async throws {
            let file = folder.file.path(percentEncoded: false)
            await #expect(processExitsWith: .success) { [file = file as String, sentence = sentence as String] in
                try Self.dropPrivileges()
                let error = try #require(throws: SQLiteDatabaseError.self) {
                    try SQLiteDatabase(at: URL(filePath: file), patience: 0)
                }
                #expect(error.code == .readOnly)
                #expect(error.description == sentence)
            }
            try chmod("", 0o755)
        }

        @Test func `A new file in a folder that may not be written is refused, and not made`() async throws {
            try chmod("", 0o555)
            try await expectRefusal("the folder of store.sqlite may not be written")
            #expect(try folder.contents.isEmpty)
        }

        @Test func `A file in a folder that may not be written is refused where its log cannot be made`() async throws {
            try folder.open().close()
            try chmod("store.sqlite", 0o666)
            try chmod("", 0o555)
            try await expectRefusal("the folder of store.sqlite may not be written")
        }

        @Test func `A file in a folder that may not be entered is refused`() async throws {
            try folder.open().close()
            try chmod("", 0o000)
            try await expectRefusal("the folder of store.sqlite may not be entered")
        }

        @Test func `A file that may not even be read is refused`() async throws {
            try folder.open().close()
            try chmod("store.sqlite", 0o000)
            try await expectRefusal("store.sqlite may not be read")
        }

        @Test func `A file that may only be read is refused`() async throws {
            try folder.open().close()
            try chmod("store.sqlite", 0o444)
            try chmod("", 0o777)
            try await expectRefusal("store.sqlite may not be written")
        }

        @Test func `A log that may not be read is named`() async throws {
            let database = try folder.open()
            let copy = try folder.copy()
            database.close()
            for (name, data) in try copy.contents { try data.write(to: folder.url.appending(path: name)) }
            try chmod("store.sqlite", 0o666)
            try chmod("store.sqlite-wal", 0o000)
            try chmod("", 0o777)
            try await expectRefusal("store.sqlite-wal may not be read")
        }

        @Test func `A place that takes no files is refused as one that may not be written`() throws {
            let error = try #require(throws: SQLiteDatabaseError.self) {
                try SQLiteDatabase(at: URL(filePath: "/proc/store.sqlite"), patience: 0)
            }
            #expect(error.code == .readOnly)
            #expect(error.description == "the folder of store.sqlite may not be written")
        }

        // MARK: Who may read what was bought

        @Test(arguments: [mode_t(0), 0o022, 0o777])
        func `A new file and those beside it are the owner's alone at every moment, whatever the umask`(
            mask: mode_t
        ) async throws {
            let path = folder.url.path(percentEncoded: false)
            await #expect(processExitsWith: .success) { [path = path as String, mask = mask as mode_t] in
                let folder = URL(filePath: path)
                umask(mask)
                let seen = Locked<[String: Set<mode_t>]>([:])
                let system = FaultFileSystem()
                // Asked before each act of the disk.
                system.cut {
                    for (name, mode) in (try? Self.modes(in: folder)) ?? [:] {
                        seen.withLock { _ = $0[name, default: []].insert(mode) }
                    }
                    return false
                }
                let database = try SQLiteDatabase(
                    at: folder.appending(path: "store.sqlite"),
                    durability: .full,
                    patience: 0,
                    lane: .caller,
                    log: .silent,
                    fileSystem: system.name
                )
                try Shop(database).buy("sword")
                let names = ["store.sqlite", "store.sqlite-journal", "store.sqlite-wal"]
                #expect(seen.withLock { $0 } == Dictionary(uniqueKeysWithValues: names.map { ($0, [0o600]) }))
                #expect(umask(mask) == mask)
            }
        }

        @Test func `A new file at the end of a link is the owner's alone`() throws {
            let link = folder.url.appending(path: "link.sqlite")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.file)
            let database = try SQLiteDatabase(at: link, patience: 0)
            #expect(try Self.modes(in: folder.url)["store.sqlite"] == 0o600)
            database.close()
        }

        @Test(arguments: [mode_t(0o644), 0o640])
        func `A file that was there keeps its permissions, and its log has the same`(mode: mode_t) throws {
            try folder.open().close()
            try chmod("store.sqlite", mode)
            let database = try folder.open()
            try Shop(database).buy("sword")
            #expect(try Self.modes(in: folder.url) == ["store.sqlite": mode, "store.sqlite-wal": mode])
            database.close()
            #expect(try Self.modes(in: folder.url) == ["store.sqlite": mode])
        }
    }
#endif
