/** Not built yet. */
export function ClientsScreen() {
  return <h1>AI clients</h1>;
}
