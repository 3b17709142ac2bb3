/**
 * A copy of a part of the document in which references stand beside their descriptions, as OpenAPI 3.1 permits, and not
 * in an `allOf` of one: generators take that as a type derived from the one referred to.
 */
export function withPlainReferences<Part>(part: Part): Part {
  if (Array.isArray(part)) return part.map(withPlainReferences) as Part;
  if (typeof part !== 'object' || part === null) return part;
  const entries = Object.entries(part).flatMap(([key, value]) =>
    key === 'allOf' && isOneReference(value) ? Object.entries(value[0]) : [[key, withPlainReferences(value)] as const],
  );
  return Object.fromEntries(entries) as Part;
}

function isOneReference(value: unknown): value is [{ readonly $ref: string }] {
  return Array.isArray(value) && value.length === 1 && '$ref' in (value[0] as object);
}
