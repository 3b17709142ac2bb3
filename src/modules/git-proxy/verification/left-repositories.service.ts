import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { removeLeftRepositories } from './private-repository.ts';

const EVERY_MS = 60 * 60 * 1_000;

/**
 * Removes what processes that were killed left of pushes on this machine: when the service starts, and then every hour,
 * since the newest are not told from those at work. No job, because those run on workers alone and pushes come to all.
 */
@Injectable()
export class LeftRepositoriesService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('GitPushes');
  private timer: NodeJS.Timeout | undefined;

  onApplicationBootstrap(): void {
    void this.remove();
    this.timer = setInterval(() => void this.remove(), EVERY_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private async remove(): Promise<void> {
    try {
      await removeLeftRepositories(new Date(Date.now() - EVERY_MS));
    } catch (error) {
      this.logger.warn(`repositories of pushes that were cut off were not removed: ${(error as Error).message}`);
    }
  }
}
