/** Sends what orval's client asks for, with the address and the token that it does not know. */
export async function send<Answer>(path: string, init: RequestInit = {}): Promise<Answer> {
  const { BUSINESS_RUNNER_URL, OWNER_TOKEN } = process.env as Record<string, string>;
  const headers = new Headers(init.headers);
  headers.set('authorization', `Bearer ${OWNER_TOKEN}`);
  const response = await fetch(`${BUSINESS_RUNNER_URL}${path}`, { ...init, headers });
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  const data: unknown = isJson ? await response.json() : response;
  return { status: response.status, headers: response.headers, data } as Answer;
}
