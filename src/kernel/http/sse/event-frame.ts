interface Event {
  /** What a client that comes back sends as `Last-Event-ID`. */
  readonly id: string;
  /** The kind, as `EndpointSpec.events` names it. */
  readonly event: string;
  readonly data: object;
}

/** An event as it goes over the line. JSON has no line breaks of its own, so `data` is one line. */
export function eventFrame({ id, event, data }: Event): Buffer {
  return Buffer.from(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

/** A line that clients skip. */
export function commentFrame(text: string): Buffer {
  return Buffer.from(`: ${text}\n\n`);
}

/** How long a client waits before it comes back. */
export function retryFrame(milliseconds: number): Buffer {
  return Buffer.from(`retry: ${milliseconds}\n\n`);
}
