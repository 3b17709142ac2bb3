/**
 * How each kind of provider is asked: one folder a provider, behind the port of `integrations`. No rows, no state, no policy.
 */
export { ProvidersModule } from './providers.module.ts';
export { RepositoryTokensService } from './code-host/index.ts';
