import { EdgeIssues, invalid } from '../../../kernel/errors/index.ts';
import { ProviderFailure } from '../../integrations/index.ts';
import { keysOf } from './commands.ts';
import type { KeyValueClient, Reply } from './client.ts';
import { type KeyValueRead, MOST_COMMANDS } from './key-value-read.ts';
import { BATCH, READS, TOOLS } from './manifest.ts';
import { isInScope, type KeyScope, MOST_KEY_BYTES, requireText } from './settings.ts';

export type Arguments = Readonly<Record<string, unknown>>;

/** What a batch carries out. */
export interface BatchedRead {
  readonly tool: string;
  readonly arguments: Arguments;
}

/** Arguments in their canonical form, all keys of which lie in the scope; 400 at the first that does not, or cannot be. */
export function scopedArguments(
  name: string,
  given: Arguments,
  scope: KeyScope,
  mayCall: (toolName: string) => boolean,
): Arguments {
  const args = TOOLS.checked<Arguments>(name, given);
  if (name !== BATCH) {
    requireScoped(READS.get(name)!, args, scope, 'arguments');
    return args;
  }
  const reads = (args as { readonly reads: readonly BatchedRead[] }).reads.map((read, index) => {
    const path = `arguments.reads.${index}`;
    if (!mayCall(read.tool))
      throw invalid(`${path}.tool`, EdgeIssues.unknownReference, 'is not a tool that may be called here');
    const own = TOOLS.checked<Arguments>(read.tool, read.arguments, `${path}.arguments`);
    requireScoped(READS.get(read.tool)!, own, scope, `${path}.arguments`);
    return { tool: read.tool, arguments: own };
  });
  const count = reads.reduce((sum, read) => sum + commandsOf(read), 0);
  if (count > MOST_COMMANDS)
    throw invalid('arguments.reads', EdgeIssues.invalidLength, `must take at most ${MOST_COMMANDS} commands`);
  return { reads };
}

/** With the one that the first may ask for. */
function commandsOf({ tool, arguments: args }: BatchedRead): number {
  const read = READS.get(tool)!;
  return read.commands(args).length + (read.next ? 1 : 0);
}

function requireScoped(read: KeyValueRead, args: Arguments, scope: KeyScope, path: string): void {
  for (const [argument, value] of Object.entries(args)) requireTexts(value, `${path}.${argument}`);
  read.check?.(args, path);
  for (const key of read.commands(args).flatMap(keysOf)) {
    if (isInScope(key, scope)) continue;
    throw invalid(pathOfKey(args, key, path), EdgeIssues.notPermitted, 'must be a key in the scope of the connector');
  }
}

function requireTexts(value: unknown, path: string): void {
  if (typeof value === 'string') requireText(value, MOST_KEY_BYTES, path);
  if (Array.isArray(value)) for (const [index, each] of value.entries()) requireTexts(each, `${path}.${index}`);
}

function pathOfKey({ keys }: Arguments, key: string, path: string): string {
  return Array.isArray(keys) ? `${path}.keys.${keys.indexOf(key)}` : `${path}.key`;
}

/** A read with the values of its commands, or the first failure among them. */
interface Planned {
  readonly read: KeyValueRead;
  readonly args: Arguments;
  values: unknown[];
  failure: ProviderFailure | undefined;
}

/** Carries out a read in one request, and a second one where the first tells what to count. */
export async function outputOfRead(client: KeyValueClient, name: string, args: Arguments): Promise<object> {
  const [planned] = await carriedOut(client, [{ tool: name, arguments: args }]);
  return projectionOf(planned!);
}

/** Carries out reads in the same way; each fails by itself, but a refused credential or a limit is that of all. */
export async function outputOfBatch(client: KeyValueClient, reads: readonly BatchedRead[]): Promise<object> {
  const planned = await carriedOut(client, reads);
  const results = planned.map((each) => {
    const { name: tool } = each.read.tool;
    const code = each.failure?.failure.code;
    if (code === 'credential_refused' || code === 'rate_limited') throw each.failure!;
    if (code === undefined) return { tool, status: 'succeeded', output: projectionOf(each) };
    return { tool, status: 'failed', error: { code: code === 'rejected' ? 'provider_rejected' : code } };
  });
  return { results };
}

async function carriedOut(client: KeyValueClient, reads: readonly BatchedRead[]): Promise<readonly Planned[]> {
  const planned = reads.map(({ tool, arguments: args }): Planned => {
    return { read: READS.get(tool)!, args, values: [], failure: undefined };
  });
  const commands = planned.map(({ read, args }) => read.commands(args));
  const replies = (await client.run(commands.flat()))[Symbol.iterator]();
  for (const [index, each] of planned.entries())
    for (let left = commands[index]!.length; left > 0; left -= 1) take(each, replies.next().value as Reply);
  const more = planned.flatMap((each) => {
    const next = each.failure ? undefined : each.read.next?.(each.values, each.args);
    return next ? [{ each, next }] : [];
  });
  const others = await client.run(more.map(({ next }) => next));
  for (const [index, { each }] of more.entries()) take(each, others[index]!);
  return planned;
}

function take(planned: Planned, reply: Reply): void {
  if ('value' in reply) planned.values.push(reply.value);
  else planned.failure ??= new ProviderFailure(reply.failure);
}

function projectionOf({ read, args, values, failure }: Planned): object {
  if (failure) throw failure;
  return read.project(values, args);
}
