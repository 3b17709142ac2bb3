/**
 * One table of what counts as a credential: run logs that contain one are refused, and the service's own log lines are
 * redacted by the same rules.
 *
 * Does not use a scanner with a maintained rule set (secretlint 13, MIT): it scans files, asynchronously, and finds
 * only keys of certain vendors (2 of the 12 kinds below, in 270 ms for 200 entries of full size; this takes 5 ms).
 *
 * Each pattern begins with letters that are searched for first, and has bounds wherever a match could start repeatedly,
 * so that no text costs more than a small multiple of its length.
 */
interface Rule {
  /** Completes "looks like …". */
  readonly what: string;
  /** A text without any of these cannot match. */
  readonly hints: readonly string[] | RegExp;
  /** The first group, if there is one, is kept when the rest is redacted. */
  readonly pattern: RegExp;
  /** Tells a match from ordinary text of the same form. */
  readonly confirm?: (kept: string, found: string) => boolean;
}

const GONE = '[redacted]';

/** Text in the place of a credential that is none: a mask, a variable, a type, a word of prose. */
const STAND_IN = new RegExp(
  [
    String.raw`^\[redacted\]`,
    String.raw`^[*.…•_-]+$`,
    '^x{3,}$',
    String.raw`^(?:[<$%{(=>!]|\[[a-z])`,
    String.raw`^(?:process\.env|os\.environ|env|config|settings|options|params|props|args|this|self|req|request|secrets)\b[.[(]`,
    String.raw`^(?:null|none|nil|undefined|true|false|yes|no|on|off|string|str|text|number|int|integer|boolean|bool|object|any|bytes|buffer|uuid|varchar|optional|required)\b`,
    String.raw`^(?:unset|set|empty|missing|present|absent|invalid|expired|wrong|valid|changed|unchanged|rotated|refreshed|renewed|revoked|created|updated|deleted|removed|rejected|accepted|redacted|hidden|masked|ok|failed|done|not|is|was|are|the|an?|must|should|never|for|from|in|to|of|and|or|with|by)[\s.,;:!?)\]]*$`,
  ].join('|'),
  'i',
);
const PROSE = /^(?:auth\w*|tokens?|schemes?|headers?|realm|credentials?|challenge|is|was|or|and|in|of|for|to|from)\b/i;
/** A word, perhaps followed by punctuation. */
const WORD = /^[A-Z]?[a-z]{1,15}[.,;:!?)\]]*$/;

export const RULES: readonly Rule[] = [
  {
    what: 'an owner token of this service',
    hints: ['brt_'],
    pattern: /\b(brt_[A-Za-z0-9_-]{8})[A-Za-z0-9_-]+/g,
  },
  {
    what: 'a signed token (JWT)',
    hints: ['eyJ'],
    pattern: /(?<![\w-])(eyJ[\w-]{4})[\w-]*\.[\w-]+\.[\w-]*/g,
  },
  {
    what: 'a bearer token',
    hints: /bearer/i,
    pattern: /\b(bearer\s{1,3})([^\s"',]{1,8192})/gi,
    confirm: (_, found) => !PROSE.test(found) && !STAND_IN.test(found),
  },
  {
    what: 'basic credentials',
    hints: /basic/i,
    pattern: /\b(basic\s{1,3})([A-Za-z0-9+/]{6,4096}={0,2})/gi,
    confirm: (kept, found) => isBasic(kept, found),
  },
  {
    what: 'a key that begins with sk-',
    hints: ['sk-'],
    pattern: /(?<![\w-])(sk-)(?:(?=[A-Za-z_-]{0,40}\d)[\w-]{10,}|[\w-]{0,40}?\w{16,}[\w-]*)/g,
  },
  {
    what: 'a payment key',
    hints: ['k_live_', 'k_test_', 'whsec_'],
    pattern: /\b((?:[rsp]k_(?:live|test)|whsec)_)\w{8,}/g,
  },
  { what: 'a cloud access key', hints: ['AKIA', 'ASIA'], pattern: /\b(A[KS]IA)[A-Z0-9]{12,}/g },
  {
    what: 'a code host’s token',
    hints: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_', 'glpat-'],
    pattern: /\b(gh[opsur]_|github_pat_|glpat-)[\w-]{12,}/g,
  },
  { what: 'a chat token', hints: ['xox', 'xapp-'], pattern: /\b(xox[a-z]-|xapp-)[\w-]{8,}/g },
  { what: 'an API key that begins with AIza', hints: ['AIza'], pattern: /\b(AIza)[\w-]{16,}/g },
  { what: 'a package registry’s token', hints: ['npm_', 'pypi-'], pattern: /\b(npm_|pypi-)\w{24,}[\w-]*/g },
  {
    what: 'a PEM block',
    hints: ['-----BEGIN '],
    pattern: /(-----BEGIN [A-Z0-9 ]{1,60}-----)(?!\[redacted\])[^"]*?(?:-----END [A-Z0-9 ]{1,60}-----|(?=")|$)/g,
  },
  {
    what: 'an address with a password',
    hints: ['://'],
    pattern: /\b([a-z][a-z0-9+.-]{1,30}:\/\/[^\s:@/"'<>]{0,200}:)((?:[^\s@"'<>:]|:(?!\/\/)){1,500})(?=@)/gi,
    // In `http://localhost:8080/people/ada@example.com` this is a port.
    confirm: (_, found) => !/^\d{1,5}(?:[/?#]|$)/.test(found) && !STAND_IN.test(found),
  },
  {
    what: 'a password or key in the open',
    hints: /[=:]/,
    pattern:
      /((?:passw(?:or)?d|passphrase|pwd|secret|credentials?|api[_-]?key|(?:access|private|secret|signing|encryption)[_-]?key|token)\\?["'\]]?\s{0,3}(?:=>?|:(?!\/\/))\s{0,3}\\?["']?)([^\s"',;&\\]{1,2000})/gi,
    confirm: (kept, found) => isAssigned(kept, found),
  },
];

/** Whether it is `name:password` in base64, as basic credentials are; "basic understanding" is not. */
function isBasic(scheme: string, found: string): boolean {
  if (PROSE.test(found)) return false;
  if (found.endsWith('=')) return true;
  if (/^[\x20-\x7E]*:[\x20-\x7E]*$/.test(Buffer.from(found, 'base64').toString('latin1'))) return true;
  return scheme.startsWith('B') && /\d/.test(found) && /[a-z]/.test(found) && /[A-Z]/.test(found);
}

/** What follows `token:` in the subject of a person with a personal token: an id of ours, of version 7. */
const SUBJECT_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Whether the text after the name of a secret is its value. */
function isAssigned(name: string, found: string): boolean {
  if (STAND_IN.test(found)) return false;
  if (name === 'token:' && SUBJECT_ID.test(found)) return false;
  // `max_token: 4096` is a count.
  if (/^token/i.test(name) && /^\d{1,12}[\s.,;)\]]*$/.test(found)) return false;
  // `PWD=/srv/work` is the current folder.
  if (/^pwd/i.test(name) && /^~?\/[\w./-]*$/.test(found)) return false;
  // "Secret: changed again" is prose; quotes, "=" and the names of keys are not.
  return /[=>]\s*\\?["']?$/.test(name) || /["']$/.test(name) || /key/i.test(name) || !WORD.test(found);
}

function mayHold(text: string, hints: Rule['hints']): boolean {
  if (hints instanceof RegExp) return hints.test(text);
  for (const hint of hints) if (text.includes(hint)) return true;
  return false;
}

/** The kind of credential that a text seems to contain; undefined for ordinary text. */
export function credentialIn(text: string): string | undefined {
  for (const { what, hints, pattern, confirm } of RULES) {
    if (!mayHold(text, hints)) continue;
    for (const [, kept = '', found = ''] of text.matchAll(pattern)) if (!confirm || confirm(kept, found)) return what;
  }
  return undefined;
}

/** Removes credentials and the given secrets from a text, so that a log line is safe to show to anyone. */
export function redact(text: string, secrets: readonly string[] = []): string {
  let safe = text;
  for (const secret of secrets) if (safe.includes(secret)) safe = safe.replaceAll(secret, GONE);
  for (const { hints, pattern, confirm } of RULES) {
    if (!mayHold(safe, hints)) continue;
    safe = safe.replace(pattern, (match: string, kept: string, found?: string | number) =>
      !confirm || confirm(kept, typeof found === 'string' ? found : match.slice(kept.length)) ? kept + GONE : match,
    );
  }
  return safe;
}
