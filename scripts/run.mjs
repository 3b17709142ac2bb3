// Plain JavaScript, because it must run on any Node that starts it, to tell that this Node is too old.
const WANTED = [26, 12, 1];
const found = process.versions.node.split('.').map(Number);
const difference = WANTED.map((wanted, index) => found[index] - wanted).find((each) => each !== 0) ?? 0;
if (difference < 0) {
  console.error(
    `Node ${WANTED.join('.')} or newer is needed, this is ${process.versions.node}. On Linux (x64, arm64) "npm ci" brings it: ` +
      'run it without --ignore-scripts, and start through npm ("npm start", "npm test"). Elsewhere install it yourself.',
  );
  process.exit(1);
}
const [script, ...rest] = process.argv.slice(2);
process.argv.splice(1, process.argv.length - 1, script, ...rest);
// What npm started stops with npm. Children of such a process have not its environment, or stop with it in their own way.
if (process.env.npm_lifecycle_event !== undefined) (await import('./stop-with-parent.mjs')).stopWithParent();
await import(new URL(script, import.meta.url).href);
