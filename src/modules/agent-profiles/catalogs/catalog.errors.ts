import { defineErrors } from '../../../kernel/errors/index.ts';

export const CatalogErrors = defineErrors({
  unpublished: { status: 503, code: 'request_failed', message: 'No agent profile catalog has been published.' },
  revisionNotFound: { status: 404, code: 'not_found', message: 'There is no such catalog revision.' },
});
