import { z } from 'zod';

/** The licenses of the software that the application contains. */
export const notices = z.array(
  z.object({
    name: z.string(),
    version: z.string(),
    /** The license as an SPDX expression. */
    license: z.string(),
    /** The license's whole text, with the copyright. */
    text: z.string(),
  }),
);

const about = z.object({
  version: z.string(),
  /** What it runs on, by name; none of them where it runs without Electron. */
  runtimes: z.array(z.object({ name: z.enum(['Electron', 'Chromium', 'Node.js']), version: z.string() })),
});

export const aboutRequests = {
  getAbout: { input: z.undefined(), output: about },
  getNotices: { input: z.undefined(), output: notices },
  /** Opens the folder with the notices as files, Chromium's among them. */
  showNoticesFolder: { input: z.undefined(), output: z.undefined() },
} as const;

export type LicenseNotice = z.output<typeof notices>[number];
