/** What broke a promise, each with the rule and the ids to look for. */
export interface Findings {
  /** An acknowledged call that left nothing behind. */
  readonly lost: string[];
  /** An effect that happened twice. */
  readonly doubled: string[];
  /** Work that nobody will move, or did not end in time. */
  readonly stuck: string[];
  /** Every other promise that was broken. */
  readonly wrong: string[];
}
