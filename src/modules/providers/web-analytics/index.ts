/**
 * Asks Google Analytics 4 for figures of the properties that an owner chose. Guarantees: a property outside the settings is
 * never named in a request; settings are saved when every property tells what it is, how long it keeps what it counts, and
 * answers a report; values come as the provider's text. Refuses: expressions, regular expressions, cohorts, comparisons, and
 * every scope but the one that reads.
 */
export { WebAnalytics } from './web-analytics.adapter.ts';
export { WebAnalyticsController } from './web-analytics.controller.ts';
