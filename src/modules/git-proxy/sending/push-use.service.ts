import { Injectable } from '@nestjs/common';
import { Reads, type Statement } from '../../../kernel/database/index.ts';
import { activeAccess } from '../../../kernel/tenancy/index.ts';
import type { ActionStanding, ActionTarget, ActionToSend } from '../../actions/index.ts';
import { standingOfTool } from '../../gateway/index.ts';
import {
  ConnectorAuthority,
  type ConnectorUse,
  type ConnectorUseRow,
  credentialOf,
  NOT_FOUND,
  type Which,
} from '../../integrations/index.ts';
import { GitErrors } from '../git-proxy.errors.ts';
import type { HostRepository } from '../host/index.ts';
import type { PushArguments } from '../push/index.ts';
import { permittedName, type RepositoryName } from '../repository-name.ts';

/** Branches that others build on, where no resource says which one does. */
const USUAL_DEFAULTS: ReadonlySet<string> = new Set(['refs/heads/main', 'refs/heads/master']);

/** How a push stands to its connector: whether it may go, and what a person has to see first. */
@Injectable()
export class PushUseService {
  constructor(
    private readonly authority: ConnectorAuthority,
    private readonly reads: Reads,
  ) {}

  statement(target: ActionTarget, lock = false): Statement<ConnectorUseRow> {
    const { organizationId, integrationId, connectorKey, agentProfileId, toolName } = target;
    // By id once it is known: the key of a removed connector is free again.
    const which: Which = integrationId === null ? { key: connectorKey } : { id: integrationId };
    return this.authority.uses(organizationId, which, agentProfileId, { definitions: { toolName }, lock });
  }

  /** What a row means; the mode of the run that pushed counts where it is named. */
  useOf(row: ConnectorUseRow, mode: Parameters<ConnectorAuthority['useOf']>[1] = null): ConnectorUse {
    return this.authority.useOf(row, mode);
  }

  standingOf(use: ConnectorUse, target: ActionTarget): ActionStanding {
    const standing = standingOfTool(use, target.toolName);
    const isReached = repositoryOf(use, target) !== undefined;
    return {
      ...standing,
      risk: isOntoDefault(use, pushOf(target)) ? 'high' : standing.risk,
      unusable: standing.unusable ?? (isReached ? null : GitErrors.notFound.message),
    };
  }

  /** The connector as it stands now, with its credential; undefined where the push may not go, or not there. */
  async repositoryBehind(action: ActionToSend): Promise<HostRepository | undefined> {
    const { organizationId, toolName } = action;
    const access = activeAccess(organizationId, NOT_FOUND, 'ordinary');
    const [[row], [credential]] = await this.reads.listThrough(access, {
      statements: () => [this.statement(action), credentialOf(organizationId, action.integrationId!)] as const,
      result: (sets) => sets,
    });
    const use = row && this.useOf(row);
    if (!use || use.refusal(toolName) !== null) return undefined;
    const name = repositoryOf(use, action);
    return name && { use, credential, name };
  }
}

/** What is pushed, as it was staged: nobody but the route of Git proposes one. */
export function pushOf(target: Pick<ActionTarget, 'arguments'>): PushArguments {
  return target.arguments as unknown as PushArguments;
}

function repositoryOf({ row }: ConnectorUse, target: ActionTarget): RepositoryName | undefined {
  const [owner = '', repository = ''] = pushOf(target).repository.split('/');
  return permittedName({ owner, repository }, row.settings?.['repositories'] as readonly string[] | undefined);
}

function isOntoDefault({ row }: ConnectorUse, { repository, ref }: PushArguments): boolean {
  const wanted = repository.toLowerCase();
  const bound = row.context?.resources.find(({ externalId, name }) =>
    [externalId, name].some((each) => each.toLowerCase() === wanted),
  );
  return bound ? ref === `refs/heads/${bound.defaultBranch}` : USUAL_DEFAULTS.has(ref);
}
