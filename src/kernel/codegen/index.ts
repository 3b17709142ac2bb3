/**
 * Guarantees: code is generated here and nowhere else, of one kind only: functions that make an object with names that are
 * known beforehand.
 * Refuses: names and code that a caller sent. Names come from our own statements and response classes, and enter the code
 * quoted; all else is handed to it as values.
 */
export { objectMaker } from './object-maker.ts';
