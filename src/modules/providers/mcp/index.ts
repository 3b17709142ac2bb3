/**
 * Asks MCP servers, in either era of the protocol. Guarantees: each operation has a connection of its own; a write is one
 * request that is sent once; what an answer means is read from what came, and what proves nothing is ambiguous; lists,
 * answers and definitions are bounded. Trusts a server's names and hints only as a person has chosen them.
 */
export { McpServers } from './mcp-servers.adapter.ts';
