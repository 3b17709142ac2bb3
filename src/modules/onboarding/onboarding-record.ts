import type { Tx } from '../../kernel/database/index.ts';
import type { OnboardingDto, SourceDto } from './onboarding.dto.ts';
import { onboardingOf, type OnboardingRow, sourcesOf } from './onboarding.queries.ts';

export function recordStatements(organizationId: string) {
  return [onboardingOf(organizationId), sourcesOf(organizationId)] as const;
}

/** The record; undefined where the organization did not begin as an onboarding. */
export function toRecord(row: OnboardingRow | undefined, sources: readonly SourceDto[]): OnboardingDto | undefined {
  return row && { ...row, sources: [...sources] };
}

/** The record as this transaction sees it, which knows that there is one. */
export async function recordIn(tx: Tx): Promise<OnboardingDto> {
  const [[row], sources] = await tx.batch(recordStatements(tx.organizationId));
  return toRecord(row, sources)!;
}
