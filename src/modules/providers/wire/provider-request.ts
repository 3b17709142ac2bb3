export interface ProviderRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Built from validated parts; never one that a provider gave. */
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; a string or bytes as they are, with the type that the headers name. */
  readonly body?: object | string;
  /** Bytes of the answer; 1 MiB unless said. */
  readonly maxBytes?: number;
  /** Values of an answer in JSON; 200,000 unless said. */
  readonly maxValues?: number;
  /** The type that a good answer has: JSON unless said, which is parsed; any other comes as its text. */
  readonly accepts?: string;
  /** Ends it earlier than the bounds of its connection. */
  readonly signal?: AbortSignal;
}

export interface ProviderAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** As the provider asked to wait, in seconds. */
  readonly retryAfterSeconds: number | null;
  /** JSON parsed, with integers beyond 2⁵³ as text, or the text of another type; undefined where there is none to read. */
  readonly body: unknown;
}
