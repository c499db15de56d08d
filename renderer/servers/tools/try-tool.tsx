import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type KeyboardEvent, useState } from 'react';
import type { ConfiguredServer, Tool } from '../../../preload/contract.ts';
import { needsAttention } from '../../../preload/words.ts';
import { answered, problemIn } from '../../shared/answered.ts';
import layout from '../../shared/layout.module.css';
import { InSight, Notice } from '../../shared/notice.tsx';
import { problemsIn } from '../form/check.ts';
import { entriesOf, readEntries } from '../form/entry.ts';
import { fieldsOf } from '../form/field.ts';
import { type FollowUp, followUps } from '../form/follow-up.ts';
import { SchemaFields } from '../form/schema-fields.tsx';
import { ServerRemedy } from '../server-state.tsx';
import { useJob } from '../use-job.ts';
import { Answer } from './answer.tsx';
import { Running } from './running.tsx';
import styles from './tools.module.css';

interface TryToolProps {
  server: ConfiguredServer;
  tool: Tool;
  /** All of that server. */
  tools: readonly Tool[];
  /** What the form begins with, besides the schema's defaults. */
  values: Record<string, string>;
  onFollow(next: FollowUp): void;
}

/** A form made of a tool's schema, and the tool's answer. */
export function TryTool({ server, tool, tools, values, onFollow }: TryToolProps) {
  const fields = fieldsOf(tool.inputSchema);
  const [entries, setEntries] = useState(() => ({ ...entriesOf(fields), ...values }));
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map());
  const [asking, setAsking] = useState(false);
  const [job, setJob] = useState('');
  const work = useJob();
  const calling = useMutation({
    mutationFn: (given: Record<string, unknown>) => {
      const id = work.begin();
      setJob(id);
      return answered(
        window.causeway.request.tryTool({ job: id, name: server.name, tool: tool.name, arguments: given }),
      );
    },
  });

  const run = (isSure: boolean) => {
    const reading = readEntries(fields, entries);
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
        {calling.data && !calling.isPending && <Answer answer={calling.data} />}
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
