import type { ExecutionPrincipal } from '../../../kernel/auth/index.ts';
import { columns, sql, type Statement } from '../../../kernel/database/index.ts';
import type { StoredBytes } from '../../../kernel/storage/index.ts';
import { type Upload, UploadNotes } from '../../../kernel/uploads/index.ts';
import type { SourceDto, StoreSourceQuery } from '../onboarding.dto.ts';
import { SOURCE_COLUMNS } from '../onboarding.queries.ts';

/** What is on its way to onboardings, and what they need no more. */
export const onboardingUploads = new UploadNotes<Upload>({
  table: 'onboarding_upload',
  columns: {},
  objectKeyOf: ({ organizationId, id }) => `organizations/${organizationId}/onboarding/${id}`,
  keeper: ({ organizationId, id }) => sql`
    select from onboarding_source s where s.organization_id = ${organizationId} and s.upload_id = ${id}`,
});

const select = columns<SourceDto>(SOURCE_COLUMNS);

export interface SourceRef {
  readonly organizationId: string;
  readonly sourceId: string;
}

/** A source with what leads to its bytes and to its passages. */
export interface HeldSource extends SourceDto {
  readonly uploadId: string;
  readonly knowledgeId: string;
}

const selectHeld = columns<HeldSource>({ ...SOURCE_COLUMNS, uploadId: 's.upload_id', knowledgeId: 's.knowledge_id' });

export function heldSources(organizationId: string): Statement<HeldSource> {
  return sql`
    select ${selectHeld} from onboarding_source s where s.organization_id = ${organizationId}
    order by s.created_at, s.id`;
}

export interface NewSource extends StoreSourceQuery, StoredBytes {
  readonly uploadId: string;
  readonly knowledgeId: string;
}

export function insertSource({ organizationId, sourceId }: SourceRef, source: NewSource): Statement<SourceDto> {
  const { kind, fileName, mediaType, sizeBytes, sha256, department = null, uploadId, knowledgeId } = source;
  return sql`
    insert into onboarding_source as s
      (organization_id, id, kind, file_name, media_type, size_bytes, sha256, department, upload_id, knowledge_id)
    values (${organizationId}, ${sourceId}, ${kind}, ${fileName}, ${mediaType}, ${sizeBytes}, ${sha256},
      ${department}, ${uploadId}, ${knowledgeId})
    returning ${select}`;
}

export function deleteSource({ organizationId, sourceId }: SourceRef): Statement {
  return sql`delete from onboarding_source s where s.organization_id = ${organizationId} and s.id = ${sourceId}`;
}

/** A row where an execution may read a source: a department's own and everybody's; operator and chat read all. */
export function mayReadSource(
  { profileKind, department }: ExecutionPrincipal,
  { organizationId, sourceId }: SourceRef,
): Statement {
  return sql`
    select from onboarding_source s
    where s.organization_id = ${organizationId} and s.id = ${sourceId}
      and (${profileKind !== 'department'} or s.department is null or s.department = ${department})`;
}

export interface SourceFile {
  readonly fileName: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly uploadId: string;
  readonly isCompleted: boolean;
}

export function fileOfSource({ organizationId, sourceId }: SourceRef): Statement<SourceFile> {
  const id = sql.value(organizationId);
  return sql`
    select s.file_name as "fileName", s.size_bytes as "sizeBytes", s.sha256, s.upload_id as "uploadId",
      b.state = 'completed' as "isCompleted"
    from onboarding_source s join onboarding b on b.organization_id = ${id}
    where s.organization_id = ${id} and s.id = ${sourceId}`;
}
