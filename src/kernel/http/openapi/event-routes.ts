import type { EndpointSpec } from '../endpoint/index.ts';
import { eventFrame } from '../sse/index.ts';
import { exampleOf } from './examples.ts';
import { schemaOf } from './schema-names.ts';

type EventsSpec = Extract<EndpointSpec, { readonly eventId: string }>;

/**
 * The success response of an `events` route. Its schema is that of an event's data, as generators of clients read it;
 * what is sent around the data stands in the description.
 */
export function eventResponses(spec: EventsSpec, schemas: Record<string, object>): Record<string, object> {
  const kinds = Object.entries(spec.events).map(([event, type]) => ({ event, schema: schemaOf(type) }));
  const examples = kinds.map(({ event, schema }) => [event, { value: exampleOf(schema, schemas) }] as const);
  return {
    [spec.status ?? 200]: {
      description: describe(spec, examples[0]!),
      content: {
        'text/event-stream': { schema: unionOf(kinds, schemas), examples: Object.fromEntries(examples) },
      },
    },
  };
}

function describe({ message, eventId, events }: EventsSpec, [event, { value }]: readonly [string, { value: unknown }]) {
  const frame = eventFrame({ id: eventId, event, data: value as object })
    .toString()
    .trim();
  return `${message ?? 'Events as they happen, with comments between them that keep the stream open'}

Sent as [server-sent events](https://html.spec.whatwg.org/multipage/server-sent-events.html) of the kinds ${listed(events)}; the schema is that of their \`data\`:

\`\`\`
${frame}
\`\`\``;
}

function listed(events: EventsSpec['events']): string {
  return Object.keys(events)
    .map((event) => `\`${event}\``)
    .join(', ');
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, { readonly enum?: readonly unknown[] }>>;
}

/** The union of the events' data, told apart by `type` where each names its kind there. */
function unionOf(
  kinds: readonly { readonly event: string; readonly schema: { readonly $ref: string } }[],
  schemas: Readonly<Record<string, object>>,
): object {
  if (kinds.length === 1) return kinds[0]!.schema;
  const saysKind = ({ event, schema: { $ref } }: (typeof kinds)[number]) => {
    const { properties } = schemas[$ref.split('/').at(-1)!] as ObjectSchema;
    return properties?.type?.enum?.length === 1 && properties.type.enum[0] === event;
  };
  const union = { oneOf: kinds.map(({ schema }) => schema) };
  if (!kinds.every(saysKind)) return union;
  const mapping = Object.fromEntries(kinds.map(({ event, schema }) => [event, schema.$ref]));
  return { ...union, discriminator: { propertyName: 'type', mapping } };
}

/** The request header that an `events` route reads. */
export function eventParameters({ eventId }: EventsSpec) {
  return [
    {
      name: 'Last-Event-ID',
      in: 'header',
      required: false,
      description: 'The id of the last event that you have seen; the stream continues after it.',
      schema: { type: 'string' },
      example: eventId,
    },
  ];
}
