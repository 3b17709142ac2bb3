import type { TestApp } from '../test-app.ts';

/** An icon that was just found, so that nobody asks the website. */
export async function knownIcon(app: TestApp, organizationId: string): Promise<void> {
  await app.db.query(
    `insert into organization_icon (organization_id, website, status, media_type, bytes, sha256, expires_at)
     select id, website, 'found', 'image/svg+xml; charset=utf-8', $2::bytea, repeat('a', 64), now() + interval '1 hour'
     from organization where id = $1`,
    [organizationId, '<svg xmlns="http://www.w3.org/2000/svg"/>'],
  );
}
