/** `1 session`, `2 sessions`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return count === 1 ? `1 ${one}` : `${count.toLocaleString('en')} ${several}`;
}
