/** Preloaded into a service: every action is posted to `RECEIVER_URL`, by the executor of the tests. */
import { ActionExecutors } from '../../../dist/src/modules/actions/index.js';
import { PostingExecutor } from '../factories/posting-executor.ts';

const executor = new PostingExecutor(() => process.env.RECEIVER_URL);
ActionExecutors.prototype.of = () => executor;
