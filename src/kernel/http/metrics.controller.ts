import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { EdgeErrors } from '../errors/index.ts';
import { Metrics } from '../metrics/index.ts';
import { Endpoint } from './endpoint/index.ts';

const EXAMPLE = `
# HELP business_runner_http_requests_in_flight Requests of this process whose answer is not at its end, among them claims that wait for work and open event streams.
# TYPE business_runner_http_requests_in_flight gauge
business_runner_http_requests_in_flight 3
`.trimStart();

@ApiTags('health')
@Controller('metrics')
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get()
  @Endpoint({
    summary: 'Get metrics in the text format of Prometheus',
    description:
      'For monitoring. With `METRICS_TOKEN` set, send it as a bearer token. Without one the route exists only on the embedded default that listens on loopback, and is open there. docs/operations/metrics.md lists the metrics.',
    auth: 'scraper',
    text: { type: 'text/plain; version=0.0.4; charset=utf-8', example: EXAMPLE },
    errors: [EdgeErrors.ownerUnauthorized, EdgeErrors.routeNotFound, EdgeErrors.rateLimited],
  })
  read(): Promise<string> {
    return this.metrics.scrape();
  }
}
