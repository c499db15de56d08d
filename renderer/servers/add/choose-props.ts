/** What everything needs with which one looks for a target in the workspace. */
export interface ChooseProps {
  profile: string;
  target: string | null;
  onChoose(target: string | null): void;
}
