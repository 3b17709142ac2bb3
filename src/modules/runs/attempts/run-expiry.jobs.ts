import { Injectable } from '@nestjs/common';
import { Job } from '../../../kernel/jobs/index.ts';
import { RunExpiryService } from './run-expiry.service.ts';

@Injectable()
export class RunExpiryJobs {
  constructor(private readonly expiry: RunExpiryService) {}

  @Job('runs-expire', '*/5 * * * * *')
  expireDue(signal: AbortSignal): Promise<void> {
    return this.expiry.expireDue(signal);
  }
}
