import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RuntimeCaller } from '../../../kernel/auth/index.ts';
import { Endpoint } from '../../../kernel/http/index.ts';
import type { OwnerPrincipal, ServicePrincipal } from '../../../kernel/principals/index.ts';
import { KnownWorkerDto } from './known-worker.dto.ts';
import { KnownWorkersService } from './known-workers.service.ts';

@ApiTags('Internal Runs')
@Controller('workers')
export class KnownWorkersController {
  constructor(private readonly workers: KnownWorkersService) {}

  @Get()
  @Endpoint({
    operationId: 'workers.list',
    summary: 'List the workers',
    description:
      'For operators: of owners only the bootstrap token may. The workers that claimed work within a day or hold some, the latest seen first, at most 1,000. What a claim tells is written down at most once a minute, so `bootId`, `filters` and the `lastSeenAt` of a worker that holds nothing may be about a minute old; what it holds is told as it is.',
    auth: ['owner', 'service'],
    scope: 'read',
    returns: KnownWorkerDto,
    array: true,
  })
  list(@RuntimeCaller() caller: OwnerPrincipal | ServicePrincipal): Promise<KnownWorkerDto[]> {
    return this.workers.list(caller);
  }
}
