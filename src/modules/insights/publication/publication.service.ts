import { Injectable } from '@nestjs/common';
import { type Statement, Transactions, type Tx } from '../../../kernel/database/index.ts';
import { EdgeErrors } from '../../../kernel/errors/index.ts';
import { standingAccess } from '../../../kernel/tenancy/index.ts';
import { connectors, ReadinessService } from '../../integrations/index.ts';
import {
  type Day,
  measureNamed,
  measuresOf,
  placeOf,
  plusDays,
  type Read,
  type ReadCoverage,
} from '../definitions/index.ts';
import { lockState, moveState } from '../insight-state.queries.ts';
import { sourceAuthority, stampOf } from '../sources/source-authority.ts';
import { lockLeasedSource, shareConnector, type SourceRow } from '../sources/sources.queries.ts';
import { difference, type Figures, type VisibleSeries } from './difference.ts';
import { emptied, isLate, type LateFigures, type NamedBlock, partBlocks, partsOf, totalsOf } from './late-figures.ts';
import {
  endBlocks,
  endCoverage,
  insertBlocks,
  insertCoverage,
  insertPublication,
  insertRestatements,
  insertSeries,
  type ReadPlace,
  seriesOf,
  visibleBlocks,
  visibleCoverage,
} from './publication.queries.ts';

/** What a collection read, as it becomes visible. */
export interface NewPublication {
  readonly sourceId: string;
  readonly integrationId: string;
  readonly collectionId: string;
  readonly leaseToken: string;
  /** The connector's stamp as the collection began. */
  readonly stamp: string;
  readonly read: Read;
  readonly timezone: string;
  readonly coverage: readonly ReadCoverage[];
  /** Coverage of periods that were read before, and are over by now. */
  readonly settled?: readonly ReadCoverage[];
  readonly figures: readonly Figures[];
  /** Of measures whose days are not those by which items are listed; replaces all of the covered listed days. */
  readonly late?: readonly LateFigures[];
}

export interface Published {
  readonly revision: number;
  /** The database's clock behind the locks. */
  readonly now: string;
  readonly source: SourceRow;
}

/**
 * Makes collections visible, each as a whole: in one transaction that holds the connector, then the organization's state, then
 * the source. One that was begun under another account, under other settings or choices, or whose lease is not its own any
 * more publishes nothing.
 */
@Injectable()
export class PublicationService {
  constructor(
    private readonly transactions: Transactions,
    private readonly readiness: ReadinessService,
  ) {}

  /** Undefined where it may not be published any more. `behind` says what is written with it. */
  publish(
    organizationId: string,
    publication: NewPublication,
    behind: (published: Published) => readonly Statement[] = () => [],
  ): Promise<Published | undefined> {
    return this.transactions.through(standingAccess(organizationId, EdgeErrors.organizationNotFound), async (tx) => {
      const held = await this.hold(tx, publication);
      if (!held) return undefined;
      const published = { ...held, revision: held.revision + 1 };
      await tx.batch([...(await this.statements(tx, publication, published)), ...behind(published)]);
      return published;
    });
  }

  /** The fence. */
  private async hold(
    tx: Tx,
    { integrationId, sourceId, leaseToken, stamp }: NewPublication,
  ): Promise<Published | undefined> {
    const { organizationId } = tx;
    const [, [state], [source], [row]] = await tx.batch([
      shareConnector(organizationId, integrationId),
      lockState(organizationId),
      lockLeasedSource(organizationId, sourceId, leaseToken),
      connectors(organizationId, { id: integrationId }),
    ]);
    if (!state || !source || !row) return undefined;
    const connector = this.readiness.of(row);
    if (stampOf(connector) !== stamp || !sourceAuthority(connector, source)) return undefined;
    return { revision: state.revision, now: source.now, source };
  }

  private async statements(
    tx: Tx,
    publication: NewPublication,
    { revision, now }: Published,
  ): Promise<readonly Statement[]> {
    const { organizationId } = tx;
    const { sourceId, collectionId, read, timezone, coverage, settled = [], figures } = publication;
    const { key: readKey, version, grain, dataset } = read;
    const place: ReadPlace = { organizationId, sourceId, readKey, version, timezone, grain };
    const periods = coverage.map(({ periodStart }) => periodStart).toSorted();
    const [from, to] = [periods.at(0) ?? '', plusDays(periods.at(-1) ?? '2000-01-01', 1)];
    const late = await this.latePart(tx, place, publication);
    const starts = [...new Set([...periods, ...late.months].map((day) => placeOf(grain, day).blockStart))];
    const measures = measuresOf(read).map((measure) => measure.key);
    const [series] = await tx.batch([seriesOf(place, measures)]);
    const known = [...series, ...late.series];
    // Totals of late measures may fall on days that were not read now.
    const [first, last] = [[from, ...late.months].toSorted()[0]!, [to, ...late.months.map((day) => plusDays(day, 31))]];
    const [blocks, covered] = await tx.batch([
      visibleBlocks(
        organizationId,
        known.map(({ id }) => id),
        starts,
      ),
      visibleCoverage(place, first, last.toSorted().at(-1)!),
    ]);
    const { series: fresh, ...told } = difference(
      { series: known, blocks, coverage: covered },
      {
        grain,
        coverage,
        figures: figures.filter(({ measure }) => !isLate(dataset, measure)),
        blocks: late.blocks,
        facts: (measure) => {
          const known = measureNamed(dataset, measure);
          const isWhole = known === undefined || isLate(dataset, measure);
          return { isFlow: known?.kind === 'flow', isWhole, isTold: known !== undefined };
        },
      },
    );
    const changed = { ...told, coverage: [...told.coverage, ...settled] };
    const ended = changed.coverage.map(({ periodStart }) => periodStart);
    return [
      ...insertSeries(place, fresh),
      endBlocks(organizationId, changed.blocks, revision),
      ...insertBlocks(organizationId, changed.blocks, revision),
      endCoverage(place, ended, revision),
      ...insertCoverage(place, changed.coverage, revision),
      ...insertRestatements(organizationId, changed.restatements, revision, now),
      insertPublication(place, collectionId, revision, now),
      moveState(organizationId, revision),
    ];
  }

  /** What the listed days that were read add to late measures, and the totals that follow. */
  private async latePart(tx: Tx, place: ReadPlace, { read, coverage, late = [] }: NewPublication): Promise<LatePart> {
    const measures = measuresOf(read).flatMap(({ key }) => (isLate(read.dataset, key) ? [partsOf(key)] : []));
    if (measures.length === 0) return NONE;
    const { organizationId } = place;
    const listed = new Set<Day>(
      coverage.filter(({ status }) => status !== 'none').map(({ periodStart }) => periodStart),
    );
    const [series] = await tx.batch([seriesOf(place, measures)]);
    const byId = new Map(series.map((each) => [each.id, each]));
    const idsOf = (isListed: boolean) =>
      series.filter(({ cut }) => listed.has(cut ?? '') === isListed).map(({ id }) => id);
    const blocksOf = async (isListed: boolean, starts: readonly Day[] | null): Promise<NamedBlock[]> => {
      const [blocks] = await tx.batch([visibleBlocks(organizationId, idsOf(isListed), starts)]);
      return blocks.map(({ seriesId, blockStart, values, reasons }) => {
        const { measure, currency, cut } = byId.get(seriesId)!;
        return { measure, currency, cut, blockStart, values, reasons };
      });
    };
    const was = await blocksOf(true, null);
    const next = partBlocks(late.filter(({ listedOn }) => listed.has(listedOn)));
    const parts = [...next, ...emptied(was, next)];
    const months = [...new Set(parts.map(({ blockStart }) => blockStart))];
    if (months.length === 0) return NONE;
    const others = await blocksOf(false, months);
    return {
      series,
      months,
      blocks: [...parts, ...totalsOf([...parts, ...others])],
    };
  }
}

interface LatePart {
  readonly series: readonly VisibleSeries[];
  readonly months: readonly Day[];
  readonly blocks: readonly NamedBlock[];
}

const NONE: LatePart = { series: [], months: [], blocks: [] };
