/**
 * Conversations with customers, at Crisp. Agents get the tools that the provider's own MCP server lists; reports count
 * conversations over REST with a credential of their own. Guarantees: that credential is of the website of the settings, and
 * no agent gets it; of a conversation only its id and times are read. Refuses: whatever else a conversation holds.
 */
export { SupportInbox } from './support-inbox.adapter.ts';
