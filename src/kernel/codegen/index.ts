/**
 * Guarantees: code is generated here and nowhere else, and of one kind only: functions that make an object whose
 * property names are known beforehand.
 * Refuses: names and code that a caller sent. Names come from our own statements and response classes and enter the
 * code quoted; all else is passed to it as values.
 */
export { objectMaker } from './object-maker.ts';
