/** What broke a promise, each with the rule and the ids to look for. */
export interface Findings {
  /** An acknowledged call that stored nothing. */
  readonly lost: string[];
  /** An effect that happened twice. */
  readonly doubled: string[];
  /** Work that nothing will advance, or that did not end in time. */
  readonly stuck: string[];
  /** Every other promise that was broken. */
  readonly wrong: string[];
}
