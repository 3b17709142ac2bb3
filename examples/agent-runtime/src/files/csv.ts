import { AgentFailure } from '../failure.ts';

/**
 * Reads CSV of RFC 4180 (quoted fields, doubled quotes, line breaks inside quotes) into one object per row, keyed by
 * the header. Refuses, with its line number, a row with another number of fields than the header, or an unclosed quote.
 */
export function parseCsv(text: string, name: string): Record<string, string>[] {
  const [header, ...rows] = records(text.replace(/^\uFEFF/, ''), name);
  if (!header) throw new AgentFailure('csv_empty', `${name} is empty`, 'config');
  return rows.map(({ fields, line }) => {
    if (fields.length !== header.fields.length) {
      const found = `${fields.length} fields where the header has ${header.fields.length}`;
      throw new AgentFailure('csv_malformed', `${name}, line ${line}: ${found}`, 'config');
    }
    return Object.fromEntries(header.fields.map((key, index) => [key, fields[index]!]));
  });
}

interface CsvRecord {
  readonly fields: string[];
  readonly line: number;
}

function records(text: string, name: string): CsvRecord[] {
  const found: CsvRecord[] = [];
  let fields: string[] = [];
  let line = 1;
  let startLine = 1;
  let at = 0;
  while (at < text.length) {
    let field = '';
    if (text[at] === '"') {
      const opened = line;
      for (at += 1; text[at] !== '"' || text[at + 1] === '"'; at += 1) {
        if (at >= text.length)
          throw new AgentFailure('csv_malformed', `${name}, line ${opened}: a quote never ends`, 'config');
        if (text[at] === '"') at += 1;
        if (text[at] === '\n') line += 1;
        field += text[at];
      }
      at += 1;
      if (at < text.length && !',\r\n'.includes(text[at]!))
        throw new AgentFailure('csv_malformed', `${name}, line ${line}: text after a closing quote`, 'config');
    } else {
      const end = text.slice(at).search(/[,\r\n]/);
      field = end < 0 ? text.slice(at) : text.slice(at, at + end);
      at += field.length;
    }
    fields.push(field);
    if (text[at] === ',') {
      at += 1;
      if (at < text.length) continue;
      fields.push('');
    }
    if (text[at] === '\r') at += 1;
    if (text[at] === '\n') at += 1;
    // Skips empty lines.
    if (fields.length > 1 || fields[0] !== '') found.push({ fields, line: startLine });
    fields = [];
    line += 1;
    startLine = line;
  }
  return found;
}
