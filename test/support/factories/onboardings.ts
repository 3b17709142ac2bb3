import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { ObjectStore } from '../../../src/kernel/storage/index.ts';
import type { Answer, Client } from '../client.ts';
import type { TestApp } from '../test-app.ts';

/** What an onboarding begins with, under a slug that no other test has. */
export function shell(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  const slug = `shell-${randomUUID()}`;
  return { name: 'Shell', slug, timezone: 'Europe/Berlin', departments: ['growth', 'support'], ...overrides };
}

/** The id of a new organization of this caller that is being onboarded. */
export async function onboardingOf(owner: Client, overrides: Record<string, unknown> = {}): Promise<string> {
  const { status, text, body } = await owner.post('/organization-onboardings', shell(overrides));
  if (status !== 201) throw new Error(`No onboarding: ${text}`);
  return body.data.organizationId as string;
}

export function onboardingPath(organizationId: string): string {
  return `/organizations/${organizationId}/onboarding`;
}

export function sourcePath(organizationId: string, sourceId: string): string {
  return `${onboardingPath(organizationId)}/sources/${sourceId}`;
}

export interface GivenSource {
  readonly sourceId?: string;
  readonly bytes?: string | Buffer | Readable;
  readonly kind?: string;
  readonly fileName?: string;
  readonly mediaType?: string;
  readonly department?: string;
}

/** Stores a source; some text for the whole organization unless said otherwise. */
export function storeSource(owner: Client, organizationId: string, given: GivenSource = {}): Promise<Answer> {
  const { sourceId = randomUUID(), bytes = 'Some notes.', ...named } = given;
  const query = new URLSearchParams({ kind: 'file', fileName: 'notes.txt', mediaType: 'text/plain', ...named });
  return owner.put(`${sourcePath(organizationId, sourceId)}?${query.toString()}`, bytes, {
    'content-type': 'application/octet-stream',
  });
}

/** The id of a new source. */
export async function sourceOf(owner: Client, organizationId: string, given?: GivenSource): Promise<string> {
  const { status, text, body } = await storeSource(owner, organizationId, given);
  if (status !== 201) throw new Error(`No source: ${text}`);
  return body.data.sourceId as string;
}

/** What there is of an onboarding's files: sources, uploads that are noted, and objects. */
export async function materialOf(app: TestApp, organizationId: string) {
  const { rows } = await app.db.query<{ sources: number; uploads: number }>(
    `select (select count(*)::int from onboarding_source where organization_id = $1) as sources,
       (select count(*)::int from onboarding_upload where organization_id = $1) as uploads`,
    [organizationId],
  );
  let objects = 0;
  for await (const _ of app.app.get(ObjectStore).list(`organizations/${organizationId}/onboarding`)) objects += 1;
  return { ...rows[0]!, objects };
}

/** Starts the review and does it, as far as it gets in one go; answers the record. */
export async function reviewed(app: TestApp, owner: Client, organizationId: string): Promise<Answer['body']> {
  const { status, text } = await owner.post(`${onboardingPath(organizationId)}/start`);
  if (status !== 200) throw new Error(`No review: ${text}`);
  await app.runJob('onboarding-reviews');
  return (await owner.get(onboardingPath(organizationId))).body.data;
}

export function complete(owner: Client, organizationId: string, body: object, key?: string): Promise<Answer> {
  return owner.post(`${onboardingPath(organizationId)}/complete`, body, key ? { 'idempotency-key': key } : {});
}

/** Names website and currency, about whose absence a review warns. */
export async function nameDetails(owner: Client, organizationId: string): Promise<void> {
  await owner.patch(`/organizations/${organizationId}`, { website: 'acme.example', defaultCurrency: 'EUR' });
}
