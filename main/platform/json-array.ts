/** Any values as the text of a JSON array, one line each, as they arrive. */
export async function* jsonArrayLines(values: AsyncIterable<unknown> | Iterable<unknown>): AsyncGenerator<string> {
  let isFirst = true;
  for await (const value of values) {
    yield `${isFirst ? '[' : ','}\n  ${JSON.stringify(value)}`;
    isFirst = false;
  }
  yield isFirst ? '[]\n' : '\n]\n';
}
