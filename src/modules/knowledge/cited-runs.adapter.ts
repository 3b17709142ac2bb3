import { Injectable } from '@nestjs/common';
import { RunCitations } from '../runs/index.ts';
import { namesRun } from './knowledge.queries.ts';

/** Keeps what runs delivered as long as records name it as evidence. */
@Injectable()
export class CitedRuns {
  constructor(citations: RunCitations) {
    citations.register(namesRun);
  }
}
