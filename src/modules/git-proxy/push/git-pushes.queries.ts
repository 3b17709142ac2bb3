import { columns, sql, type Statement } from '../../../kernel/database/index.ts';
import { UploadNotes } from '../../../kernel/uploads/index.ts';

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
export interface GitPushRow extends PushArguments {
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

const COLUMNS = columns<GitPushRow>({
  organizationId: 'g.organization_id',
  actionId: 'g.action_id',
  integrationId: 'g.integration_id',
  repository: 'g.repository',
  ref: 'g.ref',
  oldOid: 'g.old_oid',
  newOid: 'g.new_oid',
  shallow: 'g.shallow',
  packSha256: 'g.pack_sha256',
  packBytes: 'g.pack_bytes',
});

/** The push of an action; none where its bytes are kept no more. */
export function gitPush(organizationId: string, actionId: string): Statement<GitPushRow> {
  return sql`
    select ${COLUMNS} from git_push g where g.organization_id = ${organizationId} and g.action_id = ${actionId}`;
}

export function insertGitPush(push: GitPushRow): Statement {
  return sql`
    insert into git_push (organization_id, action_id, integration_id, repository, ref, old_oid, new_oid, shallow,
      pack_sha256, pack_bytes)
    values (${push.organizationId}, ${push.actionId}, ${push.integrationId}, ${push.repository}, ${push.ref},
      ${push.oldOid}, ${push.newOid}, ${push.shallow}, ${push.packSha256}, ${push.packBytes})`;
}
