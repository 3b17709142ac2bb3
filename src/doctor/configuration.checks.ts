import { isLoopback, settings } from '../config/index.ts';
import { fail, type Finding, ok, warn } from './finding.ts';
import type { Patient } from './patient.ts';

/** First words of our variables that other programs hardly use. */
const OURS =
  /^(DATABASE|OBJECT_STORE|OWNER_BOOTSTRAP|AGENT_SERVICE|CAPABILITY|CATALOG|RUN|EVENT_STREAMS|DURABILITY|CORS|SHUTDOWN|METRICS|OIDC|EGRESS)_/;

/** Every invalid or missing variable, variables that look like ours, and values that are valid but unwise. */
export function* checkConfiguration(patient: Patient): Generator<Finding> {
  for (const { setting, problem } of patient.faults) yield fail(setting, problem);
  for (const name of unknownNames(patient))
    yield warn(name, 'is not a variable of the service; see docs/configuration.md');
  const given = Object.keys(settings).filter(
    (name) => patient.env[name]?.trim() || patient.env[`${name}_FILE`]?.trim(),
  );
  if (patient.faults.length === 0) yield ok('configuration', `all ${given.length} variables that are set are valid`);
  yield* checkTokens(patient);
  yield* checkAddresses(patient);
}

function unknownNames({ env }: Patient): string[] {
  const known = new Set(
    Object.entries(settings).flatMap(([name, { secret }]) => (secret ? [name, `${name}_FILE`] : [name])),
  );
  return Object.keys(env).filter((name) => OURS.test(name) && !known.has(name) && env[name]?.trim());
}

function* checkTokens({ settings: own }: Patient): Generator<Finding> {
  const { OWNER_BOOTSTRAP_TOKEN: owner, METRICS_TOKEN: metrics, AGENT_SERVICE_TOKENS: runtimes = [] } = own;
  if (owner !== undefined && runtimes.includes(owner))
    yield warn('OWNER_BOOTSTRAP_TOKEN', 'is one of AGENT_SERVICE_TOKENS too; make one of its own');
  if (metrics !== undefined && [owner, ...runtimes].includes(metrics))
    yield warn('METRICS_TOKEN', 'opens other doors than the metrics; make one of its own');
  if (new Set(runtimes).size < runtimes.length)
    yield warn('AGENT_SERVICE_TOKENS', 'holds the same token twice; a rotation needs two different ones');
}

function* checkAddresses({ config, isEmbedded }: Patient): Generator<Finding> {
  const { publicBaseUrl, trustProxy, corsAllowedOrigins } = config;
  if (publicBaseUrl !== undefined && isInTheClear(publicBaseUrl))
    yield warn('PUBLIC_BASE_URL', 'is http: tokens travel unencrypted; terminate TLS in front of the service');
  if (!isEmbedded && publicBaseUrl?.startsWith('https:') && trustProxy === false)
    yield warn(
      'TRUST_PROXY',
      'is off behind TLS: failed attempts of all callers count as those of one address; set the address of the proxy',
    );
  if (trustProxy === true)
    yield warn('TRUST_PROXY', 'is on: every caller can name any address as its own; set the address of the proxy');
  for (const origin of corsAllowedOrigins.filter(isInTheClear))
    yield warn('CORS_ALLOWED_ORIGINS', `lists ${origin}: whoever is on the way can change its pages; use https`);
}

function isInTheClear(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isLoopback(hostname);
}
