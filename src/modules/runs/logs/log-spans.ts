/**
 * Sequences as spans without a gap: the first and the last of each, in order, in one list. Nearly all batches are one
 * span, so the database compares two numbers where it would sort them all.
 */
export function spansOf(sequences: readonly number[]): number[] {
  const spans: number[] = [];
  for (const sequence of [...sequences].sort((one, other) => one - other)) {
    if (sequence - 1 === spans.at(-1)) spans[spans.length - 1] = sequence;
    else spans.push(sequence, sequence);
  }
  return spans;
}
