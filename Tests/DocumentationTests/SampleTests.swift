import Testing

/// What articles quote of the samples in other languages, which `.ci/clients` runs.
@Suite struct SampleTests {
    @Test(
        arguments: [
            ("AnAppStoreInPython.md", "python/test_app_store.py"), ("AnAppStoreInNode.md", "node/app-store.test.mjs"),
            ("AnAppStoreInJava.md", "java/AppStoreTest.java"), ("AnAppStoreInBash.md", "curl/test.sh"),
        ]
    )
    func `Each quoted fence stands in the sample`(article: String, sample: String) throws {
        let document = try Document("Sources/StoreCore/StoreCore.docc/Articles/\(article)")
        let lines = try Document.text(".ci/client/\(sample)").split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
        let fences = document.fences.filter { $0.language == "text" }
        #expect(fences.count > 4)
        for fence in fences {
            #expect(lines.firstRange(of: fence.lines) != nil, "\(article):\(fence.line) differs from \(sample)")
        }
    }

    @Test(
        arguments: [
            ("AnAppStoreInPython.md", "python/app_store_sandbox.py"), ("AnAppStoreInNode.md", "node/app-store.mjs"),
            ("AnAppStoreInJava.md", "java/AppStore.java"),
        ]
    )
    func `Each method that an article names in passing is in the client`(article: String, client: String) throws {
        let text = try Document.text("Sources/StoreCore/StoreCore.docc/Articles/\(article)")
        let source = try Document.text(".ci/client/\(client)")
        let names = Set(text.matches(of: #/`(?:app_store|store)\.(\w+)\(/#).map { String($0.1) })
        #expect(names.isSuperset(of: ["perform", "run"]))
        for name in names { #expect(source.contains("\(name)("), "\(article) names \(name)") }
    }
}
