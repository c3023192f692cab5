#!/usr/bin/env bash
# A server's tests, each with an App Store of its own, all at the same time: `bash test.sh`.
set -euo pipefail
cd "$(dirname "$0")"
. ./app-store.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

products='{"id": "castle", "kind": "nonConsumable", "price": "9.99"},
    {"id": "pro.monthly", "kind": "autoRenewable", "price": "4.99", "group": "pro", "period": "P1M"}'

# equal FOUND EXPECTED
equal() { [ "$1" = "$2" ] || { echo "found $1 in place of $2"; return 1; }; }
# decoded JWS: prints what is in it, unverified.
decoded() {
    local payload
    payload=$(cut -d. -f2 <<<"$1" | tr '_-' '/+')
    while [ $((${#payload} % 4)) != 0 ]; do payload+="="; done
    base64 --decode <<<"$payload"
}
# notifications TYPE: prints how many of a type have been made.
notifications() { app_store_get "notifications?type=$1&limit=200" | grep -o '"notification":"' | wc -l; }

test_purchase() {
    local jws
    equal "$(app_store_do buy '{"product": "castle"}' | app_store_json state)" purchased
    jws=$(app_store_get transactions/1 | app_store_json jws)
    equal "$(decoded "$jws" | app_store_json productId)" castle
    # Whether it is signed below the store's root.
    app_store_value root >"$work/root.pem"
    echo "$jws" >"$work/castle.jws"
    "${SANDBOX_STORE:-sandbox-store}" verify "$work/castle.jws" --root "$work/root.pem" >/dev/null
    echo "${jws%????}AAAA" >"$work/forged.jws"
    ! "${SANDBOX_STORE:-sandbox-store}" verify "$work/forged.jws" --root "$work/root.pem" >/dev/null
}
test_refusal() {
    local answer
    ! answer=$(app_store_do buy '{"product": "castel"}' 2>&1)
    equal "$(app_store_json suggestion <<<"$answer")" castle
}
test_notification() {
    app_store_do buy '{"product": "pro.monthly"}' >/dev/null
    equal "$(app_store_get notifications | app_store_json subtype)" INITIAL_BUY
}
test_year() {
    app_store_do buy '{"product": "pro.monthly"}' >/dev/null
    app_store_do advance '{"duration": "1y"}' >/dev/null
    equal "$(notifications SUBSCRIBED) $(notifications DID_RENEW)" "1 12"
}
test_refund() {
    app_store_do buy '{"product": "castle"}' >/dev/null
    equal "$(app_store_do refund '{"transaction": "1"}' | app_store_json refund)" 9.99
    equal "$(notifications REFUND)" 1
}
test_receipt() {
    local receipt
    app_store_do buy '{"product": "castle"}' >/dev/null
    receipt=$(app_store_do receipt | app_store_json receipt)
    equal "$(curl -s --noproxy '*' "$(app_store_value sandboxURL)/verifyReceipt" -d "{\"receipt-data\": \"$receipt\"}" | app_store_json status)" 0
}
for months in 1 2 3; do
    eval "test_a_store_of_its_own_for_${months}_months() {
        app_store_do buy '{\"product\": \"pro.monthly\"}' >/dev/null
        app_store_do advance '{\"duration\": \"${months}mo\"}' >/dev/null
        equal \"\$(notifications DID_RENEW)\" $months
    }"
done

# run TEST: runs it on a store of its own, and keeps what became of it.
run() (
    test=$1
    trap '[ $? = 0 ] && echo "ok $test" >>"$work/results" || echo "FAILED $test" >>"$work/results"' EXIT
    app_store "{\"products\": [$products]}"
    "$test"
    app_store_drop
)
app_store_server
for name in $(compgen -A function test_); do
    run "$name" &
    running+=($!)
done
wait "${running[@]}" || true
sort "$work/results"
[ "$(grep -c ^ok "$work/results")" = ${#running[@]} ]
