/** How executions use connectors: a token for each, its tools, calls that read or become actions, and the log of them all. */
export { IntegrationCall } from './calls/integration-call.entity.ts';
export { CallLogService } from './calls/call-log.service.ts';
export { GatewayModule } from './gateway.module.ts';
export { unprepared } from './tool-calls/call-failure.ts';
export { GatewayUsesService } from './tool-calls/gateway-uses.service.ts';
export { withoutSecrets } from './tool-calls/redaction.ts';
export { standingOfTool } from './tool-calls/tool-standing.ts';
export { REFUSALS, refused, refusedUse } from './use-refusals.ts';
