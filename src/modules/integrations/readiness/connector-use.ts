import type { Mode } from '../../../kernel/principals/index.ts';
import type { Risk } from '../../organizations/index.ts';
import type { Readiness } from '../integration.state.ts';
import type { ConnectorTool, ConnectorUseRow } from './connectors.queries.ts';
import { effectiveTools, mayWrite, refusalOf, type User, type UseRefusal } from './readiness.policy.ts';
import type { StandingConnector } from './readiness.service.ts';

/** Why a connector itself wants a person's approval for a call. */
export type ApprovalDemand = 'access_mode' | 'tool_review';

/** What an approved call is bound to; values are compared as they are. */
export type BoundFacts = Readonly<Record<string, string>>;

/** A profile's use of a connector in an execution: may it, may it with this tool, and what follows. All of it is pure. */
export class ConnectorUse {
  readonly row: ConnectorUseRow;
  readonly readiness: Readiness;
  /** Null where there is no such profile. */
  private readonly user: User | null;

  constructor(
    readonly standing: StandingConnector<ConnectorUseRow>,
    /** The mode of the task run; null in a chat turn. */
    mode: Mode | null,
  ) {
    const { row, readiness } = standing;
    this.row = row;
    this.readiness = readiness;
    const { profile, grant } = row;
    this.user = profile && { profileKind: profile.kind, profileEnabled: profile.enabled, grant, mode };
  }

  /** The present epoch of the organization. */
  get authorizationEpoch(): number {
    return this.row.organization.authorizationEpoch;
  }

  /** Why the profile may not use the connector, or this tool of it: the first reason; null where there is none. */
  refusal(toolName?: string): UseRefusal | null {
    const { facts, readiness } = this.standing;
    const nobody: User = { profileKind: 'department', profileEnabled: false, grant: null, mode: null };
    return refusalOf(facts, readiness, this.user ?? nobody, toolName);
  }

  /** Whether the profile may write here at all. */
  get mayWrite(): boolean {
    const { user } = this;
    return user?.grant ? mayWrite(this.row.accessMode, user, user.grant) : false;
  }

  /** A tool as it is listed now, whether or not it may be used. */
  tool(name: string): ConnectorTool | undefined {
    return this.standing.tools.find((each) => each.name === name);
  }

  /** The tools that the profile may use in this execution, as they are listed; none where it may not use the connector. */
  tools(): readonly ConnectorTool[] {
    if (this.refusal() !== null) return [];
    const { selection, accessMode } = this.row;
    const effective = effectiveTools<ConnectorTool>({ selection, accessMode, tools: this.standing.tools });
    return this.mayWrite ? effective : effective.filter(({ access }) => access === 'read');
  }

  /** What the catalog, or the tool's own definition, says of its risk. */
  risk({ risk }: ConnectorTool): Risk {
    return risk;
  }

  /** Why the connector wants a person to see a call of the tool; the organization's constraint on risks comes on top. */
  approvalDemands({ access, reviewRequired }: ConnectorTool): readonly ApprovalDemand[] {
    return [
      ...(access === 'write' && this.row.accessMode === 'ask_before_write' ? (['access_mode'] as const) : []),
      ...(reviewRequired ? (['tool_review'] as const) : []),
    ];
  }

  /**
   * What a call of the tool is bound to when it is proposed. A tool that is quarantined, missing or no longer chosen has
   * another definition than the one that was approved.
   */
  facts(toolName: string): BoundFacts {
    const { credentialGeneration, settingsRevision, toolsRevision, grantsRevision, accessMode, selection } = this.row;
    const selected = selection && Object.hasOwn(selection.tools, toolName) ? selection.tools[toolName] : undefined;
    const listed = this.tool(toolName);
    return {
      definition: selected?.quarantined ? 'quarantined' : (listed?.definitionHash ?? 'missing'),
      credential: String(credentialGeneration),
      settings: String(settingsRevision),
      tools: String(toolsRevision),
      grants: String(grantsRevision),
      accessMode,
    };
  }
}
