/** Not built yet. */
export function DiagnosticsScreen() {
  return <h1>Diagnostics</h1>;
}
