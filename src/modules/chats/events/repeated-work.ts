/**
 * Work that is done once for all who ask while it has not begun, and one at a time. It must not fail: whoever asked is not
 * waiting for it.
 */
export class RepeatedWork {
  private atWork = false;
  private again = false;

  constructor(private readonly work: () => Promise<void>) {}

  ask(): void {
    this.again = true;
    if (!this.atWork) void this.run();
  }

  private async run(): Promise<void> {
    this.atWork = true;
    while (this.again) {
      this.again = false;
      await this.work();
    }
    this.atWork = false;
  }
}
