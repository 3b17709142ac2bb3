import { type CanActivate, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../../config/index.ts';
import { Secrets, sha256 } from '../crypto/index.ts';
import { ApiError, EdgeErrors } from '../errors/index.ts';
import { type EndpointSpec, type Scheme, schemesOf, unauthorizedAt } from '../http/endpoint/index.ts';
import { Capabilities } from './capabilities.ts';
import { FailedAttempts } from './failed-attempts.ts';
import { OwnerIdentities } from './owner-identities.ts';
import { schemeGuard, UnknownToken } from './scheme.guard.ts';

/**
 * Says who calls a guarded route, before a byte of the body is read: of the schemes that its `@Endpoint` names the first
 * that knows the token. A caller that no scheme knows gets 401, and 429 after too many such attempts. Which routes a principal may call
 * is for `PrincipalGuard`.
 *
 * Uses the route that the router matched, does not match paths itself, and runs once per request.
 */
@Injectable()
export class Authentication {
  private readonly scraperTokens: Secrets;
  private readonly guards: Readonly<Record<Scheme, CanActivate>>;

  constructor(
    private readonly failedAttempts: FailedAttempts,
    identities: OwnerIdentities,
    capabilities: Capabilities,
    private readonly config: Config,
    { httpAdapter }: HttpAdapterHost,
  ) {
    this.scraperTokens = new Secrets(config.metrics.token === undefined ? [] : [config.metrics.token]);
    const serviceTokens = new Secrets(config.agentServiceTokens);
    this.guards = {
      owner: schemeGuard('owner', (token) => identities.identify(token)),
      service: schemeGuard('service', async (token) =>
        serviceTokens.include(sha256(token)) ? { kind: 'service' } : undefined,
      ),
      execution: schemeGuard('execution', (token) => capabilities.verify(token)),
    };
    httpAdapter.getInstance<FastifyInstance>().addHook('onRequest', async (request, reply) => {
      const { endpoint } = request.routeOptions.config;
      if (endpoint?.auth === 'scraper') this.admitScraper(request);
      else if (endpoint && endpoint.auth !== 'public') await this.identify(endpoint, request, reply);
    });
  }

  /** Lets in who may read metrics; without a token for them, and where they are not open, there is no such route. */
  private admitScraper(request: FastifyRequest): void {
    const { open, token } = this.config.metrics;
    if (open) return;
    if (token === undefined) throw new ApiError(EdgeErrors.routeNotFound);
    const [, given] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    if (given !== undefined && this.scraperTokens.include(sha256(given))) return;
    this.refuse(request, 'Send METRICS_TOKEN as a bearer token.');
  }

  private async identify(endpoint: EndpointSpec, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const context = new ExecutionContextHost([request, reply]);
    for (const scheme of schemesOf(endpoint)) {
      try {
        if (await this.guards[scheme].canActivate(context)) return;
      } catch (error) {
        if (!(error instanceof UnknownToken)) throw error;
      }
    }
    this.refuse(request);
  }

  private refuse(request: FastifyRequest, message?: string): never {
    this.failedAttempts.count(request.ip);
    throw new ApiError(unauthorizedAt(request.routeOptions.url), message === undefined ? {} : { message });
  }
}
