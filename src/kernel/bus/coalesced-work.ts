/**
 * Work that runs one at a time, and once for all requests that come before it begins. It must not fail: those who
 * request it do not wait for it.
 */
export class CoalescedWork {
  private isRunning = false;
  private isRequested = false;

  constructor(private readonly work: () => Promise<void>) {}

  request(): void {
    this.isRequested = true;
    if (!this.isRunning) void this.run();
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    while (this.isRequested) {
      this.isRequested = false;
      await this.work();
    }
    this.isRunning = false;
  }
}
