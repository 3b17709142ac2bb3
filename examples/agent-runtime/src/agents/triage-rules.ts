/** The order in which a tie is decided: a lost order or lost data comes before a wish. */
export const CATEGORIES = ['bug', 'refund', 'question', 'wish', 'praise', 'spam', 'other'] as const;

export type Category = (typeof CATEGORIES)[number];

interface Rule {
  readonly name: string;
  readonly category: Exclude<Category, 'other'>;
  readonly points: number;
  readonly pattern: RegExp;
}

/** Each rule counts once per message, however often its words occur. */
const RULES: readonly Rule[] = [
  { name: 'stack-trace', category: 'bug', points: 5, pattern: /^\s+at .+:\d+(?::\d+)?\)?$/m },
  { name: 'error-name', category: 'bug', points: 3, pattern: /\b[A-Z]\w*Error\b|\bexception\b/ },
  { name: 'status-500', category: 'bug', points: 3, pattern: /\b(?:HTTP )?50[0-4]\b/ },
  {
    name: 'does-not-work',
    category: 'bug',
    points: 2,
    pattern: /\b(?:crash|broken|fails?|stuck|hangs?|does(?: not|n't) work|wrong)/i,
  },
  {
    name: 'steps-to-reproduce',
    category: 'bug',
    points: 2,
    pattern: /\b(?:steps to reproduce|reproducible|since the update)\b/i,
  },
  {
    name: 'money-back',
    category: 'refund',
    points: 4,
    pattern: /\b(?:refund|money back|charged twice|double charge|chargeback)/i,
  },
  { name: 'invoice', category: 'refund', points: 1, pattern: /\b(?:invoice|billing|credit note)\b/i },
  {
    name: 'asks-how',
    category: 'question',
    points: 2,
    pattern: /\b(?:how (?:do|can|long|many)|is it possible|can (?:we|i)|where (?:do|can)|which)\b/i,
  },
  { name: 'question-mark', category: 'question', points: 1, pattern: /\?/ },
  {
    name: 'wish',
    category: 'wish',
    points: 3,
    pattern: /\b(?:feature request|it would be (?:great|nice|helpful)|would love|please add|wish)/i,
  },
  {
    name: 'thanks',
    category: 'praise',
    points: 3,
    pattern: /\b(?:great work|well done|love (?:it|the)|saved us|just wanted to say|kudos)\b/i,
  },
  {
    name: 'promises',
    category: 'spam',
    points: 4,
    pattern: /\b(?:seo|backlinks?|guaranteed|winner|lottery|crypto|unsubscribe|limited offer)\b/i,
  },
  { name: 'shouting', category: 'spam', points: 2, pattern: /!{3,}|\b[A-Z]{4,} [A-Z]{4,} [A-Z]{4,}\b/ },
];

const URGENT = /\b(?:urgent|production|down|data loss|lost|asap|cannot work|chargeback|all users)\b/i;

interface Verdict {
  readonly category: Category;
  readonly score: number;
  readonly rules: readonly string[];
  readonly urgent: boolean;
}

/** The category with the most points, and the rules that gave them. */
export function classify(subject: string, body: string): Verdict {
  // Skips quoted lines, which are the words of another person.
  const text = `${subject}\n${body.replace(/^>.*$/gm, '')}`;
  const fired = RULES.filter(({ pattern }) => pattern.test(text));
  const scores = CATEGORIES.map((category) =>
    fired.reduce((sum, rule) => sum + (rule.category === category ? rule.points : 0), 0),
  );
  const score = Math.max(...scores);
  const category = score === 0 ? 'other' : CATEGORIES[scores.indexOf(score)]!;
  const rules = fired.filter((rule) => rule.category === category).map(({ name }) => name);
  return { category, score, rules, urgent: (category === 'bug' || category === 'refund') && URGENT.test(text) };
}
