import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { AGENT, MEDIA } from '../git-proxy.policy.ts';
import { GitHostService, type HostAccess, type HostAnswer, requireAnswer } from '../host/index.ts';
import { AdvertisedRefReader, type HostCapabilities, lsRefsRequest, refIn, VERSION_2 } from '../protocol/index.ts';
import type { PushAnswer } from './push-verdict.ts';

/** Where a ref stands for those who push, and what the host offers them. */
export interface AdvertisedRef {
  readonly oid: string | null;
  readonly capabilities: HostCapabilities;
}

/** One push, which is sent once. */
export interface PushRequest {
  readonly body: AsyncIterable<Uint8Array>;
  readonly leavesUntilMs: number;
  readonly signal: AbortSignal;
}

/** What the service itself says to the host: two looks at a ref, and a push. */
@Injectable()
export class PushHostService {
  constructor(private readonly host: GitHostService) {}

  /** As a client that pushes sees it. */
  async advertised(access: HostAccess, ref: string, signal: AbortSignal): Promise<AdvertisedRef> {
    const type = MEDIA.advertisement['git-receive-pack'];
    const path = 'info/refs?service=git-receive-pack';
    const answer = await this.host.ask(access, { exchange: 'check', path, accept: type, signal });
    const reader = new AdvertisedRefReader(ref);
    for await (const piece of requireAnswer(answer, type).body as AsyncIterable<Uint8Array>) reader.add(piece);
    return reader.result;
  }

  /** Where a ref stands now; null where there is none. */
  async refNow(access: HostAccess, ref: string, signal: AbortSignal): Promise<string | null> {
    const type = MEDIA.result['git-upload-pack'];
    const answer = await this.host.ask(access, {
      exchange: 'look',
      path: 'git-upload-pack',
      accept: type,
      contentType: MEDIA.request['git-upload-pack'],
      protocol: VERSION_2,
      body: lsRefsRequest(ref, AGENT),
      signal,
    });
    return refIn(await buffer(requireAnswer(answer, type).body), ref);
  }

  /** The whole answer, whatever it is. Throws `HostFailure`, which says whether anything has left. */
  async push(access: HostAccess, request: PushRequest): Promise<PushAnswer> {
    const type = MEDIA.result['git-receive-pack'];
    const answer: HostAnswer = await this.host.ask(access, {
      exchange: 'push',
      path: 'git-receive-pack',
      accept: type,
      contentType: MEDIA.request['git-receive-pack'],
      ...request,
    });
    const hasReport = answer.contentType.split(';')[0]!.trim().toLowerCase() === type;
    return { status: answer.status, hasReport, body: await buffer(answer.body) };
  }
}
