/**
 * What agent profiles learn from their work: cycles, lessons with their sources, revocation by owners, questions to people.
 * Statements are written by hand; entities only describe the tables.
 */
export { LearningModule } from './learning.module.ts';
export { LearningRefresh } from './learning-refresh.entity.ts';
export { Lesson } from './lesson.entity.ts';
export { ProfileMemory } from './profile-memory.entity.ts';
export { RevokedLesson } from './revoked-lesson.entity.ts';
