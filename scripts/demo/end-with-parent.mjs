// Preloaded into the demo's children: when the demo dies, however it dies, the channel to it closes and they stop too,
// the runtime before the service, so that it can still give back what it holds.
const afterMs = Number(process.env.END_AFTER_MS ?? 0);
process.once('disconnect', () => setTimeout(() => process.kill(process.pid, 'SIGTERM'), afterMs));
