import { Injectable } from '@nestjs/common';
import { canonicalDigest } from '../../kernel/crypto/index.ts';
import type { Tx } from '../../kernel/database/index.ts';
import type { Department } from '../organizations/index.ts';
import {
  deletePassages,
  insertKnowledge,
  insertPassages,
  type PassageCopies,
  presentTime,
} from './knowledge-moves.queries.ts';
import type { KeptEvidence, Visibility } from './knowledge.state.ts';
import { wordsDigestOf, titleWordsOf } from './words/record-words.ts';
import { termsOf } from './words/search-terms.ts';

/** Who may read material: all profiles, or those of a department with operator and chat. */
export interface MaterialAudience {
  readonly visibility: Exclude<Visibility, 'restricted'>;
  readonly department: Department | null;
}

/** The texts of one source of material, or a part of them. */
export interface MaterialTexts extends MaterialAudience {
  /** Its words weigh more than those of the texts; they stand in the first passage. */
  readonly title: string;
  readonly texts: readonly string[];
  /** The place of the first of these texts among all of the source. */
  readonly firstOrdinal: number;
}

/** A source of material that becomes a record. */
export interface MaterialRecord extends MaterialAudience {
  /** Reserved: its passages stand under it. */
  readonly id: string;
  readonly key: string;
  readonly title: string;
  readonly finding: string;
  readonly evidence: KeptEvidence;
}

/** Most texts of one call of `writePassages`. */
const MATERIAL_BATCH = 500;

/** Keeps what owners bring in: first its passages, under an id that is reserved, and then the record that shows them. */
@Injectable()
export class KnowledgeMaterialService {
  /** Writes passages that no search finds until the record exists; at most `MATERIAL_BATCH` at once. */
  async writePassages(tx: Tx, knowledgeId: string, material: MaterialTexts): Promise<void> {
    const { title, texts, firstOrdinal } = material;
    if (texts.length > MATERIAL_BATCH) throw new Error(`At most ${MATERIAL_BATCH} passages are written at once.`);
    const passages = texts.map((text, index) => {
      const ordinal = firstOrdinal + index;
      return { ordinal, text, terms: termsOf([...(ordinal === 0 ? [['A', title] as const] : []), ['B', text]]) };
    });
    await tx.rows(insertPassages(tx.organizationId, knowledgeId, copiesOf(material), passages));
  }

  async removePassages(tx: Tx, knowledgeId: string): Promise<void> {
    await tx.rows(deletePassages(tx.organizationId, knowledgeId));
  }

  /** Makes records of sources whose passages are written. */
  async createIn(tx: Tx, records: readonly MaterialRecord[]): Promise<void> {
    const { organizationId } = tx;
    const [time] = await tx.rows(presentTime());
    await tx.batch(
      records.map(({ id, key, title, finding, evidence, ...audience }) =>
        insertKnowledge(organizationId, {
          ...copiesOf(audience),
          id,
          key,
          title,
          titleWords: titleWordsOf(title),
          finding,
          applicability: '',
          procedure: [],
          sourceVersions: [],
          evidence: [evidence],
          authorProfileKey: null,
          executionId: null,
          sourceRunId: null,
          sourceTaskId: null,
          sourceRootTaskId: null,
          contentDigest: canonicalDigest({ key, title, finding, evidence: { ...evidence }, ...audience }),
          findingDigest: wordsDigestOf(finding),
          supersedes: null,
          retainedAt: time!.now,
        }),
      ),
    );
  }
}

function copiesOf({ visibility, department }: MaterialAudience): PassageCopies {
  return {
    origin: 'material',
    visibility,
    department,
    requiredConnectorKeys: [],
    stamps: {},
    validUntil: null,
  };
}
