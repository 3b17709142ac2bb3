import { Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { PassportModule } from '@nestjs/passport';
import { Clock } from '../clock/index.ts';
import { Authentication } from './authentication.ts';
import { PrincipalGuard } from './principal.guard.ts';
import { Capabilities } from './capabilities.ts';
import { FailedAttempts } from './failed-attempts.ts';
import { LiveExecutions } from './live-executions.port.ts';
import { OidcTokens } from './oidc/index.ts';
import { OwnerIdentities } from './owner-identities.ts';
import {
  ExecutionCapabilityStrategy,
  GatewayCapabilityStrategy,
  OwnerTokenStrategy,
  ServiceTokenStrategy,
} from './strategies.ts';

@Global()
@Module({
  imports: [PassportModule.register({ session: false })],
  providers: [
    Clock,
    Authentication,
    FailedAttempts,
    OidcTokens,
    OwnerIdentities,
    Capabilities,
    LiveExecutions,
    OwnerTokenStrategy,
    ExecutionCapabilityStrategy,
    GatewayCapabilityStrategy,
    ServiceTokenStrategy,
    { provide: APP_GUARD, useClass: PrincipalGuard },
  ],
  exports: [Clock, FailedAttempts, OwnerIdentities, Capabilities, LiveExecutions],
})
export class AuthModule {}
