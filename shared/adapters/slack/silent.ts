import { type Logger, LogLevel } from '@slack/web-api';

const nothing = () => {};

/** Slack's client logs bodies and addresses when asked; what matters of a failure stands in what a call answers. */
export const silent: Logger = {
  ...{ debug: nothing, info: nothing, warn: nothing, error: nothing },
  ...{ setLevel: nothing, setName: nothing, getLevel: () => LogLevel.ERROR },
};
