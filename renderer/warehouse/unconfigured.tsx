import { AddWorkspace } from '../accounts/add-workspace.tsx';
import { FirstSteps } from '../shared/first-steps.tsx';
import layout from '../shared/layout.module.css';
import { ScreenTitle } from '../shared/screen-head.tsx';
import { CheckAgain } from './checked.tsx';

/** Nothing to open yet: what it takes, and the one form that leads on. */
export function Unconfigured() {
  return (
    <div className={layout.screen}>
      <ScreenTitle>No workspace yet</ScreenTitle>
      <FirstSteps step="workspace" />
      <p>
        Causeway needs to know where your Databricks workspace is. Copy its address from your browser; then you sign in
        there, and nothing else is needed.
      </p>
      <AddWorkspace taken={[]} />
      <p className={layout.quiet}>
        The address is kept in the file that the Databricks command line uses: a profile made there works here too.
      </p>
      <div>
        <CheckAgain look="quiet" label="Look for a profile again" />
      </div>
    </div>
  );
}
