import { Button } from '@mantine/core';
import type { AiClient } from '../../preload/contract.ts';
import layout from '../shared/layout.module.css';
import { Notice } from '../shared/notice.tsx';
import { entriesForAll, foreignIn, formatModified, isCovered, listed, ownFiles, toRepair } from './format.ts';
import type { ReviewChanges } from './review-change.tsx';
import { strings } from './strings.ts';
import { useLimits } from './use-limits.ts';

interface ClientProblemsProps {
  client: AiClient;
  servers: string[];
  onReview: ReviewChanges;
}

/** What is wrong with a client's entries, each in a line with its remedy as a button. */
export function ClientProblems({ client, servers, onReview }: ClientProblemsProps) {
  const { id, name, problem, longNames } = client;
  const { mayRemove } = useLimits(id);
  const files = ownFiles(client);
  const problems = [problem, ...files.map((file) => file.problem)].filter((it) => it !== null);
  const forAll = entriesForAll(files);
  const covered = servers.filter((server) => isCovered(client, server));
  const foreign = foreignIn(files, servers);
  return (
    <>
      {problems.map((each) => (
        <Notice key={each} message={strings.unwritable(name)} remedy={each} />
      ))}
      {foreign.length > 0 && <Notice tone="note" message={strings.foreign(listed(foreign), name)} remedy={null} />}
      {forAll.length > 0 && (
        <Correctable
          tone="note"
          message={covered.length < servers.length ? strings.someInOne(listed(covered)) : strings.allInOne}
          label={strings.remove}
          isAllowed={mayRemove}
          onReview={() => onReview('Remove', strings.review.removeFrom(listed(forAll), name), forAll)}
        />
      )}
      <ToCorrect client={id} name={name} files={files} servers={servers} project={null} onReview={onReview} />
      {longNames.map((sentence) => (
        <p key={sentence} className={layout.trouble}>
          {sentence}
        </p>
      ))}
    </>
  );
}

interface ToCorrectProps {
  /** Its id. */
  client: string;
  name: string;
  files: AiClient['files'];
  servers: string[];
  project: string | null;
  onReview: ReviewChanges;
}

/** What is wrong in some files, or would be written differently now, each with the button that does it. */
export function ToCorrect({ client, name, files, servers, project, onReview }: ToCorrectProps) {
  const { mayAdd, mayRemove } = useLimits(client);
  const { modified, outdated } = toRepair(files, servers);
  const leftOver = [...new Set(files.flatMap((file) => file.leftOver))];
  const { repairIn, updateIn, removeFrom } = strings.review;
  return (
    <>
      {modified.length > 0 && (
        <Correctable
          message={formatModified(files, modified)}
          label={strings.repair}
          isAllowed={mayAdd}
          onReview={() => onReview('Repair', repairIn(name), modified, { project })}
        />
      )}
      {outdated.length > 0 && (
        <Correctable
          tone="note"
          message={strings.outdated(listed(outdated))}
          label={strings.update}
          isAllowed={mayAdd}
          onReview={() => onReview('Update', updateIn(name), outdated, { project })}
        />
      )}
      {leftOver.length > 0 && (
        <Correctable
          tone="note"
          message={strings.leftOver(listed(leftOver))}
          label={strings.remove}
          isAllowed={mayRemove}
          onReview={() => onReview('Remove', removeFrom(listed(leftOver), name), leftOver, { project })}
        />
      )}
    </>
  );
}

interface CorrectableProps {
  tone?: 'warning' | 'note';
  message: string;
  /** What the button is called. */
  label: string;
  /** Whether the organization allows it. */
  isAllowed: boolean;
  onReview(): void;
}

/** Something in a client's files that one button corrects, once the change has been reviewed. */
function Correctable({ tone = 'warning', message, label, isAllowed, onReview }: CorrectableProps) {
  return (
    <Notice tone={tone} message={message} remedy={null}>
      <Button variant="default" size="compact-sm" disabled={!isAllowed} onClick={onReview}>
        {label}
      </Button>
    </Notice>
  );
}
