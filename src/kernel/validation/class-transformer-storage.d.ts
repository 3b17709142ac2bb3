/** Where class-transformer keeps what its decorators say; it declares the types of this file under another path. */
declare module 'class-transformer/cjs/storage.js' {
  export { defaultMetadataStorage } from 'class-transformer/types/storage.js';
}
