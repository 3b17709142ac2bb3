import { Injectable } from '@nestjs/common';
import type { Tx } from '../../kernel/database/index.ts';
import type { Department } from '../organizations/index.ts';
import { isResearched } from './discovery.policy.ts';
import {
  changeIntention,
  discoveryFacts,
  insertDiscovery,
  insertIntention,
  intentionsOf,
  lockDiscovery,
  type NewIntention,
} from './discovery.queries.ts';
import { intentionMoves, RESEARCH_KEYS } from './discovery.state.ts';

/** Makes the intentions of organizations and of their departments, and releases departments once they may begin. */
@Injectable()
export class DiscoveryIntentionsService {
  /** In the transaction that makes an organization active. */
  async createIn(tx: Tx, { departments }: { readonly departments: readonly Department[] }): Promise<void> {
    const { organizationId } = tx;
    const [facts] = await tx.rows(discoveryFacts(organizationId));
    const { now } = facts!;
    await tx.batch([
      insertDiscovery(organizationId),
      ...RESEARCH_KEYS.map((key) =>
        insertIntention(organizationId, { key, kind: 'research', status: 'pending', nextAttemptAt: now }),
      ),
      ...departments.map((key) => insertIntention(organizationId, waiting(key))),
    ]);
  }

  /** Adds those of departments that are switched on. */
  async add(tx: Tx, departments: readonly Department[]): Promise<void> {
    const { organizationId } = tx;
    const [, intentions] = await tx.batch([lockDiscovery(organizationId), intentionsOf(organizationId)]);
    // Organizations from before have nothing to find out.
    if (intentions.length === 0) return;
    await tx.batch(departments.map((key) => insertIntention(organizationId, waiting(key))));
    await this.release(tx);
  }

  /** Lets enabled departments begin where the research is done and the integrations are set up; behind the discovery's lock. */
  async release(tx: Tx): Promise<void> {
    const { organizationId } = tx;
    const [[facts], intentions] = await tx.batch([discoveryFacts(organizationId), intentionsOf(organizationId)]);
    const { integrationSetupCompletedAt, enabledDepartments, now } = facts!;
    if (integrationSetupCompletedAt === null || !isResearched(intentions)) return;
    const released = intentions.filter(
      ({ key, kind, status }) =>
        kind === 'department' && status === 'waiting' && (enabledDepartments as readonly string[]).includes(key),
    );
    if (released.length === 0) return;
    await tx.batch(
      released.map((intention) =>
        changeIntention(organizationId, intention.key, {
          ...intention,
          status: intentionMoves.after('release', intention.status)!,
          nextAttemptAt: now,
        }),
      ),
    );
  }
}

function waiting(key: Department): NewIntention {
  return { key, kind: 'department', status: 'waiting', nextAttemptAt: null };
}
