import { type Sql, sql, type Statement } from '../../../kernel/database/index.ts';
import { FIRST_UUID } from '../../../kernel/ids/index.ts';
import { UploadNotes } from '../../../kernel/uploads/index.ts';
import { KEPT_DAYS } from '../git-proxy.policy.ts';

/** What a push is to do, as its action has it; only this is approved and sent. */
export interface PushArguments {
  /** `owner/name` */
  readonly repository: string;
  readonly ref: string;
  /** Forty zeros of a branch that begins. */
  readonly oldOid: string;
  readonly newOid: string;
  readonly shallow: readonly string[];
  readonly packSha256: string;
  readonly packBytes: number;
}

/** A push whose bytes are kept. */
interface GitPushRow extends PushArguments {
  readonly organizationId: string;
  readonly actionId: string;
  readonly integrationId: string;
}

/** The bytes of pushes on their way to their actions, whose ids they have. */
export const pushUploads = new UploadNotes({
  table: 'git_push_upload',
  columns: {},
  objectKeyOf: ({ organizationId, id }) => packKey(organizationId, id),
  keeper: ({ organizationId, id }) => sql`
    select from git_push g where g.organization_id = ${organizationId} and g.action_id = ${id}`,
});

/** Where the pack of an action is. */
export function packKey(organizationId: string, actionId: string): string {
  return `organizations/${organizationId}/git-pushes/${actionId}`;
}

export function insertGitPush(push: GitPushRow): Statement {
  return sql`
    insert into git_push (organization_id, action_id, integration_id, repository, ref, old_oid, new_oid, shallow,
      pack_sha256, pack_bytes)
    values (${push.organizationId}, ${push.actionId}, ${push.integrationId}, ${push.repository}, ${push.ref},
      ${push.oldOid}, ${push.newOid}, ${push.shallow}, ${push.packSha256}, ${push.packBytes})`;
}

/** Condition of actions `a` that push to the same branch, by whichever connector: there is one host. */
export function sameBranch(organizationId: string, { repository, ref }: PushArguments): Sql {
  return sql`
    a.kind = 'git_push' and exists (
      select from git_push g
      where g.organization_id = ${organizationId} and g.action_id = a.id
        and lower(g.repository) = ${repository.toLowerCase()} and g.ref = ${ref})`;
}

/** Pushes that one statement finds. */
export const ENDED_PUSHES_LIMIT = 100;

export type EndedPush = Pick<GitPushRow, 'organizationId' | 'actionId'>;

/** Pushes whose actions ended long ago, behind those found before. */
export function longEndedPushes(after: EndedPush | undefined): Statement<EndedPush> {
  const { organizationId = FIRST_UUID, actionId = FIRST_UUID } = after ?? {};
  return sql`
    select g.organization_id as "organizationId", g.action_id as "actionId"
    from git_push g join action a on a.organization_id = g.organization_id and a.id = g.action_id
    join organization o on o.id = g.organization_id and o.status = 'active'
    where a.finished_at < now() - interval '${sql.raw(String(KEPT_DAYS))} days'
      and (g.organization_id, g.action_id) > (${organizationId}::uuid, ${actionId}::uuid)
    order by g.organization_id, g.action_id limit ${sql.raw(String(ENDED_PUSHES_LIMIT))}`;
}

export function removeGitPush({ organizationId, actionId }: EndedPush): Statement {
  return sql`
    delete from git_push where organization_id = ${organizationId} and action_id = ${actionId} returning 1`;
}
