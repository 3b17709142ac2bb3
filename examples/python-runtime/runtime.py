"""A runtime of Business Runner in Python's standard library, written from docs/runtimes.md. See README.md."""

import hashlib, http.client, json, os, random, threading, time, urllib.error, urllib.request, uuid

URL, SERVICE_TOKEN = os.environ['BUSINESS_RUNNER_URL'], os.environ['AGENT_SERVICE_TOKEN']
WORKER = {'workerId': os.environ['WORKER_ID'], 'bootId': str(uuid.uuid4())}
PACE, ALONE = float(os.environ.get('PACE_SECONDS', '0')), os.environ.get('WORKER_ALONE') == 'true'


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

    def hold(self, work, **workplace):
        """Works under the lease, and reports how that ended."""
        threading.Thread(target=self.beat, daemon=True).start()
        try:
            self.say('running', harness='python-runtime/1', model='none', **workplace)
            self.say('complete', **work(self, self.ask('GET', '/execution')))
        except Exception as failure:  # Whatever an agent fails with; after a cancel this ends runs and turns as cancelled.
            if not self.lost:
                self.say('fail', error={'code': 'agent_failed', 'message': repr(failure), 'retryable': False})
        self.over.set()


def reports(lease, tasks):
    """The bytes of what other tasks delivered."""
    for task in tasks:
        for artifact in (task['result'] or {}).get('artifacts', []):
            path = f"{lease.organization}/runs/{task['runId']}/artifacts/{artifact['sha256']}"
            yield call('GET', path, token=lease.token)


def plan(lease, manifest):
    """A task for each line of the objective, which waits for the report of the one before."""
    condition, after = {'kind': 'artifact', 'artifactKind': 'report'}, []
    outcome = {'kind': 'planned', 'summary': 'Step by step', 'operations': [],
               'expectedGraphRevision': manifest['plan']['graphRevision']}
    for number, title in enumerate(manifest['task']['spec']['objective'].splitlines()):
        task = {'title': title, 'spec': {'objective': 'Read\nWrite\nCheck'}, 'dependsOn': after}
        outcome['operations'].append({'kind': 'create_task', 'ref': f'step-{number}', **task})
        after = [{'taskRef': f'step-{number}', 'condition': condition}]
    return outcome


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
    before = b''.join(reports(lease, manifest['dependencies'] + manifest['children']))
    content = before + f"{task['title']}: {', '.join(done)}\n".encode()
    digest = hashlib.sha256(content).hexdigest()
    lease.ask('PUT', f'/artifacts/{digest}', content)
    report = {'kind': 'report', 'name': 'Report', 'path': 'report.txt', 'mediaType': 'text/plain', 'sha256': digest}
    return {'kind': 'completed', 'summary': f'{len(done)} steps', 'artifacts': [report]}


def verify(lease, manifest):
    verdict = 'accepted' if all(reports(lease, [manifest['unverified']])) else 'rejected'
    return {'kind': 'verification', 'summary': 'Read', 'verdict': verdict, 'findings': []}


def in_mode(lease, manifest):
    outcome = {'plan': plan, 'execute': execute, 'verify': verify}[manifest['mode']](lease, manifest)
    if outcome['kind'] != 'completed':
        lease.ask('PUT', '/execution/outcome', outcome)
        outcome = {key: outcome[key] for key in ('kind', 'summary')}
    return {'output': {'kind': 'task_result', 'result': outcome}}


def run(claim):
    path, run_id = f"/internal/run-requests/{claim['runRequestId']}", str(uuid.uuid4())
    lease = Lease(f'/internal/runs/{run_id}', claim, None)
    try:
        lease.token = call('POST', f'{path}/start', {**lease.fence, **WORKER, 'runId': run_id})['executionToken']
    except Refused as refused:
        print('not started:', refused, flush=True)
        return call('POST', f'{path}/release', lease.fence)
    lease.hold(in_mode, workspaceUri='none:')


def turn(claim):
    def answer(lease, manifest):
        question = next(message for message in manifest['messages'] if message['id'] == claim['userMessageId'])
        offset = 0
        for word in ['You asked:', *' '.join(part['text'] for part in question['parts']).split()]:
            offset = lease.say('append', partId='p1', offset=offset, text=f'{word} ')['length']
            lease.step(f'said {word}')
        return {}

    Lease(f"/internal/chat-turns/{claim['turnId']}", claim, claim['executionToken']).hold(answer)


def pull(path, work, only):
    """Claims and works; each of the threads that do so does one thing at a time."""
    while True:
        wanted = {**WORKER, **only, 'requestKey': str(uuid.uuid4()), 'limit': 1, 'waitSeconds': 20}
        for item in call('POST', path, wanted):
            try:
                work(item)
            except Refused as refused:
                print('refused:', refused, flush=True)


# It neither discovers nor learns: such tasks are of the class `background`.
RUNS = {'executionClasses': ['standard']}
for each in [('/internal/run-requests/claim', run, RUNS), ('/internal/chat-turns/claim', turn, {})] * 4:
    threading.Thread(target=pull, args=each).start()
again = 0
while again is not None:
    time.sleep(again / 1000)
    path, recovery = f"/internal/workers/{WORKER['workerId']}/recover", {'bootId': WORKER['bootId'], 'alone': ALONE}
    again = call('POST', path, recovery)['retryAfterMs']
