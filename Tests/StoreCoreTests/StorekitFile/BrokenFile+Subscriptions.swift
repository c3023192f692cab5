extension BrokenFile {
    static let subscriptions: [BrokenFile] = [
        .init(
            "a period in words",
            subscription: #""recurringSubscriptionPeriod": "monthly""#,
            at: "recurringSubscriptionPeriod",
            expected: duration,
            found: #""monthly""#
        ),
        .init(
            "a period of none",
            subscription: #""recurringSubscriptionPeriod": "P0M""#,
            at: "recurringSubscriptionPeriod",
            expected: duration,
            found: #""P0M""#
        ),
        .init(
            "a period without a number",
            subscription: #""recurringSubscriptionPeriod": "PM""#,
            at: "recurringSubscriptionPeriod",
            expected: duration,
            found: #""PM""#
        ),
        .init(
            "a period of two units",
            subscription: #""recurringSubscriptionPeriod": "P1Y6M""#,
            at: "recurringSubscriptionPeriod",
            expected: duration,
            found: #""P1Y6M""#
        ),
        .init(
            "a period in hours",
            subscription: #""recurringSubscriptionPeriod": "PT1H""#,
            at: "recurringSubscriptionPeriod",
            expected: duration,
            found: #""PT1H""#
        ),
        .init(
            "a period without a unit",
            subscription: #""recurringSubscriptionPeriod": "P12""#,
            at: "recurringSubscriptionPeriod",
            expected: duration,
            found: #""P12""#
        ),
        .init(
            "a period longer than anybody lives",
            subscription: #""recurringSubscriptionPeriod": "P10000Y""#,
            at: "recurringSubscriptionPeriod",
            expected: duration,
            found: #""P10000Y""#
        ),
        .init(
            "a bad price",
            subscription: #""displayPrice": "4.99 USD""#,
            at: "displayPrice",
            expected: price,
            found: #""4.99 USD""#
        ),
        .init(
            "another kind in a group",
            subscription: #""type": "Consumable""#,
            at: "type",
            expected: #""RecurringSubscription""#,
            found: #""Consumable""#
        ),
        .init(
            "another group's identifier",
            subscription: #""subscriptionGroupID": "one""#,
            at: "subscriptionGroupID",
            expected: #"the identifier of its group, "two""#,
            found: #""one""#
        ),
        .init(
            "level 0",
            subscription: #""groupNumber": 0"#,
            at: "groupNumber",
            expected: "a whole number from 1",
            found: "0"
        ),
        .init(
            "half a level",
            subscription: #""groupNumber": 1.5"#,
            at: "groupNumber",
            expected: "a whole number from 1",
            found: "1.5"
        ),
        .init(
            "an offer without a mode",
            subscription: #""introductoryOffer": {"subscriptionPeriod": "P1W"}"#,
            at: "introductoryOffer.paymentMode",
            expected: #""free", "payAsYouGo" or "payUpFront""#,
            found: "nothing"
        ),
        .init(
            "an offer in an unknown mode",
            subscription: #""introductoryOffer": {"paymentMode": "barter", "subscriptionPeriod": "P1W"}"#,
            at: "introductoryOffer.paymentMode",
            expected: #""free", "payAsYouGo" or "payUpFront""#,
            found: #""barter""#
        ),
        .init(
            "an offer without a period",
            subscription: #""introductoryOffer": {"paymentMode": "free"}"#,
            at: "introductoryOffer.subscriptionPeriod",
            expected: duration,
            found: "nothing"
        ),
        .init(
            "an offer without its price",
            subscription: #""introductoryOffers": [{"paymentMode": "payUpFront", "subscriptionPeriod": "P1M"}]"#,
            at: "introductoryOffers[0].displayPrice",
            expected: price,
            found: "nothing"
        ),
        .init(
            "an offer for no period",
            subscription:
                #""introductoryOffer": {"paymentMode": "free", "subscriptionPeriod": "P1W", "numberOfPeriods": 0}"#,
            at: "introductoryOffer.numberOfPeriods",
            expected: "a whole number from 1",
            found: "0"
        ),
        .init(
            "an unknown billing plan",
            subscription:
                #""introductoryOffer": {"paymentMode": "free", "subscriptionPeriod": "P1W", "billingPlanType": "DAILY"}"#,
            at: "introductoryOffer.billingPlanType",
            expected: #""BILLED_UPFRONT" or "MONTHLY""#,
            found: #""DAILY""#
        ),
        .init(
            "a billing plan without a price",
            subscription: #""billingPlans": [{"billingPlanType": "MONTHLY", "commitmentDisplayPrice": "12"}]"#,
            at: "billingPlans[0].displayPrice",
            expected: price,
            found: "nothing"
        ),
        .init(
            "a bad price of a whole billing plan",
            subscription:
                #""displayPrice": "1", "billingPlans": [{"displayPrice": "1", "commitmentDisplayPrice": "twelve"}]"#,
            at: "billingPlans[0].commitmentDisplayPrice",
            expected: price,
            found: #""twelve""#
        ),
        .init(
            "an unknown kind of billing plan",
            subscription:
                #""displayPrice": "1", "billingPlans": [{"billingPlanType": "DAILY", "displayPrice": "1"}]"#,
            at: "billingPlans[0].billingPlanType",
            expected: #""BILLED_UPFRONT" or "MONTHLY""#,
            found: #""DAILY""#
        ),
        .init(
            "a promotional offer without an identifier",
            subscription: #""adHocOffers": [{"paymentMode": "free", "subscriptionPeriod": "P1W"}]"#,
            at: "adHocOffers[0].offerID",
            expected: "an identifier for the offer",
            found: "nothing"
        ),
        .init(
            "a win-back offer with an empty identifier",
            subscription: #""winbackOffers": [{"offerID": "", "paymentMode": "free", "subscriptionPeriod": "P1W"}]"#,
            at: "winbackOffers[0].offerID",
            expected: "an identifier for the offer",
            found: #""""#
        ),
        .init(
            "a code offer without a name",
            subscription: #""codeOffers": [{"paymentMode": "free", "subscriptionPeriod": "P1W"}]"#,
            at: "codeOffers[0].referenceName",
            expected: "an identifier for the offer",
            found: "nothing"
        ),
        .init(
            "a code for nobody known",
            subscription:
                #""codeOffers": [{"referenceName": "x", "paymentMode": "free", "subscriptionPeriod": "P1W", "eligibility": ["new", "rich"]}]"#,
            at: "codeOffers[0].eligibility[1]",
            expected: #""new", "existing" or "expired""#,
            found: #""rich""#
        ),
    ]
}
