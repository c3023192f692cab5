import Foundation
import StoreCore

extension ScenarioCommand {
    /// Commands about accounts, devices, countries and languages.
    static let people: [ScenarioCommand] = [
        ScenarioCommand(
            "use",
            [],
            [.account, .device],
            in: .people,
            isSetting: true,
            "The account and the device of the commands that follow, where they name none"
        ) { call in
            let (account, device) = (try call.account(in: "--account"), try call.device(in: "--device"))
            call.session.use(account: account?.name, device: device?.name)
            let words = [account?.name, device?.name].compactMap(\.self)
            return call.done(words.isEmpty ? "the first device" : "using \(words.joined(separator: " on "))")
        },
        ScenarioCommand(
            "add-account",
            [ScenarioParameter("name", .text)],
            in: .people,
            "Another account"
        ) { call in call.done("the account \(try call.store.addAccount(call.text("name")).name)") },
        ScenarioCommand(
            "add-device",
            [ScenarioParameter("name", .text)],
            [ScenarioOption("--account", .account, "the account that is signed in on it; nobody, unless given")],
            in: .people,
            "Another device"
        ) { call in
            let account = try call.account(in: "--account")
            let device = try call.store.addDevice(call.text("name"), signedInTo: account)
            return call.done("the device \(device.name)\(account.map { " of \($0.name)" } ?? "")")
        },
        ScenarioCommand(
            "sign-in",
            [ScenarioParameter("account", .account)],
            [.device],
            in: .people,
            "An account signs in on a device"
        ) { call in
            let device = try call.device()
            guard let account = try call.account(in: "account") else { return call.done("nobody") }
            try device.signIn(to: account)
            return call.done("\(account.name) is signed in on \(device.name)")
        },
        ScenarioCommand("sign-out", [], [.device], in: .people, "Nobody is signed in on a device") { call in
            let device = try call.device()
            try device.signOut()
            return call.done("nobody is signed in on \(device.name)")
        },
        ScenarioCommand(
            "token",
            [ScenarioParameter("device", .device)],
            in: .people,
            "A token with which a device elsewhere buys; it is shown once"
        ) { call in
            let token = try (call.device(in: "device") ?? call.device()).makeToken()
            return ScenarioAnswer(text: token.text, json: ["token": .string(token.text)])
        },
        ScenarioCommand(
            "revoke-token",
            [ScenarioParameter("device", .device)],
            in: .people,
            "The tokens of a device are revoked"
        ) { call in
            let device = try call.device(in: "device") ?? call.device()
            let count = try device.revokeTokens()
            return call.done("\(count) token\(count == 1 ? "" : "s") of \(device.name) revoked")
        },
        ScenarioCommand(
            "storefront",
            [ScenarioParameter("country", .country)],
            in: .people,
            "The store sells for another country"
        ) { call in
            try call.store.setStorefront(call.text("country"))
            return call.done("the store sells for \(call.text("country"))")
        },
        ScenarioCommand(
            "age-rating",
            [ScenarioParameter("code", .either(["none"], .number(0...1_000_000)))],
            in: .people,
            isSetting: true,
            "The code of the app's age rating"
        ) { call in
            call.store.ageRatingCode = call.number("code")
            return call.done("the app's age rating: \(call.text("code"))")
        },
        ScenarioCommand(
            "locale",
            [ScenarioParameter("locale", .text)],
            [.anyDevice],
            in: .people,
            isSetting: true,
            "The language of the store or of a device, as in de_DE"
        ) { call in
            guard let device = try call.device(in: "--device") else {
                call.store.locale = call.text("locale")
                return call.done("the store's language is \(call.text("locale"))")
            }
            device.locale = call.text("locale")
            return call.done("the language of \(device.name) is \(call.text("locale"))")
        },
    ]
}
