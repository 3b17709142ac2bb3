import { defineErrors, defineIssues, EdgeIssues, LOST_LEASE } from '../../kernel/errors/index.ts';

export const ChatErrors = defineErrors({
  notFound: { status: 404, code: 'chat_not_found', message: 'There is no such chat.' },
  responseActive: {
    status: 409,
    code: 'chat_response_active',
    message: 'An answer is under way: wait until it has ended, or cancel it.',
  },
  onboardingImmutable: {
    status: 409,
    code: 'onboarding_chat_immutable',
    message: 'The onboarding chat cannot be changed or deleted.',
  },
});

export const MessageErrors = defineErrors({
  notFound: { status: 404, code: 'message_not_found', message: 'There is no such message.' },
  turnActive: {
    status: 409,
    code: 'chat_turn_active',
    message: 'An answer is under way: wait until it has ended, or cancel it.',
  },
  notCancellable: {
    status: 409,
    code: 'message_not_cancellable',
    message: 'The message is no answer that is under way.',
  },
  refused: {
    status: 409,
    code: 'state_conflict',
    message: 'The chat takes no messages now: restore it if it is archived, and enable the chat profile.',
  },
});

export const TurnErrors = defineErrors({
  /** The turn is unknown, claimed again, lapsed or over: its worker stops in each case. */
  leaseExpired: {
    status: 409,
    code: 'run_lease_expired',
    message: 'The lease is missing, stale or expired: stop this work and claim again.',
    issues: LOST_LEASE,
  },
  conflict: {
    status: 409,
    code: 'state_conflict',
    message: 'The state of the turn does not permit this: see the issues.',
  },
});

export const AttachmentErrors = defineErrors({
  notFound: { status: 404, code: 'attachment_not_found', message: 'There is no such attachment.' },
  notAllowed: {
    status: 409,
    code: 'attachment_not_allowed',
    message: 'The chat does not take this attachment: use an open chat and an id that is new in it.',
  },
  tooLarge: {
    status: 413,
    code: 'attachment_invalid',
    message: 'The attachment is larger than 50 MiB: send a smaller file.',
  },
  bytesDamaged: {
    status: 409,
    code: 'state_conflict',
    message: 'The stored bytes of the attachment are damaged or gone: attach the file again, under a new id.',
    issues: [EdgeIssues.bytesDamaged],
  },
  unsupported: {
    status: 415,
    code: 'attachment_invalid',
    message: 'The media type is not supported, or the bytes are not of it: declare a supported one.',
    issues: [EdgeIssues.mediaTypeNotAccepted, EdgeIssues.mediaTypeMismatch],
  },
});

export const TurnIssues = defineIssues({
  gap: { code: 'gap', message: 'is beyond the end of the part: go on from params.length' },
  otherText: { code: 'other_text', message: 'differs from the text that the part has at this offset' },
  answerTooLong: {
    code: 'answer_too_long',
    message: 'makes the answer too long: complete the turn with what is stored',
  },
  tooManyParts: { code: 'too_many_parts', message: 'makes more parts than an answer may have: append to one of them' },
  notCancelling: { code: 'not_cancelling', message: 'No cancel was requested: complete or fail the turn.' },
  alreadyStreaming: { code: 'already_streaming', message: 'The turn has begun to stream: complete or fail it.' },
});
