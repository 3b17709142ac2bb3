import { isLoopback, settings, unknownVariables } from '../config/index.ts';
import { fail, type Finding, ok, warn } from './finding.ts';
import type { Patient } from './patient.ts';

/** Every invalid or missing variable, variables that look like ours, and values that are valid but unwise. */
export function* checkConfiguration(patient: Patient): Generator<Finding> {
  for (const { setting, problem } of patient.faults) yield fail(setting, problem);
  for (const { name, problem } of unknownVariables(patient.env)) yield warn(name, problem);
  const given = Object.keys(settings).filter(
    (name) => patient.env[name]?.trim() || patient.env[`${name}_FILE`]?.trim(),
  );
  if (patient.faults.length === 0) yield ok('configuration', `all ${given.length} variables that are set are valid`);
  yield* checkTokens(patient);
  yield* checkAddresses(patient);
}

function* checkTokens({ settings: own }: Patient): Generator<Finding> {
  const { OWNER_BOOTSTRAP_TOKEN: owner, METRICS_TOKEN: metrics, AGENT_SERVICE_TOKENS: runtimes = [] } = own;
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
