import { Config, ConfigError, examineSettings, type SettingName, type Settings, settings } from '../config/index.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The configuration under examination. Where a variable is invalid, the setting has its default. */
export class Patient {
  readonly settings: Settings;
  readonly config: Config;
  readonly faults: readonly ConfigError[];
  private readonly faulty: ReadonlySet<string>;

  constructor(readonly env: Environment) {
    const { settings: given, faults } = examineSettings(env);
    this.faults = faults;
    try {
      this.config = configOf(given);
      this.settings = given;
    } catch (error) {
      // A file that a setting names and that cannot be used.
      if (!(error instanceof ConfigError)) throw error;
      this.faults = [...this.faults, error];
      this.settings = { ...given, [error.setting]: undefined };
      this.config = configOf(this.settings);
    }
    this.faulty = new Set(this.faults.map(settingOf));
  }

  /** Whether nothing is wrong with settings of these names or beginnings of names. */
  isSound(...names: readonly string[]): boolean {
    return ![...this.faulty].some((faulty) => names.some((name) => faulty.startsWith(name)));
  }

  get isEmbedded(): boolean {
    return this.settings.DATABASE_URL === undefined;
  }

  /** The same on the embedded database, whose URL is known once it runs. */
  databaseAt(url: string): Config['database'] {
    return this.isEmbedded ? { ...this.config.database, url, directUrl: url, dispatchUrl: url } : this.config.database;
  }

  /** Texts that no line may hold. */
  get secrets(): readonly string[] {
    const names = (Object.keys(settings) as SettingName[]).filter((name) => 'secret' in settings[name]);
    const values = names.flatMap((name): unknown => this.settings[name]).filter((value) => typeof value === 'string');
    return [...values, ...values.flatMap(passwordsOf)].filter((secret) => secret !== '');
  }
}

function passwordsOf(value: string): string[] {
  const { password } = URL.canParse(value) ? new URL(value) : { password: '' };
  return [password, decodeURIComponent(password)];
}

function configOf(given: Settings): Config {
  return new Config(given, {
    url: given.DATABASE_URL ?? '',
    ownerBootstrapToken: given.OWNER_BOOTSTRAP_TOKEN ?? '',
    agentServiceTokens: given.AGENT_SERVICE_TOKENS ?? [],
    capabilityKeys: given.CAPABILITY_KEYS ?? [],
    encryptionKeys: given.ENCRYPTION_KEYS ?? [],
  });
}

function settingOf({ setting }: ConfigError): string {
  return setting.replace(/_FILE$/, '');
}
