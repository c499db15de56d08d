import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from 'diff';

/** How many lines around a change are shown. */
const CONTEXT_LINES = 4;
/** The longest part of a file that is compared line by line, in bytes. */
const MAX_COMPARED_BYTES = 256 * 1024;
/** How much is shown around a change in longer lines, and of it, in bytes. */
const MAX_SHOWN_BYTES = 2_000;
/** How many bytes are compared at once. */
const CHUNK_BYTES = 64 * 1024;
const LINE_FEED = 0x0a;

/**
 * The difference between two contents of a file, as a unified diff. Only the part between what is equal before and after it is
 * compared, and of a very long part, only the beginning and the end are shown.
 */
export function differenceOf(file: string, before: Buffer, after: Buffer): string {
  const { from, kept } = changedPart(before, after);
  const [to, toAfter] = [before.length - kept, after.length - kept];
  const start = lineStart(before, from);
  const more = linesEnd(before, to) - to;
  const [old, now] = [before.subarray(start, to + more), after.subarray(start, toAfter + more)];
  const isLong = Math.max(old.length, now.length) > MAX_COMPARED_BYTES;
  const shown = ({ length }: Buffer, bytes: Buffer) => shortened(bytes, from, length);
  const [oldText, newText] = isLong
    ? [shown(before.subarray(from, to), before), shown(after.subarray(from, toAfter), after)]
    : [old.toString('utf8'), now.toString('utf8')];
  const patch = structuredPatch(file, file, oldText, newText, undefined, undefined, { context: CONTEXT_LINES });
  const skipped = linesIn(before, isLong ? from : start);
  for (const hunk of patch.hunks) {
    hunk.oldStart += skipped;
    hunk.newStart += skipped;
  }
  return formatPatch(patch, FILE_HEADERS_ONLY);
}

/** The first byte that differs, and how many at the end do not. */
function changedPart(before: Buffer, after: Buffer): { from: number; kept: number } {
  const most = Math.min(before.length, after.length);
  let from = 0;
  while (from + CHUNK_BYTES <= most && isSame(before, after, from, from, CHUNK_BYTES)) from += CHUNK_BYTES;
  while (from < most && before[from] === after[from]) from += 1;
  let kept = 0;
  const endsSame = (size: number) =>
    isSame(before, after, before.length - kept - size, after.length - kept - size, size);
  while (from + kept + CHUNK_BYTES <= most && endsSame(CHUNK_BYTES)) kept += CHUNK_BYTES;
  while (from + kept < most && endsSame(1)) kept += 1;
  return { from, kept };
}

function isSame(one: Buffer, other: Buffer, at: number, otherAt: number, size: number): boolean {
  return one.compare(other, otherAt, otherAt + size, at, at + size) === 0;
}

/** The beginning of the line of a position, with the lines before it that are shown. */
function lineStart(bytes: Buffer, position: number): number {
  let start = position;
  for (let line = 0; line <= CONTEXT_LINES && start > 0; line += 1) {
    start = bytes.lastIndexOf(LINE_FEED, start - (line === 0 ? 1 : 2)) + 1;
  }
  return start;
}

/** The end of the line of a position, with the lines after it that are shown. */
function linesEnd(bytes: Buffer, position: number): number {
  let end = position;
  for (let line = 0; line <= CONTEXT_LINES; line += 1) {
    end = bytes.indexOf(LINE_FEED, end) + 1;
    if (end === 0) return bytes.length;
  }
  return end;
}

function linesIn(bytes: Buffer, end: number): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at >= 0 && at < end; at = bytes.indexOf(LINE_FEED, at + 1)) count += 1;
  return count;
}

/** A part of a file with a little of what is around it. */
function shortened(bytes: Buffer, from: number, length: number): string {
  const start = Math.max(0, from - MAX_SHOWN_BYTES / 10);
  const end = Math.min(bytes.length, from + Math.min(length, MAX_SHOWN_BYTES) + MAX_SHOWN_BYTES / 10);
  const text = bytes.toString('utf8', start, end).replace(/^\uFFFD+|\uFFFD+$/g, '');
  return `${start > 0 ? '…' : ''}${text}${end < bytes.length ? '…' : ''}\n`;
}
