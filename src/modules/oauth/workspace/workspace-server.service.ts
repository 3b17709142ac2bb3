import { Injectable } from '@nestjs/common';

/** The one authorization server of the workspace. Its addresses are fixed; only tests put others here. */
@Injectable()
export class WorkspaceServerService {
  addresses = {
    issuer: 'https://accounts.google.com',
    authorizationEndpoint: 'https://accounts.google.com/o/oauth2/v2/auth',
    tokenEndpoint: 'https://oauth2.googleapis.com/token',
    revocationEndpoint: 'https://oauth2.googleapis.com/revoke',
  };

  has(address: string): boolean {
    return Object.values(this.addresses).includes(address);
  }
}
