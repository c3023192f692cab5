# App Stores of their own for the tests of a server: functions of Bash around curl.
#
#     . app-store.sh
#     app_store_server
#     app_store '{"products": [{"id": "castle", "kind": "nonConsumable", "price": "9.99"}]}'
#     app_store_do buy '{"product": "castle"}'
#
# It needs nothing but Bash and curl, and may be copied.

# app_store_json NAME: prints a text or a number of the JSON on standard input, whichever NAME comes first. Its escapes stay.
app_store_json() { grep -oE "\"$1\":(\"([^\"\\\\]|\\\\.)*\"|[^,}\"]+)" | sed -E '1{s/^[^:]*://;s/^"(.*)"$/\1/;q}'; }

# app_store_server [OPTION...]: starts `sandbox-store serve`, which ends with this shell. SANDBOX_STORE is the program. Where
# APP_STORE_CONTROL and APP_STORE_TOKEN are the URL and the token of one that runs already, there is nothing to do.
app_store_server() {
    [ -z "${APP_STORE_CONTROL:-}" ] || return 0
    local facts
    # The pipe on its standard input ends with this shell, however that ends.
    coproc APP_STORE_SERVER { exec sh -c 'exec 3<&0; (cat <&3; kill $$) >/dev/null 2>&1 & exec "$@" 3<&- </dev/null' \
        sh "${SANDBOX_STORE:-sandbox-store}" serve --json --quiet "$@"; }
    read -r facts <&"${APP_STORE_SERVER[0]}" || { echo "sandbox-store has not started" >&2; return 1; }
    APP_STORE_CONTROL=$(app_store_json control <<<"$facts")
    APP_STORE_TOKEN=$(cat "$(app_store_json token <<<"$facts")")
    export APP_STORE_CONTROL APP_STORE_TOKEN
}

# app_store_request METHOD URL [JSON]: prints the response. A refusal is printed too, and fails. The token comes from a pipe: others
# on the machine can read the words of a command line.
app_store_request() {
    curl --silent --show-error --noproxy '*' --fail-with-body --max-time 60 --request "$1" "$2" \
        --header @<(printf 'Authorization: Bearer %s' "$APP_STORE_TOKEN") ${3:+--data "$3"}
}

# app_store [OPTIONS]: makes a store with the options of POST /control/v1/stores, and keeps in APP_STORE what the server says of it.
app_store() { APP_STORE=$(app_store_request POST "$APP_STORE_CONTROL/stores" "${1:-{\}}"); }

# app_store_value NAME: prints a text that the server said of the store, such as url, keyIdentifier, privateKey and root.
app_store_value() { printf '%b\n' "$(app_store_json "$1" <<<"$APP_STORE")"; }

# app_store_do COMMAND [WORDS]: performs a command of the command line, such as `app_store_do advance '{"duration": "1y"}'`.
app_store_do() { app_store_request POST "$(app_store_value control)/commands/$1" "${2:-{\}}"; }

# app_store_get PATH: prints what is to be read below the store's control interface, such as `transactions/1`.
app_store_get() { app_store_request GET "$(app_store_value control)/$1"; }

# app_store_drop: drops the store.
app_store_drop() { app_store_request DELETE "$APP_STORE_CONTROL/stores/$(app_store_value store)"; }
