import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Resolver } from 'node:dns/promises';

/**
 * Runs before an API process of the fault run: makes its wall clock jump on command, and ends it with the fault run,
 * however that ends. Its monotonic clock is not changed, as when an administrator sets the time. Reports when the first
 * request arrives. Answers for the name server where a peer has a name.
 */
const ActualDate = Date;
let offsetMs = 0;

globalThis.Date = new Proxy(ActualDate, {
  construct: (target, args) => Reflect.construct(target, args.length === 0 ? [now()] : args) as Date,
  apply: () => new ActualDate(now()).toString(),
  get: (target, key) => (key === 'now' ? now : (Reflect.get(target, key) as unknown)),
});
process.on('message', (message: { readonly offsetMs: number }) => (offsetMs = message.offsetMs));
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.channel?.unref();

const REQUESTED = 'http.server.request.start';
subscribe(REQUESTED, atWork);

function atWork(): void {
  unsubscribe(REQUESTED, atWork);
  process.send?.('at work');
}

function now(): number {
  return ActualDate.now() + offsetMs;
}

const { LOOKED_UP_HOSTS: hosts, LOOKED_UP_ADDRESS: address } = process.env;
if (hosts !== undefined && address !== undefined) {
  answerFor('resolve4', [address]);
  answerFor('resolve6', []);
}

function answerFor(question: 'resolve4' | 'resolve6', addresses: readonly string[]): void {
  const asked = Resolver.prototype[question] as (name: string) => Promise<string[]>;
  const answered = function (this: Resolver, name: string): Promise<string[]> {
    return hosts!.split(' ').includes(name) ? Promise.resolve([...addresses]) : asked.call(this, name);
  };
  Object.assign(Resolver.prototype, { [question]: answered });
}
