import type {
  ProviderAccess,
  ProviderNet,
  Report,
  ReportEntry,
  ReportPage,
  ReportRequest,
} from '../../integrations/index.ts';
import { ProviderFailure } from '../../integrations/index.ts';
import { KeyValueClient, type Reply, valueOf } from './client.ts';
import type { Command } from './commands.ts';
import { COUNTING } from './document-reads.ts';
import { integer, stored, word } from './replies.ts';
import type { KeyValueSettings, ReportingKey } from './settings.ts';

/** Bytes of a string that are read; one that has them all is no figure. */
const MOST_DIGITS = 64;
const FIGURE = /^-?(?:0|[1-9][0-9]{0,39})(?:\.[0-9]{1,20})?$/;

type Slot = Pick<ReportEntry, 'value' | 'reason'>;

const MISSING: Slot = { value: null, reason: 'missing_value' };
const NO_FIGURE: Slot = { value: null, reason: 'non_numeric' };
const NOT_COUNTED: Slot = { value: null, reason: 'unsupported_capability' };

/** What the keys that owners named hold now: two requests for all of them, which is everything there is. */
export const KEYS_REPORT: Report<KeyValueSettings> = {
  key: 'keys',
  version: 1,
  measures: ['value', 'size'],

  async next(request, access, net): Promise<ReportPage> {
    const keys = request.settings.reporting?.keys ?? [];
    const slots = await slotsOf(keys, access, net);
    const period = lastDayOf(request);
    return {
      items: keys.map(({ key, type }, at) => ({
        key,
        entries: [{ measure: type === 'numeric' ? 'value' : 'size', period, cut: key, ...slots[at]! }],
      })),
      checkpoint: null,
    };
  },
};

async function slotsOf(
  keys: readonly ReportingKey[],
  access: ProviderAccess,
  net: ProviderNet,
): Promise<readonly Slot[]> {
  const client = new KeyValueClient(access, net);
  const types = (await client.run(keys.map(({ key }) => ['TYPE', key]))).map((reply) => word(valueOf(reply)));
  const asked = keys.map((key, at) => commandFor(key, types[at]!));
  const commands = asked.filter((each) => Array.isArray(each)) as readonly Command[];
  const replies = (await client.run(commands))[Symbol.iterator]();
  return asked.map((each, at) =>
    Array.isArray(each) ? slotOf(keys[at]!, replies.next().value as Reply) : (each as Slot),
  );
}

/** What is asked for a key of a type; a slot where there is nothing to ask. */
function commandFor({ key, type }: ReportingKey, held: string): Command | Slot {
  if (held === 'none') return MISSING;
  if (type === 'numeric') return held === 'string' ? ['GETRANGE', key, '0', String(MOST_DIGITS)] : NO_FIGURE;
  const counting = COUNTING.get(held);
  return counting ? [counting, key] : NOT_COUNTED;
}

/** A key that changed its type meanwhile is a gap, and not the failure of all. */
function slotOf({ type }: ReportingKey, reply: Reply): Slot {
  if ('failure' in reply) {
    if (reply.failure.code === 'rejected') return type === 'numeric' ? NO_FIGURE : NOT_COUNTED;
    throw new ProviderFailure(reply.failure);
  }
  if (type === 'collection') return { value: String(integer(reply.value)) };
  const text = stored(reply.value);
  return typeof text === 'string' && FIGURE.test(text) ? { value: text } : NO_FIGURE;
}

/** Gauges say how it stands at the end of the window. */
function lastDayOf({ to }: ReportRequest<KeyValueSettings>): string {
  return Temporal.PlainDate.from(to).subtract({ days: 1 }).toString();
}
