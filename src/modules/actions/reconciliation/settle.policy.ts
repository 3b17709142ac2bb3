/** Seconds after an action became ambiguous at which its executor looks what became of it. */
const LOOKS_AFTER_SECONDS = [0, 30, 120, 600] as const;

/** From one look to the next; null behind the last one, from which on only a person can say. */
export function secondsToNextLook(looks: number): number | null {
  const next = LOOKS_AFTER_SECONDS[looks + 1];
  return next === undefined ? null : next - LOOKS_AFTER_SECONDS[looks]!;
}

/** How long one look may take. */
export const LOOK_MS = 30_000;
