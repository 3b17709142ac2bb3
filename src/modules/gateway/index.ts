/** How executions use connectors: a token for each, its tools, calls that read or become actions, and the log of them all. */
export { IntegrationCall } from './calls/integration-call.entity.ts';
export { GatewayModule } from './gateway.module.ts';
export { type GatewayUse, GatewayUsesService } from './tool-calls/gateway-uses.service.ts';
export { REFUSALS, refused, refusedUse } from './use-refusals.ts';
