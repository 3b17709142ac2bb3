import { AgentFailure } from '../failure.ts';

interface Mail {
  /** Lower-case header names; folded lines are joined. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Reads an mbox file (mboxrd): a message begins at a `From ` line at the start or after an empty line, `>From ` in a body
 * loses one `>`, folded headers are joined, quoted-printable bodies are decoded.
 */
export function parseMbox(text: string, name: string): Mail[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  if (!lines[0]?.startsWith('From ')) throw new AgentFailure('mbox_malformed', `${name} is no mbox file`, 'config');
  const starts = lines.flatMap((line, index) =>
    line.startsWith('From ') && (index === 0 || lines[index - 1] === '') ? [index] : [],
  );
  return starts.map((start, index) => parseMail(lines.slice(start + 1, starts[index + 1])));
}

function parseMail(lines: string[]): Mail {
  const end = lines.indexOf('');
  const headers: Record<string, string> = {};
  let last = '';
  for (const line of lines.slice(0, end < 0 ? undefined : end)) {
    if (/^[ \t]/.test(line) && last) {
      headers[last] += ` ${line.trim()}`;
      continue;
    }
    const colon = line.indexOf(':');
    last = line.slice(0, colon).trim().toLowerCase();
    headers[last] = line.slice(colon + 1).trim();
  }
  const raw = end < 0 ? [] : lines.slice(end + 1).map((line) => line.replace(/^>(>*From )/, '$1'));
  const body = raw.join('\n').trimEnd();
  const encoded = headers['content-transfer-encoding']?.toLowerCase() === 'quoted-printable';
  return { headers, body: encoded ? decodeQuotedPrintable(body) : body };
}

function decodeQuotedPrintable(text: string): string {
  const joined = text.replace(/=[ \t]*\n/g, '');
  const bytes = joined.replace(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** The address of a From header, with or without a display name. */
export function addressOf(from: string): string {
  return (/<([^<>\s]+)>/.exec(from)?.[1] ?? from).trim().toLowerCase();
}
