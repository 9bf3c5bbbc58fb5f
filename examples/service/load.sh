#!/usr/bin/env bash
# Sells an event to many buyers at once, and counts the answers: ./load.sh [buyers] [seats] [at once]
set -euo pipefail
shop=${SHOP:-http://127.0.0.1:8080}
buyers=${1:-200} seats=${2:-100} width=${3:-20}

post() { # path, body
    curl -sf -H 'content-type: application/json' -H "authorization: Bearer $session" -d "$2" "$shop$1"
}
id() { sed -E 's/^\{"id":"([0-9a-f]{24})".*/\1/'; }

session=
session=$(post /organisations '{"name":"Load"}' | sed -E 's/.*"session":"([^"]*)".*/\1/')
venue=$(post /venues "{\"name\":\"Load\",\"city\":\"Lisbon\",\"seats\":$seats}" | id)
event=$(post /events "{\"venue\":\"$venue\",\"title\":\"Load\",\"starts\":\"2100-01-01T20:00:00Z\",\"seats\":$seats,\"price_cents\":2500}" | id)
customer=$(post /customers "{\"name\":\"Load\",\"email\":\"load-$RANDOM$RANDOM@example.com\"}" | id)

start=$(date +%s%N)
for _ in $(seq "$buyers"); do od -An -N12 -tx1 /dev/urandom | tr -d ' \n'; echo; done |
    xargs -P "$width" -I{} curl -s -o /dev/null -w '%{http_code}\n' -X PUT -H 'content-type: application/json' \
        -H "authorization: Bearer $session" \
        -d "{\"customer\":\"$customer\",\"event\":\"$event\",\"seats\":1}" "$shop/orders/{}" |
    sort | uniq -c
echo "$buyers orders in $((($(date +%s%N) - start) / 1000000)) ms"
curl -sf -H "authorization: Bearer $session" "$shop/events/$event/sales"
echo
