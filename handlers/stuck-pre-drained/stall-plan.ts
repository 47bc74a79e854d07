import type { Offer } from '../../shared/handler.ts';
import type { Stall } from './finding.ts';
import { adviceOn } from './runbook-texts.ts';
import { causes } from './upstream.ts';

/** A stall is looked at by a person: Gleaner says what to look for and what to paste, and touches nothing. */
export function stallOffer(finding: Stall): Offer {
  const { what, command, risk, blastRadius } = adviceOn(finding);
  const target = finding.upgrade;
  return {
    refusal: null,
    prevention: null,
    plans: [
      {
        id: 'by-hand',
        title: `Have Node ${finding.node} looked at`,
        risk,
        stopgap: false,
        does: 'Asks a person; Gleaner itself changes nothing.',
        blastRadius,
        irreversible: null,
        preconditions: [],
        steps: [
          {
            do: 'ask',
            target,
            because: causes[finding.cause].what,
            what,
            ...(command !== undefined && { command }),
            until: 'node-moved-on',
            deadline: '24h',
          },
        ],
        onFailure: [],
        undo: { offered: false, because: 'Gleaner changes nothing here' },
      },
    ],
  };
}
