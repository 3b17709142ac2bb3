import { ConfigError } from './values/index.ts';
import type { SettingName, Settings } from './settings.ts';

/** The address of an S3-compatible store, and the credentials for it. */
export interface S3Config {
  readonly bucket: string;
  readonly region: string;
  /** Undefined for AWS. */
  readonly endpoint: string | undefined;
  readonly pathStyle: boolean;
  /** Prefix of every key, without slashes at its ends; empty for none. */
  readonly prefix: string;
  /** Undefined to use those that the AWS SDK finds on the machine. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
}

/** Stores other than AWS have no regions, or use this name. */
const REGION_OF_ENDPOINTS = 'us-east-1';

/** What settings lack that need each other, or how they contradict each other. */
export function s3Faults(settings: Settings): ConfigError[] {
  const isSet = (name: SettingName) => settings[name] !== undefined;
  if (!isSet('OBJECT_STORE_S3_BUCKET')) {
    const alone = (Object.keys(settings) as SettingName[]).filter(
      (name) => name.startsWith('OBJECT_STORE_S3_') && isSet(name),
    );
    return alone.map((name) => new ConfigError(name, 'needs OBJECT_STORE_S3_BUCKET; set it too'));
  }
  const faults: ConfigError[] = [];
  if (isSet('OBJECT_STORE_DIR'))
    faults.push(
      new ConfigError('OBJECT_STORE_DIR', 'is set together with OBJECT_STORE_S3_BUCKET; set only one of them'),
    );
  if (!isSet('OBJECT_STORE_S3_REGION') && !isSet('OBJECT_STORE_S3_ENDPOINT'))
    faults.push(new ConfigError('OBJECT_STORE_S3_REGION', 'is required where OBJECT_STORE_S3_ENDPOINT is not set'));
  const halves = ['OBJECT_STORE_S3_ACCESS_KEY_ID', 'OBJECT_STORE_S3_SECRET_ACCESS_KEY'] as const;
  const missing = halves.filter((name) => !isSet(name));
  if (missing.length === 1)
    faults.push(new ConfigError(missing[0]!, 'is required because the other half of the key pair is set'));
  return faults;
}

/** The store of the settings, or undefined when bytes are stored in a folder. */
export function s3Of(settings: Settings): S3Config | undefined {
  const { OBJECT_STORE_S3_BUCKET: bucket, OBJECT_STORE_S3_ENDPOINT: endpoint } = settings;
  const { OBJECT_STORE_S3_ACCESS_KEY_ID: accessKeyId, OBJECT_STORE_S3_SECRET_ACCESS_KEY: secretAccessKey } = settings;
  if (bucket === undefined) return undefined;
  return {
    bucket,
    endpoint,
    region: settings.OBJECT_STORE_S3_REGION ?? REGION_OF_ENDPOINTS,
    pathStyle: settings.OBJECT_STORE_S3_PATH_STYLE ?? endpoint !== undefined,
    prefix: settings.OBJECT_STORE_S3_PREFIX ?? '',
    credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined,
  };
}
