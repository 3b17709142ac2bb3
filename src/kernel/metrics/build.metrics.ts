import { defineMetrics } from './metric-row.ts';

export const BuildMetrics = defineMetrics({
  info: {
    kind: 'gauge',
    name: 'build_info',
    help: 'Always 1; its label names the version of the service.',
    labels: { version: 'of package.json' },
  },
});
