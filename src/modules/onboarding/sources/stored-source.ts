import { createHash } from 'node:crypto';
import type { ObjectStore, StoredBytes } from '../../../kernel/storage/index.ts';
import { onboardingUploads } from './sources.queries.ts';

/** The bytes of a source as they were acknowledged. */
interface Acknowledged extends StoredBytes {
  readonly uploadId: string;
}

export function keyOfSource(organizationId: string, { uploadId }: Pick<Acknowledged, 'uploadId'>): string {
  return onboardingUploads.objectKeyOf({ organizationId, id: uploadId });
}

/** Whether the store has an object of this size: what it tells without reading it. */
export async function hasSize(objects: ObjectStore, organizationId: string, source: Acknowledged): Promise<boolean> {
  return (await objects.stat(keyOfSource(organizationId, source)))?.sizeBytes === source.sizeBytes;
}

/** Whether the store has exactly the bytes that were acknowledged; reads all of them. */
export async function isWhole(
  objects: ObjectStore,
  organizationId: string,
  source: Acknowledged,
  signal?: AbortSignal,
): Promise<boolean> {
  const opened = await objects.open(keyOfSource(organizationId, source));
  if (!opened) return false;
  const hash = createHash('sha256');
  let size = 0;
  for await (const piece of opened.stream) {
    signal?.throwIfAborted();
    size += (piece as Buffer).length;
    hash.update(piece as Buffer);
  }
  return size === source.sizeBytes && hash.digest('hex') === source.sha256;
}
