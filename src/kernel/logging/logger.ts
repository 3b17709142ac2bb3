import { isatty } from 'node:tty';
import type { LoggerService } from '@nestjs/common';
import pino from 'pino';
import { isoNow } from '../clock/index.ts';
import { redact } from './credentials.ts';

const STDOUT = 1;
/** How long lines wait to be written together. */
const GATHERING_MS = 20;
/** Size at which waiting lines are written at once. */
const GATHERED_BYTES = 8 * 1024;
/** Most bytes kept for a slow reader; beyond it lines are dropped, so that no request waits. */
const UNREAD_BYTES = 16 * 1024 * 1024;

/**
 * Makes a standard output that writes lines together, because writing each at once costs as much as a request's
 * authentication, validation and envelope. Waiting lines are written when the process ends; only a kill loses them.
 */
function standardOutput(): pino.DestinationStream {
  const isTerminal = isatty(STDOUT);
  let failing = false;
  // Registered before the library's own listener, which repeats a write that fails until it succeeds, for ever if the
  // terminal was closed.
  process.once('exit', () => {
    if (failing || (isTerminal && !isatty(STDOUT))) output.flushSync = () => {};
  });
  const output = pino.destination({ dest: STDOUT, sync: false, minLength: GATHERED_BYTES, maxLength: UNREAD_BYTES });
  // A full disk or a closed terminal ends nothing; what waits is tried again with the next lines.
  output.on('error', () => (failing = true));
  output.on('write', () => (failing = false));
  let gathering = false;
  const write = () => {
    gathering = false;
    output.flush();
  };
  return {
    write(line) {
      output.write(line);
      if (gathering) return;
      gathering = true;
      setTimeout(write, GATHERING_MS).unref();
    },
  };
}

/**
 * Makes a logger that writes one JSON object per line, with credentials and the given secrets redacted, to standard
 * output by default.
 */
export function createLogger(
  level: string,
  secrets: readonly string[] = [],
  destination: pino.DestinationStream = standardOutput(),
): pino.Logger {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: () => `,"time":"${isoNow()}"`,
    formatters: { level: (label) => ({ level: label }) },
    hooks: { streamWrite: (line) => redact(line, secrets) },
  };
  return pino(options, destination);
}

/** Contexts of Nest's own start: dozens of lines that matter only when something is missing. */
const STARTUP = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);

/** Writes Nest's log lines through the same logger; an object's properties become fields of the line. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: pino.Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.write(STARTUP.has(String(rest.at(-1))) ? 'debug' : 'info', message, rest);
  }
  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }
  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }
  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }
  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }
  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  /** Nest passes the context last and, for errors, a stack before it. */
  private write(level: pino.Level, message: unknown, rest: unknown[]): void {
    const context = rest.at(-1);
    const stack = rest.length > 1 ? rest.at(-2) : undefined;
    const fields = {
      ...(typeof context === 'string' ? { context } : {}),
      ...(typeof stack === 'string' ? { stack } : {}),
    };
    if (message instanceof Error) this.logger[level]({ ...fields, stack: message.stack }, message.message);
    else if (typeof message === 'object') this.logger[level]({ ...fields, ...message });
    else this.logger[level](fields, typeof message === 'string' ? message : JSON.stringify(message));
  }
}
