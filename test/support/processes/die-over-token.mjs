/** Preloaded into a service: the process dies when half of the file DIE_OVER that it makes at its first start is on disk. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { writeFileSync } = fs;
fs.writeFileSync = (file, text, options) => {
  if (!String(file).includes(process.env.DIE_OVER)) return writeFileSync(file, text, options);
  writeFileSync(file, text.slice(0, 20), options);
  return process.kill(process.pid, 'SIGKILL');
};
syncBuiltinESMExports();
