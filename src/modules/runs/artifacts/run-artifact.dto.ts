import { EdgeIssues } from '../../../kernel/errors/index.ts';
import { CutText, Formatted, Integer, Sha256, Text, Timestamp, Uuid } from '../../../kernel/validation/index.ts';
import { OwnedRunParams } from '../run.dto.ts';
import { OrganizationParams } from '../../organizations/index.ts';
import { isRelativePath } from './artifact-path.ts';
import { RunIssues } from '../run.errors.ts';

const DIGEST = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

export class ArtifactParams extends OrganizationParams {
  @Sha256({ description: 'SHA-256 of the bytes' })
  sha256!: string;
}

export class RunArtifactParams extends OwnedRunParams {
  @Sha256({ description: 'SHA-256 of the bytes' })
  sha256!: string;
}

export class StoredArtifactDto {
  @Uuid()
  runId!: string;
  @Text({ example: DIGEST })
  sha256!: string;
  @Integer({ example: 5_120 })
  sizeBytes!: number;
  @Timestamp()
  createdAt!: string;
}

/** An artifact that a result names: a file of the workspace, an address, or bytes that its run stored. */
export class ArtifactDto {
  @Formatted({
    test: (text) => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text),
    issue: EdgeIssues.invalidSlug,
    what: 'lowercase letters and digits in segments joined by single hyphens, at most 64 characters',
    max: 64,
    example: 'report',
    description: 'Dependencies may wait for an artifact of this kind',
  })
  kind!: string;
  @CutText({ max: 200, example: 'Quarterly report' })
  name!: string;
  @Formatted({
    test: isRelativePath,
    issue: RunIssues.invalidPath,
    what: 'a relative path with "/" between its segments, none of them empty, "." or ".."',
    max: 500,
    example: 'reports/quarter.md',
    description: 'Unique in the result',
  })
  path!: string;
  @CutText({ max: 2_000, optional: true })
  uri?: string;
  @CutText({ max: 200, optional: true, example: 'text/markdown' })
  mediaType?: string;
  @Integer({
    optional: true,
    example: 5120,
    description: 'With `sha256`, the stored size replaces this one',
  })
  sizeBytes?: number;
  @Sha256({ optional: true, description: 'Names bytes that the run stored before (`PUT …/artifacts/{sha256}`)' })
  sha256?: string;
  @CutText({ max: 4_000, optional: true })
  summary?: string;
}
