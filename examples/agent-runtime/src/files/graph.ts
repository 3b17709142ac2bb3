type Graph = ReadonlyMap<string, readonly string[]>;

/** Finds groups of at least two nodes that reach each other (Tarjan), each sorted. Dependencies come first. */
export function components(graph: Graph): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (node: string): void => {
    index.set(node, index.size);
    low.set(node, index.get(node)!);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) low.set(node, Math.min(low.get(node)!, low.get(next)!));
    }
    if (low.get(node) === index.get(node)) found.push(stack.splice(stack.indexOf(node)).sort());
  };
  for (const node of [...graph.keys()].sort()) if (!index.has(node)) visit(node);
  return found;
}

export function cycles(graph: Graph): string[][] {
  return components(graph)
    .filter((group) => group.length > 1 || graph.get(group[0]!)?.includes(group[0]!))
    .sort((a, b) => compare(a[0]!, b[0]!));
}

/**
 * The longest chain of imports. A cycle counts as one link, shown by its first file; of equally long chains, takes the
 * first by name, so that the answer is always the same.
 */
export function longestChain(graph: Graph): string[] {
  const groups = components(graph);
  const groupOf = new Map(groups.flatMap((group) => group.map((node) => [node, group[0]!] as const)));
  const best = new Map<string, string[]>();
  for (const group of groups) {
    const next = group.flatMap((node) => graph.get(node) ?? []).map((node) => groupOf.get(node)!);
    const tails = next.filter((node) => node !== group[0]).map((node) => best.get(node)!);
    best.set(group[0]!, [group[0]!, ...longest(tails)]);
  }
  return longest([...best.values()]);
}

function longest(chains: readonly string[][]): string[] {
  return [...chains].sort((a, b) => b.length - a.length || compare(a.join('\n'), b.join('\n')))[0] ?? [];
}

/** Compares by code unit, so that the order does not depend on the machine's language. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
