import type { Directory } from '../../ports/directory.ts';

/** Who people are where no chat is connected: whoever a page's link or a token belongs to. All else cannot be found out. */
export const localDirectory: Directory = {
  isMember: async (who) =>
    who.startsWith('local:')
      ? { is: 'yes' }
      : { is: 'unreadable', because: 'Slack is not connected, so that who this is cannot be found out' },
  belongs: async (_who, group) => ({
    is: 'unreadable',
    because: `Slack is not connected, so that the members of ${group} cannot be found out`,
  }),
  fresh: () => localDirectory,
};
