import type { Deployment } from './deployment.ts';

export interface Company {
  readonly id: string;
  readonly chatId: string;
  readonly profileId: string;
}

/** Creates an organization and reads what later calls have to name. */
export async function openCompany(deployment: Deployment, n: number): Promise<Company> {
  const owner = deployment.client(`setup-${n}`);
  const { organization } = await deployment.post(owner, 'owner', '/organizations', {
    name: `Rolling ${n}`,
    website: 'https://rolling.example',
    timezone: 'UTC',
    defaultCurrency: 'EUR',
  });
  const [chat] = await deployment.get(owner, 'owner', `/organizations/${organization.id}/chats`);
  const profiles: { id: string; key: string }[] = await deployment.get(
    owner,
    'owner',
    `/organizations/${organization.id}/agent-profiles`,
  );
  return { id: organization.id, chatId: chat.id, profileId: profiles.find(({ key }) => key === 'growth')!.id };
}

/** Creates schedules with one slot each, spread over a time; returns the titles of the tasks that they make. */
export async function scheduleSlots(
  deployment: Deployment,
  companies: readonly Company[],
  { slots, slotsWithinMs }: { readonly slots: number; readonly slotsWithinMs: number },
): Promise<string[]> {
  const runtime = deployment.client('schedules');
  const firstMs = Date.now() + 2_000;
  const titles: string[] = [];
  for (let n = 0; n < slots; n += 1) {
    const { id, profileId } = companies[n % companies.length]!;
    const title = `Slot ${n}`;
    await deployment.post(runtime, 'runtime', `/internal/agent/organizations/${id}/schedules`, {
      name: title,
      agentProfileId: profileId,
      trigger: { kind: 'once', at: new Date(firstMs + (n * slotsWithinMs) / slots).toISOString() },
      task: { title, objective: 'Do it' },
    });
    titles.push(title);
  }
  return titles;
}
