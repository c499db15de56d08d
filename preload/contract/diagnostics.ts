import { z } from 'zod';

/** What the person can do about a finding, as a button. */
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
  /** What is checked, as a person says it. */
  title: z.string(),
  status: z.enum(['waiting', 'running', 'pass', 'warning', 'fail', 'unknown', 'skipped']),
  /** What was found; empty before. */
  words: z.string(),
  remedy: z.string().nullable(),
  nextStep: nextStep.nullable(),
});

const diagnosis = z.object({
  running: z.boolean(),
  /** When it was begun, in milliseconds since the epoch; null before the first time. */
  startedAt: z.number().nullable(),
  checks: z.array(diagnosticCheck),
});

export const diagnosticsRequests = {
  getDiagnosis: { input: z.undefined(), output: diagnosis },
  /** Answers when all checks have ended; events tell how far they have come. */
  runDiagnosis: { input: z.undefined(), output: z.undefined() },
  cancelDiagnosis: { input: z.undefined(), output: z.undefined() },
  /** What would be copied and saved, for the person to read before. */
  previewDiagnostics: { input: z.undefined(), output: z.object({ text: z.string() }) },
  copyDiagnostics: { input: z.undefined(), output: z.undefined() },
  /** Gives the file; null if the person thinks better of it. */
  saveDiagnostics: { input: z.undefined(), output: z.object({ file: z.string().nullable() }) },
} as const;

export const diagnosticsEvents = {
  diagnosisChanged: diagnosis,
} as const;

export type Diagnosis = z.output<typeof diagnosis>;
export type DiagnosticCheck = z.output<typeof diagnosticCheck>;
export type DiagnosticNextStep = z.output<typeof nextStep>;
