import { Injectable } from '@nestjs/common';
import { Job } from '../../../kernel/jobs/index.ts';
import { ReviewService } from './review.service.ts';

@Injectable()
export class ReviewJobs {
  constructor(private readonly reviews: ReviewService) {}

  @Job('onboarding-reviews', '*/2 * * * * *')
  review(signal: AbortSignal): Promise<void> {
    return this.reviews.run(signal);
  }
}
