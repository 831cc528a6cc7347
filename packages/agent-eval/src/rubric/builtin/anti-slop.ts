/** anti-slop: would a technical buyer read this post to its end, or does it sound like everyone's? */
import type { Rubric } from '../rubric.ts';

export const antiSlop: Rubric = {
  name: 'anti-slop',
  description: 'Voice and signal quality for technical-buyer content.',
  systemPrompt: [
    'You judge short public writing that is aimed at people who buy and run technical systems: engineers, leads, operators.',
    'Such a reader has seen a thousand launches. They stay for a fact they did not have, a limit someone was honest about,',
    'or a decision explained by the person who made it. They leave at the first sentence that any company could have written.',
    '',
    'Score what is on the page, not what the author may have meant. Length is no merit. Correct grammar is no merit.',
    'An unsupported superlative lowers the score; a number with its circumstances raises it. Jargon used exactly is fine,',
    'jargon used as decoration is not. Where a post has one specific sentence in a paragraph of filler, the filler counts.',
    'Use the whole scale: 0 is a post the reader regrets opening, 0.5 is forgettable, 1 is one they would send to a colleague.',
  ].join('\n'),
  dimensions: [
    { id: 'buyer_quality', description: 'Would the target buyer care?', weight: 0.5, min: 0, max: 1 },
    { id: 'voice', description: 'Builder voice, not AI/marketing?', weight: 0.3, min: 0, max: 1 },
    { id: 'signal', description: 'Non-obvious detail or constraint?', weight: 0.2, min: 0, max: 1 },
  ],
  failureModes: [
    {
      id: 'ai-cadence',
      description:
        'Rhythm of generated prose: tidy triplets, "not X but Y" turns, a summary sentence that repeats the paragraph.',
    },
    {
      id: 'marketing-tone',
      description: 'Praise in place of description: seamless, powerful, game-changing, excited to announce.',
    },
    { id: 'vague-claim', description: 'A claim with no number, mechanism or case that a reader could check.' },
    { id: 'no-hook', description: 'The first line gives no reason to read the second.' },
    {
      id: 'engagement-bait',
      description: 'Asks for a reaction instead of earning one: polls, "agree?", withheld answers.',
    },
    { id: 'off-icp', description: 'Speaks to someone other than the technical buyer it is meant for.' },
    { id: 'stale-claim', description: 'Presents as news what its readers have known for long.' },
  ],
  wins: [
    { id: 'specific-component', description: 'Names the very part, protocol, file or figure it is about.' },
    { id: 'earned-detail', description: 'Holds a detail that only someone who did the work would know.' },
    { id: 'honest-limit', description: 'Says where the thing does not work, or what it cost.' },
    { id: 'checkable-number', description: 'Gives a measured figure together with how it was measured.' },
  ],
};
