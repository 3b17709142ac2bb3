import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { Formatted, Integer, Text, Timestamp, Uuid } from '../../kernel/validation/index.ts';
import { OwnedRunParams } from './run.dto.ts';
import { OrganizationParams } from '../organizations/index.ts';

const DIGEST = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

function Digest(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) => (typeof value === 'string' ? value.toLowerCase() : (value as unknown))),
    Formatted({
      test: (text) => /^[0-9a-f]{64}$/.test(text),
      code: 'invalid_digest',
      what: '64 hexadecimal characters',
      max: 64,
      example: DIGEST,
      description: 'SHA-256 of the bytes, hexadecimal',
    }),
  );
}

export class ArtifactParams extends OrganizationParams {
  @Digest()
  sha256!: string;
}

export class RunArtifactParams extends OwnedRunParams {
  @Digest()
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
