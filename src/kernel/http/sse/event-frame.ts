interface Event {
  /** What a client sends as `Last-Event-ID` when it reconnects. */
  readonly id: string;
  /** The kind, as `EndpointSpec.events` names it. */
  readonly event: string;
  readonly data: object;
}

/** Encodes an event as it is sent. JSON text has no line breaks, so `data` is one line. */
export function eventFrame({ id, event, data }: Event): Buffer {
  return Buffer.from(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

/** Encodes a comment, which clients skip. */
export function commentFrame(text: string): Buffer {
  return Buffer.from(`: ${text}\n\n`);
}

/** Encodes how long a client waits before it reconnects. */
export function retryFrame(milliseconds: number): Buffer {
  return Buffer.from(`retry: ${milliseconds}\n\n`);
}
