import { type Config, ConfigError } from './config/index.ts';

/** Names the setting that is wrong when the service cannot listen. */
export function explainListening(error: unknown, { port }: Pick<Config, 'port'>): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE' || code === 'EACCES')
    return new ConfigError('PORT', `${port} cannot be used (${code}); choose another port`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new ConfigError('HOST', `is not an address of this machine (${code})`);
  return error;
}
