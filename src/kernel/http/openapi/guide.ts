/** What a reader of the document needs before the first call, as Markdown: the description of the document. */
export const GUIDE = `
The control plane for organizations whose work is done by software agents and owned by people. Owners use
\`/organizations…\`; agent runtimes use \`/internal/…\`, and the runs and chat turns that they carry out use
\`/internal/agent/…\`.

## Tokens
Every call but those of health sends \`Authorization: Bearer …\`. Which token an operation takes stands with it,
and for owners the scope of the token and the role of the member:

| token | for | where it comes from |
| --- | --- | --- |
| \`ownerToken\` | owners and their clients | \`POST /owner-tokens\`; the first one is printed by \`npm start\`, or set as \`OWNER_BOOTSTRAP_TOKEN\` |
| \`agentServiceToken\` | agent runtimes | printed by \`npm start\`, or set as \`AGENT_SERVICE_TOKENS\` |
| \`agentExecutionCapability\` | one run or chat turn | the answers of start, claim and heartbeat; it lives 15 minutes |

## First calls
\`\`\`sh
curl -s "$BASE/organizations" -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' -H "Idempotency-Key: $(uuidgen)" \\
  -d '{"name":"Acme","website":"acme.example","timezone":"Europe/Berlin","defaultCurrency":"EUR"}'
ORG=…   # data.organization.id
curl -s "$BASE/organizations/$ORG/tasks" -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"title":"Rank the customers","spec":{"objective":"Find out which customers matter most"}}'
TASK=…  # data.identifier, such as OPS-1
curl -s "$BASE/organizations/$ORG/tasks/$TASK/why" -H "Authorization: Bearer $TOKEN"
\`\`\`

## Answers and errors
Every JSON answer wears an envelope: \`success\`, \`statusCode\`, \`message\`, \`data\` (lists: and \`pagination\`) and
\`meta\` with the request's id. An error has \`error.code\` instead of \`data\`, a stable word; \`message\` is for people and
may change. \`error.issues\` say what is wrong where: a dotted \`path\` and a stable \`code\`. Take a code that you do not
know as what its status means.

Each operation lists its errors. Any operation may also answer 405, 408, 413, 414, 415, 417, 429, 431, 500 or 503.
Repeat a call after 408, 429, 503 and a lost connection, after the seconds of \`Retry-After\` where it is sent.

Ids are UUIDs; timestamps are ISO 8601 in UTC with microseconds: send back the text that you got.

## Idempotency
A \`POST\` of owners takes an \`Idempotency-Key\`, a UUID that you choose. A repeat with the same key and details gets the
data of the first answer and the header \`Idempotent-Replayed: true\`; the same key with other details is a conflict.

## Pages
Lists answer the newest first (\`order=asc\` turns it round), \`limit\` rows at once. Continue with
\`cursor=<pagination.nextCursor>\` and the same filters until it is null.

## Leases
A runtime claims work and gets a \`leaseToken\`, which every later call about it sends in its body. Heartbeats renew the
lease. An answer \`run_lease_expired\` means that the work is over for this worker, or somebody else's: stop it. Final calls
(\`complete\`, \`fail\`, \`cancelled\`) may be repeated; the same call again gets the same answer.
`.trim();
