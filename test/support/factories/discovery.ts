import type { Client } from '../client.ts';
import type { TestApp } from '../test-app.ts';
import { knowledgeRow } from './knowledge.ts';
import { endTask } from './tasks.ts';

/** How far an organization is, as its owner reads it. */
export async function discoveryOf(owner: Client, organizationId: string) {
  return (await owner.get(`/organizations/${organizationId}/discovery`)).body.data as {
    readonly status: string;
    readonly integrationSetupCompletedAt: string | null;
    readonly intentions: readonly {
      readonly key: string;
      readonly status: string;
      readonly attempts: number;
      readonly taskId: string | null;
      readonly nextAttemptAt: string | null;
    }[];
    readonly departments: Readonly<Record<string, { readonly status: string; readonly taskId: string | null } | null>>;
  };
}

/** Ends the task of an intention, with knowledge unless said. */
export async function endDiscovery(
  app: TestApp,
  organizationId: string,
  taskId: string,
  { withRecord = true, status = 'completed' }: { withRecord?: boolean; status?: 'completed' | 'failed' } = {},
): Promise<void> {
  if (withRecord) await knowledgeRow(app, organizationId, { source_task_id: taskId, source_root_task_id: taskId });
  await endTask(app, organizationId, taskId, status);
}
