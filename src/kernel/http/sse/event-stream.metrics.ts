import { defineMetrics } from '../../metrics/index.ts';

export const EventStreamMetrics = defineMetrics({
  open: {
    kind: 'gauge',
    name: 'event_streams_open',
    help: 'Event streams that are open in this process; EVENT_STREAMS_MAX limits them.',
  },
  opened: {
    kind: 'counter',
    name: 'event_streams_opened_total',
    help: 'Event streams that began in this process.',
  },
  refused: {
    kind: 'counter',
    name: 'event_streams_refused_total',
    help: 'Event streams that were answered 503: the process had EVENT_STREAMS_MAX, or the subject EVENT_STREAMS_PER_SUBJECT.',
    labels: { reason: ['process', 'subject'] },
  },
  cut: {
    kind: 'counter',
    name: 'event_streams_cut_total',
    help: 'Event streams that the service cut: their clients read too slowly, or what they asked for could not be read.',
  },
});
