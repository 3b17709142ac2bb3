/**
 * What the conformance suite of MCP starts as a client: it does an owner's part over the API of the service at `SERVICE`, as
 * `OWNER` in `ORGANIZATION`, for the server whose address is its last argument.
 */
const { SERVICE, OWNER, ORGANIZATION, CONTROL, MCP_CONFORMANCE_SCENARIO, MCP_CONFORMANCE_CONTEXT = '{}' } = process.env;
const endpoint = process.argv.at(-1);
const CALLBACK = 'https://runner.test';

async function call(method, path, body) {
  const response = await fetch(`${SERVICE}/organizations/${ORGANIZATION}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${OWNER}`,
      'sec-fetch-site': 'same-origin',
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  console.log(`${method} ${path} ${response.status} ${text.slice(0, 2_000)}`);
  const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';');
  return { status: response.status, body: JSON.parse(text), cookie };
}

/** One authorization, as the person's browser goes through it. */
async function authorize(id) {
  const started = await call('POST', `/integrations/${id}/oauth/mcp/start`, {});
  if (started.status !== 200) return false;
  let url = started.body.data.authorizationUrl;
  for (let hops = 0; !url.startsWith(CALLBACK) && hops < 10; hops += 1) {
    const { headers } = await fetch(url, { redirect: 'manual' });
    url = new URL(headers.get('location'), url).href;
  }
  const { pathname, search } = new URL(url);
  const answer = await fetch(`${SERVICE}${pathname}${search}`, { headers: { cookie: started.cookie } });
  console.log(`callback ${answer.status} ${(await answer.text()).slice(200, 700)}`);
  return answer.status === 200;
}

await fetch(CONTROL, { method: 'POST', body: MCP_CONFORMANCE_CONTEXT });
const made = await call('POST', '/integrations', { name: `Server ${Date.now()}`, endpoint });
const { id } = made.body.data;
let isConnected = await authorize(id);
// The server names another authorization server as soon as it sees a token; an owner starts anew then.
if (MCP_CONFORMANCE_SCENARIO.endsWith('migration')) isConnected = await authorize(id);
// Where the server asks for something else by then, an owner authorizes once more.
if (isConnected && (await call('POST', `/integrations/${id}/discover`)).status !== 200) {
  isConnected = await authorize(id);
  await call('POST', `/integrations/${id}/discover`);
}
process.exit(isConnected ? 0 : 1);
