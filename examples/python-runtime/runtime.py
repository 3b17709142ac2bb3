"""A runtime of Business Runner in Python's standard library, written from docs/runtimes.md. See README.md."""

import hashlib, http.client, json, os, random, threading, time, urllib.error, urllib.request, uuid

URL, SERVICE_TOKEN = os.environ['BUSINESS_RUNNER_URL'], os.environ['AGENT_SERVICE_TOKEN']
WORKER = {'workerId': os.environ['WORKER_ID'], 'bootId': str(uuid.uuid4())}
PACE = float(os.environ.get('PACE_SECONDS', '0'))
AT_ONCE = 4


class Refused(Exception):
    """An answer that no repeat would change: status and error."""


def call(method, path, body=None, token=SERVICE_TOKEN):
    """Sends the same call until it is answered."""
    raw = isinstance(body, bytes)
    data = body if raw or body is None else json.dumps(body).encode()
    headers = {'authorization': f'Bearer {token}', 'content-type': f"application/{'octet-stream' if raw else 'json'}"}
    while True:
        pause = random.uniform(0.2, 1)
        try:
            request = urllib.request.Request(URL + path, data, headers, method=method)
            with urllib.request.urlopen(request, timeout=60) as answer:
                content = answer.read()
                return json.loads(content)['data'] if 'json' in answer.headers['content-type'] else content
        except urllib.error.HTTPError as error:
            if error.code < 500 and error.code not in (408, 429):
                raise Refused(error.code, json.load(error)['error'])
            pause += float(error.headers.get('retry-after', 0))
        except (OSError, http.client.HTTPException):
            pass  # Not reached, or the answer was lost.
        time.sleep(pause)


class Lease:
    """A run or a turn, of which one heartbeat always waits. `over`: stop; `lost`: and say nothing more."""

    def __init__(self, path, claim, token):
        self.path, self.token, self.over, self.lost = path, token, threading.Event(), False
        self.fence = {key: claim[key] for key in ('organizationId', 'leaseToken')}
        self.organization = f"/organizations/{claim['organizationId']}"

    def say(self, what, **body):
        answer = call('POST', f'{self.path}/{what}', {**self.fence, **body})
        if answer.get('cancelRequested'):
            self.over.set()
        return answer

    def ask(self, method, path, body=None):
        return call(method, f'/internal/agent{self.organization}{path}', body, self.token)

    def step(self, line):
        """Between two steps the agent may have to stop."""
        print(line, flush=True)
        if self.over.wait(PACE):
            raise InterruptedError('cancelled')

    def beat(self):
        while not self.over.wait(1):
            try:
                self.token = self.say('heartbeat', waitSeconds=20)['executionToken'] or self.token
            except Refused:
                self.lost = not self.over.is_set()
                self.over.set()

    def hold(self, last_word, work, **workplace):
        """Works under the lease, and reports how that ended."""
        threading.Thread(target=self.beat, daemon=True).start()
        try:
            self.say('running', harness='python-runtime/1', model='none', **workplace)
            self.say('complete', **work(self, self.ask('GET', '/execution')))
        except Exception as failure:  # Whatever an agent fails with.
            error = {'code': 'agent_failed', 'message': repr(failure), 'retryable': False}
            if self.over.is_set() and last_word == 'cancelled' and not self.lost:
                self.say('cancelled')
            elif not self.lost:
                self.say('fail', error=error)  # After a cancel it ends a run as cancelled.
        self.over.set()


def reports(lease, tasks):
    """What other tasks delivered, with its digest."""
    for task in tasks:
        for artifact in (task['result'] or {}).get('artifacts', []):
            path = f"{lease.organization}/runs/{task['runId']}/artifacts/{artifact['sha256']}"
            yield artifact['sha256'], call('GET', path, token=lease.token)


def plan(lease, manifest):
    """A task for each line of the objective, which waits for the report of the one before."""
    after = {'taskRef': '', 'condition': {'kind': 'artifact', 'artifactKind': 'report'}}
    steps = [{'kind': 'create_task', 'ref': f'step-{number}', 'title': title, 'spec': {'objective': 'Read\nWrite\nCheck'},
              'ownerAgentProfileKey': manifest['profile']['key'],
              'dependsOn': [{**after, 'taskRef': f'step-{number - 1}'}] if number > 0 else []}
             for number, title in enumerate(manifest['task']['spec']['objective'].splitlines())]
    revision = manifest['plan']['graphRevision']
    return {'kind': 'planned', 'summary': 'Step by step', 'expectedGraphRevision': revision, 'operations': steps}


def execute(lease, manifest):
    """Does one line of the objective after the other, but none again that an earlier attempt has done."""
    task = manifest['task']
    path, row = f"/durability/task/{task['id']}", {'version': 0, 'payload': {'done': []}}
    if manifest['checkpoints']:
        row = lease.ask('GET', path)
    done = row['payload']['done']
    for line in task['spec']['objective'].splitlines()[len(done):]:
        lease.step(f"{task['title']}: {line}")
        done.append(line)
        row = lease.ask('PUT', path, {'kind': 'steps', 'payload': {'done': done}, 'expectedVersion': row['version']})
    before = b''.join(content for _, content in reports(lease, manifest['dependencies'] + manifest['children']))
    content = before + f"{task['title']}: {', '.join(done)}\n".encode()
    digest = hashlib.sha256(content).hexdigest()
    lease.ask('PUT', f'/artifacts/{digest}', content)
    report = {'kind': 'report', 'name': 'Report', 'path': 'report.txt', 'mediaType': 'text/plain', 'sha256': digest}
    return {'kind': 'completed', 'summary': f'{len(done)} steps', 'artifacts': [report]}


def verify(lease, manifest):
    good = all(hashlib.sha256(content).hexdigest() == digest for digest, content in reports(lease, [manifest['unverified']]))
    return {'kind': 'verification', 'summary': 'Read', 'verdict': 'accepted' if good else 'rejected', 'findings': []}


def in_mode(lease, manifest):
    outcome = {'plan': plan, 'execute': execute, 'verify': verify}[manifest['mode']](lease, manifest)
    if outcome['kind'] == 'completed':
        return {'output': {'kind': 'task_result', 'result': outcome}}
    lease.ask('PUT', '/execution/outcome', outcome)
    return {'output': {'kind': 'task_result', 'result': {key: outcome[key] for key in ('kind', 'summary')}}}


def run(claim):
    path, run_id = f"/internal/run-requests/{claim['runRequestId']}", str(uuid.uuid4())
    lease = Lease(f'/internal/runs/{run_id}', claim, None)
    try:
        lease.token = call('POST', f'{path}/start', {**lease.fence, **WORKER, 'runId': run_id})['executionToken']
    except Refused as refused:
        print('not started:', refused, flush=True)
        return call('POST', f'{path}/release', lease.fence)
    lease.hold('fail', in_mode, workspaceUri='none:')


def turn(claim):
    def answer(lease, manifest):
        question = next(message for message in manifest['messages'] if message['id'] == claim['userMessageId'])
        offset = 0
        for word in ['You asked:', *' '.join(part['text'] for part in question['parts']).split()]:
            offset = lease.say('append', partId='p1', offset=offset, text=f'{word} ')['length']
            lease.step(f'said {word}')
        return {}

    Lease(f"/internal/chat-turns/{claim['turnId']}", claim, claim['executionToken']).hold('cancelled', answer)


def pull(path, work):
    """Claims and works; each of the threads that do so does one thing at a time."""
    while True:
        for item in call('POST', path, {**WORKER, 'requestKey': str(uuid.uuid4()), 'limit': 1, 'waitSeconds': 20}):
            try:
                work(item)
            except Refused as refused:
                print('refused:', refused, flush=True)


for each in [('/internal/run-requests/claim', run), ('/internal/chat-turns/claim', turn)] * AT_ONCE:
    threading.Thread(target=pull, args=each).start()
again, alone = 0, os.environ.get('WORKER_ALONE') == 'true'
while again is not None:
    time.sleep(again / 1000)
    recovery = {'bootId': WORKER['bootId'], 'alone': alone}
    again = call('POST', f"/internal/workers/{WORKER['workerId']}/recover", recovery)['retryAfterMs']
