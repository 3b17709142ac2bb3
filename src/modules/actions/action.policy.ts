import { RISKS } from '../organizations/index.ts';
import type { ActionFacts, ActionPolicy, ActionRisk, ConnectorReason } from './action.state.ts';

export interface PolicyInput {
  readonly catalogRisk: ActionRisk;
  readonly callerRisk: ActionRisk | null;
  readonly connectorReasons: readonly ConnectorReason[];
  /** The organization's constraint; it counts whatever the connector's mode permits. */
  readonly approvalRequiredForRisk: readonly string[];
}

/** The higher of two risks: an execution may say that something is riskier than the catalog does, not the reverse. */
export function effectiveRisk(catalogRisk: ActionRisk, callerRisk: ActionRisk | null): ActionRisk {
  return callerRisk !== null && RISKS.indexOf(callerRisk) > RISKS.indexOf(catalogRisk) ? callerRisk : catalogRisk;
}

/** Whether a person must approve, and why. */
export function policyOf({
  catalogRisk,
  callerRisk,
  connectorReasons,
  approvalRequiredForRisk,
}: PolicyInput): ActionPolicy {
  const isConstrained = approvalRequiredForRisk.includes(effectiveRisk(catalogRisk, callerRisk));
  const reasons = [...connectorReasons, ...(isConstrained ? (['risk'] as const) : [])];
  return { approvalRequired: reasons.length > 0, reasons, catalogRisk, callerRisk };
}

/** The first bound fact that is not as it was; undefined where all are. What came to be since concerns nobody. */
export function changedFact(bound: ActionFacts, present: ActionFacts): string | undefined {
  return Object.keys(bound).find((name) => bound[name] !== present[name]);
}
