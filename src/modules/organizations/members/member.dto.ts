import { OpaqueCursor, PageQuery } from '../../../kernel/pagination/index.ts';
import { MEMBER_ROLES, type MemberRole } from '../../../kernel/principals/index.ts';
import { Formatted, isUuid, OneOf, Text, Timestamp, Uuid } from '../../../kernel/validation/index.ts';
import { OrganizationIssues } from '../organization.errors.ts';

const SUBJECT = 'token:0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11';

/** `bootstrap`, `token:<uuid>` or `oidc:<issuer>|<sub>`. */
export function isSubject(text: string): boolean {
  if (text === 'bootstrap') return true;
  if (text.startsWith('token:')) return isUuid(text.slice('token:'.length)) && text === text.toLowerCase();
  // The issuer is a URL and has no bar; a `sub` may have one (`idp|…`).
  return /^oidc:https?:\/\/[^\s|]+\|\S+$/.test(text);
}

export const subjectField = {
  test: isSubject,
  issue: OrganizationIssues.invalidSubject,
  what: 'bootstrap, token:<uuid> or oidc:<issuer>|<sub>',
  max: 500,
  example: SUBJECT,
  description: 'The person or client: `bootstrap`, `token:<uuid>` or `oidc:<issuer>|<sub>`',
};

export class MemberParams {
  @Uuid()
  organizationId!: string;

  @Formatted({ ...subjectField, description: 'The subject, percent-encoded' })
  subject!: string;
}

export class MemberListQuery extends PageQuery {
  @OpaqueCursor()
  declare cursor?: string;
}

const ROLE = {
  description: 'An `owner` may do everything, a `viewer` reads everything but secrets and changes nothing',
};

export class SetMemberDto {
  @OneOf(MEMBER_ROLES, ROLE)
  role!: MemberRole;
}

export class MemberDto {
  @Text({ example: SUBJECT })
  subject!: string;
  @OneOf(MEMBER_ROLES, ROLE)
  role!: MemberRole;
  @Text({
    example: 'bootstrap',
    description: 'The subject that added this member; creators of organizations add themselves',
  })
  addedBy!: string;
  @Timestamp()
  createdAt!: string;
}
