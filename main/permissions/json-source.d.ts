// JSON.parse source text access (ECMA-262 §25.5), which Electron 33 and Node 22 have and TypeScript's libraries do not.
declare global {
  interface JSON {
    parse(
      text: string,
      reviver: (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown,
    ): unknown;
    rawJSON(text: string): object;
  }
}

export {};
