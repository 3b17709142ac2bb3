import type { Dataset, Dimension, Grain, MeasurementKind, SourceTimezone, Unit } from './vocabulary.ts';

/** A step of a formula; it points only to steps before it. */
export type FormulaNode =
  | { readonly kind: 'constant'; readonly value: string }
  | { readonly kind: 'measure'; readonly measure: string }
  | { readonly kind: 'add' | 'subtract' | 'multiply' | 'divide'; readonly left: number; readonly right: number }
  | { readonly kind: 'sum'; readonly operands: readonly number[] };

export interface Formula {
  /** At most 32. */
  readonly nodes: readonly FormulaNode[];
  readonly root: number;
}

export interface Calculation {
  readonly kind: 'formula';
  readonly expression: Formula;
  /** Whether a caller who adds up several sources counts nothing twice. */
  readonly nonOverlappingScopes: boolean;
}

/** A metric as the code defines it; its version is each organization's own. */
export interface BuiltinMetric {
  readonly dataset: Dataset;
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly unit: Unit;
  /** Whether its values are money, which is converted. */
  readonly currency: boolean;
  readonly measurementKind: MeasurementKind;
  readonly sourceTimezone: SourceTimezone;
  readonly calculation: Calculation;
  readonly dimensions: readonly Dimension[];
  readonly grains: readonly Grain[];
}
