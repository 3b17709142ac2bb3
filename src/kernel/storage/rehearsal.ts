import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { ObjectStore } from './object-store.ts';

/** Stores, reads, lists and removes one object that nothing else uses; rejects at the first thing that fails. */
export async function rehearse(store: ObjectStore): Promise<void> {
  await store.check();
  const key = `rehearsal-${randomUUID()}`;
  const bytes = Buffer.from(key);
  try {
    await store.put(key, Readable.from([bytes]), { maxBytes: bytes.length });
    const opened = await store.open(key);
    if (!opened || !(await buffer(opened.stream)).equals(bytes)) throw new Error('other bytes came back');
    for await (const _ of store.list(key)) throw new Error('an object was listed below another');
  } finally {
    await store.delete(key);
  }
}
