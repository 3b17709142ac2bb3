import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../kernel/auth/index.ts';
import { sha256 } from '../../kernel/crypto/index.ts';
import { Reads } from '../../kernel/database/index.ts';
import { ApiError } from '../../kernel/errors/index.ts';
import type { ByteAnswer } from '../../kernel/http/index.ts';
import type { Page } from '../../kernel/pagination/index.ts';
import { toAction, toActionDetail } from './action-row.ts';
import type { ActionDetailDto, ActionDto, ActionListQuery } from './action.dto.ts';
import { ActionErrors } from './action.errors.ts';
import { actionById, actionsOf } from './actions.queries.ts';

/** What owners see of actions. */
@Injectable()
export class ActionsService {
  constructor(private readonly reads: Reads) {}

  async list(owner: OwnerPrincipal, organizationId: string, query: ActionListQuery): Promise<Page<ActionDto>> {
    return (await this.reads.listInOrganization(owner, organizationId, actionsOf(organizationId, query))).map(toAction);
  }

  async read(owner: OwnerPrincipal, organizationId: string, id: string): Promise<ActionDetailDto> {
    const [row] = await this.reads.inOrganization(owner, organizationId, actionById(organizationId, id));
    if (!row) throw new ApiError(ActionErrors.notFound);
    return toActionDetail(row);
  }

  /** The canonical arguments as a file, byte for byte what the digest was taken of and what is sent. */
  async payload(owner: OwnerPrincipal, organizationId: string, id: string): Promise<ByteAnswer> {
    const [row] = await this.reads.inOrganization(owner, organizationId, actionById(organizationId, id));
    if (!row) throw new ApiError(ActionErrors.notFound);
    const bytes = Buffer.from(row.arguments);
    return {
      sizeBytes: bytes.length,
      sha256: sha256(bytes).toString('hex'),
      mediaType: 'application/octet-stream',
      fileName: `${row.reference}.json`,
      open: (range) => {
        const part = range ? bytes.subarray(range.start, range.end + 1) : bytes;
        return Promise.resolve({ stream: Readable.from([part]), sizeBytes: bytes.length });
      },
    };
  }
}
