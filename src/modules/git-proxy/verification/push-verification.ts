import { NO_OBJECT, type RefCommand } from '../protocol/index.ts';
import { MOST_COMMITS, type Walked, walkCommits } from './commit-walk.ts';
import { type GitProcess, GitStopped } from './git-process.ts';
import { HeaderReader, objectsIn, TrailerReader } from './pack-header.ts';
import { PrivateRepository } from './private-repository.ts';

const MOST_OBJECTS = 100_000;
/** All that it says of a pack that it has taken whole; behind it the `.gitmodules` that the host has. */
const INDEXED = /^pack\t(?<sum>[0-9a-f]{40})\n(?:[0-9a-f]{40}\n)*$/;
/** All that it says where it misses nothing but `.gitattributes` that the host has; cut short it ends otherwise. */
const ATTRIBUTES_ELSEWHERE =
  /^(?:error: object [0-9a-f]{40}: gitattributesMissing: [^\n]*\n)+fatal: fsck error in pack objects\n$/;

/** Why a push is not what it should be, for its client to show. */
export class RefusedPush extends Error {
  constructor(
    reason: string,
    /** Whether the pack itself is at fault, and not what it would do to the branch. */
    readonly isUnpackFault: boolean,
  ) {
    super(reason);
    this.name = 'RefusedPush';
  }
}

/** What a push has proven of itself. */
export interface VerifiedPush {
  readonly walked: Walked;
  /** Whether the host has all that it names already. */
  readonly isEmpty: boolean;
  /** Holds what was pushed, until the verification ends. */
  readonly repository: PrivateRepository;
}

/**
 * Looks at one push in a repository of its own, with git itself: the pack is whole and sound, holds what the branch needs
 * and nothing else, and an update leads to where the branch stood. Throws `RefusedPush` with a reason of ours.
 */
export class PushVerification {
  private readonly header = new HeaderReader();
  private readonly trailer = new TrailerReader();
  private objects: number | undefined;

  private constructor(
    private readonly repository: PrivateRepository,
    private readonly command: RefCommand,
    private readonly indexing: GitProcess,
    private readonly signal: AbortSignal | undefined,
  ) {}

  static async begin(command: RefCommand, maxBytes: number, signal?: AbortSignal): Promise<PushVerification> {
    const repository = await PrivateRepository.create(signal);
    const args = ['index-pack', '--stdin', '--fsck-objects', '--threads=1', `--max-input-size=${maxBytes}`];
    const indexing = repository.start(args, signal ? { signal } : {});
    return new PushVerification(repository, command, indexing, signal);
  }

  /** Takes the next bytes of the pack. */
  async write(bytes: Buffer): Promise<void> {
    const header = this.header.add(bytes);
    if (header) this.objects = requireFew(header);
    this.trailer.add(bytes);
    await this.indexing.write(bytes);
  }

  /** The pack is whole. */
  async finish(): Promise<VerifiedPush> {
    try {
      await this.requireSound();
      const { repository } = this;
      if (this.objects === 0) return { walked: this.unbrought(), isEmpty: true, repository };
      await this.requireCommit();
      await this.requireNothingElse();
      return { walked: await this.requireForward(), isEmpty: false, repository };
    } catch (error) {
      if (error instanceof GitStopped && error.why !== 'aborted')
        throw new RefusedPush('the pack takes more time or memory to verify than a push may', true);
      throw error;
    }
  }

  /** Ends what runs and takes the repository away. */
  async end(): Promise<void> {
    this.indexing.stop();
    await this.repository.remove();
  }

  /** Without objects only a branch can begin, at a commit that the host has: of an update nothing is proven. */
  private unbrought(): Walked {
    if (this.command.oldOid !== NO_OBJECT) throw NOT_FORWARD;
    return { commits: [], bases: new Set([this.command.newOid]), isCut: false };
  }

  private async requireSound(): Promise<void> {
    const { status, stdout, stderr, tookAll } = await this.indexing.end();
    // Looked for at the very end, when the pack is kept already and all that it holds was looked at.
    if (status !== 0 && !ATTRIBUTES_ELSEWHERE.test(stderr)) throw new RefusedPush(faultOf(stderr, status), true);
    // What it does not take for the pack it hands back; such as looks like what it says itself is told by the last bytes.
    const sum = INDEXED.exec(stdout.toString('latin1'))?.groups?.['sum'];
    if (!tookAll || sum !== this.trailer.sum) throw new RefusedPush('bytes follow the pack', true);
  }

  private async requireCommit(): Promise<void> {
    const { status, stdout } = await this.run(['cat-file', '-t', this.command.newOid]);
    if (status === 0 && stdout.toString().trim() === 'commit') return;
    throw new RefusedPush('the branch would not stand at a commit of this push', false);
  }

  /** History that is not there makes git end with an error here; only what it calls unreachable counts. */
  private async requireNothingElse(): Promise<void> {
    const args = ['fsck', '--unreachable', '--connectivity-only', '--no-reflogs', this.command.newOid];
    const { stdout } = await this.run(args);
    if (/^unreachable /m.test(stdout.toString('latin1')))
      throw new RefusedPush('the pack holds objects that the branch does not need', true);
  }

  private async requireForward(): Promise<Walked> {
    const walked = await walkCommits(this.repository, this.command.newOid, this.signal);
    if (walked.isCut) throw new RefusedPush(`a push has at most ${MOST_COMMITS} commits`, false);
    if (walked.commits.some(({ isAmbiguous }) => isAmbiguous)) throw new RefusedPush(MALFORMED, true);
    const { oldOid } = this.command;
    const isThere = walked.bases.has(oldOid) || walked.commits.some(({ oid }) => oid === oldOid);
    if (oldOid !== NO_OBJECT && !isThere) throw NOT_FORWARD;
    return walked;
  }

  private run(args: readonly string[]) {
    const options = { maxBytes: 16 * 1_024 * 1_024, ...(this.signal ? { signal: this.signal } : {}) };
    return this.repository.run(args, options);
  }
}

const NOT_FORWARD = new RefusedPush(
  'not a fast-forward that this push proves; merge with --no-ff and push again',
  false,
);
const MALFORMED = 'an object of the pack is malformed';

function requireFew(header: Buffer): number {
  const objects = objectsIn(header);
  if (objects === undefined) throw new RefusedPush('what follows the command is no pack', true);
  if (objects > MOST_OBJECTS) throw new RefusedPush(`a push has at most ${MOST_OBJECTS} objects`, true);
  return objects;
}

/** What git said, in our words: its own would name objects and folders. */
function faultOf(stderr: string, status: number): string {
  if (/unresolved delta|pack has \d+ unresolved/.test(stderr)) return 'the pack is thin; push with --no-thin';
  if (/input size|exceeds maximum allowed size/.test(stderr)) return 'the pack is larger than a push may be';
  if (/early EOF|premature end/i.test(stderr)) return 'the pack is cut off';
  if (/SHA1 (mismatch|COLLISION)|pack is corrupted|inflate|bad pack|invalid/i.test(stderr))
    return 'the pack is damaged';
  if (/fsck error|error in object|Invalid object/i.test(stderr)) return MALFORMED;
  // Ended by a limit of its own.
  if (status >= 128) return 'the pack takes more time or memory to verify than a push may';
  return 'the pack is not sound';
}
