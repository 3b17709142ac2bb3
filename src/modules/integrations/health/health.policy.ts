import type { Health, McpMemory, Observation, ObservationCode } from '../integration.state.ts';

/** What is remembered of an answer beside what it says of health. */
export interface Remembered {
  /** Scopes that the provider named as missing. */
  readonly requiredScopes?: readonly string[];
  /** What the server spoke. */
  readonly mcp?: McpMemory | null;
}

/** What was seen of a scope of a connector. Without a code it went well. */
export interface Sighting extends Remembered {
  readonly scope: string;
  readonly code?: ObservationCode;
}

/** Scopes that one authorization asks for. */
const MOST_SCOPES = 50;

/** What the next authorization has to ask for besides; the same list where nothing is new. */
export function withScopes(known: readonly string[], sightings: readonly Remembered[]): readonly string[] {
  const missing = sightings.flatMap(({ requiredScopes = [] }) => requiredScopes);
  const all = [...new Set([...known, ...missing])].slice(0, MOST_SCOPES);
  return all.length > known.length ? all : known;
}

/** What the server spoke last; the same object where it is no news. */
export function withSpoken(known: McpMemory | null, sightings: readonly Remembered[]): McpMemory | null {
  const spoken = sightings.map(({ mcp }) => mcp).findLast((mcp) => mcp !== undefined && mcp !== null);
  const isKnown = !spoken || (spoken.era === known?.era && spoken.version === known.version);
  return isKnown ? known : spoken;
}

/** Failures in a row after which calls say that something has failed; a check says it at once. */
const FAILURES = 3;
const MOST_FAILURES = 1_000;

/** What a person has to mend: one sight of it is enough. */
const CERTAIN: ReadonlySet<ObservationCode> = new Set([
  'credential_refused',
  'scope_lost',
  'credential_unreadable',
  'reauthorization_required',
  'client_rejected',
  'resource_missing',
]);

/** The observations of a generation; none of another one. */
export function observationsOf(health: Health | null, generation: string): readonly Observation[] {
  return health?.generation === generation ? health.observations : [];
}

/** What a check or a connection saw of scopes: it replaces what was known of them. */
export function checked(
  health: Health | null,
  generation: string,
  sightings: readonly Sighting[],
  now: string,
): Health {
  return sightings.reduce((after, sighting) => withObservation(after, stateOf(sighting, now)), {
    generation,
    observations: observationsOf(health, generation),
  });
}

/** What a call or a refresh saw on the way; the same object where it is no news. */
export function seen(health: Health | null, generation: string, sighting: Sighting, now: string): Health | null {
  const observations = observationsOf(health, generation);
  const before = observations.find(({ scope }) => scope === sighting.scope);
  const { scope, code } = sighting;
  if (code === undefined) {
    const isKnown = before?.status === 'verified' && before.failures === undefined;
    return isKnown ? health : withObservation({ generation, observations }, stateOf(sighting, now));
  }
  const failures = Math.min((before?.failures ?? 0) + 1, MOST_FAILURES);
  const isFailed = before?.status === 'failed' || CERTAIN.has(code) || failures >= FAILURES;
  if (before?.status === 'failed' && before.code === code) return health;
  const status = isFailed ? 'failed' : (before?.status ?? 'unknown');
  return withObservation({ generation, observations }, { scope, status, checkedAt: now, code, failures });
}

function stateOf({ scope, code }: Sighting, now: string): Observation {
  return code === undefined
    ? { scope, status: 'verified', checkedAt: now }
    : { scope, status: 'failed', checkedAt: now, code, failures: 1 };
}

function withObservation({ generation, observations }: Health, next: Observation): Health {
  const others = observations.filter(({ scope }) => scope !== next.scope);
  return { generation, observations: [...others, next].toSorted((one, other) => (one.scope < other.scope ? -1 : 1)) };
}

/** Whether runs have to do without something, and what. */
export function failureIn(health: Health | null, generation: string): Observation | undefined {
  return observationsOf(health, generation).find(({ scope, status }) => scope !== 'reporting' && status === 'failed');
}

export interface HealthEdge {
  readonly verb: 'integration.degraded' | 'integration.recovered';
  readonly details: { readonly scope: string; readonly code?: ObservationCode };
}

/** What the activity log is told of a change of health within a generation: only that something failed, and that all is well again. */
export function edgeBetween(before: Health | null, after: Health | null, generation: string): HealthEdge | undefined {
  const [was, is] = [failureIn(before, generation), failureIn(after, generation)];
  if (!was && is) {
    const { scope, code } = is;
    return { verb: 'integration.degraded', details: { scope, ...(code ? { code } : {}) } };
  }
  return was && !is ? { verb: 'integration.recovered', details: { scope: was.scope } } : undefined;
}
