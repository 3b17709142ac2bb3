import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Metrics, type Sample } from '../../metrics/index.ts';
import { Draining } from '../edge/index.ts';
import { HttpMetrics } from './request.metrics.ts';

/** Requests that matched no route share one name, since anybody can make up methods and paths. */
const UNMATCHED = { method: 'other', url: 'other' };

/**
 * Observes how long each request took. The series of a route and status is looked up when it first happens and kept, so
 * that a request makes no labels.
 */
@Injectable()
export class RequestMetrics {
  /** By the configuration of the route, which is one object for all of its requests, then by status. */
  private readonly series = new Map<object, Map<number, Sample>>();

  constructor(
    private readonly metrics: Metrics,
    draining: Draining,
    { httpAdapter }: HttpAdapterHost,
  ) {
    metrics.gauge(HttpMetrics.inFlight, () => draining.inFlight.count);
    httpAdapter.getInstance<FastifyInstance>().addHook('onResponse', (request, reply, done) => {
      this.observe(request, reply);
      done();
    });
  }

  /** Observes a request whose answer was sent, or whose stream begins. */
  observe(request: FastifyRequest, reply: FastifyReply): void {
    const route = request.is404 ? UNMATCHED : request.routeOptions.config;
    let byStatus = this.series.get(route);
    if (!byStatus) this.series.set(route, (byStatus = new Map()));
    let sample = byStatus.get(reply.statusCode);
    if (!sample) {
      const labels = { method: String(route.method), route: route.url, status: String(reply.statusCode) };
      byStatus.set(reply.statusCode, (sample = this.metrics.histogram(HttpMetrics.durations, labels)));
    }
    sample.observe(reply.elapsedTime / 1_000);
  }
}
