extension BrokenFile {
    private static let duration = #"an ISO 8601 duration of one unit, such as "P1W", "P1M" or "P1Y""#
    private static let mode = #""free", "payAsYouGo" or "payUpFront""#
    private static let plan = #""BILLED_UPFRONT" or "MONTHLY""#
    private static let positive = "a whole number from 1"
    private static let offer = "an identifier for the offer"
    private static let week = #""subscriptionPeriod": "P1W""#
    private static let freeWeek = #""paymentMode": "free", "subscriptionPeriod": "P1W""#

    private static func period(_ name: String, _ value: String) -> BrokenFile {
        .init(name, subscription: "recurringSubscriptionPeriod", value, duration)
    }

    static let subscriptions: [BrokenFile] = [
        period("a period in words", #""monthly""#),
        period("a period of none", #""P0M""#),
        period("a period without a number", #""PM""#),
        period("a period of two units", #""P1Y6M""#),
        period("a period in hours", #""PT1H""#),
        period("a period without a unit", #""P12""#),
        period("a period longer than anybody lives", #""P10000Y""#),
        .init("a bad price", subscription: "displayPrice", #""4.99 USD""#, price),
        .init("another kind in a group", subscription: "type", #""Consumable""#, #""RecurringSubscription""#),
        .init(
            "another group's identifier",
            subscription: "subscriptionGroupID",
            #""one""#,
            #"the identifier of its group, "two""#
        ),
        .init("level 0", subscription: "groupNumber", "0", positive),
        .init("half a level", subscription: "groupNumber", "1.5", positive),
        .init("an offer without a mode", in: "introductoryOffer", week, at: "paymentMode", mode),
        .init(
            "an offer in an unknown mode",
            in: "introductoryOffer",
            #""paymentMode": "barter", \#(week)"#,
            at: "paymentMode",
            mode,
            #""barter""#
        ),
        .init(
            "an offer without a period",
            in: "introductoryOffer",
            #""paymentMode": "free""#,
            at: "subscriptionPeriod",
            duration
        ),
        .init(
            "an offer without its price",
            in: "introductoryOffers[0]",
            #""paymentMode": "payUpFront", "subscriptionPeriod": "P1M""#,
            at: "displayPrice",
            price
        ),
        .init(
            "an offer for no period",
            in: "introductoryOffer",
            #"\#(freeWeek), "numberOfPeriods": 0"#,
            at: "numberOfPeriods",
            positive,
            "0"
        ),
        .init(
            "an unknown billing plan",
            in: "introductoryOffer",
            #"\#(freeWeek), "billingPlanType": "DAILY""#,
            at: "billingPlanType",
            plan,
            #""DAILY""#
        ),
        .init(
            "a billing plan without a price",
            in: "billingPlans[0]",
            #""billingPlanType": "MONTHLY", "commitmentDisplayPrice": "12""#,
            at: "displayPrice",
            price
        ),
        .init(
            "a bad price of a whole billing plan",
            in: "billingPlans[0]",
            #""displayPrice": "1", "commitmentDisplayPrice": "twelve""#,
            at: "commitmentDisplayPrice",
            price,
            #""twelve""#
        ),
        .init(
            "an unknown kind of billing plan",
            in: "billingPlans[0]",
            #""billingPlanType": "DAILY", "displayPrice": "1""#,
            at: "billingPlanType",
            plan,
            #""DAILY""#
        ),
        .init("a promotional offer without an identifier", in: "adHocOffers[0]", freeWeek, at: "offerID", offer),
        .init(
            "a win-back offer with an empty identifier",
            in: "winbackOffers[0]",
            #""offerID": "", \#(freeWeek)"#,
            at: "offerID",
            offer,
            #""""#
        ),
        .init("a code offer without a name", in: "codeOffers[0]", freeWeek, at: "referenceName", offer),
        .init(
            "a product's code offer without a name",
            product: "codeOffers",
            #"[{"paymentMode": "free"}]"#,
            offer,
            "nothing",
            at: "codeOffers[0].referenceName"
        ),
        .init(
            "a product's code offer without a price",
            product: "codeOffers",
            #"[{"referenceName": "x"}]"#,
            price,
            "nothing",
            at: "codeOffers[0].displayPrice"
        ),
        .init(
            "a product's code offer in an unknown mode",
            product: "codeOffers",
            #"[{"referenceName": "x", "paymentMode": "payAsYouGo"}]"#,
            #""free", "oneTime" or "payUpFront""#,
            #""payAsYouGo""#,
            at: "codeOffers[0].paymentMode"
        ),
        .init(
            "a code for nobody known",
            in: "codeOffers[0]",
            #""referenceName": "x", \#(freeWeek), "eligibility": ["new", "rich"]"#,
            at: "eligibility[1]",
            #""new", "existing" or "expired""#,
            #""rich""#
        ),
    ]
}
