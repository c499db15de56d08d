import { Button } from '@mantine/core';
import { IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type KeyboardEvent, useCallback, useEffect, useRef, useState } from 'react';
import type { ConfiguredServer, EventPayloads, Problem, ToolAnswer, ToolInfo } from '../../../preload/contract.ts';
import { hasProblem } from '../../../preload/format.ts';
import { problemIn, unwrap } from '../../shared/answered.ts';
import { Icon } from '../../shared/icon.tsx';
import layout from '../../shared/layout.module.css';
import { InSight, Notice } from '../../shared/notice.tsx';
import { useJob } from '../../shared/use-job.ts';
import { entriesOf, problemsIn, readFormEntries } from '../form/entry.ts';
import { formFields } from '../form/field.ts';
import { SchemaFields } from '../form/schema-fields.tsx';
import { ServerRemedy } from '../server-remedy.tsx';
import { strings } from '../strings.ts';
import { ToolAnswerView } from './answer.tsx';
import { type FollowUp, followUps, pollAfter } from './follow-up.ts';
import styles from './tools.module.css';

interface TryToolProps {
  server: ConfiguredServer;
  tool: ToolInfo;
  /** All of that server. */
  tools: readonly ToolInfo[];
  /** What the form begins with, besides the schema's defaults. */
  values: Record<string, string>;
  onFollow(next: FollowUp): void;
}

/** How long there is between two questions after a statement that still runs, in milliseconds. */
const POLL_MS = 1_000;
const texts = strings.try;

/** An answer, and the tool that gave it in the end: one that was polled answers for the first. */
interface Answered {
  tool: string;
  answer: ToolAnswer;
}

/** Calls a tool; a statement that runs on is followed until it has ended, or the user cancels. */
function useToolCall(server: string, tool: string, tools: readonly ToolInfo[]) {
  const [job, setJob] = useState('');
  const work = useJob();
  const attempt = useRef(0);
  const stop = useCallback(() => {
    attempt.current += 1;
  }, []);
  useEffect(() => stop, [stop]);
  const call = async (name: string, args: Record<string, unknown>): Promise<Answered> => {
    const id = work.begin();
    setJob(id);
    const request = { job: id, name: server, tool: name, arguments: args };
    return { tool: name, answer: await unwrap(window.causeway.request.tryTool(request)) };
  };
  const calling = useMutation({
    mutationFn: async (args: Record<string, unknown>): Promise<Answered> => {
      stop();
      const own = attempt.current;
      let last = await call(tool, args);
      for (;;) {
        const poll = pollAfter(tools, last.tool, last.answer.structured);
        if (!poll || attempt.current !== own) return last;
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
        if (attempt.current !== own) return last;
        last = await call(poll.tool.name, poll.values);
      }
    },
  });
  const cancel = () => {
    stop();
    work.cancel();
  };
  return { calling, job, cancel };
}

/** A form made of a tool's schema, and the tool's answer. */
export function TryTool({ server, tool, tools, values, onFollow }: TryToolProps) {
  const fields = formFields(tool.inputSchema, server.type === 'sql');
  const [entries, setEntries] = useState(() => ({ ...entriesOf(fields), ...values }));
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map());
  const [asking, setAsking] = useState(false);
  const { calling, job, cancel } = useToolCall(server.name, tool.name, tools);

  const run = (isSure: boolean) => {
    const reading = readFormEntries(fields, entries);
    const found = problemsIn(tool.inputSchema, reading);
    setProblems(found);
    setAsking(false);
    if (found.size > 0) return;
    if (tool.effect === 'destroys' && !isSure) return setAsking(true);
    calling.mutate(reading.values);
  };
  const submit = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault();
    if (!calling.isPending) run(false);
  };
  // In a field of several lines the enter key begins a new one.
  const submitByKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
  };

  return (
    <form onSubmit={submit} onKeyDown={submitByKey} className={layout.stack} noValidate>
      {fields.length === 0 && <p>{texts.noInput}</p>}
      <SchemaFields
        fields={fields}
        place=""
        entries={entries}
        problems={problems}
        onChange={(changed) => setEntries(typeof changed === 'object' && !Array.isArray(changed) ? changed : {})}
      />
      {problems.has('') && <Notice message={problems.get('') ?? ''} remedy={null} />}
      {asking ? (
        <Notice message={texts.destructive} remedy={texts.destructiveRemedy(server.profile)}>
          <Button autoFocus onClick={() => run(true)}>
            {texts.runAnyway}
          </Button>
          <Button variant="default" onClick={() => setAsking(false)}>
            {texts.cancel}
          </Button>
        </Notice>
      ) : (
        <div className={`${layout.actions} ${styles.run}`}>
          <Button type="submit" leftSection={<Icon of={IconPlayerPlay} />} disabled={calling.isPending}>
            {texts.run}
          </Button>
          {calling.isPending && (
            <>
              <Button variant="default" leftSection={<Icon of={IconPlayerStop} />} onClick={cancel}>
                {texts.cancel}
              </Button>
              <Running job={job} />
            </>
          )}
        </div>
      )}
      <Outcome server={server} tool={tool} tools={tools} calling={calling} onFollow={onFollow} />
    </form>
  );
}

interface OutcomeProps extends Omit<TryToolProps, 'values'> {
  calling: ReturnType<typeof useToolCall>['calling'];
}

/** How a call ended, and the calls that its answer suggests. */
function Outcome({ server, tool, tools, calling, onFollow }: OutcomeProps) {
  const outcome = outcomeOf(calling, tools);
  const next = outcome.answered ? followUps(tools, outcome.answered.tool, outcome.answered.answer.structured) : [];
  return (
    <>
      <div className={layout.stack} aria-live="polite">
        {outcome.isCancelled && <p>{texts.cancelled}</p>}
        {outcome.problem && (
          <InSight>
            <Notice message={outcome.problem.message} remedy={outcome.problem.remedy}>
              {hasProblem(server.state) && <ServerRemedy server={server} />}
            </Notice>
          </InSight>
        )}
        {outcome.answered && <ToolAnswerView answer={outcome.answered.answer} name={`${server.name}-${tool.name}`} />}
      </div>
      {next.length > 0 && (
        <div className={`${layout.actions} ${styles.run}`}>
          <span className={layout.quiet}>{texts.next}</span>
          {next.map((follow) => (
            <Button key={follow.tool.name} variant="default" size="compact-sm" onClick={() => onFollow(follow)}>
              {follow.tool.name}
            </Button>
          ))}
        </div>
      )}
    </>
  );
}

/** How a call ended, in one of three ways; in none while it runs, and before the first. */
function outcomeOf(
  { data, error, isPending }: OutcomeProps['calling'],
  tools: readonly ToolInfo[],
): { isCancelled?: boolean; problem?: Problem; answered?: Answered } {
  if (isPending) return {};
  if (error) {
    const problem = problemIn(error);
    return problem.code === 'cancelled' ? { isCancelled: true } : { problem };
  }
  if (!data) return {};
  return isUnfinished(tools, data) ? { isCancelled: true } : { answered: data };
}

/** Whether the user has stopped waiting for a statement that still runs. */
function isUnfinished(tools: readonly ToolInfo[], { tool, answer }: Answered): boolean {
  return pollAfter(tools, tool, answer.structured) !== undefined;
}

/** The progress of a call as the server reports it, and how long it has run. */
function Running({ job }: { job: string }) {
  const [begun] = useState(Date.now);
  const [now, setNow] = useState(begun);
  const [lastProgress, setLastProgress] = useState<EventPayloads['toolProgress'] | null>(null);
  useEffect(() => {
    const ticking = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(ticking);
  }, []);
  useEffect(
    () =>
      window.causeway.on.toolProgress((progress) => {
        if (progress.job === job) setLastProgress(progress);
      }),
    [job],
  );
  const seconds = Math.max(0, Math.floor((now - begun) / 1000));
  return (
    <span className={layout.quiet}>
      <span role="status">{lastProgress ? formatProgress(lastProgress) : texts.running}</span>{' '}
      {seconds > 0 && texts.seconds(seconds)}
    </span>
  );
}

function formatProgress({ progress, total, words: text }: EventPayloads['toolProgress']): string {
  const share = total !== null && total > 0 ? texts.percent(Math.round((100 * progress) / total)) : '';
  return [text || texts.running, share].filter(Boolean).join(' ');
}
