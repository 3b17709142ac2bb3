import { defineErrors, defineIssues } from '../../kernel/errors/index.ts';

export const ChatErrors = defineErrors({
  notFound: { status: 404, code: 'chat_not_found', message: 'There is no such chat.' },
  responseActive: { status: 409, code: 'chat_response_active', message: 'An answer is still being written.' },
  onboardingImmutable: {
    status: 409,
    code: 'onboarding_chat_immutable',
    message: 'The onboarding chat cannot be changed or deleted.',
  },
});

export const MessageErrors = defineErrors({
  notFound: { status: 404, code: 'message_not_found', message: 'There is no such message.' },
  turnActive: { status: 409, code: 'chat_turn_active', message: 'The chat already waits for an answer.' },
  notCancellable: { status: 409, code: 'message_not_cancellable', message: 'The message is not being answered.' },
  /** An archived chat, or no chat profile that answers. */
  refused: { status: 409, code: 'state_conflict', message: 'The chat takes no messages now.' },
});

export const TurnErrors = defineErrors({
  /** Unknown, replaced, lapsed or over: a worker takes it as the end, whichever it is. */
  leaseExpired: { status: 409, code: 'run_lease_expired', message: 'The lease is missing, stale or expired.' },
  conflict: { status: 409, code: 'state_conflict', message: 'The turn does not permit this.' },
});

export const AttachmentErrors = defineErrors({
  notFound: { status: 404, code: 'attachment_not_found', message: 'There is no such attachment.' },
  notAllowed: { status: 409, code: 'attachment_not_allowed', message: 'The chat does not take this attachment.' },
  tooLarge: { status: 413, code: 'attachment_invalid', message: 'The attachment is larger than 50 MB.' },
  unsupported: { status: 415, code: 'attachment_invalid', message: 'Attachments of this type are not taken.' },
});

export const TurnIssues = defineIssues({
  gap: { code: 'gap', message: 'is behind the end of the part' },
  otherText: { code: 'other_text', message: 'differs from what the part has there' },
  answerTooLong: { code: 'answer_too_long', message: 'makes the answer too long' },
  tooManyParts: { code: 'too_many_parts', message: 'is beyond the parts of an answer' },
  notCancelling: { code: 'not_cancelling', message: 'Nobody has asked for the end of the turn.' },
  alreadyStreaming: { code: 'already_streaming', message: 'The turn has begun: end it.' },
});
