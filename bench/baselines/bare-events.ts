import type { ServerResponse } from 'node:http';
import Fastify from 'fastify';
import pg from 'pg';

/** An event stream in its simplest form: each notification is sent to all connected clients. */
const app = Fastify();
const streams = new Set<ServerResponse>();

app.get('/events', (_request, reply) => {
  const { raw } = reply.hijack();
  raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' }).flushHeaders();
  streams.add(raw);
  raw.on('close', () => streams.delete(raw));
});

const listener = new pg.Client({ connectionString: process.env.DATABASE_URL! });
let id = 0;
listener.on('notification', ({ payload }) => {
  const { topic, payload: message } = JSON.parse(payload ?? '{}') as { topic?: string; payload?: object };
  if (topic !== 'chat.message') return;
  const frame = Buffer.from(`id: ${(id += 1)}\nevent: delta\ndata: ${JSON.stringify(message)}\n\n`);
  for (const stream of streams) stream.write(frame);
});
await listener.connect();
await listener.query('listen business_runner');

process.on('SIGTERM', () => process.exit(0));
console.log(JSON.stringify({ msg: 'ready', baseUrl: await app.listen({ host: '127.0.0.1', port: 0 }) }));
