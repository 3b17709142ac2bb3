import { EdgeIssues, invalid } from '../../errors/index.ts';
import { isStorable } from '../../validation/index.ts';

/** A form's body is `application/x-www-form-urlencoded`, alone or with `charset=utf-8`. */
export function isForm(contentType: string | undefined): boolean {
  return (
    contentType !== undefined &&
    /^application\/x-www-form-urlencoded[ \t]*(;[ \t]*charset=("?)utf-8\2[ \t]*)?$/i.test(contentType)
  );
}

/** A page of ours has few fields. */
const MAX_FIELDS = 100;

/**
 * The fields of a form, each a text. Refuses (400) a name that comes twice, escapes that are none, and text that could not
 * be stored; `URLSearchParams` keeps the first two and replaces the third.
 */
export function parseForm(body: string): Record<string, string> {
  const fields: Record<string, string> = {};
  if (body === '') return fields;
  const pairs = body.split('&', MAX_FIELDS + 1);
  if (pairs.length > MAX_FIELDS) throw invalid('', EdgeIssues.tooManyValues);
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    const name = decoded(at < 0 ? pair : pair.slice(0, at), '');
    const value = decoded(at < 0 ? '' : pair.slice(at + 1), name);
    if (name in Object.prototype) throw invalid(name, EdgeIssues.unknownProperty);
    if (name in fields) throw invalid(name, EdgeIssues.duplicateKey);
    fields[name] = value;
  }
  return fields;
}

function decoded(text: string, path: string): string {
  let value: string;
  try {
    value = decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw invalid(path, EdgeIssues.malformedQuery);
  }
  if (!isStorable(value)) throw invalid(path, EdgeIssues.invalidText);
  return value;
}
