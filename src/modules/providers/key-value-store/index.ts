/**
 * Reads a serverless Redis over its REST interface. Guarantees: every key of every command is held against the scope of the
 * settings, byte by byte, before anything is sent; a token that may write is not taken; a value comes whole and exact, or says
 * that it is binary; a call is at most 64 commands in two requests. Refuses: scripts, scans of the key space, writes.
 */
export { KeyValueStore } from './key-value-store.adapter.ts';
