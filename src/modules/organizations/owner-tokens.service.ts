import { Injectable } from '@nestjs/common';
import { OwnerIdentities, type OwnerPrincipal, TOKEN_PREFIX } from '../../kernel/auth/index.ts';
import { randomToken, sha256 } from '../../kernel/crypto/index.ts';
import { BOOTSTRAP, columns, Reads, statement, Transactions, type Tx, Values } from '../../kernel/database/index.ts';
import { ApiError, EdgeErrors, invalid } from '../../kernel/errors/index.ts';
import { Idempotency, type IdempotentRequest } from '../../kernel/idempotency/index.ts';
import { newId } from '../../kernel/ids/index.ts';
import { KeysetList, type Page, uuidCursor } from '../../kernel/pagination/index.ts';
import type {
  CreatedOwnerTokenDto,
  CreateOwnerTokenDto,
  OwnerTokenDto,
  OwnerTokenListQuery,
} from './owner-token.dto.ts';

const PREFIX_LENGTH = TOKEN_PREFIX.length + 8;

const select = columns<OwnerTokenDto>({
  id: 't.id',
  name: 't.name',
  subject: 't.subject',
  prefix: 't.prefix',
  createdAt: 't.created_at',
  expiresAt: 't.expires_at',
  lastUsedAt: 't.last_used_at',
});

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
    const values = new Values();
    const own = owner.subject === BOOTSTRAP ? [] : [`t.subject = ${values.add(owner.subject)}`];
    const list = new KeysetList<OwnerTokenDto>(
      {
        select,
        from: 'owner_token t',
        where: own,
        values,
        sortBy: [{ sql: 't.id', type: 'uuid', of: ({ id }) => id }],
        cursor: uuidCursor,
      },
      query,
    );
    return this.reads.listAsSubject(owner.subject, list);
  }

  create(owner: OwnerPrincipal, body: CreateOwnerTokenDto, request: IdempotentRequest): Promise<CreatedOwnerTokenDto> {
    if (body.subject !== undefined && owner.subject !== BOOTSTRAP)
      throw invalid('subject', 'not_permitted', 'can be named with the bootstrap token only');
    if (body.subject === BOOTSTRAP) throw invalid('subject', 'not_permitted', 'has its token from the deployment');
    return this.transactions.asSubject(owner.subject, (tx) =>
      this.idempotency.once(
        tx,
        { subject: owner.subject, request, details: body, kept: (answer) => ({ ...answer, token: null }) },
        () => this.insert(tx, owner, body),
      ),
    );
  }

  /** Deletes the token; it opens nothing from then on. */
  async revoke(owner: OwnerPrincipal, ownerTokenId: string): Promise<OwnerTokenDto> {
    const revoked = await this.transactions.asSubject(owner.subject, async (tx) => {
      const [token] = await tx.rows<OwnerTokenDto>(
        statement(`delete from owner_token t where t.id = $1 returning ${select}`, ownerTokenId),
      );
      if (!token) throw new ApiError(EdgeErrors.notFound, { message: 'There is no such owner token.' });
      return token;
    });
    this.identities.revoked(ownerTokenId);
    return revoked;
  }

  private async insert(tx: Tx, owner: OwnerPrincipal, body: CreateOwnerTokenDto): Promise<CreatedOwnerTokenDto> {
    const token = TOKEN_PREFIX + randomToken();
    // The caller's own end of life is the latest that its offspring may have.
    const [row] = await tx.rows<OwnerTokenDto & { isPast: boolean; outlives: boolean }>(
      statement(
        `with wanted as (select $6::timestamptz as expires_at, $7::timestamptz as latest),
         t as (
           insert into owner_token as t (id, subject, name, prefix, token_hash, expires_at)
           select $1, $2, $3, $4, $5, least(expires_at, latest) from wanted
           returning t.*)
         select ${select}, t.expires_at <= clock_timestamp() as "isPast", w.expires_at > w.latest as outlives
         from t, wanted w`,
        newId(),
        body.subject ?? (owner.subject === BOOTSTRAP ? `token:${newId()}` : owner.subject),
        body.name,
        token.slice(0, PREFIX_LENGTH),
        sha256(token),
        body.expiresAt ?? null,
        owner.expiresAt,
      ),
    );
    const { isPast, outlives, ...created } = row!;
    if (isPast) throw invalid('expiresAt', 'not_in_future', 'must be in the future');
    if (outlives)
      throw invalid('expiresAt', 'outlives_caller', 'must not be after the expiry of the token that you call with');
    return { ...created, token };
  }
}
