import { ApiError, defineErrors } from '../errors/index.ts';

export const DirectoryErrors = defineErrors({
  organizationNotFound: { status: 404, code: 'organization_not_found', message: 'There is no such organization.' },
});

/** Unknown, being deleted, or not the caller's: indistinguishable on purpose. */
export class OrganizationNotFound extends ApiError {
  constructor() {
    super(DirectoryErrors.organizationNotFound);
  }
}
