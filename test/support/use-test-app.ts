import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { organizationOf, Person } from './client.ts';
import { Workplace } from './factories/engine-rows.ts';
import { TestApp, type TestAppOptions } from './test-app.ts';

/**
 * What the tests of a file, or of a `describe`, stand on. Each is a handle that hooks fill in, in the order in which the
 * handles are made: a constant whose type needs no assertion, and which throws when it is looked into too early.
 */

/** An application that is there before these tests and closed after them. */
export function useTestApp(options?: TestAppOptions): TestApp {
  const app = new TestApp();
  beforeAll(() => app.open(options));
  afterAll(() => app.close());
  return app;
}

/** A person with a token. */
export function usePerson(app: TestApp, name = 'somebody'): Person {
  const person = new Person(app);
  beforeAll(() => person.receiveToken(app.bootstrap, name));
  return person;
}

/** An organization with its profiles, and runs of them that call. */
export function useWorkplace(app: TestApp): Workplace {
  const place = new Workplace(app);
  beforeAll(() => place.open());
  return place;
}

interface OrganizationOptions extends TestAppOptions {
  /** One for all of these tests unless said, or a new one for each. */
  readonly per?: 'test';
  /** The owner's name. */
  readonly ownedBy?: string;
}

/** An application, a person, and an organization of theirs. */
export function useOrganization({ per, ownedBy, ...options }: OrganizationOptions = {}) {
  const app = useTestApp(options);
  const owner = usePerson(app, ownedBy);
  const organization = new UsedOrganization();
  const hook = per === 'test' ? beforeEach : beforeAll;
  hook(() => organization.createdBy(owner));
  return { app, owner, organization };
}

class UsedOrganization {
  private current: string | undefined;

  get id(): string {
    if (this.current === undefined) throw new Error('There is no organization before the hooks of the tests have run.');
    return this.current;
  }

  async createdBy(owner: Person): Promise<void> {
    this.current = await organizationOf(owner);
  }
}
