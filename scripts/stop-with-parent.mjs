import { readFileSync } from 'node:fs';

const LOOK_MS = 250;

/**
 * Sends this process SIGTERM once its parent has gone, as after `kill -9` of npm. The parent must be gone at two looks in
 * a row, so that a signal to all processes arrives first.
 */
export function stopWithParent() {
  const parent = isOrphan() ? undefined : process.ppid;
  let gone = 0;
  const watch = setInterval(() => {
    if (process.ppid === parent || ++gone < 2) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_MS).unref();
}

/** Whether the parent went before this process could look: who adopts orphans is of another session. Linux only. */
function isOrphan() {
  try {
    return sessionOf(process.ppid) !== sessionOf('self');
  } catch {
    return false;
  }
}

/** `/proc/<pid>/stat`: the name may contain spaces and brackets; state, parent, group and session follow it. */
function sessionOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3];
}
