/**
 * Preloaded into a service: the process dies the moment it would send the first byte of the answer that creates an
 * organization, so after the commit and before anybody hears of it.
 */
import { ServerResponse } from 'node:http';

const { writeHead } = ServerResponse.prototype;
ServerResponse.prototype.writeHead = function (status, ...rest) {
  const { method, url } = this.req;
  if (method === 'POST' && url === '/organizations' && status === 201) process.kill(process.pid, 'SIGKILL');
  return writeHead.call(this, status, ...rest);
};
