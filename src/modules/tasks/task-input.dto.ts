import { EdgeIssues } from '../../kernel/errors/index.ts';
import { Formatted, OneOf, Slug, Text, Uuid } from '../../kernel/validation/index.ts';

export class TextInputDto {
  @OneOf(['text'])
  kind!: 'text';
  @Text({ visible: true, max: 20_000, example: 'Checkout fails since Monday' })
  text!: string;
}

export class AttachmentInputDto {
  @OneOf(['attachment'])
  kind!: 'attachment';
  @Uuid()
  chatId!: string;
  @Uuid()
  attachmentId!: string;
}

/** An artifact that another task delivers or delivered. */
export class ArtifactInputDto {
  @OneOf(['artifact'])
  kind!: 'artifact';
  @Uuid()
  taskId!: string;
  @Slug({ example: 'report' })
  artifactKind!: string;
}

export class UriInputDto {
  @OneOf(['uri'])
  kind!: 'uri';
  @Formatted({
    test: (text) => URL.canParse(text),
    issue: EdgeIssues.invalidUri,
    what: 'an absolute URI',
    max: 2_000,
    example: 'https://acme.example/report',
  })
  uri!: string;
}

/** What a task's specification names as inputs, by kind. */
export const INPUTS = {
  text: TextInputDto,
  attachment: AttachmentInputDto,
  artifact: ArtifactInputDto,
  uri: UriInputDto,
};
export type TaskInputDto = TextInputDto | AttachmentInputDto | ArtifactInputDto | UriInputDto;
