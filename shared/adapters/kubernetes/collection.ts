import type { Where } from '../../handler.ts';
import { isObject, type Json, type JsonObject } from '../../objects.ts';
import { type Answer, because, retryAfterOf, type Send } from './answer.ts';
import { pathOf, type Served } from './discovery.ts';
import { leanText } from './lean.ts';
import { queryOf, selectorsOf } from './selectors.ts';

/** How many objects one page holds. */
const PAGE = 500;
/** How often a list begins anew because its continue token expired (410), before it is read in one piece. */
const RESTARTS = 2;

/** How a list ended. `code` is 0 where no server answered; `absent`: the kind is not there (any more). */
export type Listed =
  | { readonly is: 'listed'; readonly resourceVersion: string }
  | { readonly is: 'absent' }
  | { readonly is: 'failed'; readonly code: number; readonly because: string; readonly retryAfter: number | undefined };

/** What a reader of pages does with them. */
export interface Pages {
  page(objects: readonly JsonObject[]): void;
  /** What was seen so far is void: the list begins anew. */
  restart(): void;
}

/** Lists a collection page by page: objects of any number, and never more than a page of them in memory. */
export async function listPages(send: Send, served: Served, where: Where, pages: Pages): Promise<Listed> {
  let restarts = 0;
  let token: string | undefined;
  for (;;) {
    const limit = restarts <= RESTARTS ? { limit: String(PAGE) } : {};
    const query = queryOf({ ...selectorsOf(where), ...limit, ...(token !== undefined && { continue: token }) });
    const path = pathOf(served, where.namespace);
    const answer = await send({ method: 'GET', path: query ? `${path}?${query}` : path, within: 60_000 });
    if (answer.is === 'answered' && answer.code === 410 && token !== undefined) {
      // "410 ResourceExpired": https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks
      restarts += 1;
      token = undefined;
      pages.restart();
      continue;
    }
    const page = pageOf(answer, served);
    if (page.is !== 'page') return page;
    pages.page(page.objects);
    if (page.token === undefined) return { is: 'listed', resourceVersion: page.resourceVersion };
    token = page.token;
  }
}

interface Page {
  readonly is: 'page';
  readonly objects: readonly JsonObject[];
  readonly resourceVersion: string;
  readonly token: string | undefined;
}

function pageOf(answer: Answer, served: Served): Page | Exclude<Listed, { is: 'listed' }> {
  const failed = (code: number, why: string, retryAfter?: number) =>
    ({ is: 'failed', code, because: why, retryAfter }) as const;
  if (answer.is !== 'answered') return failed(0, answer.because);
  const { code, body } = answer;
  if (code === 404) return isWebPage(body) ? failed(404, because(answer)) : { is: 'absent' };
  if (code !== 200) return failed(code, because(answer), retryAfterOf(answer, 0) || undefined);
  const list = parsed(body);
  const metadata = isObject(list) ? list.metadata : undefined;
  const version = isObject(metadata) ? metadata.resourceVersion : undefined;
  if (!isObject(list) || !isObject(metadata) || typeof version !== 'string') {
    const why = isWebPage(body) ? because(answer) : `HTTP 200 without a list of ${served.plural}: is it an API server?`;
    return failed(code, why);
  }
  const { apiVersion, kind } = served;
  // Items of a typed list carry neither: k8s.io/apimachinery runtime/serializer leaves them to the list.
  const objects = itemsOf(list).map((item): JsonObject => ('kind' in item ? item : { apiVersion, kind, ...item }));
  const token = typeof metadata.continue === 'string' && metadata.continue !== '' ? metadata.continue : undefined;
  return { is: 'page', objects, resourceVersion: version, token };
}

const itemsOf = ({ items }: JsonObject): JsonObject[] => (Array.isArray(items) ? items.filter(isObject) : []);

const isWebPage = (body: Buffer) => body.toString('utf8', 0, 64).trimStart().startsWith('<');

function parsed(body: Buffer): Json | undefined {
  try {
    return JSON.parse(leanText(body));
  } catch {
    return undefined;
  }
}
