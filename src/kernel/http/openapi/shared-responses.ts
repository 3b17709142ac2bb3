/** The names under which an error's response may be shared, the best first; they are not part of the document. */
export const NAMES = 'x-names';

interface ErrorResponse {
  readonly [NAMES]: readonly string[];
}

interface Place {
  readonly responses: Record<string, object>;
  readonly status: string;
}

type Paths = Readonly<Record<string, Readonly<Record<string, { responses: Record<string, object> }>>>>;

/**
 * Moves what several operations answer alike to the shared responses, each under its best name that is free, and
 * puts references in their places. The most frequent answer has the first choice.
 */
export function shareResponses(paths: Paths): Record<string, object> {
  const uses = new Map<
    string,
    { readonly names: readonly string[]; readonly response: object; readonly places: Place[] }
  >();
  for (const { responses } of Object.values(paths).flatMap((item) => Object.values(item)))
    for (const [status, response] of Object.entries(responses)) {
      if (Number(status) < 400) continue;
      const { [NAMES]: names, ...shown } = response as ErrorResponse;
      responses[status] = shown;
      const key = JSON.stringify(shown);
      const use = uses.get(key) ?? { names, response: shown, places: [] as Place[] };
      use.places.push({ responses, status });
      uses.set(key, use);
    }
  const shared: Record<string, object> = {};
  for (const { names, response, places } of [...uses.values()].toSorted((a, b) => b.places.length - a.places.length)) {
    const name = names.find((each) => !(each in shared));
    if (places.length < 2 || name === undefined) continue;
    shared[name] = response;
    for (const { responses, status } of places) responses[status] = { $ref: `#/components/responses/${name}` };
  }
  return Object.fromEntries(Object.entries(shared).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
