import Foundation
import StoreCore
import TestSupport
import Testing

/// What a process has among the temporary files, and when it goes.
@Suite(.promptly) struct TemporaryFolderTests {
    /// Temporary files of processes that a test starts, so that no other process looks there.
    private final class Place {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("place-\(UUID())")

        init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(at: url) }

        var path: String { url.path }
        var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }
    }

    @Test func `What a killed process leaves goes when the next one downloads a file`() async throws {
        let place = try Place()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = place.path as String] in
            try downloadFile(in: path) { _ in _ = kill(getpid(), SIGKILL) }
        }
        let left = try place.names
        #expect(left.count == 1)
        await #expect(processExitsWith: .success) { [path = place.path as String, left = left as [String]] in
            try downloadFile(in: path) { file in
                let names = try FileManager.default.contentsOfDirectory(atPath: path)
                #expect(names.count == 1 && names != left && file.path.hasPrefix("\(path)/\(names[0])/"))
            }
        }
        #expect(try place.names.isEmpty)
    }

    @Test func `What a process has goes when it exits, although somebody refers to it`() async throws {
        let place = try Place()
        await #expect(processExitsWith: .success) { [path = place.path as String] in
            try downloadFile(in: path) { file in
                #expect(FileManager.default.fileExists(atPath: file.path))
                exit(EXIT_SUCCESS)
            }
        }
        #expect(try place.names.isEmpty)
    }

    @Test func `The receipt of the process's own context goes when the process exits`() async throws {
        let place = try Place()
        await #expect(processExitsWith: .success) { [path = place.path as String] in
            setenv("TMPDIR", path, 1)
            let store = try SandboxStore(products: [.consumable("sword", price: "0.99")])
            StoreContext.process.use(store, delivery: .inline)
            try store.account.buy("sword")
            let file = try #require(StoreContext.process.appReceiptURL)
            #expect(file.path.hasPrefix(path) && FileManager.default.fileExists(atPath: file.path))
        }
        #expect(try place.names.isEmpty)
    }

    @Test func `What a process has that lives is left alone by others`() async throws {
        let hosting = try Hosting(pace: .atOnce)
        let download = try hosting.download()
        hosting.queue.start([download])
        let place = FileManager.default.temporaryDirectory.path
        await #expect(processExitsWith: .success) { [place = place as String] in try downloadFile(in: place) { _ in } }
        #expect(try Data(contentsOf: #require(download.contentURL)) == Hosting.level)
    }

    @Test func `What is not a dead process's folder is left alone`() async throws {
        let place = try Place()
        let files = FileManager.default
        let others = ["StoreCore-913D3C64-C58A-4A96", "shelf"].map { place.url.appendingPathComponent($0) }
        for other in others { try files.createDirectory(at: other, withIntermediateDirectories: true) }
        try Data().write(to: others[1].appendingPathComponent("book"))
        try Data().write(to: place.url.appendingPathComponent("StoreCore-process-1-file"))
        let link = place.url.appendingPathComponent("StoreCore-process-2-link")
        try files.createSymbolicLink(at: link, withDestinationURL: others[1])
        let before = try place.names
        await #expect(processExitsWith: .success) { [path = place.path as String] in try downloadFile(in: path) { _ in }
        }
        #expect(try place.names == before)
        #expect(files.fileExists(atPath: link.appendingPathComponent("book").path))
    }

    @Test func `Nobody but its user may look into a process's folder`() throws {
        let hosting = try Hosting(pace: .atOnce)
        let download = try hosting.download()
        hosting.queue.start([download])
        let folder = try #require(Hosting.folder(of: download)).deletingLastPathComponent()
        let permissions = try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions]
        #expect((permissions as? NSNumber)?.intValue == 0o700)
    }
}

/// Downloads a file in a process whose temporary files are at a place, and looks at it.
private func downloadFile(in place: String, _ look: (URL) throws -> Void) throws {
    setenv("TMPDIR", place, 1)
    let hosting = try Hosting(pace: .atOnce)
    let download = try hosting.download()
    hosting.queue.start([download])
    try look(#require(download.contentURL))
}
