import { resolve } from 'node:path';
import { Logger } from '@nestjs/common';
import { examineEmbeddedDefault, startEmbeddedDatabase } from '../embedded/index.ts';
import { knownMigrations } from '../kernel/database/index.ts';
import { ormOptions } from '../mikro-orm.config.ts';
import { checkCatalog, checkPublication } from './catalog.checks.ts';
import { checkEncryption } from './encryption.checks.ts';
import { checkConfiguration } from './configuration.checks.ts';
import { checkDatabase } from './database.checks.ts';
import { fail, failure, type Finding, ok } from './finding.ts';
import { checkListening } from './listening.checks.ts';
import { checkObjectStore } from './object-store.checks.ts';
import { type Environment, Patient } from './patient.ts';
import { withinLimit } from './within-limit.ts';
import { checkOutgoing } from './outgoing.checks.ts';

/** Everything that is looked at, in order. What depends on an invalid variable is left out. */
export async function* diagnose(env: Environment): AsyncGenerator<Finding> {
  // What fails is a finding, and no log line beside it.
  Logger.overrideLogger(false);
  const patient = new Patient(env);
  for await (const { level, about, text } of withinLimit(examine(patient), LIMIT_MS, UNFINISHED))
    yield { level, about, text: level === 'ok' ? text : withoutSecrets(text, patient) };
}

/** For everything; each try has a limit of its own, of 15 s at most. */
const LIMIT_MS = 60_000;
const UNFINISHED = fail('doctor', 'gave up after 60 s; whatever comes after the line above does not answer');

async function* examine(patient: Patient): AsyncGenerator<Finding> {
  const { config } = patient;
  yield* checkConfiguration(patient);
  const edition = patient.isSound('CATALOG_DIR') ? yield* checkCatalog(config) : undefined;
  if (patient.isSound('DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_DISPATCH_URL', 'DATA_DIR'))
    yield* withDatabase(patient, (url) =>
      checkDatabase(patient.databaseAt(url), knownMigrations(ormOptions), async function* (connections) {
        if (edition) yield* checkPublication(edition, connections);
        // Those of a trial that has none yet are made at its start.
        if (patient.isSound('ENCRYPTION_KEYS') && config.encryptionKeys.length > 0)
          yield* checkEncryption(config.encryptionKeys, connections);
      }),
    );
  if (patient.isSound('OBJECT_STORE_', 'DATA_DIR')) yield* checkObjectStore(config);
  if (patient.isSound('OIDC_', 'EGRESS_')) yield* checkOutgoing(config);
  if (patient.isSound('PORT', 'HOST')) yield* checkListening(config);
}

/** Runs `work` on the database of the environment, or on that in `DATA_DIR` if there is one. */
async function* withDatabase(
  { settings, config, isEmbedded }: Patient,
  work: (url: string) => AsyncGenerator<Finding>,
): AsyncGenerator<Finding> {
  if (!isEmbedded) {
    yield* work(config.database.url);
    return;
  }
  const dataDir = resolve(settings.DATA_DIR);
  try {
    if (!(await examineEmbeddedDefault(dataDir, settings))) {
      yield ok('DATA_DIR', `the start makes a database for trials in ${dataDir}; set DATABASE_URL for anything else`);
      return;
    }
    const server = await startEmbeddedDatabase(dataDir);
    try {
      yield ok('DATA_DIR', `holds a database for trials in ${dataDir}; set DATABASE_URL for anything else`);
      yield* work(server.url);
    } finally {
      await server.stop();
    }
  } catch (error) {
    yield failure('DATA_DIR', error);
  }
}

/** A last resort: messages of libraries, which only faults have, may hold what they were given. */
function withoutSecrets(text: string, { secrets }: Patient): string {
  return secrets.reduce((cleaned, secret) => cleaned.replaceAll(secret, '…'), text.replaceAll(/\s*\n\s*/g, ' '));
}
