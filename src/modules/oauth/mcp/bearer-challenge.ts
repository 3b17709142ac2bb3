/** What a server says in `WWW-Authenticate: Bearer` (RFC 6750, RFC 9728). */
export interface BearerChallenge {
  readonly resourceMetadata: string | undefined;
  readonly scope: string | undefined;
  readonly error: string | undefined;
}

const TOKEN = /[!#$%&'*+.^_`|~0-9A-Za-z-]+/y;
const LONGEST = 16_384;

/** The first challenge of the scheme Bearer; undefined where there is none. Parameters that are named twice count once. */
export function bearerChallenge(header: string | null): BearerChallenge | undefined {
  if (header === null || header.length > LONGEST) return undefined;
  const bearer = challengesIn(header).find(({ scheme }) => scheme === 'bearer');
  if (!bearer) return undefined;
  const { parameters } = bearer;
  return {
    resourceMetadata: parameters.get('resource_metadata'),
    scope: parameters.get('scope'),
    error: parameters.get('error'),
  };
}

interface Challenge {
  readonly scheme: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** As RFC 9110 has them: schemes with parameters, both separated by commas. Stops at what it does not understand. */
function challengesIn(header: string): Challenge[] {
  const challenges: { scheme: string; parameters: Map<string, string> }[] = [];
  let at = 0;
  const skip = (characters: string) => {
    while (at < header.length && characters.includes(header[at]!)) at += 1;
  };
  const token = (): string | undefined => {
    TOKEN.lastIndex = at;
    const [found] = TOKEN.exec(header) ?? [];
    at += found?.length ?? 0;
    return found;
  };
  for (;;) {
    skip(' \t,');
    const name = token()?.toLowerCase();
    if (name === undefined) return challenges;
    const afterName = at;
    skip(' \t');
    if (header[at] === '=' && challenges.length > 0) {
      at += 1;
      skip(' \t');
      const value = header[at] === '"' ? quoted() : token();
      if (value === undefined) return challenges;
      const { parameters } = challenges.at(-1)!;
      if (!parameters.has(name)) parameters.set(name, value);
    } else {
      at = afterName;
      challenges.push({ scheme: name, parameters: new Map() });
    }
  }

  function quoted(): string | undefined {
    let value = '';
    for (at += 1; at < header.length; at += 1) {
      if (header[at] === '"') {
        at += 1;
        return value;
      }
      if (header[at] === '\\') at += 1;
      value += header[at] ?? '';
    }
    return undefined;
  }
}
