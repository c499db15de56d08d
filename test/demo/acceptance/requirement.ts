import { isDeepStrictEqual } from 'node:util';
import type { WorkspaceOptions } from '../../workspace/workspace.ts';
import type { Scene } from './scene.ts';

/** Where a requirement stands: the document, its heading, and the sentence's place under it. */
interface Place {
  /** `override 1.3`: stable, for reports to name. */
  number: string;
  document: string;
  heading: string;
  /** What is required, in our own words. */
  says: string;
}

/** A requirement that this computer can show. */
export interface ShownRequirement extends Place {
  by: 'command' | 'window';
  /** Throws what is not as the requirement says. */
  show(scene: Scene): Promise<void>;
  /** How its workspace differs from the usual one. */
  workspace?: WorkspaceOptions;
}

/** A sentence that nothing here can show, and why. */
interface LeftOutRequirement extends Place {
  by: 'nothing';
  why: string;
}

export type Requirement = ShownRequirement | LeftOutRequirement;

type Row =
  | { says: string; show(scene: Scene): Promise<void>; workspace?: WorkspaceOptions; by?: 'window' }
  | { says: string; why: string };

/** The sentences under one heading, numbered in their order. */
export function heading(document: string, chapter: number, title: string, rows: Row[]): Requirement[] {
  return rows.map((row, index) => {
    const place = { number: `${document} ${chapter}.${index + 1}`, document, heading: title, says: row.says };
    if ('why' in row) return { ...place, by: 'nothing', why: row.why };
    const { show, workspace, by = 'command' } = row;
    return { ...place, by, show, ...(workspace && { workspace }) };
  });
}

/** Why sentences of a kind are left out. */
export const LEFT_OUT = {
  silence: 'It says what the document leaves open, so there is nothing to hold against.',
  platform: 'A part of the workspace itself does it, and no command of ours takes part.',
} as const;

/** Throws unless `actual` is what it has to be. */
export function same(what: string, actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new Error(`${what}: ${JSON.stringify(actual)}, and not ${JSON.stringify(expected)}.`);
}

/** Throws the sentence that says what is missing unless `condition` holds. */
export function holds(condition: unknown, otherwise: string): asserts condition {
  if (!condition) throw new Error(otherwise);
}
