/** Characters are Unicode code points. */
export const MESSAGE_LIMITS = {
  userParts: 20,
  userPartCharacters: 32_000,
  appendBytes: 64 * 1024,
  answerBytes: 1024 * 1024,
  answerParts: 100,
} as const;
