/**
 * Stands for `@aws-sdk/credential-provider-node` in functions: Lambda puts the credentials of a function's role into its
 * environment (https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html) and nowhere else, and the
 * package's search through files, containers and sign-ins is 100 KiB.
 */
export const defaultProvider = () => async () => {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY)
    throw new Error('The environment holds no AWS credentials: Lambda sets them from the role of the function');
  return {
    ...{ accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY },
    ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
  };
};
