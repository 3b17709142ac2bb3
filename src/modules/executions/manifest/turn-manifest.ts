import type { Statement } from '../../../kernel/database/index.ts';
import type { DecidedAction, UnresolvedAction } from '../../actions/index.ts';
import {
  type AttachmentDto,
  attachmentsAroundTurn,
  chatAroundTurn,
  type ChatDto,
  type MessageDto,
  messagesAroundTurn,
  pinOfTurn,
  type TurnFacts,
  turnFacts,
} from '../../chats/index.ts';
import type { ManifestOfKind } from './manifest-of-kind.ts';
import { decisionsOf, unresolvedOf } from './turn-manifest.queries.ts';

type Sets = readonly [
  readonly [TurnFacts],
  readonly [ChatDto],
  readonly MessageDto[],
  readonly AttachmentDto[],
  readonly DecidedAction[],
  readonly UnresolvedAction[],
];

/** What a chat turn finds in its manifest: what was said until then. */
export const turnManifest: ManifestOfKind = {
  pin: pinOfTurn,
  statements: (organizationId, turnId): Statement[] =>
    [turnFacts, chatAroundTurn, messagesAroundTurn, attachmentsAroundTurn, decisionsOf, unresolvedOf].map((of) =>
      of(organizationId, turnId),
    ),
  own: (sets) => {
    const [[facts], [chat], messages, attachments, decisions, unresolvedActions] = sets as unknown as Sets;
    return {
      ...facts,
      chat,
      messages: [...messages],
      attachments: [...attachments],
      decisions: [...decisions],
      unresolvedActions: [...unresolvedActions],
    };
  },
};
