import Foundation
import Testing

@testable import StoreCore

@Suite struct LocalizationTests {
    private func title(of locales: [String], device: String, country: String = "USA") throws -> String {
        var product = SandboxProduct.consumable("sword", price: "1")
        product.localizations = locales.map { .init(locale: $0, title: $0) }
        product.referenceName = "reference"
        var catalog = try Catalog([product])
        return catalog.describe(0, for: device, in: Storefronts.storefront(country)).localizedTitle
    }

    @Test(arguments: [
        // Device, what there is, what is shown.
        ("en_GB", ["en_US", "en_GB", "en"], "en_GB"),
        ("en_GB", ["en_US", "en"], "en"),
        ("en_GB", ["fr_FR", "en_US"], "en_US"),
        ("de_AT", ["en_US", "de_DE"], "de_DE"),
        ("de-AT", ["en_US", "de_DE"], "de_DE"),
        ("de_AT@currency=EUR", ["en_US", "de_DE", "de_AT"], "de_AT"),
        ("de", ["en_US", "de_DE"], "de_DE"),
        ("zh_TW", ["en_US", "zh_Hans", "zh_Hant"], "zh_Hant"),
        ("zh_CN", ["en_US", "zh_Hant", "zh_Hans"], "zh_Hans"),
        ("zh_Hans_SG", ["en_US", "zh_Hant"], "zh_Hant"),
        ("sr_Latn_RS", ["sr_Cyrl", "sr_Latn"], "sr_Latn"),
        ("pt_PT", ["en_US", "pt_BR"], "pt_BR"),
        ("pt_BR", ["pt_PT", "pt_BR"], "pt_BR"),
    ])
    func `B82, B205: Texts are in the device's language, as closely as there are any`(
        device: String,
        locales: [String],
        shown: String
    ) throws {
        #expect(try title(of: locales, device: device) == shown)
    }

    @Test func `B131: Without the device's language, texts follow the storefront's`() throws {
        #expect(try title(of: ["en_US", "ja", "de_DE"], device: "fr_FR", country: "DEU") == "de_DE")
        #expect(try title(of: ["en_US", "ja", "de_DE"], device: "fr_FR", country: "JPN") == "ja")
    }

    @Test func `Without either, texts are in English`() throws {
        #expect(try title(of: ["ja", "en_GB", "en_US"], device: "fr_FR", country: "DEU") == "en_US")
        #expect(try title(of: ["ja", "en_GB"], device: "fr_FR", country: "DEU") == "en_GB")
    }

    @Test func `Without English, texts are in the first language there is`() throws {
        #expect(try title(of: ["ja", "ko"], device: "fr_FR", country: "DEU") == "ja")
        #expect(try title(of: ["ja"], device: "fr_FR", country: "DEU") == "ja")
    }

    @Test func `Without any text, the title is the reference name and there is no description`() throws {
        #expect(try title(of: [], device: "en_US") == "reference")
        var catalog = try Catalog([.consumable("sword", price: "1")])
        let description = catalog.describe(0, for: "en_US", in: nil)
        #expect(description.localizedTitle == "sword")
        #expect(description.localizedDescription == "")
    }

    @Test func `A text that is empty in the device's language is shown as it is`() throws {
        var product = SandboxProduct.consumable("sword", price: "1")
        product.localizations = [.init(locale: "en_US", title: "Sword"), .init(locale: "de_DE", title: "")]
        var catalog = try Catalog([product])
        #expect(catalog.describe(0, for: "de_DE", in: nil).localizedTitle == "")
    }

    @Test func `A real file: Arabic for an Arabic device, English for a German one`() throws {
        var catalog = try Catalog(RealFile.load("apple__sample-food-truck__Products").products)
        let index = try #require(catalog.index(of: "feature.annualhistory"))
        let usa = Storefronts.storefront("USA")
        #expect(catalog.describe(index, for: "de_DE", in: usa).localizedTitle == "Full year of history")
        #expect(catalog.describe(index, for: "ar_EG", in: usa).localizedTitle == catalog[index].localizations[1].title)
    }
}
