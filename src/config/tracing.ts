import type { Settings } from './settings.ts';

/** Where traces go and how many are recorded. */
export interface TracingConfig {
  /** URL of the collector, without `/v1/traces`. */
  readonly endpoint: string;
  /** Sent with every export; holds credentials. */
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /** Whether a caller's `traceparent` decides if its request is recorded. */
  readonly parentBased: boolean;
  /** Share of the other traces that is recorded, 0 to 1. */
  readonly ratio: number;
}

/** Undefined when the service makes no traces. */
export function tracingOf(settings: Settings): TracingConfig | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER: sampler } = settings;
  if (endpoint === undefined) return undefined;
  const ratios = { always_on: 1, always_off: 0, traceidratio: settings.OTEL_TRACES_SAMPLER_ARG };
  return {
    endpoint,
    headers: settings.OTEL_EXPORTER_OTLP_HEADERS,
    serviceName: settings.OTEL_SERVICE_NAME,
    parentBased: sampler.startsWith('parentbased_'),
    ratio: ratios[sampler.replace('parentbased_', '') as keyof typeof ratios],
  };
}
