/** plan-discipline: does a Kestrel plan's comment say what its clauses then do? */
import type { Rubric } from '../rubric.ts';

export const planDiscipline: Rubric = {
  name: 'plan-discipline',
  description:
    'Whether the comment on a Kestrel plan states a thesis, an entry, an invalidation and a size that fit the plan.',
  systemPrompt: [
    'You read a trading plan written in Kestrel: a PLAN block with clauses such as WHEN, DO, TP, EXIT, INVALIDATE, CANCEL-IF and a',
    'budget and deadline, and the comments (lines or line ends that begin with #) that its author left with it.',
    'You judge the comment against the clauses. You do not judge whether the trade is good, nor whether it made money.',
    '',
    'A disciplined comment lets someone else manage the plan without asking its author: why this should work, what has to be seen',
    'before getting in, what would prove the idea wrong, and how much is put at stake and why that much. Each of the four has to be',
    'in the words, and the clauses have to do what the words say. A comment that promises a stop the plan does not have is worse',
    'than silence. Restating a clause in English (`buy when spot is above 510`) is not a thesis. A plan with no comment at all',
    'scores 0 on every dimension.',
  ].join('\n'),
  dimensions: [
    {
      id: 'thesis',
      description:
        'A reason that could turn out false, about why price should move, that the signal clauses actually test.',
      weight: 0.3,
      min: 0,
      max: 1,
    },
    {
      id: 'entry',
      description: 'What is waited for and the price paid for it, agreeing with WHEN, DO and any RELOAD or ALSO.',
      weight: 0.2,
      min: 0,
      max: 1,
    },
    {
      id: 'invalidation',
      description:
        'The observation that ends the idea, present as INVALIDATE, EXIT or CANCEL-IF at the level the comment names.',
      weight: 0.3,
      min: 0,
      max: 1,
    },
    {
      id: 'size',
      description: 'The risk taken and why, agreeing with budget, quantities and how the position is reduced.',
      weight: 0.2,
      min: 0,
      max: 1,
    },
  ],
  failureModes: [
    { id: 'no-comment', description: 'The plan has clauses but no words about them.' },
    { id: 'clause-echo', description: 'The comment translates clauses into prose and adds no reason.' },
    {
      id: 'comment-contradicts-plan',
      description: 'A level, side, instrument, time or size in the words differs from the clauses.',
    },
    { id: 'unfalsifiable-thesis', description: 'No observation within the session could show the thesis to be wrong.' },
    { id: 'missing-invalidation', description: 'Nothing said or written ends the plan but its deadline.' },
    { id: 'size-unexplained', description: 'Risk is taken without a word on why that much.' },
    { id: 'hindsight', description: 'The comment leans on prices that came after the plan was written.' },
  ],
  wins: [
    { id: 'levels-agree', description: 'Every level named in the words is in the clauses, and the other way about.' },
    { id: 'names-what-would-be-wrong', description: 'Says outright what would make the author abandon the idea.' },
    { id: 'size-follows-doubt', description: 'Ties the amount risked to how sure the author is.' },
  ],
};
