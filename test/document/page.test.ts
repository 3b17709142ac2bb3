import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { freshDatabase } from '../support/database/test-database.ts';
import { onDatabase, ServiceProcess } from '../support/processes/service-process.ts';
import { BOOTSTRAP_TOKEN } from '../support/test-app.ts';

/** In Chromium as Debian packages it, which finds no host but the service. */
const CHROMIUM = '/usr/bin/chromium';
const LIMIT_MS = 60_000;

let service: ServiceProcess;
let browser: Browser;
beforeAll(async () => {
  service = await ServiceProcess.start({ env: onDatabase(await freshDatabase('migrated')) });
  const args = ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'];
  browser = await puppeteer.launch({ executablePath: CHROMIUM, args });
}, LIMIT_MS);
afterAll(async () => {
  await browser?.close();
  await ServiceProcess.killAll();
});

/** A page with all that it asks for and complains of. */
class Visit {
  readonly asked: string[] = [];
  readonly complaints: string[] = [];
  readonly page: Page;

  private constructor(page: Page) {
    this.page = page;
    page.setDefaultTimeout(LIMIT_MS);
    page.on('request', (request) => this.asked.push(request.url()));
    page.on('console', (message) => {
      if (['error', 'warn'].includes(message.type())) this.complaints.push(message.text());
    });
    page.on('pageerror', (error) => this.complaints.push(String(error)));
  }

  static async to(path: string, width: number): Promise<Visit> {
    const visit = new Visit(await browser.newPage());
    const isPhone = width < 500;
    await visit.page.setViewport({ width, height: 900, isMobile: isPhone, hasTouch: isPhone });
    await visit.page.goto(service.baseUrl + path, { waitUntil: 'networkidle0' });
    return visit;
  }

  /** Hosts that were asked for something; what a document brings itself is from none. */
  get hosts(): string[] {
    const urls = this.asked.map((url) => new URL(url)).filter(({ protocol }) => !/^(data|blob):$/.test(protocol));
    return [...new Set(urls.map(({ origin }) => origin))];
  }

  // What runs in the page is text, because our sources do not know the types of a browser.

  overflow(): Promise<number> {
    return this.page.evaluate('document.documentElement.scrollWidth - innerWidth') as Promise<number>;
  }

  text(): Promise<string> {
    return this.page.evaluate('document.body.textContent') as Promise<string>;
  }

  /** Waits until this is true in the page. */
  async until(condition: string): Promise<void> {
    await this.page.waitForFunction(condition, { polling: 100 });
  }

  /** Presses the first in sight of these elements whose text has this, once there is one. */
  async press(text: string, elements = 'button'): Promise<void> {
    const [wanted, selector] = [text, elements].map((each) => JSON.stringify(each));
    await this.until(`(() => {
      const all = [...document.querySelectorAll(${selector})];
      const found = all.find((each) => each.textContent.includes(${wanted}) && each.offsetParent);
      found?.click();
      return found !== undefined;
    })()`);
  }
}

describe.each([1_400, 390])('the page at %i px', (width) => {
  let visit: Visit;
  beforeAll(async () => {
    visit = await Visit.to('/docs', width);
  }, LIMIT_MS);

  it('begins with the guide, and groups the tags', async () => {
    const text = await visit.text();
    for (const heading of ['Tokens', 'First calls', 'Answers and errors', 'Idempotency', 'Pages', 'Leases'])
      expect(text).toContain(heading);
    for (const group of ['Owners', 'Runtimes', 'Executions', 'Operation'])
      expect(text).toContain(`Open Group - ${group}`);
  });

  it(
    'finds an operation and makes a call with a token',
    async () => {
      const { page } = visit;
      await (await page.waitForSelector('input[placeholder=Token]'))!.type(BOOTSTRAP_TOKEN);
      if (width < 500) await visit.press('Open Menu');
      await visit.press('Open Search');
      await page.waitForSelector('[role=combobox]');
      await page.keyboard.type('list your organizations');
      await visit.press('List your organizations', '[role=option]');
      await visit.until(`location.hash === '#tag/organizations/GET/organizations'`);
      expect(await visit.overflow()).toBeLessThanOrEqual(0);

      await visit.press('Test Request(get /organizations)');
      const answered = page.waitForResponse((response) => new URL(response.url()).pathname === '/organizations');
      await visit.press('Send get request');
      const answer = await answered;
      expect([answer.status(), answer.request().headers().authorization]).toEqual([200, `Bearer ${BOOTSTRAP_TOKEN}`]);
      expect(await answer.json()).toMatchObject({ success: true, data: [] });
    },
    LIMIT_MS,
  );

  it('is as wide as the screen', async () => {
    expect(await visit.overflow()).toBeLessThanOrEqual(0);
  });

  it('asks no other host for anything, and breaks no rule of its own policy', () => {
    expect(visit.asked.length).toBeGreaterThanOrEqual(4);
    expect(visit.hosts).toEqual([service.baseUrl]);
    expect(visit.complaints).toEqual([]);
  });
});

describe('Swagger’s page', () => {
  it(
    'shows the operations, and asks no other host for anything',
    async () => {
      const visit = await Visit.to('/docs/swagger', 1_400);
      await visit.page.waitForSelector('.opblock');
      expect(visit.hosts).toEqual([service.baseUrl]);
    },
    LIMIT_MS,
  );
});
