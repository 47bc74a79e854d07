import { beforeAll, describe, expect, it } from 'vitest';
import { cfnLint } from './cfn-lint.ts';
import { functions } from './functions.ts';
import { type Packaged, packaged } from './packaged.ts';
import { queues } from './queues.ts';
import { rights } from './rights.ts';

let made: Packaged | undefined;
const all = (): Packaged => {
  if (!made) throw new Error('It was not packaged');
  return made;
};

beforeAll(() => {
  made = packaged();
}, 240_000);

functions(all);
queues(all);
rights(all);

describe('npm run package', () => {
  it('makes the same archives each time', { timeout: 240_000 }, () => {
    const before = all().archives;

    expect(packaged().archives).toEqual(before);
  });

  const lint = cfnLint();
  if ('missing' in lint && !process.env.CI)
    console.warn(`The template was not read by cfn-lint: it needs ${lint.missing}`);

  it.skipIf('missing' in lint && !process.env.CI)(
    'makes a template that cfn-lint has nothing against',
    { timeout: 240_000 },
    () => {
      if ('missing' in lint) throw new Error(`cfn-lint needs ${lint.missing}`);

      expect(lint.read(all().templateFile)).toEqual([]);
    },
  );
});
