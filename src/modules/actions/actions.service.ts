import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../kernel/auth/index.ts';
import { sha256 } from '../../kernel/crypto/index.ts';
import { Reads } from '../../kernel/database/index.ts';
import { ApiError } from '../../kernel/errors/index.ts';
import type { ByteAnswer } from '../../kernel/http/index.ts';
import type { Page } from '../../kernel/pagination/index.ts';
import { ActionExecutors } from './action-executors.port.ts';
import { type ActionDetailRow, toAction, toActionDetail } from './action-row.ts';
import type { ActionDetailDto, ActionDto, ActionListQuery } from './action.dto.ts';
import { ActionErrors } from './action.errors.ts';
import { actionById, actionsOf } from './actions.queries.ts';

/** What owners see of actions. */
@Injectable()
export class ActionsService {
  constructor(
    private readonly reads: Reads,
    private readonly executors: ActionExecutors,
  ) {}

  async list(owner: OwnerPrincipal, organizationId: string, query: ActionListQuery): Promise<Page<ActionDto>> {
    return (await this.reads.listInOrganization(owner, organizationId, actionsOf(organizationId, query))).map(toAction);
  }

  async read(owner: OwnerPrincipal, organizationId: string, id: string): Promise<ActionDetailDto> {
    const [row] = await this.reads.inOrganization(owner, organizationId, actionById(organizationId, id));
    if (!row) throw new ApiError(ActionErrors.notFound);
    return toActionDetail(row);
  }

  /** What an action sends as a file, byte for byte: what its executor keeps for it, else the canonical arguments. */
  async payload(owner: OwnerPrincipal, organizationId: string, id: string): Promise<ByteAnswer> {
    const [row] = await this.reads.inOrganization(owner, organizationId, actionById(organizationId, id));
    if (!row) throw new ApiError(ActionErrors.notFound);
    const executor = this.executors.of(row);
    if (!executor?.payload) return argumentsOf(row);
    const kept = await executor.payload({ ...row, arguments: JSON.parse(row.arguments) as Record<string, unknown> });
    if (!kept) throw new ApiError(ActionErrors.notFound, { message: 'The bytes of this action are kept no more.' });
    return kept;
  }
}

/** What the digest was taken of. */
function argumentsOf({ reference, arguments: text }: ActionDetailRow): ByteAnswer {
  const bytes = Buffer.from(text);
  return {
    sizeBytes: bytes.length,
    sha256: sha256(bytes).toString('hex'),
    mediaType: 'application/octet-stream',
    fileName: `${reference}.json`,
    open: (range) => {
      const part = range ? bytes.subarray(range.start, range.end + 1) : bytes;
      return Promise.resolve({ stream: Readable.from([part]), sizeBytes: bytes.length });
    },
  };
}
