import Foundation
import StoreContract
import StoreCore

extension ScenarioCommand {
    /// Commands that make later actions fail.
    static let failures: [ScenarioCommand] = [
        ScenarioCommand(
            "reachable",
            [.state],
            [.anyDevice],
            in: .failures,
            isSetting: true,
            "Whether the store can be reached, or by a device"
        ) { call in
            guard let device = try call.device(in: "--device") else {
                call.store.isReachable = call.isOn
                return call.done("the store \(call.isOn ? "can" : "cannot") be reached")
            }
            device.isReachable = call.isOn
            return call.done("\(device.name) \(call.isOn ? "can" : "cannot") reach the store")
        },
        ScenarioCommand(
            "fail-restores",
            [ScenarioParameter("failure", .either(["off"], .failure))],
            [ScenarioOption("--after", .number(0...1_000_000), "how many transactions come before; 0 unless given")],
            in: .failures,
            isSetting: true,
            "Every restore breaks off from now on"
        ) { call in
            call.store.failRestores(with: call.failure("failure"), after: call.number("--after") ?? 0)
            return call.done("restores fail: \(call.text("failure"))")
        },
        ScenarioCommand(
            "download-pace",
            [ScenarioParameter("bytes", .either(["at-once"], .number(1...1_000_000_000)))],
            in: .failures,
            isSetting: true,
            "Hosted files come with so many bytes a second of the store's clock"
        ) { call in
            call.store.downloadPace = call.number("bytes").map { .bytesPerSecond(Double($0)) } ?? .atOnce
            return call.done("hosted files come: \(call.text("bytes"))")
        },
        ScenarioCommand(
            "fail-download",
            [ScenarioParameter("content", .text), ScenarioParameter("failure", .failure)],
            [
                ScenarioOption("--after", .number(0...1_000_000_000), "how many bytes come before; 0 unless given"),
                .device,
            ],
            in: .failures,
            isSetting: true,
            "The next download of a hosted file fails once"
        ) { call in
            let device = try call.device()
            if let failure = call.failure("failure") {
                let point = DownloadFailurePoint.afterBytes(Int64(call.number("--after") ?? 0))
                device.failDownload(of: call.text("content"), at: point, with: failure)
            }
            return call.done("the download of \(call.text("content")) on \(device.name) will fail")
        },
        ScenarioCommand(
            "signature",
            [ScenarioParameter("defect", .choice(["sound"] + SignatureDefect.allCases.map(\.rawValue)))],
            in: .failures,
            isSetting: true,
            "What is wrong with the store's signatures from now on"
        ) { call in
            call.store.signatureDefect = SignatureDefect(rawValue: call.text("defect"))
            return call.done("signatures: \(call.text("defect"))")
        },
        spoil,
        quirk,
        ScenarioCommand(
            "reset",
            in: .failures,
            isSetting: true,
            "All settings that no ledger keeps are as at first"
        ) { call in
            let store = call.store
            store.authorizer = .approving
            store.purchaseFailure = nil
            store.quirks = []
            store.renewalRate = .realTime
            store.refundDecision = .approve
            store.ageRatingCode = nil
            store.externalPurchases = ExternalPurchaseSettings()
            store.failRestores(with: nil)
            store.downloadPace = .atOnce
            store.signatureDefect = nil
            store.isReachable = true
            for device in store.devices {
                call.session.connections?.injector(of: device).removeAllRules()
                device.isReachable = true
                device.priceConsentAnswer = nil
                device.codeEntry = nil
                device.continuesToExternalPurchases = true
            }
            call.session.use(account: nil, device: nil)
            return call.done("all settings are as at first")
        },
    ]
}
