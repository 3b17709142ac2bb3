import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/**
 * Runs before an API process of the fault run: makes its wall clock jump on command, and ends it with the fault run,
 * however that ends. Its monotonic clock is not changed, as when an administrator sets the time. Reports when the first
 * request arrives.
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
