import { Body, Controller, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '../../../kernel/http/index.ts';
import { RecoverDto, RecoveredDto, WorkerParams } from './worker-recovery.dto.ts';
import { WorkerRecoveryService } from './worker-recovery.service.ts';

@ApiTags('Internal Runs')
@Controller('internal/workers/:workerId')
export class WorkersController {
  constructor(private readonly recovery: WorkerRecoveryService) {}

  @Post('recover')
  @Endpoint({
    summary: 'Give back what a worker held before it started again',
    description:
      'What is held under other boot ids of the worker and showed no life for one and a half heartbeat intervals: claims are queued again, runs end as expired and their work is ready at once, chat turns wait again. What is fresher is left alone, since another live process may have the same name; with `alone` it is given back too.',
    auth: 'service',
    returns: RecoveredDto,
    message: 'Work given back',
  })
  recover(@Param() { workerId }: WorkerParams, @Body() body: RecoverDto): Promise<RecoveredDto> {
    return this.recovery.recover(workerId, body);
  }
}
