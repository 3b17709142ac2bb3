/** What the operations of each tag are about, in the groups in which the page shows them. */
const GROUPS = {
  Owners: {
    organizations:
      'An organization, its members, what happened in it, and the switch that stops its work. Everything else belongs to one organization.',
    onboarding:
      'How an organization begins that brings material along: give files, read the review of them, complete. Until then its agents do not exist.',
    'owner-tokens': 'Personal tokens of owners. A token is shown once, when it is created.',
    'agent-profiles':
      'The agents of an organization: an operator, a chat agent and any number for each department, each with the instructions of a catalog revision.',
    chats:
      'Conversations of owners and the chat agent, with attachments. Follow a chat to see answers as they are written.',
    tasks:
      'The work to be done. Tasks form trees and wait for each other along dependencies; `why` says what moves a task next.',
    inbox:
      'What waits for a person: questions and notices of agents and of the backend, approvals, and actions whose outcome nobody knows.',
    actions:
      'Consequential operations that agents propose: people approve or reject them, the backend carries each out at most once, and a person settles what stayed unknown.',
    discovery:
      'What a new organization finds out about itself: research of the operator, then of each department once the integrations are set up.',
    learning:
      'What agent profiles learned from their work, with the sources of each lesson; owners take lessons back, and answer what profiles ask.',
    integrations:
      'What an organization is connected to: who may use which tools of which connector, and how it stands. Secrets go in and never come out.',
    webhooks:
      'Signed messages to the systems of owners about what happens, with a log of their deliveries; approved actions may call them too.',
    runs: 'How work gets done: each run is one attempt at a task, with its log, its artifacts and how it ended.',
    schedules: 'Tasks that are created again and again, or once at a time.',
    knowledge:
      'What agents found out, bound to evidence, and material of owners: searched by all who may read it, revoked by owners.',
    insights:
      'Figures of what the organization is connected to, each with what it stands on, kept as a receipt that can be cited.',
    durability: 'What agents stored about their tasks and chats to go on after a crash, for inspection.',
  },
  Runtimes: {
    'Internal Runs': 'Pull runs and hold them: claim, start, heartbeat, log, complete or fail; recover after a crash.',
    'Internal Chat': 'Pull chat turns and write their answers piece by piece.',
  },
  Executions: {
    'Internal Agent':
      'What a run or chat turn itself may read and do while it is alive: its manifest, tasks, questions, actions, schedules, checkpoints, artifacts and its outcome.',
    'Internal Git':
      'Git for runs of engineering profiles: fetches pass through to the code host, and what is pushed becomes an action that a person may have to approve.',
  },
  Operation: {
    health: 'Whether the process lives and is ready, and its metrics.',
  },
} as const satisfies Record<string, Record<string, string>>;

/** The tags of the document, each with its description. */
export const TAGS = Object.values(GROUPS)
  .flatMap((tags) => Object.entries(tags))
  .map(([name, description]) => ({ name, description }));

/** The extension by which pages group tags. */
export const TAG_GROUPS = Object.entries(GROUPS).map(([name, tags]) => ({ name, tags: Object.keys(tags) }));
