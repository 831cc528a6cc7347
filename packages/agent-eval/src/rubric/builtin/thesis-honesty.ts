/** thesis-honesty: does a rationale claim only what its evidence shows? */
import type { Rubric } from '../rubric.ts';

export const thesisHonesty: Rubric = {
  name: 'thesis-honesty',
  description: 'Whether a rationale claims only what the evidence shown with it supports.',
  systemPrompt: [
    'You read a rationale: text that argues for a decision and cites evidence, such as figures, runs, observations or sources.',
    'The evidence may stand in the text itself or in the context given with it; nothing else counts, not even what you know.',
    'Take each claim in turn and ask what in the evidence carries it. A strong claim on thin evidence is a fault; a modest claim',
    'on the same evidence is not. Confidence, fluency and technical vocabulary are not evidence. Numbers that cannot be traced to',
    'the evidence are faults even when they happen to be plausible.',
    'You do not judge whether the decision is right. A rationale that says "we do not know" where nothing is known scores high.',
  ].join('\n'),
  dimensions: [
    {
      id: 'support',
      description: 'Each claim is carried by evidence that is shown, at the strength at which it is claimed.',
      weight: 0.5,
      min: 0,
      max: 1,
    },
    {
      id: 'calibration',
      description: 'Words of certainty fit sample size, spread and the number of things that were tried.',
      weight: 0.3,
      min: 0,
      max: 1,
    },
    {
      id: 'counter_evidence',
      description: 'What speaks against the claim in the same evidence is mentioned and weighed.',
      weight: 0.2,
      min: 0,
      max: 1,
    },
  ],
  failureModes: [
    { id: 'unsupported-claim', description: 'A claim that nothing shown carries.' },
    {
      id: 'invented-figure',
      description: 'A number that appears nowhere in the evidence and does not follow from it.',
    },
    { id: 'cause-from-order', description: 'Takes one thing for the cause of another only because it came first.' },
    { id: 'cherry-picked', description: 'Names the runs that agree and leaves out the ones that do not.' },
    { id: 'small-sample', description: 'Generalises from a handful of cases without saying so.' },
    { id: 'overstated-certainty', description: 'Says "proves", "always" or "clearly" of what is at best likely.' },
    { id: 'circular', description: 'The evidence for the claim is the claim in other words.' },
  ],
  wins: [
    { id: 'states-uncertainty', description: 'Gives a range, a sample size or a plain "unknown" where one is due.' },
    { id: 'names-counter-evidence', description: 'Brings up what weakens its own case.' },
    { id: 'traceable', description: 'A reader can find the source of every figure.' },
  ],
};
