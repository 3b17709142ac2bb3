import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { ObjectStore } from './object-store.ts';

/**
 * Stores, reads, lists and removes one object that nothing else uses; rejects at the first thing that fails. Leaves nothing,
 * not even a folder that a start would make.
 */
export async function rehearse(store: ObjectStore): Promise<void> {
  const takeBack = store.prepare();
  try {
    await store.check();
    await storeOne(store);
  } finally {
    takeBack();
  }
}

async function storeOne(store: ObjectStore): Promise<void> {
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
