/** The variables of a function, as serverless.yml sets them. None holds a secret: those are named, and read from SSM. */
export type Env = Readonly<Record<string, string | undefined>>;

/** The value of a variable. Throws where it is not set: the function and the stack are of two releases. */
export function setting(env: Env, name: string): string {
  const value = env[name];
  if (value) return value;
  throw new Error(`The function's variable ${name} is not set: deploy the stack and its functions together`);
}

/** The variable with the URL of a hop's queue. */
export const queueVariable = (hop: string) => `GLEANER_QUEUE_${hop.toUpperCase()}`;
