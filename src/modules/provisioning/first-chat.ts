/** The title of the chat with which every organization begins to work. */
export const FIRST_CHAT = 'New chat';
