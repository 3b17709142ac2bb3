import { type CanActivate, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../../config/index.ts';
import { Secrets, sha256 } from '../crypto/index.ts';
import { ApiError, EdgeErrors, EdgeIssues, type IssueRow, unauthorized } from '../errors/index.ts';
import { type EndpointSpec, type Scheme, schemesOf, unauthorizedAt } from '../http/endpoint/index.ts';
import { Capabilities } from './capabilities.ts';
import { FailedAttempts } from './failed-attempts.ts';
import type { Identity } from '../principals/index.ts';
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
  private readonly verify: Readonly<Record<Scheme, (token: string) => Promise<Identity | undefined>>>;
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
    this.verify = {
      service: async (token) => (serviceTokens.include(sha256(token)) ? { kind: 'service' } : undefined),
      execution: (token) => capabilities.verify(token),
      gateway: (token) => capabilities.verifyGateway(token),
      owner: (token) => identities.identify(token),
    };
    this.guards = {
      service: schemeGuard('service', this.verify.service),
      execution: schemeGuard('execution', this.verify.execution),
      gateway: schemeGuard('gateway', this.verify.gateway),
      owner: schemeGuard('owner', this.verify.owner),
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
    const given = bearerOf(request);
    if (given !== undefined && this.scraperTokens.include(sha256(given))) return;
    this.failedAttempts.count(request.ip);
    throw new ApiError(unauthorizedAt(request.routeOptions.url), { message: 'Send METRICS_TOKEN as a bearer token.' });
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
    // Before anything else is asked of the database, so that guesses stay bounded.
    this.failedAttempts.count(request.ip);
    throw unauthorized(unauthorizedAt(request.routeOptions.url), await this.reasonOf(endpoint, request));
  }

  /** Why the route's schemes do not know the token. That it is of another kind hears only who holds such a token. */
  private async reasonOf(endpoint: EndpointSpec, request: FastifyRequest): Promise<IssueRow> {
    const token = bearerOf(request)!;
    const admitted = schemesOf(endpoint);
    for (const [scheme, verify] of Object.entries(this.verify))
      if (!admitted.includes(scheme as Scheme) && (await isKnown(verify(token)))) return EdgeIssues.wrongKind;
    return EdgeIssues.unknownToken;
  }
}

function bearerOf({ headers }: FastifyRequest): string | undefined {
  return /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1];
}

/** A scheme that cannot tell now (its database or provider is down) does not know the token. */
function isKnown(verified: Promise<Identity | undefined>): Promise<boolean> {
  return verified.then(
    (identity) => identity !== undefined,
    () => false,
  );
}
