import { Integer, Sha256, Text, Timestamp, Uuid } from '../../../kernel/validation/index.ts';
import { OwnedRunParams } from '../run.dto.ts';
import { OrganizationParams } from '../../organizations/index.ts';

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
