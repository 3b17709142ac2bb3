import jest from './jest.config.mjs';

/** What others make of the OpenAPI document: generated clients, and the page in a browser, which takes Chromium. */
export default { ...jest, testMatch: ['<rootDir>/test/document/**/*.test.ts'], testPathIgnorePatterns: [] };
