import { Logger } from '@nestjs/common';
import { errors, type JWTHeaderParameters } from 'jose';
import type { Clock } from '../../clock/index.ts';
import { ApiError, EdgeErrors } from '../../errors/index.ts';
import type { KeySet } from './provider-documents.ts';

/** Age at which keys are read again, so that a key that the provider removed is refused. */
const FRESH_MS = 60 * 60_000;
/** How long known keys are used while the provider cannot be reached. */
const KEPT_MS = 24 * 60 * 60_000;
/** Pause after a failed attempt to read keys. */
const RETRY_MS = 5_000;
/** Pause between reads for tokens whose `kid` is unknown, so that forged ones do not become requests to the provider. */
const UNKNOWN_KID_MS = 30_000;

interface Known {
  readonly find: KeySet;
  readonly readAtMs: number;
}

/**
 * The keys of one provider in this process: read when the first token needs them, after an hour, and for an unknown
 * `kid`; one read at a time. Does not use `createRemoteJWKSet` of jose, which drops its keys after their age although the
 * provider is unreachable, and then asks it again for each token.
 */
export class ProviderKeys {
  private readonly logger = new Logger('Oidc');
  private known: Known | undefined;
  private reading: Promise<boolean> | undefined;
  /** Why the last read failed; undefined after a successful one. */
  private failure: string | undefined;
  private retryAtMs = Number.NEGATIVE_INFINITY;
  private unknownKidAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly issuer: string,
    private readonly clock: Clock,
    private readonly fetchKeySet: () => Promise<KeySet>,
  ) {}

  /**
   * The key that a token's header names. Throws `JWKSNoMatchingKey` if the provider has no such key, and 503 while that
   * cannot be known.
   */
  async find(header: JWTHeaderParameters): ReturnType<KeySet> {
    await this.prepare();
    try {
      return await this.known!.find(header);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      if (!(await this.readForUnknownKid())) throw error;
      return this.known!.find(header);
    }
  }

  /** The key that a header names, if it is one of those that were read; never asks the provider. */
  async findKnown(header: JWTHeaderParameters): ReturnType<KeySet> {
    if (!this.known) throw new errors.JWKSNoMatchingKey();
    return this.known.find(header);
  }

  /** Reads the keys if there are none yet, so that the log says early what is wrong. */
  async prepare(): Promise<void> {
    const ageMs = this.known ? this.clock.monotonicMs() - this.known.readAtMs : Number.POSITIVE_INFINITY;
    if (ageMs < FRESH_MS) return;
    const read = this.read();
    // After a failed read known keys are used at once, because a provider that does not answer takes seconds.
    const mustWait = ageMs >= KEPT_MS;
    if (!mustWait && this.failure !== undefined) return;
    if (!(await read) && mustWait) throw this.unavailable();
  }

  /** Whether the keys were read again; false if that was done a moment ago. */
  private async readForUnknownKid(): Promise<boolean> {
    const nowMs = this.clock.monotonicMs();
    if (!this.reading && this.failure === undefined) {
      if (nowMs < this.unknownKidAtMs + UNKNOWN_KID_MS) return false;
      this.unknownKidAtMs = nowMs;
    }
    if (!(await this.read())) throw this.unavailable();
    return true;
  }

  /** Reads the keys, together with all who ask meanwhile. Whether that succeeded; false too shortly after a failure. */
  private read(): Promise<boolean> {
    if (!this.reading) {
      if (this.clock.monotonicMs() < this.retryAtMs) return Promise.resolve(false);
      this.reading = this.attempt().finally(() => {
        this.reading = undefined;
      });
    }
    return this.reading;
  }

  private async attempt(): Promise<boolean> {
    try {
      const find = await this.fetchKeySet();
      this.known = { find, readAtMs: this.clock.monotonicMs() };
      if (this.failure !== undefined) this.logger.log(`the keys of ${this.issuer} were read again`);
      this.failure = undefined;
      return true;
    } catch (error) {
      this.retryAtMs = this.clock.monotonicMs() + RETRY_MS;
      const { message } = error as Error;
      if (message !== this.failure) this.logger.warn(`the keys of ${this.issuer} could not be read: ${message}`);
      this.failure = message;
      return false;
    }
  }

  private unavailable(): ApiError {
    const seconds = Math.max(1, Math.ceil((this.retryAtMs - this.clock.monotonicMs()) / 1000));
    return new ApiError(EdgeErrors.serviceUnavailable, {
      message: 'The OpenID provider cannot be reached to check this token; try again later.',
      headers: { 'Retry-After': String(seconds) },
    });
  }
}
