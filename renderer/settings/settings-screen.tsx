/** Not built yet. */
export function SettingsScreen() {
  return <h1>Settings</h1>;
}
