import { expect, it } from '@jest/globals';
import { COMPLETE, configOf, expectRefusal } from '../../test/support/configurations.ts';

it.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'grpc://collector:4317'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=b,in valid=c'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%E0%A4%A'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=line%0Abreak'],
  ['OTEL_TRACES_SAMPLER', 'sometimes'],
  ['OTEL_TRACES_SAMPLER_ARG', '1.1'],
  ['OTEL_TRACES_SAMPLER_ARG', '-0.5'],
  ['OTEL_TRACES_SAMPLER_ARG', 'half'],
])('refuses %s=%s in one line that names it', expectRefusal);

it('traces only to a collector, and keeps its credentials out of its address', () => {
  const env = { ...COMPLETE, OTEL_SERVICE_NAME: 'acme', OTEL_TRACES_SAMPLER_ARG: '0.05' };
  expect(configOf(env).tracing).toBeUndefined();
  const endpoint = { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.internal:4318/otlp/' };
  const OTEL_EXPORTER_OTLP_HEADERS = 'Authorization=Bearer%20a%3Db, x-tenant = acme ,';
  expect(configOf({ ...endpoint, OTEL_EXPORTER_OTLP_HEADERS }).tracing).toEqual({
    endpoint: 'https://collector.internal:4318/otlp',
    headers: { authorization: 'Bearer a=b', 'x-tenant': 'acme' },
    serviceName: 'acme',
    parentBased: true,
    ratio: 1,
  });
  const sampled = (name: string) => configOf({ ...endpoint, OTEL_TRACES_SAMPLER: name }).tracing;
  expect(sampled('traceidratio')).toMatchObject({ parentBased: false, ratio: 0.05 });
  expect(sampled('parentbased_traceidratio')).toMatchObject({ parentBased: true, ratio: 0.05 });
  expect(sampled('parentbased_always_off')).toMatchObject({ parentBased: true, ratio: 0 });
  const inAddress = { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:word@collector:4318' };
  expect(() => configOf(inAddress)).toThrow(/^OTEL_EXPORTER_OTLP_ENDPOINT: .*OTEL_EXPORTER_OTLP_HEADERS$/);
});
