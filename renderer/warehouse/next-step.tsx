import { Button } from '@mantine/core';
import type { Failure } from '../../preload/contract.ts';
import { CheckAgain } from './checked.tsx';

/** What leads on from a failure, as buttons: main has decided which. */
export function NextStep({ failure, others }: { failure: Failure; others: readonly string[] }) {
  const { request } = window.causeway;
  switch (failure.next) {
    case 'sign-in':
      return <Button onClick={() => void request.signIn()}>Sign in</Button>;
    case 'try-again':
      return <CheckAgain look="primary" label="Try again" />;
    case 'choose-profile':
      return (
        <>
          {others.map((profile) => (
            <Button key={profile} variant="default" onClick={() => void request.chooseProfile({ profile })}>
              Use {profile}
            </Button>
          ))}
        </>
      );
  }
}
