import type { Request } from './requester.ts';

/**
 * Creates an object in the collection at `path`; one that is there already stays as it is.
 *
 * @throws Error with the server's answer when it refuses.
 */
export async function create(request: Request, path: string, object: unknown): Promise<void> {
  const { code, body } = await request('POST', path, object);
  if (code !== 201 && code !== 409) throw new Error(`POST ${path}: ${code} ${JSON.stringify(body)}`);
}
