import { ConfigError } from './config/index.ts';
import { RolesMissing } from './kernel/database/index.ts';

/** Ends a start that cannot be: what the operator can mend is one line, anything else shows where it broke. */
export function failStart(error: unknown): never {
  process.stderr.write(`${reason(error)}\n`);
  process.exit(1);
}

function reason(error: unknown): string {
  if (error instanceof ConfigError || error instanceof RolesMissing) return error.message;
  const { code, port, stack } = error as NodeJS.ErrnoException & { port?: number };
  switch (code) {
    case 'EADDRINUSE':
      return `PORT: ${port} is in use`;
    case 'EADDRNOTAVAIL':
      return 'HOST: this machine has no such address';
    case 'ECONNREFUSED':
    case 'ENOTFOUND':
    case 'ETIMEDOUT':
      return `DATABASE_URL: the database cannot be reached (${code})`;
    case '28P01':
    case '28000':
      return 'DATABASE_URL: the database refuses the login';
    case '3D000':
      return 'DATABASE_URL: the server has no such database';
    default:
      return stack ?? String(error);
  }
}
