import type { EndpointSpec } from '../endpoint/index.ts';
import { eventFrame } from '../sse/index.ts';
import { exampleOf } from './examples.ts';

type EventsSpec = Extract<EndpointSpec, { readonly eventId: string }>;

/** The success response of an `events` route: an example of each kind as it is sent, and the schema of its data. */
export function eventResponses(spec: EventsSpec, schemas: Record<string, object>): Record<string, object> {
  const kinds = Object.entries(spec.events).map(
    ([event, { name }]) => [event, { $ref: `#/components/schemas/${name}` }] as const,
  );
  const examples = kinds.map(([event, schema]) => {
    const data = exampleOf(schema, schemas) as object;
    return [event, { value: eventFrame({ id: spec.eventId, event, data }).toString() }] as const;
  });
  return {
    [spec.status ?? 200]: {
      description: spec.message ?? 'Events as they happen, with comments between them that keep the stream open',
      content: {
        'text/event-stream': {
          schema: { type: 'string' },
          examples: Object.fromEntries(examples),
          'x-event-data': Object.fromEntries(kinds),
        },
      },
    },
  };
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
