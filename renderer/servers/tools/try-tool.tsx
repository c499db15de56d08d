import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type KeyboardEvent, useEffect, useState } from 'react';
import type { ConfiguredServer, EventPayloads, ToolInfo } from '../../../preload/contract.ts';
import { needsAttention } from '../../../preload/format.ts';
import { problemIn, unwrap } from '../../shared/answered.ts';
import layout from '../../shared/layout.module.css';
import { InSight, Notice } from '../../shared/notice.tsx';
import { entriesOf, problemsIn, readFormEntries } from '../form/entry.ts';
import { formFields } from '../form/field.ts';
import { SchemaFields } from '../form/schema-fields.tsx';
import { ServerRemedy } from '../server-state.tsx';
import { useJob } from '../use-job.ts';
import { ToolAnswerView } from './answer.tsx';
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

/** A form made of a tool's schema, and the tool's answer. */
export function TryTool({ server, tool, tools, values, onFollow }: TryToolProps) {
  const fields = formFields(tool.inputSchema);
  const [entries, setEntries] = useState(() => ({ ...entriesOf(fields), ...values }));
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map());
  const [asking, setAsking] = useState(false);
  const [job, setJob] = useState('');
  const work = useJob();
  const calling = useMutation({
    mutationFn: (args: Record<string, unknown>) => {
      const id = work.begin();
      setJob(id);
      return unwrap(window.causeway.request.tryTool({ job: id, name: server.name, tool: tool.name, arguments: args }));
    },
  });

  const run = (isSure: boolean) => {
    const reading = readFormEntries(fields, entries);
    const found = problemsIn(tool.inputSchema, reading);
    setProblems(found);
    setAsking(false);
    if (found.size > 0) return;
    if (tool.effect === 'destroys' && !isSure) return setAsking(true);
    calling.mutate(reading.values);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!calling.isPending) run(false);
  };
  // In a field of several lines the enter key begins a new one.
  const submitByKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
  };
  const failure = calling.error && problemIn(calling.error);
  const wasCancelled = failure?.code === 'cancelled';
  const next = calling.data ? followUps(tools, tool.name, calling.data.structured) : [];

  return (
    <form onSubmit={submit} onKeyDown={submitByKey} className={layout.stack} noValidate>
      {fields.length === 0 && <p>This tool needs nothing to be called.</p>}
      <SchemaFields
        fields={fields}
        place=""
        entries={entries}
        problems={problems}
        onChange={(changed) => setEntries(typeof changed === 'object' && !Array.isArray(changed) ? changed : {})}
      />
      {problems.has('') && <Notice message={problems.get('') ?? ''} remedy={null} />}
      {asking ? (
        <Notice
          message="This tool can change or delete data."
          remedy={`It does so as you, in the workspace of ${server.name}.`}
        >
          <Button autoFocus onClick={() => run(true)}>
            Run it
          </Button>
          <Button variant="default" onClick={() => setAsking(false)}>
            Cancel
          </Button>
        </Notice>
      ) : (
        <div className={`${layout.actions} ${styles.run}`}>
          <Button type="submit" disabled={calling.isPending}>
            Run
          </Button>
          {calling.isPending && (
            <>
              <Button variant="default" onClick={work.cancel}>
                Cancel
              </Button>
              <Running job={job} />
            </>
          )}
        </div>
      )}
      <div className={layout.stack} aria-live="polite">
        {wasCancelled && <p>It was cancelled. The server may have done part of it.</p>}
        {failure && !wasCancelled && (
          <InSight>
            <Notice message={failure.message} remedy={failure.remedy}>
              {needsAttention(server.state) && <ServerRemedy server={server} />}
            </Notice>
          </InSight>
        )}
        {calling.data && !calling.isPending && <ToolAnswerView answer={calling.data} />}
      </div>
      {!calling.isPending && next.length > 0 && (
        <div className={`${layout.actions} ${styles.run}`}>
          <span className={layout.quiet}>Go on with</span>
          {next.map((follow) => (
            <FollowButton
              key={follow.tool.name}
              follow={follow}
              onFollow={() => (follow.tool.name === tool.name ? run(false) : onFollow(follow))}
            />
          ))}
        </div>
      )}
    </form>
  );
}

function FollowButton({ follow, onFollow }: { follow: FollowUp; onFollow(): void }) {
  return (
    <Button variant="default" size="compact-sm" onClick={onFollow}>
      {follow.tool.name}
    </Button>
  );
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
      <span role="status">{lastProgress ? formatProgress(lastProgress) : 'Running…'}</span>{' '}
      {seconds > 0 && `${seconds} s`}
    </span>
  );
}

function formatProgress({ progress, total, words }: EventPayloads['toolProgress']): string {
  const share = total !== null && total > 0 ? `${Math.round((100 * progress) / total)} %` : '';
  return [words || 'Running…', share].filter(Boolean).join(' ');
}

/** A next call that an answer suggests: a tool and its arguments. */
export interface FollowUp {
  tool: ToolInfo;
  values: Record<string, string>;
}

/**
 * The tools of the same server whose required arguments are in an answer: to poll a running statement by its id, or to
 * continue a conversation. Names are compared without case, `_` and `-`.
 */
export function followUps(tools: readonly ToolInfo[], called: string, structured: unknown): FollowUp[] {
  if (hasEnded(structured)) return [];
  const offered = new Map(
    Object.entries(typeof structured === 'object' && structured !== null ? structured : {}).flatMap(([name, value]) =>
      typeof value === 'string' && isIdentifier(name) ? [[alike(name), value] as const] : [],
    ),
  );
  return tools.flatMap((tool) => {
    const { required, properties } = tool.inputSchema;
    const needs = Array.isArray(required) ? required.map(String) : [];
    const names = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
    if (needs.length === 0 || (tool.name === called && needs.length < names.length)) return [];
    const values = needs.map((name) => [name, offered.get(alike(name))] as const);
    if (values.some(([, value]) => value === undefined)) return [];
    return [{ tool, values: Object.fromEntries(values.map(([name, value]) => [name, value ?? ''])) }];
  });
}

/** The final states of SQL statements and of Genie's answers. */
const ENDED = /^(SUCCEEDED|COMPLETED|FAILED|CANCELL?ED|CLOSED|QUERY_RESULT_EXPIRED)$/i;

function hasEnded(structured: unknown): boolean {
  const status = propertyOf(structured, 'status');
  return ENDED.test(String(propertyOf(status, 'state') ?? status));
}

function propertyOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** Whether a member is named like the id of a statement or a conversation. */
function isIdentifier(name: string): boolean {
  return /(_id|Id)$/.test(name);
}

function alike(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase();
}
