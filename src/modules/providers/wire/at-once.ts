/**
 * Works on all items, so many at once, and answers in their order. After a failure no further one is begun; the failure of
 * the first item that has one is thrown when all that were begun have ended.
 */
export async function atOnce<Item, Result>(
  items: readonly Item[],
  most: number,
  work: (item: Item, index: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const failures = new Map<number, unknown>();
  const left = items.entries();
  const worker = async () => {
    for (const [index, item] of left) {
      if (failures.size > 0) return;
      try {
        results[index] = await work(item, index);
      } catch (error) {
        failures.set(index, error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker));
  if (failures.size > 0) throw failures.get(Math.min(...failures.keys()));
  return results;
}
