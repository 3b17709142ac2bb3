/** Whether a host, as in a URL or in HOST, names this machine and no other can reach it. */
export function isLoopback(host: string): boolean {
  return ['localhost', '::1', '[::1]'].includes(host) || /^127\.\d+\.\d+\.\d+$/.test(host);
}
