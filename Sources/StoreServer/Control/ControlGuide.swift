import Foundation

/// The text at `/llms.txt`, by which a coding assistant can control a store.
package enum ControlGuide {
    /// The text, in Markdown.
    ///
    /// It contains nothing of the store, and no secret.
    package static let text = #"""
        # StoreCore: an App Store for tests

        > A server on this machine that sells like the App Store, with verifyReceipt, the App Store Server API,
        > notifications, and an interface in JSON by which a test buys, refunds and moves the clock.

        - Start: `sandbox-store serve --json` prints one line: `url`, `control`, `token` (a file), `key` (the API's .p8
          file), `keyIdentifier`, `issuer`, `root` (the certificate that receipts and JWS lead to; trust it in tests only).
        - Every request below `/control/v1` needs `Authorization: Bearer TOKEN` with the content of the file `token`.
        - Bodies and answers are JSON. A refusal is `{"error": {"code", "message", "word", "suggestion"}}`; `suggestion`
          is the valid word that is most like the wrong one.
        - `GET /control/v1/openapi.json` describes all of it, and `sandbox-store openapi` prints the same.
        - `GET /control/v1/commands` lists the commands of a store. Each is `POST /control/v1/commands/{command}` with its
          words by name, as in `{"product": "pro"}`, or a line for `POST /control/v1/commands`: `{"line": "buy pro"}`.

        ## A store for each test

        `POST /control/v1/stores` opens a store in memory, with servers and a clock of its own; every member is optional:
        `products` (`id`, `kind`: consumable, nonConsumable, nonRenewing, autoRenewable, freeSubscription, subscriptionSuite or
        subscriptionBundle, `price`, `period` as P1M, `group`, `level` in it (1 is the highest), `trial`, `members` of a
        bundle, `monthlyPrice` of a year, `codeOffers`, `familyShareable`, `name`, `description`), `storekit` (a .storekit
        file), `bundleIdentifier`, `appAppleIdentifier`, `environment` (Sandbox or Production), `time`, `clock` (fixed or
        running), `notificationURL`, `retries` (seconds), `sharedSecret`, `quirks`, `idle` (seconds), `root` (shared or own).
        Its answer has `url` (the base for clients of the App Store's servers), `control` (the base of the same interface for
        this store), `store`, `privateKey`, `keyIdentifier`, `issuer`, `root` and `products`.
        `DELETE /control/v1/stores/{store}` closes it.

        ```sh
        ask() { curl -sf -H "Authorization: Bearer $TOKEN" "$@"; }
        store=$(ask "$URL/control/v1/stores" -d '{"products": [
            {"id": "pro", "kind": "autoRenewable", "price": "4.99", "period": "P1M"}]}')
        control=$(printf %s "$store" | sed 's/.*"control":"\([^"]*\)".*/\1/')
        ask "$control/commands/buy" -d '{"product": "pro"}'
        ask "$control/commands/advance" -d '{"duration": "1mo"}'
        ask "$control/notifications?type=DID_RENEW"
        ```

        ## Make things happen: POST /control/v1/commands/...

        - buy, approve, decline, restore, refund, request-refund, advance, advance-to, advance-to-end, auto-renew, expire

        ## Read what happened

        - `GET /control/v1/transactions`, newest first; `GET /control/v1/transactions/{transaction}` has the JWS and payload
        - `GET /control/v1/subscriptions`
        - `GET /control/v1/notifications`, with payloads and the attempts to deliver each; by `type` or `transaction`
        - `GET /control/v1/requests`: the requests that the App Store's servers answered, with the status of each
        - `GET /control/v1/events`: server-sent events, one for each thing that happens

        ## Make the servers fail

        - `PATCH /control/v1/server`: `{"isAvailable": false}`, or `{"isReleased": false}` for 401 from production's API
        - `PATCH /control/v1/server`: `{"quirks": ["notifies-twice", "lists-late=0.5"]}` does what real stores were seen to
          do; `[]` ends it, and `POST /control/v1/commands/quirks` lists all quirks with who has seen them
        - `POST /control/v1/failures`: `{"verification": 21009, "times": 1}` or `{"request": 4290000}`
        - `POST /control/v1/commands/spoil`: `{"fault": "loseAnswer", "times": 1}` loses the answer to each
          device's next submission; `{"fault": "off"}` ends all faults

        """#

    /// Returns the response to a request for the text, which needs no token.
    static func response(to request: HTTPRequest) -> HTTPResponse {
        guard request.method == "GET" else { return HTTPResponse(405, headers: ["Allow": "GET"]) }
        return HTTPResponse(200, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Data(text.utf8))
    }
}
