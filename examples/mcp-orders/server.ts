/**
 * A small MCP server over a CSV file of orders, to connect to an organization. It speaks the revision of 2026-07-28 and the
 * older ones, takes one bearer token, and keeps no sessions.
 *
 *   ORDERS_TOKEN=… ORDERS_FILE=orders.csv PORT=8787 npm run orders
 *
 * Prints a line for each message that it sends to a customer. EDITION=2 describes one tool otherwise, as an update would.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { constants, copyFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { OrdersFile } from './orders.ts';
import { orderTools } from './tools.ts';

const SAMPLE = fileURLToPath(new URL('../agent-runtime/data/orders.csv', import.meta.url));
const MOST_BYTES = 256 * 1_024;

const { ORDERS_TOKEN, ORDERS_FILE = 'orders.csv', PORT = '8787', EDITION = '1' } = process.env;
if (!ORDERS_TOKEN) {
  console.error('Usage: ORDERS_TOKEN=… [ORDERS_FILE=orders.csv] [PORT=8787] npm run orders');
  process.exit(2);
}
try {
  copyFileSync(SAMPLE, ORDERS_FILE, constants.COPYFILE_EXCL);
} catch (error) {
  if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
}
const orders = new OrdersFile(ORDERS_FILE);
const tools = orderTools(EDITION);

/** One a request: what answers one caller keeps nothing for the next. */
function makeServer(): Server {
  const server = new Server({ name: 'orders', version: EDITION }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({ tools: tools.map(({ definition }) => definition) }));
  server.setRequestHandler('tools/call', ({ params }) => {
    const tool = tools.find(({ definition }) => definition.name === params.name);
    if (!tool) return { content: [{ type: 'text', text: 'There is no such tool.' }], isError: true };
    return tool.run(orders, params.arguments ?? {});
  });
  return server;
}

const handler = createMcpHandler(makeServer, { maxSubscriptions: 0 });
const digest = (text: string) => createHash('sha256').update(text).digest();
const expected = digest(`Bearer ${ORDERS_TOKEN}`);

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url!, 'http://localhost');
  // Without a token too: whoever looks for an authorization server is to learn that there is none.
  if (pathname !== '/mcp') return void response.writeHead(404).end();
  if (!timingSafeEqual(digest(request.headers.authorization ?? ''), expected))
    return void response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
  if (Number(request.headers['content-length'] ?? 0) > MOST_BYTES) return void response.writeHead(413).end();
  const body = request.method === 'POST' ? new Uint8Array(await buffer(request)) : null;
  const headers = new Headers(Object.entries(request.headers) as [string, string][]);
  const answered = await handler.fetch(
    new Request(new URL(request.url!, 'http://localhost'), { method: request.method!, headers, body }),
  );
  response.writeHead(answered.status, Object.fromEntries(answered.headers));
  response.end(new Uint8Array(await answered.arrayBuffer()));
}

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    console.error(error);
    if (response.headersSent) response.destroy();
    else response.writeHead(500).end();
  });
});
server.listen(Number(PORT), '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : PORT;
  console.log(`listening at http://localhost:${port}/mcp, with the orders of ${ORDERS_FILE}`);
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0));
