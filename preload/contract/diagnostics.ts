import { z } from 'zod';

/** A remedy for a finding, as a button. */
const nextStep = z.discriminatedUnion('do', [
  z.object({
    do: z.literal('open-screen'),
    screen: z.enum(['warehouse', 'servers', 'clients', 'accounts', 'settings']),
    label: z.string(),
  }),
  z.object({ do: z.literal('sign-in'), profile: z.string(), label: z.string() }),
  z.object({ do: z.literal('show-log'), label: z.string() }),
]);

/** One check, as far as it has come. */
const diagnosticCheck = z.object({
  id: z.string(),
  /** The name of the check. */
  title: z.string(),
  status: z.enum(['waiting', 'running', 'pass', 'warning', 'fail', 'unknown', 'skipped']),
  /** The finding; empty before the check has run. */
  words: z.string(),
  remedy: z.string().nullable(),
  nextStep: nextStep.nullable(),
});

const diagnosis = z.object({
  running: z.boolean(),
  /** When it started, in milliseconds since the epoch; null before the first run. */
  startedAt: z.number().nullable(),
  checks: z.array(diagnosticCheck),
});

export const diagnosticsRequests = {
  getDiagnosis: { input: z.undefined(), output: diagnosis },
  /** Answers when all checks have ended; events tell how far they have come. */
  runDiagnosis: { input: z.undefined(), output: z.undefined() },
  cancelDiagnosis: { input: z.undefined(), output: z.undefined() },
  /** The text of the report, for the user to read before it is copied or saved. */
  previewDiagnostics: { input: z.undefined(), output: z.object({ text: z.string() }) },
  copyDiagnostics: { input: z.undefined(), output: z.undefined() },
  /** Returns the path of the file; null if the user cancels. */
  saveDiagnostics: { input: z.undefined(), output: z.object({ file: z.string().nullable() }) },
} as const;

export const diagnosticsEvents = {
  diagnosisChanged: diagnosis,
} as const;

export type Diagnosis = z.output<typeof diagnosis>;
export type DiagnosticCheck = z.output<typeof diagnosticCheck>;
export type DiagnosticNextStep = z.output<typeof nextStep>;
