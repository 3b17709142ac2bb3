import { Injectable } from '@nestjs/common';
import { OwnerIdentities, type OwnerPrincipal, TOKEN_PREFIX } from '../../../kernel/auth/index.ts';
import { randomToken, sha256 } from '../../../kernel/crypto/index.ts';
import { Reads, type StatementTx, Transactions } from '../../../kernel/database/index.ts';
import { type Scope, SCOPES } from '../../../kernel/principals/index.ts';
import { BOOTSTRAP } from '../../../kernel/tenancy/index.ts';
import { ApiError, EdgeErrors, EdgeIssues, invalid } from '../../../kernel/errors/index.ts';
import { Idempotency, type IdempotentRequest } from '../../../kernel/idempotency/index.ts';
import { newId } from '../../../kernel/ids/index.ts';
import type { Page } from '../../../kernel/pagination/index.ts';
import type {
  CreatedOwnerTokenDto,
  CreateOwnerTokenDto,
  OwnerTokenDto,
  OwnerTokenListQuery,
} from './owner-token.dto.ts';
import { deleteOwnerToken, insertOwnerToken, openOrganizations, ownerTokensOf } from './owner-tokens.queries.ts';
import { OrganizationIssues } from '../organization.errors.ts';

const PREFIX_LENGTH = TOKEN_PREFIX.length + 8;

/** Personal tokens of owners. Row-level security shows a subject its own, the bootstrap token all. */
@Injectable()
export class OwnerTokensService {
  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly idempotency: Idempotency,
    private readonly identities: OwnerIdentities,
  ) {}

  list(owner: OwnerPrincipal, query: OwnerTokenListQuery): Promise<Page<OwnerTokenDto>> {
    return this.reads.listAsSubject(owner.subject, ownerTokensOf(owner.subject, query));
  }

  create(owner: OwnerPrincipal, body: CreateOwnerTokenDto, request: IdempotentRequest): Promise<CreatedOwnerTokenDto> {
    if (body.subject !== undefined && owner.subject !== BOOTSTRAP)
      throw invalid('subject', EdgeIssues.notPermitted, 'can be named by the bootstrap token only: leave it out');
    if (body.subject === BOOTSTRAP)
      throw invalid('subject', EdgeIssues.notPermitted, 'must not be bootstrap, whose token the deployment sets');
    return this.transactions.asSubject(owner.subject, (tx) =>
      this.idempotency.once(
        tx,
        { subject: owner.subject, request, details: body, kept: (answer) => ({ ...answer, token: null }) },
        () => this.insert(tx, owner, body),
      ),
    );
  }

  /** Deletes the token; calls with it are refused from then on. */
  async revoke(owner: OwnerPrincipal, ownerTokenId: string): Promise<OwnerTokenDto> {
    const revoked = await this.transactions.asSubject(owner.subject, async (tx) => {
      const [token] = await tx.rows(deleteOwnerToken(ownerTokenId));
      if (!token) throw new ApiError(EdgeErrors.notFound, { message: 'There is no such owner token.' });
      return token;
    });
    this.identities.revoked(ownerTokenId);
    return revoked;
  }

  private async insert(
    tx: StatementTx,
    owner: OwnerPrincipal,
    body: CreateOwnerTokenDto,
  ): Promise<CreatedOwnerTokenDto> {
    const organizationIds = await limitsOf(tx, owner, body);
    const token = TOKEN_PREFIX + randomToken();
    const [row] = await tx.rows(
      insertOwnerToken({
        id: newId(),
        subject: body.subject ?? (owner.subject === BOOTSTRAP ? `token:${newId()}` : owner.subject),
        name: body.name,
        prefix: token.slice(0, PREFIX_LENGTH),
        hash: sha256(token),
        organizationIds,
        scopes: scopesOf(owner, body),
        expiresAt: body.expiresAt ?? null,
        latest: owner.expiresAt,
      }),
    );
    const { isPast, outlives, ...created } = row!;
    if (isPast) throw invalid('expiresAt', EdgeIssues.notInFuture, 'must be in the future');
    if (outlives)
      throw invalid(
        'expiresAt',
        OrganizationIssues.outlivesCaller,
        'must not be after the expiry of the token that you call with',
      );
    return { ...created, token };
  }
}

/** The scopes of a new token, in the order of the documents: those of the token that makes it, or some of them. */
function scopesOf({ scopes }: OwnerPrincipal, body: CreateOwnerTokenDto): readonly Scope[] {
  const wanted = body.scopes ?? scopes;
  const lacking = wanted.filter((scope) => !scopes.includes(scope));
  if (lacking.length > 0)
    throw invalid(
      'scopes',
      OrganizationIssues.exceedsCaller,
      `must not hold what the token that you call with lacks: ${lacking.join(', ')}`,
    );
  return SCOPES.filter((scope) => wanted.includes(scope));
}

/** The organizations to which a new token is limited: those of the token that makes it, or some that are open to it. */
async function limitsOf(
  tx: StatementTx,
  owner: OwnerPrincipal,
  body: CreateOwnerTokenDto,
): Promise<readonly string[] | null> {
  if (!body.organizationIds) return owner.organizationIds;
  const wanted = body.organizationIds.map((id) => id.toLowerCase());
  const belongs = new Set((await tx.rows(openOrganizations(wanted))).map(({ id }) => id));
  const closed = wanted.findIndex((id) => !belongs.has(id) || owner.organizationIds?.includes(id) === false);
  if (closed >= 0)
    throw invalid(
      `organizationIds.${closed}`,
      EdgeIssues.unknownReference,
      'names no organization that is open to the token that you call with',
    );
  return [...new Set(wanted)];
}
