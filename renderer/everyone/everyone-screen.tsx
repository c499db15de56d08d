/** Not built yet. */
export function EveryoneScreen() {
  return <h1>Everyone</h1>;
}
