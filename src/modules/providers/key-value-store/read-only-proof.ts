import { randomUUID } from 'node:crypto';
import { ProviderFailure } from '../../integrations/index.ts';
import { failed } from '../wire/index.ts';
import type { KeyValueClient, Reply } from './client.ts';
import type { Command } from './commands.ts';
import type { KeyScope } from './settings.ts';

/**
 * Proves that a token reads and writes nothing: every kind of write is refused as such. A refusal of the key proves nothing,
 * because a token that writes other keys says that too. Should a write be permitted it changes nothing, since nobody has the
 * key. Throws what the store says to the read, and `rejected`, `may_write` of a token that may write.
 */
export async function requireReadOnly(client: KeyValueClient, scope: KeyScope): Promise<void> {
  const key = `${scope.mode === 'prefix' ? scope.prefix : ''}service-integration:${randomUUID()}`;
  const writes: readonly Command[] = [
    ['SETRANGE', key, '0', ''],
    ['SET', key, '', 'XX'],
    ['DEL', key],
    ['EXPIRE', key, '1'],
    ['LPUSHX', key, ''],
    ['HDEL', key, ''],
    ['SREM', key, ''],
    ['ZREM', key, ''],
  ];
  const [exists, ...replies] = await client.run([['EXISTS', key], ...writes]);
  requireRead(exists!);
  for (const [index, [name]] of writes.entries()) requireRefused(replies[index]!, name);
}

/** It may be refused for the key: a token may reach less than the scope. */
function requireRead(reply: Reply): void {
  if ('value' in reply) return;
  const isOfKey = reply.failure.code === 'scope_lost' && reply.refusedToRun === undefined;
  if (!isOfKey) throw new ProviderFailure(reply.failure);
}

function requireRefused(reply: Reply, name: string): void {
  if (!('failure' in reply)) throw failed('rejected', { status: 200, reason: 'may_write' });
  if (reply.refusedToRun === name) return;
  if (reply.failure.code === 'rate_limited') throw new ProviderFailure(reply.failure);
  throw failed('rejected', { status: reply.failure.status, reason: 'may_write' });
}
